# SPDX-License-Identifier: Apache-2.0
"""The registry of mutants: reading it, and what every record of the project must be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adkref.conformance.faults import HarnessError, ScenarioError
from adkref.conformance.mutants import registry
from adkref.conformance.mutants.graft import Graft
from adkref.conformance.mutants.registry import Mutant
from adkref.conformance.rules import registry as rules

CONFORMANCE = Path(__file__).parents[3] / "conformance"

RECORD = """
family: first
about: something
golden: [flow]
mutants:
- id: one
  title: It is wrong.
  rules: [XX-001]
  module: adkref.agents.base
  find: "a"
  replace: "b"
"""


@pytest.fixture(scope="module")
def known():
    """The project's mutants."""
    return registry.load(CONFORMANCE)


@pytest.fixture
def folder(tmp_path):
    """Write a file of mutants and return the folder above."""
    (tmp_path / "mutants").mkdir()

    def folder(text, name="01-first.yaml"):
        (tmp_path / "mutants" / name).write_text(text, encoding="utf-8")
        return tmp_path

    return folder


def test_a_record(folder):
    """A record has an id, a title, rules and a graft; its file gives family and golden groups."""
    (mutant,) = registry.load(folder(RECORD)).values()
    assert mutant == Mutant(
        "one",
        "It is wrong.",
        ("XX-001",),
        Graft("adkref.agents.base", "a", "b"),
        family="first",
        golden=("flow",),
    )


def test_no_mutants(tmp_path):
    """A folder without mutants is refused."""
    with pytest.raises(ScenarioError, match="holds no mutants"):
        registry.load(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("golden: [flow]\n", "", "is no file of mutants"),
        ("  replace:", "  replaces:", "is no record of a mutant"),
        ("[XX-001]", "[]", "breaks no rule"),
        ("title: It is wrong.", "title: 1", "title is no text"),
        ("- id: one", "- id: [", "is no YAML"),
    ],
)
def test_records_that_are_none(folder, old, new, words):
    """What is not as the format asks for is refused, with the place."""
    with pytest.raises(ScenarioError, match=rf"01-first\.yaml.*{words}"):
        registry.load(folder(RECORD.replace(old, new)))


def test_an_id_twice(folder):
    """No two mutants have the same id."""
    folder(RECORD)
    with pytest.raises(ScenarioError, match=r"02\.yaml: mutant one is there twice"):
        registry.load(folder(RECORD, "02.yaml"))


def test_names(known):
    """Mutants are named by id, by rule or by family, and all are meant without a name."""
    (one,) = known.named(["author-is-not-filled"])
    assert one.rules == ("AGT-051",)
    assert one in known.named(["AGT-051"])
    assert {each.family for each in known.named(["agents", "flow"])} == {"agents", "flow"}
    assert len(known.named(["agents", "AGT-051"])) == len(known.named(["agents"]))
    assert known.named([]) == list(known.values())


def test_a_name_of_nobody(known):
    """A name of nobody is refused with the ids that come close."""
    with pytest.raises(ScenarioError, match="close to it: author-is-not-filled"):
        known.named(["author-is-not-fill"])


def test_there_are_enough(known):
    """There are at least 120 mutants, of at least ten families."""
    assert len(known) >= 120
    assert len(known.families) >= 10


def test_every_snippet_fits(known):
    """Each snippet stands in its module exactly once, and code comes of its replacement."""
    problems = []
    for mutant in known.values():
        try:
            mutant.check()
        except HarnessError as error:
            problems.append(str(error))
    assert problems == []


def test_every_replacement_changes_something(known):
    """No mutant is the reference, and no two are the same."""
    grafts = [mutant.graft for mutant in known.values()]
    assert [graft for graft in grafts if graft.find == graft.replace] == []
    assert len(set(grafts)) == len(grafts)


def test_every_rule_is_one(known):
    """Each rule that a mutant breaks is in the registry, and stands there once."""
    all_rules = rules.load(CONFORMANCE / "rules")
    for mutant in known.values():
        assert [rule for rule in mutant.rules if rule not in all_rules] == [], mutant.id
        assert len(set(mutant.rules)) == len(mutant.rules), mutant.id


def test_every_title_is_a_sentence(known):
    """An id is words with hyphens, a title a sentence of its own."""
    titles = [mutant.title for mutant in known.values()]
    assert [each for each in titles if not re.fullmatch(r"\w.*\.", each)] == []
    assert len(set(titles)) == len(titles)
    assert [each for each in known if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", each)] == []


def test_every_golden_group_is_there(known):
    """The groups of golden traces that a family names are there."""
    groups = {file.name.split(".")[0] for file in (CONFORMANCE / "golden").glob("*.jsonl.gz")}
    assert {group for mutant in known.values() for group in mutant.golden} <= groups


def test_a_replacement_that_is_no_python():
    """A replacement that cannot be compiled fails with the mutant's id."""
    graft = Graft("adkref.agents.base", "event.author = ROLE_USER if from_user else name", "if")
    with pytest.raises(HarnessError, match="mutant m: the replacement is no Python"):
        Mutant("m", "It is wrong.", ("AGT-051",), graft).check()
