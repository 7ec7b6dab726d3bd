# SPDX-License-Identifier: Apache-2.0
"""What a worker process says of a port's reply: the reference's trace, and a second opinion.

The reference is played under the settled schedule, so that its own threads add nothing to
chance.  Where the order is open, lanes that differ may still be legal, and lanes that are equal
may stand in an order that cannot be: both is found out by driving the reference along the
port's trace.
"""

from __future__ import annotations

import json
from typing import Any, Final

from adkref.conformance.canonical import LANES
from adkref.conformance.faults import HarnessError, ScenarioError
from adkref.conformance.kinds import by_kind, without_kinds
from adkref.conformance.outcome import DIFFERENT, EQUAL
from adkref.conformance.player import play
from adkref.conformance.protocol import ERROR, PANIC, SKIP, TRACE
from adkref.conformance.schedules.accept import Accepted, accept
from adkref.conformance.schedules.execution import replay
from adkref.conformance.trial.judging import BY_KIND, judge_reply

#: What becomes of a scenario that the reference does not play.
UNPLAYED: Final = "unplayed"

Task = dict[str, Any]
Verdict = dict[str, Any]


def judge(task: Task) -> Verdict:
    """Return what became of a scenario.

    A task is ``{"scenario", "reply"}`` with the options ``errors``, ``kinds``,
    ``assumptions`` (of both sides, already made in the scenario) and ``seconds`` for the second
    opinion.  A verdict is that of :func:`~adkref.conformance.trial.judging.judge_reply`, with
    ``known`` where the port differs, and with ``opinion`` where one was asked for.
    """
    scenario = task["scenario"]
    known = reference(scenario)
    if TRACE not in known:
        reason = known.get(SKIP) or known.get(PANIC) or known.get(ERROR)
        return {"verdict": UNPLAYED, "reason": str(reason)}
    verdict = judge_reply({**task, "case": {"scenario": scenario, **_trace_of(known)}})
    if verdict["verdict"] in (EQUAL, DIFFERENT) and scenario.get("ordering") == LANES:
        reply = _trace_of(json.loads(task["reply"]))
        if opinion := _opinion(scenario, reply, task):
            verdict["opinion"] = opinion
    if verdict["verdict"] == DIFFERENT or verdict.get("opinion", {}).get("accepted") is False:
        verdict["known"] = _trace_of(known)
    return verdict


def reference(scenario: Any) -> dict[str, Any]:
    """Return a driver's answer of the reference, the same one each time."""
    if not isinstance(scenario, dict) or scenario.get("ordering") != LANES:
        return play(scenario)
    try:
        # What workers share comes out of the replay as it is; JSON makes it plain.
        answer: dict[str, Any] = json.loads(json.dumps(replay(scenario).answer))
    except (ScenarioError, HarnessError) as error:
        return {ERROR: str(error)}
    return answer


def _trace_of(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: answer[key] for key in (TRACE, "final") if key in answer}


def _opinion(scenario: Any, reply: dict[str, Any], task: Task) -> dict[str, Any]:
    """Return whether some schedule gives the trace; nothing if that cannot be told."""
    if task.get("assumptions"):
        return {}  # what a mask hides is compared here as well
    observed = without_kinds(reply)
    if task.get("errors") == BY_KIND and by_kind(reply, None) != observed:
        return {}  # the port's own words for an error are no record of the reference
    found = accept(scenario, observed, seconds=task["seconds"])
    if isinstance(found, Accepted):
        return {"accepted": True}
    if not found.certain:
        return {"undecided": True}
    return {"accepted": False, "at": found.at, "record": found.record}
