# SPDX-License-Identifier: Apache-2.0
"""Many small tasks in worker processes, each under a time limit.

A scenario may script an endless loop, and nothing in a Python process can stop
that from outside.  So each case is played in a worker process, which is killed
and replaced when a case takes too long or takes the process down with it.

A worker is a fresh interpreter that reads one JSON value a line and answers
each with one line.  It has a few cases in its pipe at any time, so that it
never waits for the next, and it answers them in order: when it dies, the first
case without an answer is the one that did it, and the others go to its
successor.

On the parent's side a thread per worker feeds it and reads its answers, while
the generator's own thread hands out the cases and watches the clock.  A worker
whose parent is gone sees the end of its input and leaves, even from within an
endless loop.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import IO, Any, Final

from attrs import frozen

from adkref.conformance.faults import HarnessError

#: Seconds that one case may take.
LIMIT: Final = 10.0

#: So many cases are on their way to a worker: one at work and the next ones in its pipe.
_WINDOW = 3
#: Seconds that a worker may take to start.
_START_LIMIT = 60.0
#: Seconds between two looks at the clock.
_LOOK = 0.1

_READY = b"ready\n"


@frozen
class Answer:
    """What became of one task."""

    #: The task's place in the order in which the tasks were given, from 0.
    index: int
    #: What the function returned, after a passage through JSON.
    value: Any = None
    #: ``timeout``, ``crash`` (the process died), ``error`` (the function raised) or empty.
    trouble: str = ""
    #: What is known about a crash or an error.
    text: str = ""


def run(
    function: str,
    tasks: Iterable[Any],
    *,
    jobs: int = 1,
    limit: float = LIMIT,
    ahead: int | None = None,
) -> Generator[Answer, None, None]:
    """Apply ``module:function`` to each task in one of *jobs* worker processes.

    Answers are yielded as they come; with one worker that is the order of the tasks.
    Tasks and results are JSON.  So many tasks are taken *ahead* of the answers; with 1 a
    task is taken only when the one before it is answered, as in a conversation.  No process
    is left when the generator ends or is closed.
    """
    pool = _Pool(function, limit, jobs)
    try:
        yield from pool.answers(tasks, ahead or max(1, jobs) * (_WINDOW + 1))
    finally:
        pool.close()


@frozen
class _Task:
    index: int
    line: bytes


class _Pool:
    """The workers and the two queues between them and the generator."""

    def __init__(self, function: str, limit: float, jobs: int) -> None:
        self.command = [sys.executable, "-P", "-c", _SERVE, function]
        self.limit = limit
        self.tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self.results: queue.SimpleQueue[Answer | Exception] = queue.SimpleQueue()
        self.workers = [_Worker(self) for _ in range(max(1, jobs))]

    def answers(self, tasks: Iterable[Any], ahead: int) -> Iterator[Answer]:
        given = taken = 0
        rest = iter(tasks)
        more = True
        while True:
            while more and given - taken < ahead:
                try:
                    task = next(rest)
                except StopIteration:
                    more = False
                    break
                self.tasks.put(_Task(given, _line(task)))
                if given < len(self.workers):
                    # No more processes than there are tasks.
                    self.workers[given].start()
                given += 1
            if given == taken:
                return
            answer = self._next()
            taken += 1
            yield answer

    def _next(self) -> Answer:
        while True:
            try:
                answer = self.results.get(timeout=_LOOK)
            except queue.Empty:
                answer = None
            now = time.monotonic()
            for worker in self.workers:
                worker.kill_if_late(now)
            if isinstance(answer, Exception):
                raise answer
            if answer is not None:
                return answer

    def close(self) -> None:
        for worker in self.workers:
            worker.close()
        for _ in self.workers:
            self.tasks.put(None)
        for worker in self.workers:
            worker.join()


class _Worker:
    """One worker process after another, and the thread that talks to them."""

    def __init__(self, pool: _Pool) -> None:
        self._pool = pool
        self._thread = threading.Thread(target=self._run, name="adkref-worker", daemon=True)
        #: Guards what follows: the watching thread reads it and kills the process.
        self._lock = threading.Lock()
        self._process: _Process | None = None
        #: Sent and not yet answered; the first is at work.
        self._window: deque[_Task] = deque()
        self._deadline: float | None = None
        #: The task for whose sake the process was killed.
        self._late: _Task | None = None
        self._closed = False

    # For the watching thread

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        if self._thread.ident is not None:
            self._thread.join()

    def kill_if_late(self, now: float) -> None:
        with self._lock:
            if self._process is not None and self._deadline is not None and now > self._deadline:
                self._deadline = None
                self._late = self._window[0]
                self._process.popen.kill()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.popen.kill()

    # The thread of this worker

    def _run(self) -> None:
        try:
            while not self._closed and (new := self._take()) is not None:
                process = self._process
                if process is None:
                    if (process := self._start()) is None:
                        return
                    # Those that a predecessor left unanswered come first.
                    new = list(self._window)
                process.send(new)
                self._receive(process)
        except Exception as error:
            self._pool.results.put(error)
        finally:
            self._end()

    def _take(self) -> list[_Task] | None:
        """Fill the window and return what is new in it; None when all is over."""
        new: list[_Task] = []
        while len(self._window) + len(new) < _WINDOW:
            try:
                task = self._pool.tasks.get(block=not (self._window or new))
            except queue.Empty:
                break
            if task is None:
                return None
            new.append(task)
        with self._lock:
            if not self._window:
                self._deadline = time.monotonic() + self._pool.limit
            self._window.extend(new)
        return new

    def _start(self) -> _Process | None:
        with self._lock:
            if self._closed:
                return None
            process = self._process = _Process.start(self._pool.command)
            self._deadline = time.monotonic() + _START_LIMIT
        ready = process.answers.readline()
        with self._lock:
            self._deadline = time.monotonic() + self._pool.limit
            if ready == _READY or self._closed:
                return process
        raise HarnessError(f"a worker process does not start: {self._end()}")

    def _receive(self, process: _Process) -> None:
        """Take one answer, or find out why there is none."""
        line = process.answers.readline()
        alive = line.endswith(b"\n")
        with self._lock:
            if self._closed:
                return
            first = self._window[0]
            late = self._late
            if alive:
                self._window.popleft()
                # After a kill the clock stands still until there is a new process.
                running = self._window and late is None
                self._deadline = time.monotonic() + self._pool.limit if running else None
        if alive:
            self._pool.results.put(Answer(first.index, **json.loads(line)))
            return
        how = self._end()
        self._late = None
        if late is not None and late is not first:
            # The answer came in the very last moment, and nobody is to blame.
            return
        self._window.popleft()
        if late is first:
            self._pool.results.put(Answer(first.index, trouble="timeout"))
        else:
            self._pool.results.put(Answer(first.index, trouble="crash", text=how))

    def _end(self) -> str:
        with self._lock:
            process, self._process = self._process, None
            self._deadline = None
        return process.end() if process is not None else ""


@frozen
class _Process:
    """A worker process and its pipes."""

    popen: subprocess.Popen[bytes]
    requests: IO[bytes]
    answers: IO[bytes]
    errors: IO[bytes]

    @classmethod
    def start(cls, command: list[str]) -> _Process:
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed at the end of the process
        popen = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            # Ctrl-C is for the parent, which then ends its workers.
            start_new_session=True,
        )
        assert popen.stdin is not None
        assert popen.stdout is not None
        return cls(popen, popen.stdin, popen.stdout, errors)

    def send(self, tasks: list[_Task]) -> None:
        """Write *tasks* to a process that may be gone; the end of its output will tell."""
        with contextlib.suppress(OSError):
            self.requests.writelines(task.line for task in tasks)
            self.requests.flush()

    def end(self) -> str:
        """Wait for the end of the process, help it if need be, and return how it ended."""
        try:
            code = self.popen.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            code = self.popen.wait()
        for pipe in (self.requests, self.answers):
            with contextlib.suppress(OSError):
                pipe.close()
        with self.errors:
            last = _last_line(self.errors)
        return how_it_ended(code) + (f": {last}" if last else "")


def _line(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def how_it_ended(code: int) -> str:
    """Return in words how a process with that return code ended."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _last_line(stream: IO[bytes]) -> str:
    stream.seek(0, os.SEEK_END)
    stream.seek(max(0, stream.tell() - 4096))
    lines = stream.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else ""


# The worker's side

_SERVE = "from adkref.conformance.workers import serve; serve()"


def serve() -> None:
    """Be a worker: apply the function that the command line names to each line of input."""
    # What a scenario prints must not get between the answers.
    requests, answers = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - devnull is no path
        os.dup2(nothing.fileno(), 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    function = _find(sys.argv[1])
    # Traces are large and live for one case: looking through all of them for cycles over and
    # over takes a good part of the time.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests, lines), daemon=True).start()
    with open(answers, "wb") as out:  # noqa: PTH123 - a descriptor is no path
        out.write(_READY)
        out.flush()
        while True:
            out.write(_line(_apply(function, lines.get())))
            out.flush()


def _find(name: str) -> Callable[[Any], Any]:
    module, _, attribute = name.partition(":")
    found: Callable[[Any], Any] = getattr(importlib.import_module(module), attribute)
    return found


def _read(requests: int, lines: queue.SimpleQueue[bytes]) -> None:
    """Empty the pipe, so that the parent never waits to write, and leave at its end."""
    with open(requests, "rb") as stream:
        for line in stream:
            lines.put(line)
    os._exit(0)


def _apply(function: Callable[[Any], Any], line: bytes) -> dict[str, Any]:
    try:
        value = function(json.loads(line))
        json.dumps(value)
    except Exception as error:
        return {"trouble": "error", "text": f"{type(error).__name__}: {error}"}
    return {"value": value}
