# SPDX-License-Identifier: Apache-2.0
"""Where ids and times come from (CTX-090)."""

import os
import re
from datetime import UTC, datetime, timedelta

import pytest

from adkref.platform import DEFAULT_PLATFORM, Platform, random_uuid, wall_clock

VERSION_4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def test_ids_are_random_uuids_in_lower_case():
    """An id is a UUID of version 4 in text form, and none comes twice (CTX-090)."""
    ids = [random_uuid() for _ in range(2000)]
    assert [one for one in ids if not VERSION_4.fullmatch(one)] == []
    assert len(set(ids)) == 2000


def test_every_free_bit_is_drawn():
    """Over many ids each digit takes every value that the version leaves open (CTX-090)."""
    seen = [set(digits) for digits in zip(*(random_uuid() for _ in range(2000)), strict=True)]
    every = set("0123456789abcdef")
    expected = [every] * 36
    for dash in (8, 13, 18, 23):
        expected[dash] = {"-"}
    expected[14], expected[19] = {"4"}, set("89ab")
    assert seen == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_draws_other_ids():
    """Parent and child do not go on with the same sequence."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.write(writer, random_uuid().encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        theirs = pipe.read()
    assert VERSION_4.fullmatch(theirs)
    assert theirs != random_uuid()


def test_the_wall_clock_is_utc():
    """A time knows its zone and lies between two looks at the system's clock (CTX-090)."""
    before = datetime.now(UTC)
    now = wall_clock()
    assert before <= now <= datetime.now(UTC)
    assert now.utcoffset() == timedelta(0)


def test_a_platform_has_defaults_that_can_be_replaced():
    """Each provider is replaced on its own (CTX-090)."""
    assert Platform() == DEFAULT_PLATFORM
    assert (DEFAULT_PLATFORM.new_id, DEFAULT_PLATFORM.now) == (random_uuid, wall_clock)
    mine = Platform(new_id=lambda: "1")
    assert mine.new_id() == "1"
    assert mine.now is wall_clock
