# SPDX-License-Identifier: Apache-2.0
"""Shows, in many runs of four lanes, that the parallel agent never hangs, leaks or loses an event.

Each run is drawn from a seed: how many events each lane has and which of them are partial, where
lanes fail, whether a lane is itself a parallel agent, and whether and how the consumer stops or
cancels.  Threads are switched far more often than usual.  After each run:

* it has ended within the limit, or every thread's stack is shown and the program fails;
* no lane's thread is alive and every body has been closed;
* the session holds each whole event that the consumer was given, once and in that order, and
  nothing else.  An event that was appended when a stop came was given, as the runner
  appends just before it yields;
* each lane's events are a beginning of what it had to say, complete if nothing ended it early;
* at most one error came, as the last item, naming a lane that fails (PAR-041 to PAR-043).

    python -m tests.stress.parallel_stress --runs 10000
"""

import argparse
import sys
import threading
import time
import traceback
from contextlib import closing, suppress
from queue import Empty, SimpleQueue
from random import Random

from attrs import asdict, define, field, frozen

from adkref.agents import Agent, ParallelAgent
from adkref.content import Content
from adkref.contexts import HostContext
from adkref.events import Event
from adkref.runner import Runner
from adkref.sessions import InMemorySessionService

LANES = "abcd"
HI = Content.of_text("hi", "user")
#: How a consumer leaves a run early.
WAYS = ("close", "raise", "drop", "cancel")


@frozen
class Lane:
    """What one lane does: its events (True for a partial one), and whether it fails after them."""

    name: str
    events: list[bool]
    fails: str
    inner: bool


@frozen
class Plan:
    """One run: its lanes, after how many items the consumer leaves (0 for never), and how."""

    lanes: list[Lane]
    leave_at: int
    way: str

    @classmethod
    def draw(cls, seed):
        """Return the plan that belongs to *seed*."""
        draw = Random(seed)
        lanes = [
            Lane(
                name,
                events=[draw.random() < 0.2 for _ in range(draw.randrange(6))],
                fails=draw.choice(["raise", "yield", *[""] * 10]),
                inner=draw.random() < 0.15,
            )
            for name in LANES
        ]
        total = sum(len(lane.events) for lane in lanes)
        leaves = draw.random() < 0.6 and total > 0
        return cls(lanes, draw.randint(1, total) if leaves else 0, draw.choice(WAYS))


@define
class Figures:
    """What all runs together came to."""

    runs: int = 0
    items: int = 0
    stored: int = 0
    stopped: int = 0
    cancelled: int = 0
    failed: int = 0
    complete: int = 0
    slowest_ms: float = 0.0
    seconds: float = 0.0
    threads_left: int = 0

    def add(self, other):
        """Add the figures of one more run."""
        self.slowest_ms = max(self.slowest_ms, other.slowest_ms)
        for name in ("runs", "items", "stored", "stopped", "cancelled", "failed", "complete"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def __str__(self):
        values = asdict(self)
        values["slowest_ms"] = round(self.slowest_ms, 1)
        values["seconds"] = round(self.seconds, 1)
        values["runs_per_second"] = round(self.runs / self.seconds) if self.seconds else 0
        return "\n".join(f"{name:16}{value:>12}" for name, value in values.items())


class ConsumerError(Exception):
    """What a consumer raises that leaves by raising."""


def lanes_alive():
    """The threads of lanes that still run."""
    return [it.name for it in threading.enumerate() if it.name.startswith("adkref-")]


@define
class Run:
    """One run of a plan."""

    seed: int
    plan: Plan
    opened: list = field(factory=list)
    closed: list = field(factory=list)
    items: list = field(factory=list)
    unstored: list = field(factory=list)

    def _agent(self, lane):
        def body(ctx):
            self.opened.append(lane.name)
            try:
                for number, partial in enumerate(lane.events):
                    event = Event(
                        content=Content.of_text(f"{lane.name}{number}"),
                        partial=partial,
                        author=lane.name,
                    )
                    yield event
                    if not partial and event.id not in {it.id for it in ctx.session.events}:
                        self.unstored.append(event)
                if lane.fails == "raise":
                    raise ValueError("boom")
                if lane.fails == "yield":
                    yield None, ValueError("boom")
            finally:
                self.closed.append(lane.name)

        if not lane.inner:
            return Agent(lane.name, run=body)
        return ParallelAgent(lane.name, sub_agents=[Agent(f"{lane.name}-inner", run=body)])

    def go(self):
        """Run, leave when and how the plan says, check everything, return the figures."""
        before = time.perf_counter()
        service = InMemorySessionService()
        root = ParallelAgent("p", sub_agents=[self._agent(lane) for lane in self.plan.lanes])
        runner = Runner("app", root, service, auto_create_session=True)
        host, cancel = HostContext.background().with_cancel()
        stream = runner.stream("u", "s", HI, host=host)
        with suppress(ConsumerError):
            self._consume(stream, cancel)
        del stream
        cancel()
        left = lanes_alive()
        stored = list(service.get("app", "u", "s").events)[1:]
        try:
            assert left == []
            self._check(stored)
        except AssertionError as error:
            raise AssertionError(f"seed {self.seed}: {self.plan}") from error
        return self._figures(stored, (time.perf_counter() - before) * 1000)

    def _consume(self, stream, cancel):
        leave_at, way = self.plan.leave_at, self.plan.way
        if way == "drop":
            # No close: the stream is closed when the last reference goes.
            for item in stream:
                self.items.append(item)
                if len(self.items) == leave_at:
                    return
            return
        with closing(stream):
            for item in stream:
                self.items.append(item)
                if len(self.items) != leave_at:
                    continue
                if way == "close":
                    return
                if way == "raise":
                    raise ConsumerError
                cancel()

    def _check(self, stored):
        assert sorted(self.opened) == sorted(self.closed) == [*LANES]
        assert self.unstored == []

        # Each event that was given is stored once, and no other.
        given = [event for event, _ in self.items if event is not None]
        assert [event.id for event in stored] == [event.id for event in given if not event.partial]
        assert len({event.id for event in stored}) == len(stored)

        # Each lane's events are a beginning, and all of them if nothing ended it early.
        whole = self._expects_error() is False and not self._left()
        for lane in self.plan.lanes:
            own = [e.content.spoken_text() for e in given if e.author == lane.name]
            said = [f"{lane.name}{number}" for number in range(len(lane.events))]
            assert own == (said if whole else said[: len(own)])

        # At most one error, the last item.
        errors = [str(error) for _, error in self.items if error is not None]
        assert len(errors) <= 1
        assert not errors or self.items[-1][1] is not None
        if errors:
            assert errors[0] in self._possible_errors()
        elif not self._left():
            assert not self._expects_error()

    def _left(self):
        """Whether the consumer has left, and the plan had not run out before."""
        return 0 < self.plan.leave_at <= len(self.items)

    def _expects_error(self):
        return any(lane.fails for lane in self.plan.lanes)

    def _possible_errors(self):
        causes = {lane.name: ["boom"] if lane.fails else [] for lane in self.plan.lanes}
        if self._left() and self.plan.way == "cancel":
            for lane in self.plan.lanes:
                causes[lane.name].append("context canceled")
        for lane in self.plan.lanes:
            if lane.inner:
                nested = [
                    f'failed to run sub-agent "{lane.name}-inner": {it}'
                    for it in causes[lane.name]
                ]
                # The outer lane may be cancelled while it offers what the inner one has said.
                causes[lane.name] = [*nested, *[it for it in causes[lane.name] if it != "boom"]]
        return {
            f'failed to run sub-agent "{name}": {cause}'
            for name, texts in causes.items()
            for cause in texts
        }

    def _figures(self, stored, milliseconds):
        left = self._left()
        failed = any(error is not None for _, error in self.items)
        return Figures(
            runs=1,
            items=len(self.items),
            stored=len(stored),
            stopped=int(left and self.plan.way != "cancel"),
            cancelled=int(left and self.plan.way == "cancel"),
            failed=int(failed),
            complete=int(not left and not failed),
            slowest_ms=milliseconds,
        )


def all_stacks():
    """Where every thread stands."""
    names = {it.ident: it.name for it in threading.enumerate()}
    return "\n".join(
        f"{names.get(ident, ident)}:\n{''.join(traceback.format_stack(frame))}"
        for ident, frame in sys._current_frames().items()
    )


def stress(runs, *, seed=0, limit=30.0):
    """Run so many plans; raises AssertionError when one goes wrong or takes over *limit* seconds."""
    results = SimpleQueue()

    def consume():
        try:
            for number in range(runs):
                results.put(Run(seed + number, Plan.draw(seed + number)).go())
        except BaseException as error:
            results.put(error)

    figures, before = Figures(), time.perf_counter()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    consumer = threading.Thread(target=consume, name="consumer", daemon=True)
    try:
        consumer.start()
        for number in range(runs):
            try:
                result = results.get(timeout=limit)
            except Empty:
                text = f"seed {seed + number}: no end within {limit} s\n{all_stacks()}"
                raise AssertionError(text) from None
            if isinstance(result, BaseException):
                raise result
            figures.add(result)
        consumer.join(limit)
    finally:
        sys.setswitchinterval(interval)
    figures.seconds = time.perf_counter() - before
    figures.threads_left = len(lanes_alive())
    assert figures.threads_left == 0
    return figures


def main():
    """Run from the command line and print the figures."""
    parser = argparse.ArgumentParser(description="Stress the parallel agent.")
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="the first run's seed")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds that a run may take")
    options = parser.parse_args()
    print(stress(options.runs, seed=options.seed, limit=options.limit))  # noqa: T201


if __name__ == "__main__":
    main()
