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
from enum import Enum
from queue import SimpleQueue
from typing import Any, Protocol

from attrs import frozen


class Hand(Protocol):
    """What a lane hands its items over with."""

    def __call__(self, item: Any) -> bool:
        """Hand *item* over and wait until the consumer is done; False means stop."""

    def post(self, item: Any) -> bool:
        """Queue *item* and go on, waiting only while the queue is full; False means stop."""


class Liberty(Enum):
    """What the rules leave open, and threads decide by chance in ADK-Go.

    The default group takes no liberty; the controlled one tries both ways.
    """

    #: A lane whose host is dead still offers its item, and goes on if it is taken (PAR-045).
    OFFER_AFTER_CANCEL = "offer after cancel"
    #: The consumer still takes an item that was offered when the host died (PAR-045).
    TAKE_AFTER_CANCEL = "take after cancel"
    #: The lane whose item made the consumer stop is told to go on first (PAR-063).
    GO_ON_AT_STOP = "go on at stop"


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

    def takes(self, liberty: Liberty) -> bool:
        """Tell whether to make use of *liberty*, here and now."""

    def close(self) -> None:
        """Refuse whatever is offered until every lane has finished, and join them.

        An item that was taken and not answered is refused too.  Raises the first fault,
        unless :meth:`take` has told of one already (PAR-048).
        """


class LaneStarter(Protocol):
    """Makes groups."""

    @property
    def runs_nodes_beside(self) -> bool:
        """Whether an LLM root runs in a lane beside its consumer, as in ADK-Go (RUN-072)."""

    def group(self, dead: Callable[[], object]) -> LaneGroup:
        """Return a new, empty group; *dead* tells whether the lanes' host was cancelled."""


class _Lane:
    """One thread and the ack that it waits for.

    The ack is an event for one item at a time.  A lock that the consumer releases does
    it at a fraction of the price of a :class:`threading.Event`, which allocates a
    condition per wait.
    """

    __slots__ = ("ack", "go_on", "owed", "thread")

    def __init__(self) -> None:
        self.ack = threading.Lock()
        self.ack.acquire()
        self.go_on = True
        self.owed = False  # its item was taken and not yet answered
        self.thread: threading.Thread | None = None


class _ThreadHand:
    """A lane's hand in a group of threads."""

    __slots__ = ("_group", "_lane", "_number")

    def __init__(self, group: ThreadGroup, number: int, lane: _Lane) -> None:
        self._group, self._number, self._lane = group, number, lane

    def __call__(self, item: Any) -> bool:
        if self._group.closing:
            return False
        self._group.queue.put(Offered(self._number, item))
        self._lane.ack.acquire()
        return self._lane.go_on

    post = __call__  # a thread that is always waited for may be waited for here, too


class ThreadGroup:
    """Lanes as threads; see :class:`LaneGroup`."""

    def __init__(self) -> None:
        self.queue: SimpleQueue[Offered | Finished] = SimpleQueue()
        self._lanes: list[_Lane] = []
        self._running = 0
        self.closing = False
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
        try:
            result = body(_ThreadHand(self, number, lane))
        except BaseException as fault:
            self.queue.put(Finished(number, fault=fault))
        else:
            self.queue.put(Finished(number, result))

    def take(self) -> Offered | Finished | None:
        """Wait for the next item or end."""
        if not self._running:
            return None
        message = self.queue.get()
        if isinstance(message, Finished):
            self._running -= 1
            if message.fault is not None and not self.closing:
                self._told_of_fault = True
        else:
            self._lanes[message.lane].owed = True
        return message

    def answer(self, lane: int, *, go_on: bool) -> None:
        """Acknowledge an item."""
        asked = self._lanes[lane]
        asked.go_on, asked.owed = go_on, False
        asked.ack.release()

    def takes(self, liberty: Liberty) -> bool:
        """Tell that threads take no liberty: what happens is the same in every run."""
        del liberty
        return False

    def close(self) -> None:
        """Refuse, wait, join; then raise a fault that nobody was told of."""
        self.closing = True
        fault: BaseException | None = None
        for number, lane in enumerate(self._lanes):
            if lane.owed:  # the consumer was interrupted between take and answer
                self.answer(number, go_on=False)
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

    runs_nodes_beside = False

    def group(self, dead: Callable[[], object]) -> LaneGroup:
        """Return an empty group of threads."""
        del dead  # its lanes look themselves
        return ThreadGroup()


THREADS = ThreadStarter()
