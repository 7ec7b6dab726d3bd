# SPDX-License-Identifier: Apache-2.0
"""``adkref rules``: what it prints and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_cases import skipped, sound, wrong

from adkref.conformance.rules import extract, frozen, registry

CHAPTER = """# Things

## 1. First

**XX-001** A thing MUST be there, and it MUST say who made it. [a/b.go New]

**XX-002** (v2.4.0) A port SHOULD keep the thing, if that is possible. Ports MAY copy it.

**XX-003** A thing that nobody asked for is never there, whoever looks.

**YY-001** Another thing is there as well, and nothing is said of it.
"""
MANIFEST = """
reasons: {go-only: Only Go has it.}
excluded: {go-only: {XX-003: nobody can look}}
tests: {}
"""


@pytest.fixture
def rules(project):
    """Make a project with four rules: one with cases, one tested, one excluded, one open."""
    project("conformance/cases/a.jsonl", sound("one", rules=["XX-001"]))
    Path("docs/spec").mkdir(parents=True)
    Path("docs/spec/01-things.md").write_text(CHAPTER, encoding="utf-8")
    folder = Path("conformance/rules")
    folder.mkdir()
    (folder / "manifest.yaml").write_text(MANIFEST, encoding="utf-8")
    Path("tests").mkdir()
    Path("tests/test_a.py").write_text(
        'def test_it():\n    """A port keeps it (XX-002)."""\n', encoding="utf-8"
    )
    registry.write(extract.read(Path("docs/spec")), folder)
    frozen.add_new(extract.read(Path("docs/spec")), folder)
    return folder


def test_all_rules(rules, run):
    """Without a name each rule has its line: id, level, sentence."""
    code, out, err = run("rules")
    assert (code, err) == (0, "")
    assert out.splitlines()[:2] == [
        "XX-001      MUST          A thing MUST be there, and it MUST say who made it.",
        "XX-002      SHOULD        A port SHOULD keep the thing, if that is possible.",
    ]
    assert len(out.splitlines()) == 4


def test_rules_that_begin_alike(rules, run):
    """A family or a beginning leaves out the others."""
    assert [line[:6] for line in run("rules", "XX")[1].splitlines()] == [
        "XX-001",
        "XX-002",
        "XX-003",
    ]


def test_one_rule(rules, run):
    """One rule is shown with its place, and with what shows it."""
    assert run("rules", "XX-001")[1].splitlines() == [
        "XX-001 — A thing MUST be there, and it MUST say who made it.",
        "  level:      MUST",
        "  chapter:    docs/spec/01-things.md, 1. First",
        "  source:     a/b.go New",
        "  cases:      one",
    ]
    assert run("rules", "xx-002")[1].splitlines() == [
        "XX-002 — A port SHOULD keep the thing, if that is possible.",
        "  Ports MAY copy it.",
        "  level:      SHOULD",
        "  chapter:    docs/spec/01-things.md, 1. First",
        "  source:     a/b.go",
        "  since:      v2.4.0",
        "  tests:      tests/test_a.py::test_it",
    ]
    assert "  shown by:   nothing (go-only): nobody can look" in run("rules", "XX-003")[1]


def test_rules_as_json(rules, run):
    """As JSON a rule has all that is known of it, and empty fields are left out."""
    _, out, _ = run("rules", "XX", "--json")
    one, two, three = json.loads(out)["rules"]
    assert (one["source"], one["cases"], "tests" in one) == (["a/b.go New"], ["one"], False)
    assert (two["profile"], two["tests"]) == ("v2.4.0", ["tests/test_a.py::test_it"])
    assert three["excluded"] == {"reason": "go-only", "note": "nobody can look"}


def test_a_rule_that_is_not_there(rules, run):
    """An unknown name is bad input, and the families are named."""
    code, out, err = run("rules", "ZZ-001")
    assert (code, out) == (2, "")
    assert err == "adkref: no rule begins with 'ZZ-001'; the families are XX, YY\n"


def test_no_registry(project, run):
    """Without a registry there are no rules, and the words say where it was looked for."""
    project("conformance/cases/a.jsonl", sound("one"))
    code, _, err = run("rules")
    assert code == 2
    assert "no registry of rules here" in err


def test_coverage(rules, run):
    """Each rule is told how its cases went; one with nothing fails the command."""
    code, out, _ = run("rules", "--coverage")
    lines = [" ".join(line.split()) for line in out.splitlines() if line.strip()]
    assert code == 1
    assert lines[:4] == [
        "XX-001 cases: 1 equal",
        "XX-002 tests: 1",
        "XX-003 excluded: go-only",
        "YY-001 nothing",
    ]
    assert "XX 3 1 1 1 0 0 0" in lines
    assert "all 4 1 1 1 0 0 1" in lines
    assert "excluded as go-only: 1" in lines
    assert lines[-1].startswith("YY-001: nothing shows it: Another thing")


def test_coverage_of_a_family(rules, run):
    """Only the rules that are named count."""
    assert run("rules", "XX", "--coverage")[0] == 0


def test_coverage_with_a_difference(rules, project, run):
    """A rule of which one case differs is different, and a skipped case is told."""
    two, three = wrong("two"), skipped("three")
    for case in (two, three):
        case["scenario"]["rules"] = ["XX-001"]
    project("conformance/cases/b.jsonl", two, three)
    code, out, _ = run("rules", "XX-001", "--coverage")
    assert code == 1
    assert "cases: 1 equal, 1 different, 1 skipped" in out
    assert "XX-001: a case differs: A thing MUST be there" in out


def test_coverage_as_json(rules, run):
    """As JSON the coverage has each rule, the families and the totals."""
    code, out, _ = run("rules", "--coverage", "--json", "--jobs", "2")
    report = json.loads(out)
    assert code == 1
    assert report["rules"][0] == {"id": "XX-001", "state": "equal", "cases": {"one": "equal"}}
    assert report["total"] == {
        "equal": 1,
        "tested": 1,
        "excluded": 1,
        "skipped": 0,
        "different": 0,
        "nothing": 1,
    }


def test_check(rules, run):
    """The check tells what has nothing, and what the chapters say otherwise."""
    code, out, _ = run("rules", "--check")
    assert code == 1
    assert out.splitlines() == [
        "YY-001 has no case, no test and no reason why not",
        "4 rules, 1 problems",
    ]
    page = Path("docs/spec/01-things.md")
    page.write_text(CHAPTER.replace("who made it", "who broke it"), encoding="utf-8")
    report = json.loads(run("rules", "--check", "--json")[1])
    assert report["rules"] == 4
    assert report["problems"][0] == (
        "XX-001: the registry and 01-things differ in sentence, digest"
    )


def test_check_without_chapters(rules, run):
    """Without the chapters nothing can be checked."""
    Path("docs/spec/01-things.md").unlink()
    code, _, err = run("rules", "--check")
    assert code == 2
    assert "holds no chapter" in err
