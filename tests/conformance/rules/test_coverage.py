# SPDX-License-Identifier: Apache-2.0
"""Coverage: what became of the cases of each rule."""

import json
from pathlib import Path

import pytest

from adkref.conformance.outcome import DIFFERENT, EQUAL, FAILED, SKIPPED
from adkref.conformance.rules.coverage import (
    EXCLUDED,
    OPEN,
    TESTED,
    Coverage,
    Line,
    cover,
    default_rules,
)
from adkref.conformance.rules.manifest import Entry, Exclusion, Ledger
from adkref.conformance.rules.registry import Registry, Rule

WHY = Exclusion("XX-001", "go-only", "because")
DATA = Path(__file__).parents[3] / "conformance"


def line(*kinds: str, **entry) -> Line:
    """Return the line of a rule whose cases had those outcomes."""
    outcomes = {f"case {number}": kind for number, kind in enumerate(kinds)}
    return Line(Entry(rule="XX-001", cases=tuple(outcomes), **entry), outcomes)


@pytest.mark.parametrize(
    ("one", "state"),
    [
        (line(EQUAL), EQUAL),
        (line(EQUAL, SKIPPED), EQUAL),
        (line(EQUAL, DIFFERENT), DIFFERENT),
        (line(SKIPPED, FAILED), DIFFERENT),
        (line(SKIPPED), SKIPPED),
        (line(SKIPPED, tests=("t",)), TESTED),
        (line(tests=("t",)), TESTED),
        (line(exclusion=WHY), EXCLUDED),
        (line(), OPEN),
    ],
)
def test_the_state_of_a_rule(one, state):
    """One difference outweighs all, then one equal case, a test, a skip, a reason."""
    assert one.state == state


def test_a_rule_is_never_in_two_totals():
    """The families and the total count each rule once."""
    lines = [line(EQUAL), line(exclusion=WHY), line()]
    coverage = Coverage(lines)
    assert coverage.total.total() == 3
    assert coverage.families == {"XX": {EQUAL: 1, EXCLUDED: 1, OPEN: 1}}
    assert coverage.reasons == {"go-only": 1}
    assert coverage.in_state(OPEN, EXCLUDED) == lines[1:]


def test_the_report_as_json():
    """The report has each rule, the families, the totals and the reasons."""
    report = Coverage([line(EQUAL, killed_by=("m",)), line(exclusion=WHY)]).to_json()
    assert report["rules"] == [
        {"id": "XX-001", "state": EQUAL, "cases": {"case 0": EQUAL}, "killed_by": ["m"]},
        {
            "id": "XX-001",
            "state": EXCLUDED,
            "excluded": {"reason": "go-only", "note": "because"},
        },
    ]
    assert report["total"][EQUAL] == 1
    assert report["families"]["XX"][EXCLUDED] == 1
    assert report["reasons"] == {"go-only": 1}


def test_the_chapters_of_the_kernel():
    """Without a name the rules of the first four chapters are meant."""
    registry = Registry(
        Rule(id=each, chapter=chapter, section="", level="MUST", sentence="So.")
        for each, chapter in (("XX-001", "01-a"), ("XX-002", "04-b"), ("XX-003", "05-c"))
    )
    assert default_rules(registry) == ["XX-001", "XX-002"]


def test_cases_are_played(tmp_path):
    """Each rule hears how its own cases went, and files without any of them are left alone."""
    folder = tmp_path / "cases"
    folder.mkdir()
    with (DATA / "cases" / "02-base-agent.jsonl").open(encoding="utf-8") as lines:
        good = json.loads(next(lines))
    bad = json.loads(json.dumps(good))
    good["scenario"].update(id="good")
    bad["scenario"].update(id="bad")
    bad["trace"].append({"at": "turn", "n": 9})
    other = {"scenario": {"id": "other"}, "trace": []}
    for name, case in (("good", good), ("bad", bad), ("other", other)):
        (folder / f"{name}.jsonl").write_text(json.dumps(case), encoding="utf-8")
    ledger = Ledger(
        {
            "XX-001": Entry(rule="XX-001", cases=("good",)),
            "XX-002": Entry(rule="XX-002", cases=("good", "bad")),
            "XX-003": Entry(rule="XX-003", cases=("other",)),
        }
    )
    heard = []
    covered = cover(ledger, ["XX-001", "XX-002"], tmp_path, heard=heard.append)
    assert [each.state for each in covered.lines] == [EQUAL, DIFFERENT]
    assert covered.lines[1].outcomes == {"good": EQUAL, "bad": DIFFERENT}
    assert sorted(each.id for each in heard) == ["bad", "good"]


def test_nothing_to_play(tmp_path):
    """Where no case lists a rule, nothing is played."""
    (tmp_path / "cases").mkdir()
    covered = cover(Ledger({"XX-001": Entry(rule="XX-001")}), ["XX-001"], tmp_path)
    assert [each.state for each in covered.lines] == [OPEN]
