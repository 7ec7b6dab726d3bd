# SPDX-License-Identifier: Apache-2.0
"""The places in ADK-Go that rules cite: found in a checkout, hashed, compared."""

from __future__ import annotations

import pytest

from adkref.conformance.faults import ScenarioError
from adkref.conformance.rules import sources
from adkref.conformance.rules.registry import Registry, Rule
from adkref.conformance.rules.sources import Drift


def rule(identity, *source):
    """Return a rule that cites places."""
    return Rule(
        id=identity, chapter="01-x", section="1", level="MUST", sentence="X.", source=source
    )


RULES = Registry(
    [
        rule("XX-001", "agent/agent.go New, Run; loopagent run"),
        rule("XX-002", "agent/agent.go Run"),
        rule("XX-003", "window.go", "runWorker"),
        rule("XX-004"),
    ]
)


@pytest.fixture
def checkout(tmp_path):
    """Make a checkout with a file, a package and a name that two folders have."""
    for name, text in {
        "agent/agent.go": "package agent",
        "agent/loop/loopagent/a.go": "package loopagent",
        "agent/loop/loopagent/a_test.go": "package loopagent",
        "compaction/window.go": "package compaction",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path


def test_places_with_the_rules_that_cite_them():
    """The first word of each citation is the place."""
    assert sources.cited(RULES) == {
        "agent/agent.go": ("XX-001", "XX-002"),
        "loopagent": ("XX-001",),
        "runWorker": ("XX-003",),
        "window.go": ("XX-003",),
    }


def test_files_and_packages_are_found(checkout):
    """By their path, or by a name that only one has; a function is none."""
    found = sources.hashes(checkout, sources.cited(RULES))
    assert set(found) == {"agent/agent.go", "loopagent", "window.go"}
    assert len(set(found.values())) == 3


def test_a_name_that_two_have_is_not_followed(checkout):
    """Nobody knows which was meant."""
    (checkout / "agent" / "window.go").write_text("package agent", encoding="utf-8")
    assert "window.go" not in sources.hashes(checkout, ["window.go"])


def test_a_package_is_its_files_but_the_tests(checkout):
    """A test of it changes nothing, another file does."""
    before = sources.hashes(checkout, ["loopagent"])
    package = checkout / "agent" / "loop" / "loopagent"
    (package / "a_test.go").write_text("package other", encoding="utf-8")
    assert sources.hashes(checkout, ["loopagent"]) == before
    (package / "b.go").write_text("package loopagent", encoding="utf-8")
    assert sources.hashes(checkout, ["loopagent"]) != before


def test_drift():
    """Each place is the same, changed, gone, new or cannot be followed."""
    recorded = {"agent/agent.go": "1", "loopagent": "2"}
    now = {"agent/agent.go": "9", "window.go": "3"}
    found = sources.drift(RULES, recorded, now)
    assert found == Drift(
        changed={"agent/agent.go": ("XX-001", "XX-002")},
        gone={"loopagent": ("XX-001",)},
        new={"window.go": ("XX-003",)},
        unfollowed={"runWorker": ("XX-003",)},
    )
    assert found.to_read == ["XX-001", "XX-002"]
    assert sources.drift(RULES, now, now).to_read == []


def test_a_folder_without_go(tmp_path):
    """It is no checkout, and is told by its name."""
    with pytest.raises(ScenarioError, match="has no Go files; expected a checkout of ADK-Go"):
        sources.hashes(tmp_path, ["a.go"])


@pytest.mark.parametrize("text", ["[]", "{}", "places: [a]", "places: {a: 1}"])
def test_a_record_that_is_none(tmp_path, text):
    """It is told by its file."""
    file = tmp_path / "sources.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError, match="is no record of sources"):
        sources.load(file)
