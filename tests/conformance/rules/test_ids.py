# SPDX-License-Identifier: Apache-2.0
"""Rule ids in prose, comments and docstrings."""

import pytest

from adkref.conformance.rules.ids import Mention, family, mentions, named


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("# XX-055: because", ["XX-055"]),
        ("(XX-001, YY-002)", ["XX-001", "YY-002"]),
        ("see V24-003.", ["V24-003"]),
        ("XX-001 to XX-009", ["XX-001", "XX-009"]),
        ("XX-042/046", ["XX-042", "XX-046"]),
        ("XX-042/YY-046", ["XX-042", "YY-046"]),
        ("nothing of the kind", []),
        ("RFC-3339, X-001, ABCDE-001, XX-01, XX-0001", []),
    ],
)
def test_ids_that_are_written_out(text, ids):
    """Two to four capitals and three digits are an id, and nothing else is."""
    assert list(named(text)) == ids


@pytest.mark.parametrize(
    "text",
    [
        "XX-042 to XX-045",
        "XX-042 to 045",
        "XX-042 through XX-045",
        "XX-042..045",
        "XX-042...045",
        "XX-042…045",
        "XX-042–045",
    ],
)
def test_a_range(text):
    """A range names its ends and covers what is between, in its family only."""
    (mention,) = mentions(text)
    assert mention == Mention(("XX-042", "XX-045"), is_range=True)
    rules = ("XX-041", "XX-042", "XX-044", "XX-045", "XX-046", "XY-043")
    assert [rule for rule in rules if mention.covers(rule)] == ["XX-042", "XX-044", "XX-045"]


def test_an_alternative_is_no_range():
    """A slash joins two ids, and what is between them is not named."""
    (mention,) = mentions("XX-042/046")
    assert mention.covers("XX-042")
    assert not mention.covers("XX-044")


def test_a_range_over_two_families_is_two_ids():
    """There is nothing between two families."""
    (mention,) = mentions("XX-001 to YY-003")
    assert not mention.is_range
    assert not mention.covers("XX-002")


def test_the_family():
    """The family of an id is what stands before its number."""
    assert [family("XX-001"), family("V24-003")] == ["XX", "V24"]
