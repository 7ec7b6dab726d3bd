# SPDX-License-Identifier: Apache-2.0
"""Corpora of our own have the reference's traces; those that ADK-Go printed are not filled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adkref.conformance import corpus, oracle
from adkref.conformance.faults import ScenarioError
from adkref.conformance.fill import FILLED, KEPT, SKIPPED, UNMET, fill, refuse_printed
from adkref.conformance.player import play

ROOT = Path(__file__).parents[2] / "conformance"
OWN = [
    *corpus.find(ROOT / "untraced"),
    *corpus.find(ROOT / "ports/probes"),
    ROOT / "templates/smallest.jsonl",
]
SCENARIO = {
    "format": "adk-scenario/1",
    "id": "one",
    "session": {"app": "app", "user": "u", "id": "s"},
    "agent": {"kind": "custom", "name": "a", "body": []},
    "turns": [{"user": "hi"}],
}


@pytest.mark.parametrize("file", OWN, ids=lambda file: file.name)
def test_our_own_corpora_are_filled(file):
    """Each trace is what the reference plays; what it cannot play yet is skipped."""
    found = list(fill(file, play))
    assert [row for row in found if row.outcome not in (KEPT, SKIPPED)] == []


@pytest.mark.parametrize("folder", ["cases", "golden"])
def test_what_adk_go_printed_is_refused(folder):
    """The oracle's traces are never made anew, and the error says why."""
    with pytest.raises(ScenarioError, match="were printed by ADK-Go"):
        refuse_printed(corpus.find(ROOT / folder)[0])


def test_a_filled_line_stays(tmp_path):
    """A case without a trace gets one, and the next time its line is kept."""
    file = tmp_path / "c.jsonl"
    file.write_text(json.dumps({"scenario": SCENARIO}) + "\n", encoding="utf-8")
    (row,) = fill(file, play)
    assert (row.id, row.line, row.outcome, row.detail) == ("one", 1, FILLED, "it has no trace")
    file.write_text(f"{row.text}\n", encoding="utf-8")
    (again,) = fill(file, play)
    assert (again.outcome, again.text) == (KEPT, row.text)


def test_an_expectation_is_never_changed(tmp_path):
    """A case that asks for what the reference does not do is told, and left."""
    file = tmp_path / "c.jsonl"
    text = json.dumps({"scenario": SCENARIO, "expect": {"yields": 7}})
    file.write_text(f"{text}\n", encoding="utf-8")
    (row,) = fill(file, play)
    assert (row.outcome, row.text) == (UNMET, text)


def test_the_oracle_is_told():
    """What the README of the golden traces tells stands as data; what it does not is null."""
    known = oracle.load(ROOT)
    readme = (ROOT / "golden/README.md").read_text(encoding="utf-8")
    assert known is not None
    assert known.commit in readme
    assert known.date in readme
    assert (known.version, known.source_hash) == (None, None)
    assert known.folders == ("cases", "golden", "explore")
