# SPDX-License-Identifier: Apache-2.0
"""Judging one case: play it, bring both traces into canonical form, compare.

This is what a worker process does; cases and verdicts are plain JSON.
"""

from __future__ import annotations

from typing import Any

from adkref.conformance.canonical import TOTAL, canonical, same
from adkref.conformance.diff import Difference, first_difference
from adkref.conformance.expectation import first_unmet
from adkref.conformance.faults import ScenarioError
from adkref.conformance.outcome import DIFFERENT, EQUAL, FAILED, SKIPPED
from adkref.conformance.player import play

Case = dict[str, Any]
Verdict = dict[str, Any]


def check(case: Case) -> Verdict:
    """Play a case and return what became of it."""
    return judge(case, play(case["scenario"]))


def judge(case: Case, answer: dict[str, Any]) -> Verdict:
    """Compare a driver's *answer* with what is known of the case."""
    if "skip" in answer:
        return {"kind": SKIPPED, "reason": answer["skip"]}
    if "panic" in answer:
        return {"kind": FAILED, "reason": f"panic: {answer['panic']}"}
    if "error" in answer:
        reason = str(answer["error"])
        bad = reason.startswith("bad scenario: ")
        return {"kind": FAILED, "reason": reason, "bad_input": bad}
    try:
        found = difference(case, answer)
    except ScenarioError as error:
        return {"kind": FAILED, "reason": f"bad case: {error}", "bad_input": True}
    if found is None:
        return {"kind": EQUAL}
    return {"kind": DIFFERENT, "difference": found.to_json()}


def difference(case: Case, answer: dict[str, Any]) -> Difference | None:
    """Return where what was played first parts from what is known of the case."""
    if "trace" not in case:
        return first_unmet(case["expect"], answer["trace"])
    check_trace(case["trace"])
    known: dict[str, Any] = {key: case[key] for key in ("trace", "final") if key in case}
    played: dict[str, Any] = {key: answer[key] for key in ("trace", "final") if key in answer}
    if same(known, played):
        # Most cases end here: what is the same is the same in every canonical form.
        return None
    ordering = case["scenario"].get("ordering") or TOTAL
    return first_difference(canonical(known, ordering), canonical(played, ordering))


def check_trace(trace: list[Any]) -> None:
    """Raise :class:`ScenarioError` for a case whose trace holds something else than records."""
    for index, record in enumerate(trace):
        if not isinstance(record, dict) or not isinstance(record.get("at"), str):
            raise ScenarioError(
                "is no record", path=("trace", index), expected="an object with the key at"
            )
