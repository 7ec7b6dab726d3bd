# SPDX-License-Identifier: Apache-2.0
"""A process that may do anything: write without end, say nothing, die, leave children behind.

Whatever it does, nothing here waits without a bound or keeps more than a bound: lines are read
up to a limit, requests are written against a deadline, only the last lines of its complaints
are kept, and at the end nothing of it is left running.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import signal
import subprocess
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from attrs import define, field, frozen

from adkref.conformance.workers import how_it_ended

#: Bytes that one line may have.
LINE_LIMIT: Final = 64 << 20
#: So many of the last lines on standard error are kept, each up to so many characters.
_COMPLAINTS: Final = 20
_COMPLAINT: Final = 500
#: So many lines wait to be looked at; a process that writes more has to wait.
_AHEAD: Final = 64
_CHUNK: Final = 1 << 16
#: Seconds that the end of a killed process may take to show in its pipes.
_AFTERGLOW: Final = 1.0

#: The environment variable by which the children of a process are known as its own.
_TAG: Final = "ADKREF_PORT"
_PROCESSES: Final = Path("/proc")

# What one reading can find.
LINE: Final = "line"
#: Nothing came, or the beginning of a line.
SILENCE: Final = "silence"
PARTIAL: Final = "partial"
#: The output ended, at the end of a line or within one.
END: Final = "end"
CUT: Final = "cut"
#: A line is longer than it may be.
LONG: Final = "long"

#: How a process ended that had to be made to.
KILLED: Final = "killed"
#: And one that ended as it should.
CLEAN: Final = how_it_ended(0)


@frozen
class Read:
    """What one reading found."""

    kind: str
    line: bytes = field(default=b"", repr=False)


@frozen
class Ending:
    """How a process ended."""

    #: In words: ``exit code 3``, ``signal SIGSEGV``, or :data:`KILLED`.
    how: str
    #: How many of its children were left behind and had to be killed.
    left: int = 0


class CannotStart(Exception):
    """The command does not start; the text says why."""


class InputClosed(Exception):
    """The process reads no more."""


class InputStuck(Exception):
    """The process did not read in time."""


@define(eq=False)
class Process:
    """A process with its three pipes."""

    popen: subprocess.Popen[bytes]
    tag: str
    line_limit: int
    _lines: queue.Queue[Read] = field(factory=lambda: queue.Queue(_AHEAD), init=False)
    _complaints: deque[str] = field(factory=lambda: deque(maxlen=_COMPLAINTS), init=False)
    #: Whether the beginning of a line is there.
    _begun: bool = field(default=False, init=False)
    _closed: bool = field(default=False, init=False)
    _ended: Read | None = field(default=None, init=False)
    _threads: list[threading.Thread] = field(factory=list, init=False)

    @classmethod
    def start(cls, command: Sequence[str], *, line_limit: int = LINE_LIMIT) -> Process:
        """Start *command* in a process group of its own."""
        tag = uuid.uuid4().hex
        try:
            popen = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, _TAG: tag},
                start_new_session=True,
            )
        except OSError as error:
            raise CannotStart(f"{command[0]}: {error.strerror or error}") from error
        except ValueError as error:
            raise CannotStart(str(error)) from error
        assert popen.stdin is not None
        # A process that does not read must not keep the kit from seeing that.
        os.set_blocking(popen.stdin.fileno(), False)
        process = cls(popen, tag, line_limit)
        for target in (process._read_lines, process._read_complaints):
            thread = threading.Thread(target=target, name="adkref-port", daemon=True)
            process._threads.append(thread)
            thread.start()
        return process

    # --- talking ------------------------------------------------------------------------------

    def write(self, data: bytes, deadline: float) -> None:
        """Write *data* until *deadline*, a time of the monotonic clock."""
        assert self.popen.stdin is not None
        pipe = self.popen.stdin.fileno()
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(pipe, rest) :]
            except BlockingIOError:
                left = deadline - time.monotonic()
                poll = select.poll()
                poll.register(pipe, select.POLLOUT)
                if left <= 0 or not poll.poll(left * 1000):
                    raise InputStuck from None
            except OSError as error:
                raise InputClosed from error

    def read(self, deadline: float) -> Read:
        """Return the next line, or what there is in place of one when *deadline* comes."""
        if self._ended is not None:
            return self._ended
        try:
            found = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return Read(PARTIAL if self._begun else SILENCE)
        if found.kind != LINE:
            self._ended = found
        return found

    def has_closed_input(self) -> bool:
        """Tell whether nobody is left who could read what is written."""
        assert self.popen.stdin is not None
        poll = select.poll()
        poll.register(self.popen.stdin.fileno(), 0)
        return any(state & select.POLLERR for _, state in poll.poll(0))

    def has_ended(self) -> bool:
        """Tell whether the process itself is gone."""
        return self.popen.poll() is not None

    def complaints(self) -> tuple[str, ...]:
        """Return the last lines that it wrote on standard error."""
        return tuple(self._complaints)

    def close_input(self) -> None:
        """Let the process see the end of its input."""
        assert self.popen.stdin is not None
        with contextlib.suppress(OSError):
            self.popen.stdin.close()

    # --- ending -------------------------------------------------------------------------------

    def end(self, grace: float) -> Ending:
        """Close its input, wait *grace* seconds, then kill what still runs; wait for the rest."""
        self.close_input()
        killed = False
        try:
            code = self.popen.wait(timeout=grace)
        except subprocess.TimeoutExpired:
            killed = True
            self._kill_group()
            code = self.popen.wait()
        left = 0 if killed else self._left_behind()
        self._kill_group()
        self._kill_left()
        self._closed = True
        for thread in self._threads:
            thread.join(_AFTERGLOW)
        # A pipe that a thread still reads is not closed under it; the thread is a daemon.
        if not any(thread.is_alive() for thread in self._threads):
            for pipe in (self.popen.stdout, self.popen.stderr):
                assert pipe is not None
                pipe.close()
        return Ending(KILLED if killed else how_it_ended(code), left)

    def _left_behind(self) -> int:
        """Count the children that are still there a moment after their parent."""
        end = time.monotonic() + _AFTERGLOW
        while (left := sum(1 for _ in _tagged(self.tag))) and time.monotonic() < end:
            time.sleep(0.05)
        return left

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.popen.pid, signal.SIGKILL)

    def _kill_left(self) -> None:
        """Kill the children that left the group, and theirs, until there are none."""
        for _ in range(10):
            found = list(_tagged(self.tag))
            if not found:
                return
            for pid in found:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)

    # --- the two threads ----------------------------------------------------------------------

    def _read_lines(self) -> None:
        assert self.popen.stdout is not None
        pipe = self.popen.stdout.fileno()
        buffer = bytearray()
        searched = 0
        while chunk := _chunk(pipe):
            buffer += chunk
            while (at := buffer.find(b"\n", searched)) >= 0:
                if not self._put(Read(LINE, bytes(buffer[:at]))):
                    return
                del buffer[: at + 1]
                searched = 0
            searched = len(buffer)
            self._begun = bool(buffer)
            if len(buffer) > self.line_limit:
                self._put(Read(LONG, bytes(buffer[:_COMPLAINT])))
                return
        self._put(Read(CUT, bytes(buffer[:_COMPLAINT])) if buffer else Read(END))

    def _put(self, found: Read) -> bool:
        while not self._closed:
            with contextlib.suppress(queue.Full):
                self._lines.put(found, timeout=0.1)
                return True
        return False

    def _read_complaints(self) -> None:
        assert self.popen.stderr is not None
        pipe = self.popen.stderr.fileno()
        line = b""
        while chunk := _chunk(pipe):
            *lines, line = (line + chunk).split(b"\n")
            for each in lines[-_COMPLAINTS:]:
                self._complain(each)
            line = line[:_COMPLAINT]
        self._complain(line)

    def _complain(self, line: bytes) -> None:
        if text := line[: 4 * _COMPLAINT].decode(errors="replace").rstrip()[:_COMPLAINT]:
            self._complaints.append(text)


def _chunk(pipe: int) -> bytes:
    try:
        return os.read(pipe, _CHUNK)
    except OSError:
        return b""


def _tagged(tag: str) -> Iterator[int]:
    """Yield the processes that carry *tag* in their environment; none where one cannot see."""
    wanted = f"{_TAG}={tag}".encode()
    for entry in _PROCESSES.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                yield int(entry.name)
