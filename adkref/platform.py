# SPDX-License-Identifier: Apache-2.0
"""The platform seam: where ids and times come from (CTX-090).

A test installs providers of its own with :meth:`HostContext.with_value
<adkref.contexts.host.HostContext.with_value>`; otherwise ids are random UUIDs
of version 4 and times are the wall clock in UTC.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random

from attrs import frozen

_VERSION_4 = 4 << 76
_VARIANT = 0x8000 << 48
_FREE_BITS = ~((0xF000 << 64) | (0xC000 << 48))
# Seeded by the operating system, here and in every forked child.
_random = Random()
_random_bits = _random.getrandbits
os.register_at_fork(after_in_child=_random.seed)


def random_uuid() -> str:
    """Return a random UUID, version 4, in lower-case text form.

    The standard library's :mod:`uuid` builds an object per id; an id is drawn for
    every event, so we format the same 122 random bits directly.
    """
    digits = "%032x" % (_random_bits(128) & _FREE_BITS | _VERSION_4 | _VARIANT)
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def wall_clock() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


@frozen
class Platform:
    """Providers of ids and times."""

    new_id: Callable[[], str] = random_uuid
    now: Callable[[], datetime] = wall_clock


DEFAULT_PLATFORM = Platform()
