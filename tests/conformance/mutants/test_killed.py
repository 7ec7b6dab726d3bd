# SPDX-License-Identifier: Apache-2.0
"""Which rules have a killing mutant: keeping it, losing it, and what the project keeps."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from adkref.conformance import corpus
from adkref.conformance.faults import HarnessError, ScenarioError
from adkref.conformance.mutants import killed, registry
from adkref.conformance.mutants.graft import Graft
from adkref.conformance.mutants.hunt import Kill, Verdict
from adkref.conformance.mutants.killed import Killed
from adkref.conformance.mutants.registry import Mutant

CONFORMANCE = Path(__file__).parents[3] / "conformance"


def verdict(identity, kills):
    """Return a verdict on a mutant that breaks two rules; *kills* are cases with their rules."""
    mutant = Mutant(identity, "It is wrong.", ("XX-001", "XX-002"), Graft("adkref", "a", "b"))
    return Verdict(mutant, [Kill(case, "a.jsonl", 1, tuple(rules)) for case, rules in kills])


ONE = verdict("one", [("case-1", ["XX-001"]), ("case-2", ["XX-001", "XX-002"])])
TWO = verdict("two", [("case-3", ["XX-001"]), ("case-4", [])])
OTHER = verdict("other", [("case-5", []), ("case-6", [])])
NONE = verdict("none", [])


@pytest.fixture
def root(tmp_path):
    """A conformance folder with room for mutants."""
    (tmp_path / "mutants").mkdir()
    return tmp_path


def test_the_first_killing_case_of_each_rule():
    """A rule has the mutants that its cases kill, each with the first such case."""
    assert Killed.of([TWO, ONE, NONE]).rules == {
        "XX-001": {"one": "case-1", "two": "case-3"},
        "XX-002": {"one": "case-2"},
    }


def test_a_mutant_that_counts_for_no_rule():
    """The case that kills it is kept apart."""
    kept = Killed.of([ONE, OTHER, NONE])
    assert kept.others == {"other": "case-5"}
    assert kept.cases == {"one": {"case-1", "case-2"}, "other": {"case-5"}}


def test_writing_and_reading(root):
    """What is written is read again, and the floor is the number of rules."""
    written = killed.write(root, [ONE, TWO, OTHER])
    assert killed.load(root) == written
    assert (written.floor, written.others) == (2, {"other": "case-5"})
    assert killed.killers(root) == {"XX-001": ("one", "two"), "XX-002": ("one",)}


def test_nothing_is_kept_yet(root):
    """Without a file nothing is kept."""
    assert killed.load(root) == Killed()
    assert killed.killers(root) == {}


def test_the_number_may_only_rise(root):
    """Fewer rules than before are not written."""
    killed.write(root, [ONE])
    with pytest.raises(HarnessError, match="1 rules have a killing mutant; there were 2"):
        killed.write(root, [TWO])
    assert killed.load(root).floor == 2


def test_what_is_lost():
    """A mutant that a rule's cases do not kill any more is lost, and so is a number."""
    kept = evolve(Killed.of([ONE, TWO, OTHER]), floor=2)
    assert kept.lost(Killed.of([ONE, TWO, OTHER])) == []
    assert kept.lost(Killed.of([TWO])) == [
        "XX-001: no case of it kills one any more",
        "XX-002: no case of it kills one any more",
        "no case kills other any more",
        "1 rules have a killing mutant; there were 2, and the number may only rise",
    ]


def test_a_mutant_that_is_not_kept():
    """It would not be missed, so it is told of; one that a rule has found is none of the others."""
    kept = Killed.of([OTHER])
    found = verdict("other", [("case-7", ["XX-001"])])
    assert kept.lost(Killed.of([found, TWO])) == [
        "two is not kept; `adkref mutants --write` keeps it"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{floor: 1, rules: {}}",
        "{floor: a, rules: {}, others: {}}",
        "{floor: 1, rules: {a: b}, others: {}}",
        "{floor: 1, rules: {}, others: []}",
        "{",
    ],
)
def test_a_file_that_is_none(root, text):
    """A file that is no registry is refused with its name."""
    (root / "mutants" / "killed.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"killed\.yaml"):
        killed.load(root)


# --- the project's own ------------------------------------------------------------------------


def test_the_projects_registry():
    """Each mutant that is kept breaks the rule by its record, and the case lists the rule."""
    known = registry.load(CONFORMANCE)
    folders = [CONFORMANCE / "cases", CONFORMANCE / "untraced"]
    cases = {case.id: case.rules for case in corpus.read_all(folders)}
    kept = killed.load(CONFORMANCE)
    for rule, mutants in kept.rules.items():
        for mutant, case in mutants.items():
            assert rule in known[mutant].rules
            assert rule in cases[case]
    assert kept.floor == len(kept.rules) > 0
    assert set(kept.cases) == set(known)


def test_most_mutants_are_bound_to_a_rule():
    """Nine of ten mutants are killed by a case that lists a rule which they break."""
    known = registry.load(CONFORMANCE)
    bound = {mutant for mutants in killed.killers(CONFORMANCE).values() for mutant in mutants}
    assert len(bound) >= 0.9 * len(known)
