# SPDX-License-Identifier: Apache-2.0
"""Is an observed trace legal?  Drive the reference along it and see.

A trace is accepted if some schedule of the reference produces it.  The search commits the
records that were observed and lets workers run as late as it can; where that leads nowhere,
it goes back and lets somebody run earlier.  Two equal moments are not tried twice, so a
refusal means that no schedule gives the trace (unless a limit was met, which is said).
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import define, frozen

from adkref.conformance.canonical import LANES, TOTAL, same, settled
from adkref.conformance.schedules.execution import Execution, checked
from adkref.conformance.schedules.hub import MAIN, Kind, Move
from adkref.conformance.schedules.naming import Naming
from adkref.conformance.trace import Record

#: Seconds after which a search gives up.
LIMIT: Final = 60.0

#: Records that only the consumer makes.
_CONSUMER: Final = frozenset({"append", "yield", "turn", "stop", "end", "runaway"})
_CONSUMER_HOOKS: Final = frozenset({"on_user_message", "before_run", "after_run", "on_event"})


@frozen
class Accepted:
    """A schedule that gives the trace."""

    schedule: tuple[Move, ...]
    runs: int


@frozen
class Refused:
    """Why no schedule gives the trace.

    ``at`` is the index of the first impossible record (the number of records when the trace
    ends too soon or the final state differs), ``possible`` what could stand there.
    """

    at: int
    record: Record | None
    possible: list[Record]
    prefix: list[Record]
    runs: int
    #: False when the search met its limit before it had tried everything.
    certain: bool = True
    final: Any = None


@define
class _Frame:
    """A moment of the search: which moves are left to try."""

    key: Any
    moves: list[Move]
    schedule_length: int
    record: int
    names: Naming


def accept(
    scenario: Any, observed: Mapping[str, Any], *, seconds: float = LIMIT
) -> Accepted | Refused:
    """Tell whether *observed*, ``{"trace", "final"}``, is legal for *scenario*."""
    return _Search(checked(scenario), observed, seconds).result()


class _Search:
    def __init__(
        self, scenario: dict[str, Any], observed: Mapping[str, Any], seconds: float
    ) -> None:
        self._scenario = scenario
        self._ordering = LANES if scenario.get("ordering") == LANES else TOTAL
        self._wanted = [settled(record, self._ordering) for record in observed["trace"]]
        self._final = observed.get("final")
        self._limit = time.monotonic() + seconds
        self._failed: set[Any] = set()
        self._frames: list[_Frame] = []
        self._runs = 0
        self._furthest = -1
        self._possible: dict[str, Record] = {}
        self._wrong_final: Any = None

    def result(self) -> Accepted | Refused:
        """Search depth first; each way back is a new run up to there."""
        prefix: list[Move] = []
        start = 0
        names = Naming()
        while True:
            self._runs += 1
            with Execution(self._scenario) as execution:
                execution.make_all(prefix)
                if self._go(execution, start, names):
                    return Accepted(tuple(execution.schedule), self._runs)
                done = tuple(execution.schedule)
            frame = self._way_back()
            if frame is None or time.monotonic() > self._limit:
                return self._refusal(certain=frame is None)
            prefix = [*done[: frame.schedule_length], frame.moves.pop(0)]
            start, names = frame.record, frame.names.fork()
            if prefix[-1].kind is Kind.EMIT:
                start += 1
                with Execution(self._scenario) as execution:
                    execution.make_all(prefix)
                    names.named(execution.hub.committed[-1])

    def _go(self, execution: Execution, at: int, names: Naming) -> bool:
        """Follow the wanted records from number *at* as far as they are possible."""
        while True:
            if at == len(self._wanted) and execution.hub.over:
                return self._same_final(execution, names)
            key = at, execution.key()
            if key in self._failed:
                return False
            moves = self._candidates(execution, at, names)
            if not moves:
                self._failed.add(key)
                self._note(execution, at, names)
                return False
            move = moves.pop(0)
            self._frames.append(_Frame(key, moves, len(execution.schedule), at, names.fork()))
            execution.make(move)
            if move.kind is Kind.EMIT:
                names.named(execution.hub.committed[-1])
                at += 1

    def _way_back(self) -> _Frame | None:
        """Return the last moment with a move that is left to try."""
        while self._frames:
            frame = self._frames[-1]
            if frame.moves:
                return frame
            self._failed.add(frame.key)
            self._frames.pop()
        return None

    # --- what to try, in which order --------------------------------------------------------

    def _candidates(self, execution: Execution, at: int, names: Naming) -> list[Move]:
        wanted = self._wanted[at] if at < len(self._wanted) else None
        emits: list[Move] = []
        others: list[tuple[int, Move]] = []
        for move in execution.hub.moves():
            if move.kind is Kind.EMIT:
                record = execution.hub.workers[move.worker].record
                if record is not None and wanted is not None and self._fits(record, wanted, names):
                    emits.append(move)
            else:
                others.append((_distance(move, wanted), move))
        others.sort(key=lambda pair: pair[0])
        return emits + [move for _, move in others]

    def _fits(self, record: Record, wanted: Record, names: Naming) -> bool:
        if record["at"] != wanted.get("at") or record.get("hook") != wanted.get("hook"):
            return False
        return same(settled(names.fork().named(record), self._ordering), wanted)

    # --- what to tell -----------------------------------------------------------------------

    def _same_final(self, execution: Execution, names: Naming) -> bool:
        answer = execution.finish()
        final = answer.get("final")
        if final is not None:
            final = json.loads(json.dumps(final))
        if self._final is None or same(final, self._final):
            return True
        del names
        self._furthest, self._possible = len(self._wanted), {}
        self._wrong_final = final
        return False

    def _note(self, execution: Execution, at: int, names: Naming) -> None:
        """Remember what was possible at the furthest moment that was reached."""
        if at < self._furthest:
            return
        if at > self._furthest:
            self._furthest, self._possible = at, {}
        for worker in execution.hub.workers.values():
            if worker.record is not None:
                record = settled(names.fork().named(worker.record), self._ordering)
                self._possible[json.dumps(record, sort_keys=True)] = record

    def _refusal(self, *, certain: bool) -> Refused:
        at = max(self._furthest, 0)
        return Refused(
            at=at,
            record=self._wanted[at] if at < len(self._wanted) else None,
            possible=list(self._possible.values()),
            prefix=self._wanted[: at + 1],
            runs=self._runs,
            certain=certain,
            final=self._wrong_final,
        )


def _distance(move: Move, wanted: Record | None) -> int:
    """Guess how far a move is from making *wanted*; 0 is near.

    A wrong guess costs a way back, never the right answer.
    """
    if wanted is None:
        return 0
    if move.kind is Kind.RELEASE:
        return 9
    consumer = wanted.get("at") in _CONSUMER or wanted.get("hook") in _CONSUMER_HOOKS
    if consumer:
        event = wanted.get("event") or {}
        branch = str(event.get("branch", ""))
        names: tuple[Any, ...] = (event.get("author"), branch.rpartition(".")[2])
    else:
        names = (wanted.get("call_id"), wanted.get("agent"))
    near = any(_is_called(move.lane or move.worker, name) for name in names)
    match move.kind:
        case Kind.TAKE:
            return 0 if consumer and near else 5
        case Kind.RUN if move.worker == MAIN:
            return 0 if consumer else 1
        case Kind.RUN:
            return (1 if consumer else 0) if near else 3
        case _:
            return 2


def _is_called(worker: str, name: Any) -> bool:
    last = worker.rpartition("/")[2].partition("#")[0]
    return isinstance(name, str) and bool(name) and last == name


def shortest(prefix: Sequence[Record]) -> str:
    """Return the prefix of a refused trace as JSON lines, for a report."""
    return "\n".join(json.dumps(record, sort_keys=True) for record in prefix)
