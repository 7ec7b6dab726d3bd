# SPDX-License-Identifier: Apache-2.0
"""The one seam behind which threads exist.

Three places run things side by side: the parallel agent, the tool calls of one model
turn, and concurrent workflow nodes.  All three see a *group* of lanes:

* a **lane** is a worker that runs a body and hands items over, one at a time;
  handing over returns once the consumer is done with *that* item (the ack);
* the **consumer** takes what the lanes offer, in the order in which it came, and
  answers each item with go on or stop.

The default group is real threads, a queue, and an ack per item.  The conformance kit
installs another :class:`LaneStarter` in the host context, in which one lane runs at a
time and a schedule decides which.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Protocol

from attrs import frozen

#: Hands an item to the consumer; False means that the lane has to stop.
Hand = Callable[[Any], bool]
#: What a lane runs; its result reaches the consumer in :class:`Finished`.
Body = Callable[[Hand], Any]


@frozen
class Offered:
    """A lane waits for the answer to *item*."""

    lane: int
    item: Any


@frozen
class Finished:
    """A lane's body returned *result*, or raised *fault*; nothing follows from it."""

    lane: int
    result: Any = None
    fault: BaseException | None = None


class LaneGroup(Protocol):
    """Lanes with one consumer; whoever opens a group closes it."""

    def spawn(self, name: str, body: Body) -> None:
        """Start a lane; lanes are numbered from 0 in the order of starting."""

    def take(self) -> Offered | Finished | None:
        """Wait for what comes next; None when every lane has finished."""

    def answer(self, lane: int, *, go_on: bool) -> None:
        """Acknowledge the item that *lane* offered."""

    def close(self) -> None:
        """Refuse whatever is offered until every lane has finished, and join them.

        Raises the first fault, unless :meth:`take` has told of one already (PAR-048).
        """


class LaneStarter(Protocol):
    """Makes groups."""

    def group(self) -> LaneGroup:
        """Return a new, empty group."""


class _Lane:
    """One thread and the ack that it waits for.

    The ack is an event for one item at a time.  A lock that the consumer releases does
    it at a fraction of the price of a :class:`threading.Event`, which allocates a
    condition per wait.
    """

    __slots__ = ("ack", "go_on", "thread")

    def __init__(self) -> None:
        self.ack = threading.Lock()
        self.ack.acquire()
        self.go_on = True
        self.thread: threading.Thread | None = None


class ThreadGroup:
    """Lanes as threads; see :class:`LaneGroup`."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Offered | Finished] = SimpleQueue()
        self._lanes: list[_Lane] = []
        self._running = 0
        self._closing = False
        self._told_of_fault = False

    def spawn(self, name: str, body: Body) -> None:
        """Start a lane."""
        number, lane = len(self._lanes), _Lane()
        # A daemon, so that a consumer that was dropped without close cannot hold up the
        # end of the interpreter; close() joins in every orderly case.
        lane.thread = threading.Thread(
            target=self._run, args=(number, lane, body), name=f"adkref-{name}", daemon=True
        )
        lane.thread.start()  # a machine out of threads raises here, and there is no lane then
        self._lanes.append(lane)
        self._running += 1

    def _run(self, number: int, lane: _Lane, body: Body) -> None:
        put, wait = self._queue.put, lane.ack.acquire

        def hand(item: Any) -> bool:
            if self._closing:
                return False
            put(Offered(number, item))
            wait()
            return lane.go_on

        try:
            result = body(hand)
        except BaseException as fault:
            put(Finished(number, fault=fault))
        else:
            put(Finished(number, result))

    def take(self) -> Offered | Finished | None:
        """Wait for the next item or end."""
        if not self._running:
            return None
        message = self._queue.get()
        if isinstance(message, Finished):
            self._running -= 1
            if message.fault is not None and not self._closing:
                self._told_of_fault = True
        return message

    def answer(self, lane: int, *, go_on: bool) -> None:
        """Acknowledge an item."""
        asked = self._lanes[lane]
        asked.go_on = go_on
        asked.ack.release()

    def close(self) -> None:
        """Refuse, wait, join; then raise a fault that nobody was told of."""
        self._closing = True
        fault: BaseException | None = None
        while (message := self.take()) is not None:
            if isinstance(message, Offered):
                self.answer(message.lane, go_on=False)
            elif fault is None:
                fault = message.fault
        for lane in self._lanes:
            assert lane.thread is not None
            lane.thread.join()
        if fault is not None and not self._told_of_fault:
            raise fault


class ThreadStarter:
    """The default: every group is made of threads."""

    def group(self) -> LaneGroup:
        """Return an empty group of threads."""
        return ThreadGroup()


THREADS = ThreadStarter()
