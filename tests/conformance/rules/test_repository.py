# SPDX-License-Identifier: Apache-2.0
"""The project's own rules: registry, chapters, manifest, and the ids in the code."""

from collections import Counter
from pathlib import Path

import pytest

from adkref.conformance.rules import coverage, extract, manifest, registry

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "conformance" / "rules"

#: So many rules of chapters 01 to 04 cases show; the number may only rise.
SHOWN_BY_CASES = 541


@pytest.fixture(scope="module")
def known():
    """The registry."""
    return registry.load(FOLDER)


@pytest.fixture(scope="module")
def ledger(known):
    """Every rule with what shows it."""
    return manifest.join(
        known,
        manifest.load(FOLDER),
        manifest.cases(ROOT / "conformance"),
        manifest.tests(ROOT / "tests"),
    )


def test_the_registry_is_what_the_chapters_say(known):
    """Every rule of a chapter is in the registry with the same words, and the reverse."""
    assert (
        registry.differences(known, extract.read(ROOT / "docs" / "spec"), registry.ids(FOLDER))
        == []
    )


def test_no_id_ever_vanishes(known):
    """Every id that was given out is still a rule, and none was given out twice."""
    given = registry.ids(FOLDER)
    assert len(given) >= 1354
    assert len(given) == len(set(given))
    assert set(given) == set(known)


def test_every_rule_is_accounted_for(ledger):
    """No rule is an orphan, no case or test names a stranger, no reason is stale."""
    assert ledger.problems == ()


def test_cases_show_no_fewer_rules_than_before(known, ledger):
    """What cases show of the kernel's chapters may only grow."""
    rules = coverage.default_rules(known)
    assert sum(bool(ledger.entries[rule].cases) for rule in rules) >= SHOWN_BY_CASES


def test_ids_in_the_code_are_rules(known):
    """Every rule id in a comment, docstring or text of the code exists."""
    files = [
        file
        for folder in ("adkref", "examples", "bench", "docs")
        for suffix in ("*.py", "*.md", "*.rst")
        for file in sorted((ROOT / folder).rglob(suffix))
    ]
    assert len(files) > 100
    assert manifest.strangers(known, files) == []


def test_each_rule_is_a_whole_sentence(known):
    """Each rule has a level of the three, a sentence, its heading and a digest."""
    levels = Counter(rule.level for rule in known.values())
    assert set(levels) == set(registry.LEVELS)
    for rule in known.values():
        assert rule.sentence.strip()
        assert rule.section
        assert len(rule.digest) == 12
        assert "\x00" not in rule.sentence


def test_rules_of_the_release_name_their_profile(known):
    """The V24 rules are those that the traced state lacks, and say how they are known."""
    for rule in known.matching("V24"):
        assert rule.since == registry.RELEASE
        assert rule.known
