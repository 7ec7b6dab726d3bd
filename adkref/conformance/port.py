# SPDX-License-Identifier: Apache-2.0
"""A port under test: its process, and the conversation with it.

Whatever a port does wrong ends in a :class:`PortFault` that says what in one word and in one
sentence, and what the port last wrote on standard error.  After a fault the process is gone,
and the next request starts a new one.

Each thing that can go wrong has a word of its own (:data:`FAULTS`), as each has another remedy:
a port that prints banners is told so, and not that its JSON is bad.
"""

from __future__ import annotations

import json
import shlex
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from attrs import Factory, define, evolve, field, frozen

from adkref.conformance import protocol
from adkref.conformance.faults import PortError, ScenarioError
from adkref.conformance.narrate import one_line, short, short_json
from adkref.conformance.process import (
    CLEAN,
    CUT,
    END,
    KILLED,
    LINE,
    LINE_LIMIT,
    LONG,
    PARTIAL,
    CannotStart,
    InputClosed,
    InputStuck,
    Process,
)
from adkref.conformance.protocol import Hello, Message
from adkref.conformance.scenario import FORMAT, parse_json

#: What can be wrong with a port, in the words of the table in the guide for porters.
FAULTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "start": "the command does not start",
        "banner": "something was printed before the reply to hello",
        "hello": "the reply to hello is not what the protocol asks for",
        "format": "it plays another format",
        "changed": "it says something else of itself than before",
        "crash": "the process died",
        "panic": "it says that the implementation crashed",
        "error": "it says that it could not play the scenario",
        "timeout": "it says that the scenario took too long",
        "silence": "no reply came in time",
        "partial": "the beginning of a line came, and not its end",
        "stuck": "the request was not read in time",
        "closed-input": "standard input was closed",
        "closed-output": "standard output was closed",
        "garbage": "a line is no JSON",
        "utf8": "a line is no UTF-8",
        "long": "a line is longer than any reply may be",
        "message": "a reply is not what its schema asks for",
        "id": "a reply has an id that was not asked for",
        "twice": "a request was answered twice",
    }
)


#: After so many starts in a row that failed, or replies that did not come, a port is given up.
_STARTS: Final = 3
_WAITS: Final = 8
_IN_VAIN: Final = ("silence", "partial", "stuck")

#: So much of a wrong line is looked at to show it.
_SHOWN: Final = 400

#: Seconds between two looks at whether a process is still there.
_LOOK: Final = 0.1

#: Seconds within which a process that closed a pipe turns out to be dead.
_DEATH: Final = 0.5


class PortFault(PortError):
    """What a port did wrong."""

    def __init__(self, kind: str, text: str, stderr: Iterable[str] = (), number: int = 0) -> None:
        super().__init__(text)
        assert kind in FAULTS
        self.kind = kind
        self.text = text
        #: The last lines that the port wrote on standard error.
        self.stderr = tuple(stderr)
        #: The request that is to blame, where that is not the one that waits longest.
        self.number = number


@frozen(kw_only=True)
class Limits:
    """How long the kit waits for a port, in seconds, and how much it reads."""

    #: For the reply to ``hello``.
    start: float = 60.0
    #: For the reply to ``run``; a driver has ten seconds before it says ``timeout`` itself.
    case: float = 20.0
    #: For the end of the process after ``stop``.
    stop: float = 5.0
    #: Bytes of one line.
    line: int = LINE_LIMIT


@frozen
class Request:
    """A scenario that is put to a port."""

    #: What the caller knows it by.
    key: Any
    scenario: Message = field(repr=False)
    #: When it was sent.
    at: float = 0.0


@frozen
class Reply:
    """What a port answered to a request, or what it did instead."""

    key: Any
    #: The reply as it was written; known to be JSON with the right id, and nothing beyond.
    line: bytes = field(default=b"", repr=False)
    fault: PortFault | None = None
    #: Seconds from the request to the reply.
    seconds: float = 0.0


@define(eq=False)
class Port:
    """One port: at most one process at a time, started when it is needed."""

    command: str
    limits: Limits = Factory(Limits)
    #: What the first process said; every later one has to say the same.
    hello: Hello | None = None
    #: What is worth telling although no case fails by it.
    warnings: list[str] = Factory(list)
    _process: Process | None = field(default=None, init=False)
    _number: int = field(default=0, init=False)
    #: Requests without a reply, the oldest first, and those that this process answered.
    _sent: dict[int, Request] = field(factory=dict, init=False)
    _done: dict[int, Request] = field(factory=dict, init=False)
    _heard: float = field(default=0.0, init=False)
    _starts: int = field(default=0, init=False)
    _waits: int = field(default=0, init=False)
    _given_up: PortFault | None = field(default=None, init=False)

    # --- what a trial calls -------------------------------------------------------------------

    def greet(self) -> Hello:
        """Start the process if there is none, and return what it says of itself."""
        if self._given_up is not None:
            raise self._given_up
        if self._process is None:
            try:
                self._start()
            except PortFault as fault:
                self._starts += 1
                if self._starts >= _STARTS:
                    self._give_up(fault, f"{_STARTS} starts in vain")
                raise
            self._starts = 0
        assert self.hello is not None
        return self.hello

    def play(self, asked: Iterable[tuple[Any, Message]]) -> Iterator[Reply]:
        """Send each keyed scenario of *asked* and yield the replies as they come.

        A fault is a reply too, to the request that is to blame, and may come after an earlier
        reply to the same.  Requests that were on their way by then are sent once more.
        """
        waiting = iter(asked)
        again: deque[Request] = deque()
        while True:
            request = None
            if len(self._sent) < (self.hello.window if self.hello else 1):
                request = again.popleft() if again else _next(waiting)
                if request is None and not self._sent:
                    return
            try:
                if request is not None:
                    self._number += 1
                    number = self._number
                    self._sent[number] = request
                    self._ask(number)
                    if len(self._sent) < self.greet().window:
                        continue
                yield self._receive()
            except PortFault as fault:
                blamed = fault.number or next(iter(self._sent))
                to_blame = self._sent.pop(blamed, None) or self._done[blamed]
                again.extendleft(reversed(self._sent.values()))
                self._sent.clear()
                self._done.clear()
                self._waits = self._waits + 1 if fault.kind in _IN_VAIN else 0
                if self._waits >= _WAITS:
                    self._give_up(fault, f"{_WAITS} replies in a row that did not come")
                yield Reply(to_blame.key, fault=fault)

    def stop(self) -> list[Reply]:
        """Ask the port to end, and see to it that it does; return what it still says wrongly."""
        process = self._process
        if process is None:
            return []
        deadline = time.monotonic() + self.limits.stop
        wrong = None
        try:
            self._write(protocol.stop_request(), deadline)
            # A port that does not know the message ends with its input.
            process.close_input()
            for line in _last_lines(process, deadline):
                if not _is_refusal(line):
                    self._matched(line)
        except PortFault as fault:
            # One that ended before it was told to harms nobody.
            wrong = fault
        how = self._end(deadline - time.monotonic())
        if how == KILLED:
            limit = self.limits.stop
            self._warn(f"the port did not end within {limit:g} s after stop and was killed")
        elif how not in ("", CLEAN):
            self._warn(f"the port ended with {how} after its last reply")
        to_blame = self._done.get(wrong.number) if wrong is not None else None
        self._done.clear()
        return [] if to_blame is None else [Reply(to_blame.key, fault=wrong)]

    def kill(self) -> None:
        """End the process at once."""
        self._end(0.0)

    def halt(self) -> None:
        """End the process from another thread; whoever talks to it is told so by a fault."""
        self._given_up = PortFault("crash", "was halted by the kit")
        self.kill()

    # --- the process --------------------------------------------------------------------------

    def _start(self) -> None:
        try:
            command = shlex.split(self.command)
        except ValueError as error:
            raise PortFault("start", f"the command cannot be read: {error}") from error
        if not command:
            raise PortFault("start", "the command is empty")
        try:
            self._process = Process.start(command, line_limit=self.limits.line)
        except CannotStart as error:
            raise PortFault("start", f"does not start: {error}") from error
        deadline = time.monotonic() + self.limits.start
        self._write(protocol.hello_request(), deadline)
        line = self._read(deadline, f"no reply to hello within {self.limits.start:g} s")
        try:
            reply = parse_json(line)
        except ScenarioError as error:
            text = (
                f"printed {_quoted(line)} before its reply to hello; only replies belong on "
                "standard output"
            )
            raise self._fault("banner", text) from error
        if (found := protocol.hello_violation(reply)) is not None:
            raise self._fault("hello", f"bad reply to hello: {found}")
        hello = Hello.from_json(reply)
        if FORMAT not in hello.formats:
            raise self._fault("format", f"plays {', '.join(hello.formats)}, and not {FORMAT}")
        if self.hello is not None and hello != self.hello:
            raise self._fault("changed", _change(self.hello, hello))
        self.hello = hello

    def _end(self, grace: float) -> str:
        process, self._process = self._process, None
        if process is None:
            return ""
        ending = process.end(max(0.0, grace))
        if ending.left:
            children = "1 process" if ending.left == 1 else f"{ending.left} processes"
            self._warn(f"the port left {children} behind, which the kit ended")
        return ending.how

    def _warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    def _give_up(self, fault: PortFault, after: str) -> None:
        text = f"given up after {after}; the last: {fault.text}"
        self._given_up = PortFault(fault.kind, text, fault.stderr)

    def _fault(self, kind: str, text: str, number: int = 0) -> PortFault:
        """End the process and return the fault."""
        process = self._process
        self.kill()
        return PortFault(kind, text, process.complaints() if process else (), number)

    def _died(self, kind: str, text: str, number: int = 0) -> PortFault:
        """Return the fault of a process that closed a pipe: mostly it is dead."""
        process = self._process
        assert process is not None
        end = time.monotonic() + _DEATH
        while not process.has_ended():
            if time.monotonic() > end:
                return self._fault(kind, text, number)
            time.sleep(0.01)
        how = self._end(_DEATH)
        return PortFault("crash", f"the process died: {how}", process.complaints(), number)

    # --- requests and replies -----------------------------------------------------------------

    def _ask(self, number: int) -> None:
        """Send the request of that number, which is in the table of those sent."""
        self.greet()
        if len(self._sent) == 1:
            self._quiet()
        request = self._sent[number]
        now = time.monotonic()
        self._sent[number] = evolve(request, at=now)
        if len(self._sent) == 1:
            self._heard = now
        self._write(protocol.run_request(number, request.scenario), now + self.limits.case)

    def _quiet(self) -> None:
        """Between two requests nothing may come; what does belongs to the last one."""
        process = self._process
        assert process is not None
        last = next(reversed(self._done), 0)
        found = process.read(0.0)
        if found.kind == LINE:
            if not last:
                text = f"printed {_quoted(found.line)} after its reply to hello, unasked"
                raise self._fault("banner", text)
            self._matched(found.line, asked={})
        elif found.kind in (END, CUT) and last:
            raise self._died("closed-output", "closed its standard output after a reply", last)

    def _receive(self) -> Reply:
        """Return the next reply to one of the requests that were sent."""
        limit = self.limits.case
        line = self._read(self._heard + limit, f"no reply within {limit:g} s")
        number = self._matched(line)
        request = self._sent.pop(number)
        self._done[number] = request
        self._waits = 0
        now = self._heard = time.monotonic()
        return Reply(request.key, line, seconds=now - request.at)

    def _matched(self, line: bytes, asked: Mapping[int, Request] | None = None) -> int:
        """Return which of the requests that were *asked* a line replies to."""
        asked = self._sent if asked is None else asked
        last = next(reversed(self._done), 0)
        number = next(iter(asked), last)
        try:
            reply = parse_json(line)
        except ScenarioError as error:
            utf8 = "UTF-8" in error.problem
            text = f"wrote a line that {error.at('')}: {_quoted(line)}"
            raise self._fault("utf8" if utf8 else "garbage", text, number) from error
        if not isinstance(reply, dict):
            text = f"wrote a line that is no reply: {_quoted(line)}"
            raise self._fault("message", text, number)
        identity = reply.get("id")
        if type(identity) is int:
            if identity in asked:
                return identity
            if identity in self._done:
                text = f"answered the request {identity} twice"
                raise self._fault("twice", text, identity)
        elif identity is None and len(asked) == 1:
            return number
        elif self.hello is not None and not self.hello.protocol:
            # A port that knows nothing of ids names the scenario.
            for each, request in asked.items():
                if request.scenario["id"] == identity:
                    return each
            if last and self._done[last].scenario["id"] == identity:
                text = f"answered the scenario {_quoted(str(identity))} twice"
                raise self._fault("twice", text, last)
        expected = ", ".join(map(str, asked)) or "none, as nothing was asked"
        given = "no id" if identity is None else f"the id {short_json(identity)}"
        raise self._fault("id", f"answered with {given}; expected {expected}", number)

    def _write(self, message: Message, deadline: float) -> None:
        process = self._process
        assert process is not None
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        try:
            process.write(line, deadline)
        except InputClosed as error:
            raise self._died("closed-input", "closed its standard input") from error
        except InputStuck as error:
            raise self._fault("stuck", "does not read its standard input") from error

    def _read(self, deadline: float, silence: str) -> bytes:
        """Return the next line; what comes in place of one is a fault."""
        process = self._process
        assert process is not None
        found = process.read(deadline)
        if found.kind == LINE:
            return found.line
        if found.kind == CUT:
            text = f"ended in the middle of a line: {_quoted(found.line)}"
            fault = self._died("partial", text)
            how = "" if fault.kind == "partial" else f"; {fault.text}"
            raise PortFault("partial", f"{text}{how}", fault.stderr)
        if found.kind == END:
            raise self._died("closed-output", "closed its standard output")
        if found.kind == LONG:
            text = f"wrote a line of more than {self.limits.line >> 20} MiB: {_quoted(found.line)}"
            raise self._fault("long", text)
        if found.kind == PARTIAL:
            raise self._fault("partial", f"began a line and did not end it: {silence}")
        if process.has_closed_input():
            raise self._fault("closed-input", f"closed its standard input: {silence}")
        raise self._fault("silence", silence)


def _next(waiting: Iterator[tuple[Any, Message]]) -> Request | None:
    found = next(waiting, None)
    return None if found is None else Request(*found)


def _last_lines(process: Process, deadline: float) -> Iterator[bytes]:
    """Yield what a process still writes; a child may hold its output open after its end."""
    while time.monotonic() < deadline:
        has_ended = process.has_ended()
        found = process.read(min(deadline, time.monotonic() + _LOOK))
        if found.kind == LINE:
            yield found.line
        elif has_ended or found.kind in (END, CUT, LONG):
            return


def _is_refusal(line: bytes) -> bool:
    """Tell whether a port answers that it does not know a request, which ``stop`` allows."""
    try:
        reply = parse_json(line)
    except ScenarioError:
        return False
    return isinstance(reply, dict) and set(reply) <= {"id", "error"} and "error" in reply


def _quoted(line: bytes | str) -> str:
    text = line[:_SHOWN].decode(errors="replace") if isinstance(line, bytes) else line
    return short(one_line(text))


def _change(before: Hello, after: Hello) -> str:
    """Say in what the second greeting differs from the first."""
    old, new = before.to_json(), after.to_json()
    key = next(key for key in {**old, **new} if old.get(key) != new.get(key))
    return f"says of its {key} {json.dumps(new.get(key))}, and said {json.dumps(old.get(key))}"
