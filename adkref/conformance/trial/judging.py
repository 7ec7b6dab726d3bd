# SPDX-License-Identifier: Apache-2.0
"""Judging a port's reply: whether it is one, and whether it says what the case says.

This is what a worker process does; tasks and verdicts are plain JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from adkref.conformance import assumptions
from adkref.conformance.canonical import TOTAL, canonical
from adkref.conformance.faults import ScenarioError
from adkref.conformance.judge import check_trace, difference
from adkref.conformance.kinds import Kinds, by_kind, without_kinds
from adkref.conformance.outcome import DIFFERENT, EQUAL, SKIPPED
from adkref.conformance.player import play
from adkref.conformance.protocol import ERROR, PANIC, SKIP, TRACE, reply_violation
from adkref.conformance.scenario import parse_json
from adkref.conformance.trial.result import HARNESS_FAULT, PORT_FAULT, SCENARIO_FAULT

#: How errors are compared.
TEXT: Final = "text"
BY_KIND: Final = "kind"

Task = dict[str, Any]
Verdict = dict[str, Any]


def judge_reply(task: Task) -> Verdict:
    """Return what became of a case, from the port's reply to it.

    A task is ``{"case", "reply"}`` with the options ``errors``, ``kinds`` (the port's own
    texts), ``assumptions``, ``replay`` (the case's trace is that of another scenario, so the
    reference plays it anew), ``keep`` (return both canonical traces of a case that differs) and
    ``watched`` (assumptions; return as ``masked_by`` those that mask something of an equal case).
    """
    try:
        return _judged(task, parse_json(task["reply"]))
    except RecursionError:
        return _blamed("message", "the reply is nested too deeply")


def _judged(task: Task, reply: Any) -> Verdict:
    if (found := reply_violation(reply)) is not None:
        return _blamed("message", f"bad reply: {found}")
    if SKIP in reply:
        return {"verdict": SKIPPED, "reason": reply[SKIP]}
    if PANIC in reply:
        return _blamed("panic", f"panic: {reply[PANIC]}")
    if ERROR in reply:
        late = reply[ERROR] == "timeout"
        return _blamed("timeout" if late else "error", f"could not play it: {reply[ERROR]}")
    case = task["case"]
    if task.get("replay"):
        known = play(case["scenario"])
        if TRACE not in known:
            return _unplayed(known)
        case = {"scenario": case["scenario"], **_trace_of(known)}
    options = _Options(task)
    try:
        return _compared(case, reply, options)
    except ScenarioError as error:
        return {"verdict": SCENARIO_FAULT, "reason": f"bad case: {error}"}


def _compared(case: Task, reply: dict[str, Any], options: _Options) -> Verdict:
    sides = [_trace_of(reply)]
    played = options.settled(sides[0])
    if TRACE in case:
        check_trace(case[TRACE])
        sides.append(_trace_of(case))
        case = {"scenario": case["scenario"], **options.settled(sides[1])}
    found = difference(case, played)
    records = len(reply[TRACE])
    if found is None:
        equal = {"verdict": EQUAL, "records": records}
        masked_by = options.masking(sides)
        return {**equal, "masked_by": masked_by} if masked_by else equal
    verdict = {"verdict": DIFFERENT, "records": records, "difference": found.to_json()}
    if options.keep and TRACE in case:
        ordering = case["scenario"].get("ordering") or TOTAL
        verdict["traces"] = [canonical(each, ordering).to_json() for each in (case, played)]
    return verdict


def _trace_of(spec: dict[str, Any]) -> dict[str, Any]:
    return {key: spec[key] for key in (TRACE, "final") if key in spec}


class _Options:
    """How the two sides of a comparison are made alike."""

    def __init__(self, task: Task) -> None:
        self.keep: bool = task.get("keep", False)
        self._assumptions: Sequence[str] = task.get("assumptions", ())
        self._watched: Sequence[str] = task.get("watched", ())
        self._by_kind = task.get("errors") == BY_KIND
        self._own = _own_kinds(_frozen(task.get("kinds", {})))

    def settled(self, played: Mapping[str, Any]) -> dict[str, Any]:
        """Return a trace without what is not to be compared."""
        out = by_kind(played, self._own) if self._by_kind else without_kinds(played)
        return assumptions.masked(self._assumptions, out) if self._assumptions else out

    def masking(self, sides: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return those of the watched assumptions that mask something of either side."""
        if not self._watched:
            return []
        found = {
            name
            for side in sides
            for name in assumptions.masking(self._assumptions, side, self._watched)
        }
        return sorted(found)


_Table = tuple[tuple[str, tuple[str, ...]], ...]


def _frozen(table: Mapping[str, Sequence[str]]) -> _Table:
    return tuple((kind, tuple(texts)) for kind, texts in table.items())


@lru_cache(maxsize=1)
def _own_kinds(table: _Table) -> Kinds:
    return Kinds.of(dict(table))


def _blamed(fault: str, reason: str) -> Verdict:
    return {"verdict": PORT_FAULT, "fault": fault, "reason": reason}


def _unplayed(known: dict[str, Any]) -> Verdict:
    """Return the verdict of a rewritten scenario that the reference does not play."""
    if SKIP in known:
        return {"verdict": SKIPPED, "reason": known[SKIP]}
    if str(known.get(ERROR)).startswith("bad scenario: "):
        return {"verdict": SCENARIO_FAULT, "reason": f"rewritten: {known[ERROR]}"}
    reason = known.get(PANIC) or known.get(ERROR)
    return {"verdict": HARNESS_FAULT, "reason": f"the reference does not play it: {reason}"}
