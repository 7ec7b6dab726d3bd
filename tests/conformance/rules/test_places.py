# SPDX-License-Identifier: Apache-2.0
"""Places in ADK-Go, completed from what the chapters say elsewhere."""

import pytest

from adkref.conformance.rules.places import Places

CHAPTERS = """
... [one/first.go New, run; two/second.go Other]
... [one/deep/third.go Thing.Do; deep/third.go Undo; one/twin.go A; two/twin.go B]
"""


@pytest.mark.parametrize(
    ("source", "before", "full"),
    [
        ("one/first.go New", "", ["one/first.go New"]),
        ("two/second.go A; one/first.go B", "", ["two/second.go A", "one/first.go B"]),
        ("first.go New", "", ["one/first.go New"]),
        ("run", "", ["one/first.go run"]),
        ("Other, more", "one/first.go", ["two/second.go Other, more"]),
        ("unknown", "one/first.go", ["one/first.go unknown"]),
        ("twin.go X", "two/second.go", ["two/twin.go X"]),
        ("twin.go X", "three/x.go", ["twin.go X"]),
        ("new.go X", "three/x.go", ["new.go X"]),
        (
            "two/second.go X; second_test.go TestX",
            "",
            ["two/second.go X", "two/second_test.go TestX"],
        ),
        (
            "loopagent run; agent_test.go TestX",
            "",
            ["loopagent run", "loopagent/agent_test.go TestX"],
        ),
        ("third.go Undo", "", ["one/deep/third.go Undo"]),
        ("seed", "one/first.go", ["seed"]),
        ("one/first.go New (so; and so)", "", ["one/first.go New (so; and so)"]),
        ("", "one/first.go", []),
    ],
)
def test_a_place_in_full(source, before, full):
    """A file or function that stands alone gets the rest from elsewhere, if that is clear."""
    assert list(Places(CHAPTERS).full(source, before)) == full


def test_the_files_of_a_text():
    """Only paths in full are files."""
    assert Places.files("a [one/first.go New; twin.go] b") == ["one/first.go"]
