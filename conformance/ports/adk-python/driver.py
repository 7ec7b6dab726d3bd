# SPDX-License-Identifier: Apache-2.0
"""A driver for google-adk, the Python port: plays adk-scenario/1 documents, one a line.

A request is a JSON line on standard input, its answer a JSON line on standard output.
Scenarios are played in a forked copy of this process, which is killed and replaced when one
takes too long, so that not even a scripted endless loop ends the driver.
"""

from __future__ import annotations

import hashlib
import json
import logging
import multiprocessing
import os
import signal
import sys
import warnings
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

# The port greets with warnings about experimental parts, and logs what the trace shows anyway.
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

import google.adk  # noqa: E402
from google.adk import version as adk_version  # noqa: E402

import player  # noqa: E402
from script import FORMAT, SKIPS  # noqa: E402

#: Seconds that one scenario may take.
LIMIT = 10.0

#: Played once before all else: the port imports much of itself late.
WARM_UP = {
    "id": "warm-up",
    "session": {"app": "app", "user": "u", "id": "s"},
    "agent": {"kind": "llm", "name": "w", "model": {"script": []}, "tools": [{"name": "t"}]},
    "turns": [{"user": "hi"}],
}

Message = dict[str, Any]


def hello() -> Message:
    """Return who this driver is, what it cannot play and what the port chose."""
    return {
        "implementation": "adk-python",
        "version": adk_version.__version__,
        "source_hash": source_hash(),
        "language": "python",
        "format": FORMAT,
        "formats": [FORMAT],
        "protocol": 1,
        "skips": list(SKIPS),
        # PAR-045: nothing comes from a sibling once another one failed.  RUN-084: the cause.
        "choices": {"PAR-045": "none", "RUN-084": "cause"},
    }


def source_hash() -> str:
    """Return a hash of what is really installed, whatever its version says."""
    root = Path(google.adk.__file__).parent
    digest = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        digest.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes() + b"\0")
    return "sha256:" + digest.hexdigest()[:16]


class Worker:
    """A process that plays one scenario after another."""

    def __init__(self) -> None:
        forks = multiprocessing.get_context("fork")
        self.here, there = forks.Pipe()
        self.process = forks.Process(target=_work, args=(there, self.here), daemon=True)
        self.process.start()
        there.close()

    def play(self, scenario: Message) -> Message | None:
        """Return the answer, or None when there is none in time; then the worker is spent."""
        self.here.send(scenario)
        if not self.here.poll(LIMIT):
            self.end()
            return None
        try:
            answer: Message = self.here.recv()
        except EOFError:
            self.end()
            raise ChildProcessError(f"exit code {self.process.exitcode}") from None
        return answer

    def end(self) -> None:
        """Leave no process behind."""
        self.process.kill()
        self.process.join()
        self.here.close()


def _work(there: Connection, here: Connection) -> None:
    # Without its own copy of the other end the worker sees when the parent is gone.
    here.close()
    while True:
        try:
            scenario = there.recv()
        except EOFError:
            return
        # Should the parent be killed during an endless loop, the alarm ends this process too.
        signal.alarm(int(LIMIT) + 5)
        there.send(player.answer(scenario))
        signal.alarm(0)


class Driver:
    """Answers requests in order."""

    def __init__(self) -> None:
        self.worker: Worker | None = None

    def answer(self, line: bytes) -> Message | None:
        """Answer one line, whatever it holds; None asks to stop."""
        try:
            request = json.loads(line)
        except (ValueError, RecursionError) as error:
            return {"error": f"bad request: {error}"}
        if not isinstance(request, dict):
            return {"error": "bad request: is no object"}
        cmd = request.get("cmd")
        if cmd == "hello":
            return hello()
        if cmd == "stop":
            return None
        if cmd != "run":
            return {"error": f"bad request: unknown cmd {cmd!r}"}
        scenario = request.get("scenario")
        if not isinstance(scenario, dict):
            return {"error": "bad request: the scenario is no object"}
        # Protocol 1 has an id of the request; before it, the scenario's own stood here.
        known = {"id": request.get("id", scenario.get("id"))}
        known = {key: value for key, value in known.items() if isinstance(value, str | int)}
        self.worker = self.worker or Worker()
        try:
            played = self.worker.play(scenario)
        except ChildProcessError as error:
            self.worker = None
            return {**known, "panic": f"the process died: {error}"}
        if played is None:
            self.worker = None
            return {**known, "error": "timeout"}
        return {**known, **played}

    def close(self) -> None:
        """End the worker."""
        if self.worker is not None:
            self.worker.end()


def main() -> None:
    """Answer until the input ends or asks to stop."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whoever prints does so on standard error
    player.answer(WARM_UP)
    driver = Driver()
    try:
        for line in sys.stdin.buffer:
            if not line.strip():
                continue
            answer = driver.answer(line)
            if answer is None:
                break
            answers.write(json.dumps(answer) + "\n")
            answers.flush()
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    finally:
        driver.close()


if __name__ == "__main__":
    main()
