# SPDX-License-Identifier: Apache-2.0
"""Every schedule of a scenario, depth first, with a bound on preemptions.

Two runs that stand at equal moments (the same pasts of all workers, the same stores) have
the same futures.  So the schedules form a graph without cycles, each of whose edges is
executed once; traces are its paths, and counting them needs no execution at all.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from attrs import define, field, frozen

from adkref.conformance.canonical import TOTAL, settled
from adkref.conformance.schedules.execution import Execution, checked
from adkref.conformance.schedules.hub import Kind, Move
from adkref.conformance.schedules.naming import Naming
from adkref.conformance.trace import Names, Record

Key = Any
#: What an edge adds to a trace: a record as JSON, or nothing.
Label = str | None

END: Final = "end"

#: Says what is wrong with a finished run, or yields nothing.
Invariant = Callable[[list[Record]], Iterator[str]]


@define
class Node:
    """A moment of a run: how to get there, and where its moves lead."""

    path: tuple[Move, ...]
    moves: list[Move]
    edges: dict[Move | str, tuple[Label, Key]] = field(factory=dict)


@frozen
class Violation:
    """A schedule under which an invariant does not hold."""

    what: str
    schedule: str


@define
class Exploration:
    """What exploring found."""

    start: Key
    nodes: dict[Key, Node]
    runs: int = 0
    complete: bool = True
    seconds: float = 0.0
    violations: list[Violation] = field(factory=list)
    _counts: dict[frozenset[Key], int] = field(factory=dict)

    def distinct(self) -> int:
        """Return the number of distinct traces, final states included."""
        return self._count(self._closure({self.start}))

    def _count(self, keys: frozenset[Key]) -> int:
        known = self._counts.get(keys)
        if known is None:
            following = self._following(keys)
            known = sum(self._count(after) for after in following.values()) or 1
            self._counts[keys] = known
        return known

    def traces(self) -> Iterator[list[Record]]:
        """Yield the distinct traces, ids named by first appearance."""
        stack: list[tuple[frozenset[Key], tuple[str, ...]]] = [(self._closure({self.start}), ())]
        while stack:
            keys, labels = stack.pop()
            following = self._following(keys)
            if not following:
                yield named([json.loads(label) for label in labels[:-1]])
            for label, after in following.items():
                stack.append((after, (*labels, label)))

    def holds(self, trace: list[Record]) -> bool:
        """Tell whether a trace, with its ids named, is one of those found."""
        keys, names = self._closure({self.start}), Naming()
        for record in (settled(record, TOTAL) for record in trace):
            for label, after in self._following(keys).items():
                if label.startswith(_FINAL):
                    continue
                trial = names.fork()
                if settled(trial.named(json.loads(label)), TOTAL) == record:
                    keys, names = after, trial
                    break
            else:
                return False
        return any(label.startswith(_FINAL) for label in self._following(keys))

    def _closure(self, keys: set[Key]) -> frozenset[Key]:
        """Return all moments that are reached without a record."""
        reached, todo = set(keys), list(keys)
        while todo:
            node = self.nodes.get(todo.pop())
            for label, after in node.edges.values() if node is not None else ():
                if label is None and after not in reached:
                    reached.add(after)
                    todo.append(after)
        return frozenset(reached)

    def _following(self, keys: frozenset[Key]) -> dict[str, frozenset[Key]]:
        following: dict[str, set[Key]] = {}
        for key in keys:
            node = self.nodes.get(key)
            for label, after in node.edges.values() if node is not None else ():
                if label is not None:
                    following.setdefault(label, set()).add(after)
        return {label: self._closure(after) for label, after in following.items()}


_FINAL: Final = "final "


def named(records: list[Record]) -> list[Record]:
    """Return records with their generated ids named by first appearance."""
    return Names().records(records)


def explore(
    scenario: Any,
    *,
    bound: int | None = None,
    seconds: float | None = None,
    invariants: tuple[Invariant, ...] = (),
) -> Exploration:
    """Explore the schedules of *scenario*.

    *bound* is the number of times that a schedule may leave a worker that could go on
    (None: no bound); *seconds* limits the time, and what was not reached by then makes the
    result incomplete.
    """
    return _Explorer(checked(scenario), bound, seconds, invariants).result()


class _Explorer:
    def __init__(
        self,
        scenario: dict[str, Any],
        bound: int | None,
        seconds: float | None,
        invariants: tuple[Invariant, ...],
    ) -> None:
        self._scenario = scenario
        self._bound = bound
        self._invariants = invariants
        self._limit = None if seconds is None else time.monotonic() + seconds
        self._nodes: dict[Key, Node] = {}
        #: Moments with a move that was not made yet; the last one found is next.
        self._open: list[Key] = []

    def result(self) -> Exploration:
        begun = time.monotonic()
        with Execution(self._scenario) as first:
            start = self._visit(first, None, 0)
        out = Exploration(start, self._nodes)
        while self._open:
            if self._limit is not None and time.monotonic() > self._limit:
                out.complete = False
                break
            key = self._open[-1]
            if self._nodes[key].edges.keys() >= set(self._nodes[key].moves):
                self._open.pop()
                continue
            self._run_from(key, out)
        out.runs += 1
        out.seconds = time.monotonic() - begun
        return out

    def _visit(self, execution: Execution, last: str | None, preemptions: int) -> Key:
        """Return the key of the present moment; a new one is entered in the graph."""
        key: Key = execution.key()
        if self._bound is not None:
            key = (key, last, preemptions)
        if key not in self._nodes:
            moves = execution.moves()
            if self._bound is not None and preemptions >= self._bound:
                staying = [move for move in moves if move.worker == last]
                moves = staying or moves
            self._nodes[key] = Node(tuple(execution.schedule), moves)
            self._open.append(key)
        return key

    def _run_from(self, key: Key, out: Exploration) -> None:
        """Go to a moment and on from there by moves that nobody made yet."""
        out.runs += 1
        node = self._nodes[key]
        with Execution(self._scenario) as execution:
            execution.make_all(node.path)
            last, preemptions = _preemptions(key, self._bound)
            while True:
                untried = [move for move in node.moves if move not in node.edges]
                if not untried:
                    if not node.moves and END not in node.edges:
                        self._end(execution, node, out)
                    return
                move = untried[0]
                if last is not None and move.worker != last:
                    preemptions += any(other.worker == last for other in execution.moves())
                last = move.worker
                execution.make(move)
                label = None
                if move.kind is Kind.EMIT:
                    label = json.dumps(execution.hub.committed[-1], sort_keys=True)
                following = self._visit(execution, last, preemptions)
                node.edges[move] = label, following
                node = self._nodes[following]

    def _end(self, execution: Execution, node: Node, out: Exploration) -> None:
        answer = execution.finish()
        label = _FINAL + json.dumps(answer.get("final"), sort_keys=True)
        node.edges[END] = label, END
        for invariant in self._invariants:
            for what in invariant(answer["trace"]):
                schedule = " ".join(map(str, execution.schedule))
                out.violations.append(Violation(what, schedule))


def _preemptions(key: Key, bound: int | None) -> tuple[str | None, int]:
    if bound is None:
        return None, 0
    _, last, preemptions = key
    return last, preemptions
