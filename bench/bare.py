# SPDX-License-Identifier: Apache-2.0
"""The mechanics alone: nested generators, a list as the store, threads with queue and ack.

What is left when everything is taken away that makes a framework: no contexts, callbacks,
plugins, checks, rules or copies.  It says what the way of running costs in this Python,
and is no measure of what could be reached.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any

from figures import Run
from stopwatch import Stopwatch

Content = tuple[str, Any]  # "text" | "call" | "answer" | "ask", and what there is to say
Items = Iterator["Event"]


class Event:
    """What every framework here gives an event: id, time, author, branch, content."""

    __slots__ = ("author", "branch", "content", "id", "time")

    def __init__(self, author: str, content: Content, branch: str = "") -> None:
        self.id = str(uuid.uuid4())
        self.time = time.time()
        self.author = author
        self.branch = branch
        self.content = content


def emit(name: str, count: int) -> Items:
    """Yield *count* events."""
    for _ in range(count):
        yield Event(name, ("text", "tick"))


def sequence(level: int, events: int) -> Items:
    """Yield what the level below yields."""
    yield from sequence(level - 1, events) if level else emit("e", events)


def parallel(lanes: int, events: int) -> Items:
    """Yield what the lanes put into a queue; each waits for the ack of its item."""
    queue: SimpleQueue[tuple[Event, threading.Lock] | None] = SimpleQueue()

    def work(name: str) -> None:
        ack = threading.Lock()  # held until the consumer releases it
        ack.acquire()
        for event in emit(name, events):
            queue.put((event, ack))
            ack.acquire()
        queue.put(None)

    threads = [threading.Thread(target=work, args=(f"e{i}",)) for i in range(lanes)]
    for thread in threads:
        thread.start()
    while lanes:
        item = queue.get()
        if item is None:
            lanes -= 1
            continue
        yield item[0]
        item[1].release()
    for thread in threads:
        thread.join()


# --- a model and its tools ------------------------------------------------------------------

Store = list[Event]


def get_weather(city: str) -> dict[str, int]:
    """Return the weather."""
    del city
    return {"temperature": 26}


def contents_of(store: Store) -> list[Content]:
    """Return the history that a model would be sent: every answer right behind its call."""
    answers = {
        event.content[1][0]: event.content for event in store if event.content[0] == "answer"
    }
    contents = []
    for event in store:
        kind, body = event.content
        if kind == "text":
            contents.append(event.content)
        elif kind == "call":
            contents.append(event.content)
            contents.append(answers[body[0]])
    return contents


def steps(store: Store, calls: int) -> Items:
    """Ask a model until it says no more than text, running the tool it calls."""
    for number in range(calls):
        contents_of(store)
        yield Event("w", ("call", (f"c{number}", {"city": "Hangzhou"})))
        result = get_weather(**store[-1].content[1][1])
        yield Event("w", ("answer", (f"c{number}", result)))
    contents_of(store)
    yield Event("w", ("text", "done"))


def chain(store: Store, depth: int) -> Items:
    """Hand over to the next agent, which runs inside of this one."""
    if depth:
        contents_of(store)
        yield Event(f"a{depth}", ("call", (f"c{depth}", {})))
        yield Event(f"a{depth}", ("answer", (f"c{depth}", {})))
        yield from chain(store, depth - 1)
    else:
        yield from steps(store, 0)


def asking(store: Store, number: int) -> Items:
    """Call a tool that needs approval: it fails, and the user is asked."""
    contents_of(store)
    yield Event("w", ("call", (f"c{number}", {"city": "Hangzhou"})))
    yield Event("w", ("answer", (f"c{number}", {"error": "needs approval"})))
    yield Event("w", ("ask", f"c{number}"))


def approved(store: Store, number: int) -> Items:
    """Find the call that the user has approved, run it, and ask the model again."""
    wanted = f"c{number}"
    call = next(
        event.content[1]
        for event in reversed(store)
        if event.content[0] == "call" and event.content[1][0] == wanted
    )
    yield Event("w", ("answer", (wanted, get_weather(**call[1]))))
    yield from steps(store, 0)


# --- playing --------------------------------------------------------------------------------


def run(store: Store, items: Items) -> Items:
    """Store each event, then hand it on."""
    for event in items:
        store.append(event)
        yield event


def turn(store: Store, body: Callable[[], Items]) -> Run:
    """Store the user's message and consume one run."""
    with Stopwatch() as watch:
        store.append(Event("user", ("text", "go")))
        events = sum(1 for _ in run(store, body()))
    return Run(events, watch.seconds)


def texts(stored: int) -> Store:
    """Return a history of user and model texts."""
    return [Event("w" if i % 2 else "user", ("text", f"line {i}")) for i in range(stored)]


def pairs_of(pairs: int) -> Store:
    """Return a history with so many calls and answers, five events around each pair."""
    store = []
    for i in range(pairs):
        store += [
            Event("user", ("text", f"question {i}")),
            Event("w", ("text", "let me see")),
            Event("w", ("call", (f"h{i}", {"city": "Hangzhou"}))),
            Event("w", ("answer", (f"h{i}", {"temperature": 26}))),
            Event("w", ("text", "26 degrees")),
        ]
    return store


def confirm(times: int) -> Run:
    """Ask and approve, again and again in one session."""
    store: Store = []
    events = 0
    with Stopwatch() as watch:
        for number in range(times):
            for body in (asking, approved):
                store.append(Event("user", ("text", "go")))
                events += sum(1 for _ in run(store, body(store, number)))
    return Run(events, watch.seconds)


def on(store: Store, body: Callable[..., Items], *arguments: Any) -> Run:
    """Consume one run of a body that reads the store."""
    return turn(store, lambda: body(store, *arguments))


CASES: dict[str, Callable[..., Run]] = {
    "flat": lambda events: turn([], lambda: emit("e", events)),
    "nested": lambda levels, events: turn([], lambda: sequence(levels, events)),
    "parallel": lambda lanes, events: turn([], lambda: parallel(lanes, events)),
    "tools": lambda **size: on([], steps, size["steps"]),
    "turn": lambda stored: on(texts(stored), steps, 0),
    "transfer": lambda depth: on([], chain, depth),
    "confirm": confirm,
    "history": lambda pairs: on(pairs_of(pairs), steps, 0),
}
