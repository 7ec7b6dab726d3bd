# SPDX-License-Identifier: Apache-2.0
"""The manifest: joining rules with cases, tests and reasons."""

import json
from pathlib import Path

import pytest

from adkref.conformance.faults import ScenarioError
from adkref.conformance.rules import manifest
from adkref.conformance.rules.ids import mentions
from adkref.conformance.rules.manifest import Dispute, Exclusion, Manifest
from adkref.conformance.rules.registry import Registry, Rule

REASONS = {"go-only": "Only Go has it."}


def rules(*ids: str) -> Registry:
    """Return a registry of rules that are nothing but their ids."""
    return Registry(
        Rule(id=each, chapter="01", section="1", level="MUST", sentence="So.") for each in ids
    )


def join(registry, *, excluded=None, tests=None, shown=None, tested=None, reasons=REASONS):
    """Join with exclusions as a mapping, and with docstrings as texts."""
    exclusions = [Exclusion(rule, "go-only", note) for rule, note in (excluded or {}).items()]
    return manifest.join(
        registry,
        Manifest(reasons if exclusions else {}, exclusions, tests or {}),
        shown or {},
        {test: tuple(mentions(words)) for test, words in (tested or {}).items()},
    )


def test_a_rule_with_nothing_is_an_orphan():
    """A rule without a case, a test and a reason is told."""
    ledger = join(rules("XX-001", "XX-002"), shown={"c": ["XX-001"]})
    assert ledger.orphans == ["XX-002"]
    assert ledger.problems == ("XX-002 has no case, no test and no reason why not",)


def test_cases_and_tests_are_computed():
    """A case shows what it lists, a test what its docstring names, ranges included."""
    ledger = join(
        rules("XX-001", "XX-002", "XX-003", "YY-001"),
        shown={"one": ["XX-001", "XX-001"], "two": ["XX-001"]},
        tested={"t": "It is so (XX-001 to XX-003, YY-001, XX-001)."},
    )
    assert ledger.problems == ()
    assert ledger.entries["XX-001"].cases == ("one", "two")
    assert all(entry.tests == ("t",) for entry in ledger.entries.values())


def test_tests_that_the_manifest_names():
    """A test that does not name a rule shows it because the manifest says so."""
    ledger = join(rules("XX-001"), tests={"XX-001": ("t",)}, tested={"t": "It is so."})
    assert ledger.problems == ()
    assert ledger.entries["XX-001"].tests == ("t",)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"shown": {"c": ["ZZ-009"]}}, "the case c lists ZZ-009, which is no rule"),
        ({"tested": {"t": "(ZZ-009)"}}, "the test t names ZZ-009, which is no rule"),
        (
            {"tests": {"ZZ-009": ("t",)}, "tested": {"t": ""}},
            "the manifest names ZZ-009, which is no rule",
        ),
        ({"tests": {"XX-001": ("none",)}}, "XX-001: there is no test none"),
        (
            {"tests": {"XX-001": ("t",)}, "tested": {"t": "(XX-001)"}},
            "XX-001: t names the rule itself, so the manifest need not",
        ),
        ({"excluded": {"ZZ-*": ""}}, "ZZ-* is excluded (go-only), and there is no such rule"),
        ({"excluded": {"XX-001": ""}}, "XX-001 is excluded (go-only), but c shows XX-001"),
        (
            {"excluded": {"XX-*": ""}, "tested": {"t": "(XX-001)"}},
            "XX-* is excluded (go-only), but c shows XX-001",
        ),
    ],
)
def test_each_problem_is_told(given, said):
    """What names nothing, and what excludes a rule that is shown, is told in words."""
    given.setdefault("shown", {}).setdefault("c", []).append("XX-001")
    assert join(rules("XX-001"), **given).problems == (said,)


def test_a_family_is_excluded_but_for_what_is_shown():
    """A star means the rules of a family that nothing shows, and the rule's own word wins."""
    ledger = join(
        rules("XX-001", "XX-002", "XX-003"),
        shown={"c": ["XX-001"]},
        excluded={"XX-*": "the family", "XX-003": "itself"},
    )
    assert ledger.problems == ()
    notes = [entry.exclusion and entry.exclusion.note for entry in ledger.entries.values()]
    assert notes == [None, "the family", "itself"]


def test_a_reason_that_nothing_needs():
    """A reason that excludes nothing leaves the list."""
    ledger = join(
        rules("XX-001"), excluded={"XX-001": ""}, reasons={**REASONS, "old": "It was so."}
    )
    assert ledger.problems == ("the reason 'old' excludes nothing",)


def test_a_rule_that_is_excluded_twice():
    """Two words on one rule are one too many."""
    twice = [Exclusion("XX-001", "go-only", "a"), Exclusion("XX-001", "go-only", "b")]
    ledger = manifest.join(rules("XX-001"), Manifest(REASONS, twice), {}, {})
    assert ledger.problems == ("XX-001 is excluded twice",)


def test_mutants_come_in_by_their_rules():
    """The matrix of mutants marks its rules; a stranger in it is told."""
    ledger = join(rules("XX-001", "XX-002"), shown={"c": ["XX-001", "XX-002"]})
    marked = ledger.with_mutants({"XX-001": ["m1", "m2"], "ZZ-009": ["m3"]})
    assert marked.entries["XX-001"].killed_by == ("m1", "m2")
    assert marked.entries["XX-002"].killed_by == ()
    assert marked.problems == ("a mutant names ZZ-009, which is no rule",)


# --- files ------------------------------------------------------------------------------------


def load(tmp_path: Path, text: str) -> Manifest:
    """Load a manifest with that text."""
    (tmp_path / "manifest.yaml").write_text(text, encoding="utf-8")
    return manifest.load(tmp_path)


def test_the_file(tmp_path):
    """The file has reasons, what each excludes with a note, and tests."""
    loaded = load(
        tmp_path,
        "reasons: {go-only: Only Go.}\n"
        "excluded: {go-only: {XX-001: why, XX-*: }}\n"
        "tests: {XX-002: [tests/test_x.py::test_x]}\n",
    )
    assert loaded == Manifest(
        {"go-only": "Only Go."},
        [Exclusion("XX-001", "go-only", "why"), Exclusion("XX-*", "go-only", "")],
        {"XX-002": ("tests/test_x.py::test_x",)},
    )


DISPUTED = "{reasons: {}, tests: {}, excluded: {}, disputed: %s}"


def test_a_dispute(tmp_path):
    """It says what is held against a rule, since when, and where it is talked about."""
    text = DISPUTED % "{XX-001: {about: too strict, since: 2026-12-01, link: 'https://x/1'}}"
    dispute = Dispute("XX-001", about="too strict", since="2026-12-01", link="https://x/1")
    assert load(tmp_path, text).disputes == (dispute,)
    assert manifest.disputes(tmp_path) == {"XX-001": dispute}
    assert manifest.disputes(tmp_path / "elsewhere") == {}


def test_a_dispute_stands_beside_its_rule():
    """One about no rule is a problem."""
    found = [Dispute(rule, about="x", since="2026-12-01", link="y") for rule in ("XX-001", "ZZ-1")]
    shown = {"case": ["XX-001"]}
    ledger = manifest.join(rules("XX-001"), Manifest({}, disputes=found), shown, {})
    assert ledger.entries["XX-001"].dispute == found[0]
    assert ledger.problems == ("ZZ-1 is disputed, and there is no such rule",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (DISPUTED % "[]", "has no mapping 'disputed'"),
        (DISPUTED % "{XX-001: {about: x}}", "the dispute of XX-001 is incomplete; expected about"),
        ("[]", "has no mapping 'reasons'"),
        ("{reasons: {}, tests: {}}", "has no mapping 'excluded'"),
        ("{reasons: {}, tests: {}, excluded: {}, colour: red}", "unknown key 'colour'"),
        ("{reasons: {a: b}, tests: {}, excluded: {c: {}}}", "'c' is no reason; expected a"),
    ],
)
def test_a_file_that_is_no_manifest(tmp_path, text, said):
    """A broken manifest is told by its file and by what is wrong."""
    with pytest.raises(ScenarioError, match=said):
        load(tmp_path, text)


def test_the_cases_of_a_folder(tmp_path):
    """Traced and untraced cases list rules, whichever of the two folders there are."""
    (tmp_path / "cases").mkdir()
    case = {"scenario": {"id": "one", "rules": ["XX-001"]}, "trace": []}
    (tmp_path / "cases" / "a.jsonl").write_text(json.dumps(case), encoding="utf-8")
    assert manifest.cases(tmp_path) == {"one": ("XX-001",)}


def test_the_tests_of_a_folder(tmp_path):
    """Test functions and methods count, helpers and other modules do not."""
    folder = tmp_path / "tests" / "deep"
    folder.mkdir(parents=True)
    (folder / "test_a.py").write_text(
        'def test_one():\n    """It (XX-001)."""\n'
        "def test_two(): pass\n"
        'def help():\n    """No (XX-002)."""\n'
        'class TestB:\n    def test_three(self):\n        """It (XX-003)."""\n',
        encoding="utf-8",
    )
    (folder / "helper.py").write_text('def test_no():\n    """No (XX-004)."""\n', encoding="utf-8")
    found = manifest.tests(tmp_path / "tests")
    assert {test: [each.ids for each in said] for test, said in found.items()} == {
        "tests/deep/test_a.py::test_one": [("XX-001",)],
        "tests/deep/test_a.py::test_two": [],
        "tests/deep/test_a.py::TestB::test_three": [("XX-003",)],
    }


def test_strangers_in_the_code(tmp_path):
    """An id in a comment that is no rule is told with its place."""
    file = tmp_path / "a.py"
    file.write_text("x = 1  # XX-001\ny = 2  # XX-001, XX-002\n", encoding="utf-8")
    assert manifest.strangers(rules("XX-001"), [file]) == [f"{file}:2: XX-002"]
