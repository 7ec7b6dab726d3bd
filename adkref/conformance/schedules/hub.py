# SPDX-License-Identifier: Apache-2.0
"""The controlled scheduler: one worker runs at a time, and every record is a gate.

A *worker* is the consumer (``main``) or a lane.  Between two gates it runs a *segment*
without interruption.  At a gate it stands still, and the hub decides by a *move* what
happens next:

* ``emit``: the record that a worker has announced becomes part of the trace;
* ``run``: a worker runs its next segment, up to its next gate;
* ``take``: a consumer takes what one of its lanes offers;
* ``yes`` / ``no``: a liberty that the rules leave is taken or not;
* ``release``: a lane whose host is dead stops waiting for its ack.

That ``emit`` and ``run`` are two moves is the point: what a segment reads and writes may
come right after the record before it or as late as the record behind it, as between
goroutines.  A sequence of moves is a *schedule*; the same schedule gives the same run.

Workers are greenlets, so a schedule costs no thread and a run can be dropped half-way.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, Final
from zlib import crc32

from attrs import define, field, frozen
from greenlet import GreenletExit, getcurrent, greenlet

from adkref.conformance.trace import Record, Tracer
from adkref.lanes import Body, Finished, Liberty, Offered

MAIN: Final = "main"

#: So many posted items may wait for their consumer (NODE-062).
QUEUE_LENGTH: Final = 16


class Kind(Enum):
    """The kinds of moves, as a schedule string spells them."""

    EMIT = "."
    RUN = ">"
    TAKE = "<"
    YES = "+"
    NO = "-"
    RELEASE = "!"


@frozen
class Move:
    """One decision: *worker* does it; *lane* is whose offer a consumer takes."""

    kind: Kind
    worker: str
    lane: str = ""

    def __str__(self) -> str:
        return f"{self.worker}{self.kind.value}{self.lane}"

    @classmethod
    def parse(cls, text: str) -> Move:
        """Read a move; raises ValueError for what is none."""
        for kind in Kind:
            worker, found, lane = text.partition(kind.value)
            if found and worker and (kind is Kind.TAKE) == bool(lane):
                return cls(kind, worker, lane)
        raise ValueError(f"{text!r} is no move")


class Status(Enum):
    """What a worker stands still for."""

    READY = "ready"
    GATED = "gated"
    OFFERING = "offering"
    TAKING = "taking"
    JOINING = "joining"
    ASKING = "asking"
    DONE = "done"


@define(eq=False)
class Worker:
    """A greenlet and what it waits for."""

    name: str
    green: greenlet
    status: Status = Status.READY
    record: Record | None = None
    group: ControlledGroup | None = None
    #: The answer to a question, or to an offered item.
    answer: bool = True
    #: What the worker has said so far: two workers with equal pasts do the same next.
    past: int = 0
    draws: int = 0

    def remember(self, what: str) -> None:
        """Add *what* to the past."""
        self.past = crc32(what.encode(), self.past)


@define(eq=False)
class _Lane:
    worker: Worker
    offers: deque[Any] = field(factory=deque)
    #: Whether the first offer waits for an answer, or was posted.
    waits: deque[bool] = field(factory=deque)
    taken: bool = False


class Hub:
    """Runs workers by moves."""

    def __init__(self) -> None:
        self.workers: dict[str, Worker] = {}
        self.committed: list[Record] = []
        self.dropped = False
        self._hub = getcurrent()
        self._failure: BaseException | None = None

    # --- workers ------------------------------------------------------------------------

    def spawn(self, name: str, body: Callable[[], None]) -> Worker:
        """Add a worker; a second one of the same name gets a number."""
        unique, number = name, 1
        while unique in self.workers:
            number += 1
            unique = f"{name}#{number}"
        worker = Worker(unique, greenlet(lambda: self._run(unique, body), self._hub))
        self.workers[unique] = worker
        return worker

    def _run(self, name: str, body: Callable[[], None]) -> None:
        try:
            body()
        except GreenletExit:
            pass
        except BaseException as failure:
            self._failure = self._failure or failure
        finally:
            self.workers[name].status = Status.DONE

    @property
    def current(self) -> Worker:
        """The worker that runs."""
        green = getcurrent()
        for worker in self.workers.values():
            if worker.green is green:
                return worker
        raise RuntimeError("no worker runs")

    def pause(self, worker: Worker, status: Status) -> None:
        """Let *worker* stand still until a move lets it go on."""
        if self.dropped:
            raise GreenletExit
        worker.status = status
        self._hub.switch()
        if self.dropped:
            raise GreenletExit

    # --- gates --------------------------------------------------------------------------

    def gate(self, record: Record) -> None:
        """Announce *record*; return when the worker's next segment may run."""
        if self.dropped:
            return
        worker = self.current
        worker.record = record
        worker.remember(json.dumps(record, sort_keys=True, default=str))
        self.pause(worker, Status.GATED)

    def ask(self, liberty: Liberty) -> bool:
        """Let a move decide on a liberty."""
        if self.dropped:
            return False
        worker = self.current
        worker.remember(liberty.value)
        self.pause(worker, Status.ASKING)
        worker.remember(str(worker.answer))
        return worker.answer

    def draw(self) -> str:
        """Return an id that depends on who draws and how often, not on the schedule."""
        name, count = MAIN, 0
        green = getcurrent()
        for worker in self.workers.values():
            if worker.green is green:
                worker.draws += 1
                name, count = worker.name, worker.draws
        return f"{crc32(name.encode()):08x}-0000-4000-8000-{count:012x}"

    # --- moves --------------------------------------------------------------------------

    def moves(self) -> Iterator[Move]:
        """Yield what can happen next."""
        for worker in self.workers.values():
            match worker.status:
                case Status.GATED:
                    yield Move(Kind.EMIT, worker.name)
                case Status.READY:
                    yield Move(Kind.RUN, worker.name)
                case Status.ASKING:
                    yield Move(Kind.YES, worker.name)
                    yield Move(Kind.NO, worker.name)
                case Status.TAKING:
                    assert worker.group is not None
                    for lane in worker.group.offering():
                        yield Move(Kind.TAKE, worker.name, lane)
                case Status.OFFERING:
                    assert worker.group is not None
                    if worker.group.may_release(worker):
                        yield Move(Kind.RELEASE, worker.name)

    def make(self, move: Move) -> None:
        """Make a move that :meth:`moves` gave."""
        worker = self.workers[move.worker]
        match move.kind:
            case Kind.EMIT:
                assert worker.record is not None
                self.committed.append(worker.record)
                worker.record = None
                worker.status = Status.READY
                return
            case Kind.TAKE:
                assert worker.group is not None
                worker.group.give(move.lane)
                worker.remember(move.lane)
            case Kind.YES | Kind.NO:
                worker.answer = move.kind is Kind.YES
            case Kind.RELEASE:
                assert worker.group is not None
                worker.group.release(worker)
        worker.green.switch()
        self._settle()

    def _settle(self) -> None:
        """Let consumers go on whose waiting is over without anybody's decision."""
        for worker in self.workers.values():
            group = worker.group
            if group is not None and worker.status in (Status.TAKING, Status.JOINING):
                if not group.running():
                    worker.status = Status.READY

    @property
    def over(self) -> bool:
        """Whether every worker is done."""
        return all(worker.status is Status.DONE for worker in self.workers.values())

    def finish(self) -> None:
        """Raise what a worker failed with."""
        if self._failure is not None:
            raise self._failure

    def drop(self) -> None:
        """Give up the run: whatever still stands at a gate is unwound unrecorded."""
        self.dropped = True
        for worker in reversed(list(self.workers.values())):
            if not worker.green.dead and worker.green:
                worker.green.throw(GreenletExit)
            worker.status = Status.DONE

    def key(self) -> tuple[Any, ...]:
        """Return what the workers' next steps depend on, save the shared stores."""
        return tuple(
            (worker.name, worker.status, worker.past, worker.answer, _offers(worker))
            for worker in self.workers.values()
        )


def _offers(worker: Worker) -> Any:
    group = worker.group
    return group.signature(worker) if group is not None else None


class ControlledGroup:
    """Lanes under a hub; the counterpart of :class:`adkref.lanes.ThreadGroup`."""

    def __init__(self, hub: Hub, dead: Callable[[], object]) -> None:
        self._hub = hub
        self._dead = dead
        self._consumer = hub.current
        self._lanes: list[_Lane] = []
        self._ended: deque[Finished] = deque()
        self._given: Offered | None = None
        self._closing = False
        self._told_of_fault = False

    # --- for the consumer ---------------------------------------------------------------

    def spawn(self, name: str, body: Body) -> None:
        """Start a lane."""
        number = len(self._lanes)
        prefix = "" if self._consumer.name == MAIN else f"{self._consumer.name}/"
        safe = "".join(c if c.isalnum() or c in "_-" else "_" for c in name)

        def run() -> None:
            try:
                result = body(_ControlledHand(self, lane))
            except GreenletExit:
                raise
            except BaseException as fault:
                self._ended.append(Finished(number, fault=fault))
            else:
                self._ended.append(Finished(number, result))

        lane = _Lane(self._hub.spawn(prefix + safe, run))
        lane.worker.group = self
        self._lanes.append(lane)

    def running(self) -> bool:
        """Tell whether any lane has not ended, or has left something to take."""
        return any(lane.worker.status is not Status.DONE or lane.offers for lane in self._lanes)

    def take(self) -> Offered | Finished | None:
        """Wait for a move that says whose offer is taken; ends are told at once."""
        while True:
            if self._ended and not any(lane.offers for lane in self._lanes_ended()):
                ended = self._ended.popleft()
                self._told_of_fault = self._told_of_fault or ended.fault is not None
                return ended
            if not self.running():
                return None
            outer, self._consumer.group = self._consumer.group, self
            self._hub.pause(self._consumer, Status.TAKING)
            self._consumer.group = outer
            if self._given is not None:
                given, self._given = self._given, None
                return given

    def _lanes_ended(self) -> Iterator[_Lane]:
        return (self._lanes[ended.lane] for ended in self._ended)

    def answer(self, lane: int, *, go_on: bool) -> None:
        """Acknowledge an item; the lane may run again.  Nobody waits for a posted one."""
        if self._lanes[lane].taken:
            self._answer(self._lanes[lane], go_on=go_on)

    def _answer(self, lane: _Lane, *, go_on: bool) -> None:
        lane.taken = False
        if lane.worker.status is Status.OFFERING:
            lane.worker.answer = go_on
            lane.worker.status = Status.READY

    def takes(self, liberty: Liberty) -> bool:
        """Take every liberty that a later move can still decline; ask for the other one."""
        return self._hub.ask(liberty) if liberty is Liberty.GO_ON_AT_STOP else True

    def close(self) -> None:
        """Refuse, and wait until every lane has ended."""
        self._closing = True
        for lane in self._lanes:
            lane.offers.clear()
            lane.waits.clear()
            self._answer(lane, go_on=False)
        while self.running() and not self._hub.dropped:
            outer, self._consumer.group = self._consumer.group, self
            self._hub.pause(self._consumer, Status.JOINING)
            self._consumer.group = outer
        faults = [ended.fault for ended in self._ended if ended.fault is not None]
        if faults and not self._told_of_fault and not self._hub.dropped:
            raise faults[0]

    # --- for the hub --------------------------------------------------------------------

    def offering(self) -> Iterator[str]:
        """Yield the lanes whose offer can be taken."""
        return (lane.worker.name for lane in self._lanes if lane.offers and not lane.taken)

    def give(self, name: str) -> None:
        """Hand the offer of one lane to the consumer."""
        for number, lane in enumerate(self._lanes):
            if lane.worker.name == name:
                self._given = Offered(number, lane.offers.popleft())
                lane.taken = lane.waits.popleft()
                # A posting lane that waits for room has some now.
                if lane.worker.status is Status.OFFERING and not lane.taken:
                    if not any(lane.waits) and len(lane.offers) <= QUEUE_LENGTH:
                        lane.worker.answer = True
                        lane.worker.status = Status.READY

    def may_release(self, worker: Worker) -> bool:
        """Tell whether a waiting lane may see that its host is dead (PAR-044)."""
        return self._dead() is not None and not self._closing

    def release(self, worker: Worker) -> None:
        """Let a waiting lane stop; what it offered is gone."""
        for lane in self._lanes:
            if lane.worker is worker:
                lane.offers.clear()
                lane.waits.clear()
                lane.taken = False
        worker.answer = False

    def signature(self, worker: Worker) -> Any:
        """Return what of the group the worker's future depends on."""
        return (
            self._closing,
            self._dead() is not None,
            tuple((len(lane.offers), lane.taken) for lane in self._lanes),
        )

    def hand(self, lane: _Lane, item: Any, *, wait: bool) -> bool:
        """Offer an item for a lane."""
        if self._closing:
            return False
        lane.offers.append(item)
        lane.waits.append(wait)
        if wait or len(lane.offers) > QUEUE_LENGTH:
            self._hub.pause(lane.worker, Status.OFFERING)
            return lane.worker.answer
        return True


class _ControlledHand:
    def __init__(self, group: ControlledGroup, lane: _Lane) -> None:
        self._group, self._lane = group, lane

    def __call__(self, item: Any) -> bool:
        return self._group.hand(self._lane, item, wait=True)

    def post(self, item: Any) -> bool:
        return self._group.hand(self._lane, item, wait=False)


@frozen
class ControlledStarter:
    """Makes groups under a hub."""

    hub: Hub
    runs_nodes_beside: bool = True

    def group(self, dead: Callable[[], object]) -> ControlledGroup:
        """Return an empty group whose consumer is the running worker."""
        return ControlledGroup(self.hub, dead)


class GatedTracer(Tracer):
    """A tracer whose records are gates; the trace is what the hub committed."""

    def __init__(self, hub: Hub) -> None:
        super().__init__()
        self._hub = hub

    def add(self, at: str, **fields: Any) -> None:
        """Announce a record and wait until the next segment may run."""
        record: Record = {"at": at}
        for key, value in fields.items():
            if value is not None and value != "":
                record[key] = value
        self._hub.gate(record)

    def finished(self) -> list[Record]:
        """Return the committed records."""
        return self._hub.committed
