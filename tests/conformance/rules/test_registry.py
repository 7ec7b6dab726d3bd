# SPDX-License-Identifier: Apache-2.0
"""The registry of rules, its files, and how it is held against the chapters."""

import pytest
from attrs import evolve

from adkref.conformance.faults import ScenarioError
from adkref.conformance.rules import registry
from adkref.conformance.rules.registry import Registry, Rule

ONE = Rule(
    id="XX-001",
    chapter="01-things",
    section="1. First",
    level="MUST",
    sentence='Yes: `no` is "on" – it\'s 1e5.',
    allows=("A port MAY.",),
    source=("a/b.go F",),
    since="v2.4.0",
    known="P",
    changed_by=("R1",),
    digest="123456789012",
)
TWO = evolve(ONE, id="XX-002", allows=(), source=(), since="", known="", changed_by=())
THREE = evolve(TWO, id="XY-001", chapter="02-more")
RULES = Registry([ONE, TWO, THREE])


def test_what_is_written_is_read_again(tmp_path):
    """Every field survives the files, one of which there is a chapter."""
    registry.write(RULES, tmp_path)
    assert sorted(file.name for file in tmp_path.glob("*.yaml")) == [
        "01-things.yaml",
        "02-more.yaml",
    ]
    assert dict(registry.load(tmp_path)) == dict(RULES)


def test_the_list_of_ids_only_grows(tmp_path):
    """A rule that goes stays in the list, and a new one comes last."""
    registry.write(RULES, tmp_path)
    registry.write(Registry([evolve(ONE, id="XX-000"), TWO, THREE]), tmp_path)
    assert registry.ids(tmp_path) == ("XX-001", "XX-002", "XY-001", "XX-000")


def test_no_list_of_ids_yet(tmp_path):
    """Before the first writing no id was given out."""
    assert registry.ids(tmp_path) == ()


@pytest.mark.parametrize(
    ("prefix", "found"),
    [
        ("XX-002", ["XX-002"]),
        ("xx-002", ["XX-002"]),
        ("XX", ["XX-001", "XX-002"]),
        ("XY-0", ["XY-001"]),
        ("X", ["XX-001", "XX-002", "XY-001"]),
        ("Z", []),
    ],
)
def test_rules_that_begin_alike(prefix, found):
    """An id means itself, a family its rules, and any other beginning what begins so."""
    assert [rule.id for rule in RULES.matching(prefix)] == found


def test_a_family_is_not_its_longer_sisters():
    """The family XX does not hold the family XXY."""
    rules = Registry([ONE, evolve(ONE, id="XXY-001")])
    assert [rule.id for rule in rules.matching("XX")] == ["XX-001"]


def test_equal_is_equal():
    """A registry that is what the chapters say has no difference."""
    assert registry.differences(RULES, RULES, list(RULES)) == []


@pytest.mark.parametrize(
    ("pages", "given", "said"),
    [
        (Registry([ONE, TWO]), RULES, "XY-001 is in the registry only"),
        (
            Registry([*RULES.values(), evolve(ONE, id="XX-003")]),
            RULES,
            "XX-003 is on the page 01-things only",
        ),
        (
            Registry([evolve(ONE, digest="0"), TWO, THREE]),
            RULES,
            "XX-001: the registry and 01-things differ in digest",
        ),
        (
            Registry([evolve(ONE, sentence="No.", known=""), TWO, THREE]),
            RULES,
            "XX-001: the registry and 01-things differ in sentence, known",
        ),
        (RULES, ["XX-000", *RULES], "XX-000 was given out and is gone"),
        (RULES, ["XX-001", "XX-002"], "XY-001 is not in ids.txt"),
        (RULES, [*RULES, "XX-001"], "XX-001 is twice in ids.txt"),
    ],
)
def test_each_difference_is_told(pages, given, said):
    """What the registry and the chapters or the list of ids do not share is told by its id."""
    assert registry.differences(RULES, pages, list(given)) == [said]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no YAML"),
        ("[]", "is no registry"),
        ("rules: {XX-1: {}}", "'XX-1' is no rule"),
        ("rules: {XX-001: no}", "'XX-001' is no rule"),
        ("rules: {XX-001: {colour: red}}", "XX-001: "),
    ],
)
def test_a_file_that_is_no_registry(tmp_path, text, said):
    """A broken file is told by its name."""
    (tmp_path / "01.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"01\.yaml") as caught:
        registry.load(tmp_path)
    assert said in str(caught.value)


def test_a_folder_without_registry(tmp_path):
    """An empty folder, and one with a manifest only, is no registry."""
    (tmp_path / "manifest.yaml").write_text("{}", encoding="utf-8")
    with pytest.raises(ScenarioError, match="holds no registry of rules"):
        registry.load(tmp_path)


def test_a_file_that_cannot_be_read(tmp_path):
    """A missing file is told by the system's words."""
    with pytest.raises(ScenarioError, match="No such file"):
        registry.load_yaml(tmp_path / "none.yaml")
