# SPDX-License-Identifier: Apache-2.0
"""Frozen rules: ids that stay and sentences that change only with a note."""

import hashlib
from pathlib import Path

import pytest
from attrs import evolve

from adkref.conformance.faults import ScenarioError
from adkref.conformance.rules import frozen, registry
from adkref.conformance.rules.registry import Registry, Rule
from adkref.conformance.versions import SCHEMA_VERSION

FOLDER = Path(__file__).parents[3] / "conformance" / "rules"
ONE = Rule(id="XX-001", chapter="01", section="1", level="MUST", sentence="It is there.")
TWO = evolve(ONE, id="XX-002", sentence="It stays there.")
#: The hash of what version 1.0.0 froze.  Its lines never change; later ones are added below.
OF_1_0_0 = "527d1186078f4ba74fda287f2dfad42b1e4feaf7387767bfb20c7878e142afb8"


def told(folder: Path, text: str, *rules: Rule) -> list[str]:
    """Return the problems of a list with that text against those rules."""
    (folder / frozen.FROZEN).write_text(text, encoding="utf-8")
    return list(frozen.problems(Registry(rules), frozen.load(folder)))


def line(rule: Rule, version: str = "1.0.0", note: str = "") -> str:
    """Return the line of a rule's sentence."""
    return f"{frozen.Wording(rule.id, version, frozen.hash_of(rule), note)}\n"


class TestTheProject:
    """The project's own list."""

    def test_nothing_went_away_or_changed_in_silence(self):
        """Every frozen id is a rule with its sentence, and every rule is frozen."""
        assert list(frozen.problems(registry.load(FOLDER), frozen.load(FOLDER))) == []

    def test_the_lines_of_a_version_stay(self):
        """The list begins with the lines of 1.0.0 as they were, each of them."""
        lines = (FOLDER / frozen.FROZEN).read_text(encoding="utf-8").splitlines(keepends=True)
        first = [each for each in lines if each.split()[1] == "1.0.0"]
        assert len(first) == 1354
        assert lines[: len(first)] == first
        assert hashlib.sha256("".join(first).encode()).hexdigest() == OF_1_0_0


class TestProblems:
    """What breaks the promise, and what is wrong with a list."""

    def test_none(self, tmp_path):
        """A list of all rules as they are has none; how a sentence is wrapped is no matter."""
        text = line(ONE) + line(TWO)
        assert told(tmp_path, text, ONE, evolve(TWO, sentence="It\n  stays there.")) == []

    def test_an_id_that_is_gone_and_one_that_is_new(self, tmp_path):
        """A rule that went away and one that was never frozen are named."""
        assert told(tmp_path, line(ONE), TWO) == [
            "XX-001 was frozen in 1.0.0 and is gone",
            "XX-002 is not in frozen.txt",
        ]

    def test_a_changed_sentence(self, tmp_path):
        """A changed sentence is told with the line that would be needed."""
        changed = evolve(ONE, sentence="It is not there.")
        assert told(tmp_path, line(ONE), changed) == [
            (
                "XX-001: its sentence is not that of 1.0.0; take it back, or raise the version and "
                f"add the line 'XX-001 VERSION {frozen.hash_of(changed)} NOTE' to frozen.txt"
            )
        ]

    def test_a_change_with_a_note(self, tmp_path, monkeypatch):
        """A later line of a later version with a note makes a change sound."""
        monkeypatch.setattr(frozen, "SCHEMA_VERSION", "1.0.1")
        changed = evolve(ONE, sentence="It is not there.")
        text = line(ONE) + line(changed, "1.0.1", "it was never there")
        assert told(tmp_path, text, changed) == []

    def test_a_change_without_a_note_in_the_same_version(self, tmp_path):
        """A change needs both a note and a version of its own."""
        changed = evolve(ONE, sentence="It is not there.")
        assert told(tmp_path, line(ONE) + line(changed), changed) == [
            "XX-001: its sentence changed again in the same version 1.0.0",
            "XX-001: frozen.txt has no note on why its sentence changed",
        ]

    def test_a_version_that_is_not_yet(self, tmp_path):
        """A line of a later version than the kit's is refused, for its patch as well."""
        text = line(ONE, "1.0.9") + line(TWO, "1.9.0", "odd")
        assert told(tmp_path, text, ONE, TWO) == [
            f"XX-001: frozen.txt has the version 1.0.9: this kit is of version {SCHEMA_VERSION}",
            "XX-002: its first line in frozen.txt has a note, and nothing that changed",
            (
                "XX-002: frozen.txt has the version 1.9.0: it is of version 1.9.0, and this kit "
                f"knows {SCHEMA_VERSION}"
            ),
        ]

    @pytest.mark.parametrize("text", ["XX-001\n", "XX-001 1.0 0123456789ab\n", "\n"])
    def test_what_is_no_line(self, tmp_path, text):
        """A line of another form is bad input, with its place."""
        with pytest.raises(ScenarioError) as caught:
            told(tmp_path, line(ONE) + text, ONE)
        assert str(caught.value) == (
            f"{tmp_path / 'frozen.txt'}:2: {text.strip()!r} is no line of the list; expected "
            "ID VERSION HASH, with a note where a sentence changed"
        )

    def test_no_list(self, tmp_path):
        """A registry without its list is bad input, not one without problems."""
        with pytest.raises(ScenarioError, match=r"frozen\.txt: No such file"):
            frozen.load(tmp_path)


def test_new_rules_are_added(tmp_path):
    """New rules go to the end with this kit's version; what is there stays as it is."""
    frozen.add_new(Registry([ONE]), tmp_path)
    frozen.add_new(Registry([TWO, evolve(ONE, sentence="Changed.")]), tmp_path)
    assert (tmp_path / frozen.FROZEN).read_text(encoding="utf-8") == (
        line(ONE, SCHEMA_VERSION) + line(TWO, SCHEMA_VERSION)
    )
