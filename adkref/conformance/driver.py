# SPDX-License-Identifier: Apache-2.0
"""The driver: the stdio protocol of the conformance kit, spoken by the reference itself.

One JSON request a line comes in on standard input, one JSON line a request goes out on
standard output, and nothing else does (:mod:`adkref.conformance.protocol` has the messages).
A scenario is played in a worker process that lives on from one scenario to the next and is
replaced when a scenario does not end in time, so that the driver outlives whatever is asked
of it.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import IO, Any, Final

from adkref.conformance import workers
from adkref.conformance.faults import ScenarioError
from adkref.conformance.protocol import Hello, checked_request
from adkref.conformance.scenario import DEFERRED, parse_json
from adkref.conformance.versions import PROTOCOL

#: Seconds that one scenario may take.
LIMIT: Final = 10.0

PLAY: Final = "adkref.conformance.player:play"

Message = dict[str, Any]

#: A scenario, and what its reply has whatever becomes of it.
_Asked = tuple[Message, Any]


def hello(*, implementation: str = "adkref", pipelining: bool = False) -> Message:
    """Return who this driver is and what it cannot play."""
    return Hello(
        implementation=implementation,
        version=version(),
        language="python",
        source_hash=source_hash(),
        protocol=PROTOCOL,
        pipelining=pipelining,
        skips=DEFERRED,
    ).to_json()


def version() -> str:
    """Return the version of the installed package."""
    try:
        return metadata.version("adkref")
    except metadata.PackageNotFoundError:
        return "unknown"


@cache
def source_hash() -> str:
    """Return a hash of the package's modules: the label says less than the text."""
    digest = hashlib.sha256()
    package = Path(__file__).resolve().parents[1]
    for file in sorted(package.rglob("*.py")):
        digest.update(f"{file.relative_to(package)}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def serve(
    requests: Iterable[bytes],
    answers: IO[bytes],
    *,
    limit: float = LIMIT,
    play: str = PLAY,
    jobs: int = 1,
    implementation: str = "adkref",
) -> None:
    """Answer each line of *requests* with a line in *answers* until there are no more.

    *play* names the function that plays a scenario, as ``module:name``, *implementation*
    whose function it is.  With several *jobs* as many scenarios are played at a time, and
    answers come in any order.
    """
    lock = threading.Lock()

    def send(answer: Message) -> None:
        line = json.dumps(answer, separators=(",", ":")).encode() + b"\n"
        with lock:
            answers.write(line)
            answers.flush()

    def lane(asked: Iterable[_Asked]) -> None:
        """Play one scenario after another; the next is taken when the one is answered."""
        playing: list[Message] = []

        def scenarios() -> Generator[Any, None, None]:
            for known, scenario in asked:
                playing.append(known)
                yield scenario

        with (
            closing(scenarios()) as tasks,
            closing(workers.run(play, tasks, limit=limit, ahead=1)) as outcomes,
        ):
            for outcome in outcomes:
                send(_answer(outcome, playing.pop()))

    about = hello(implementation=implementation, pipelining=jobs > 1)
    asked = _asked(requests, send, about)
    if jobs == 1:
        lane(asked)
    else:
        _side_by_side(lane, asked, jobs)


def _side_by_side(
    lane: Callable[[Iterable[_Asked]], None], asked: Iterable[_Asked], jobs: int
) -> None:
    """Hand what is asked to *jobs* lanes."""
    waiting: queue.Queue[_Asked | None] = queue.Queue()
    room = threading.Semaphore(2 * jobs)

    def taken() -> Iterator[_Asked]:
        while (each := waiting.get()) is not None:
            room.release()
            yield each

    def end() -> None:
        for _ in range(jobs):
            waiting.put(None)

    with ThreadPoolExecutor(jobs) as pool:
        try:
            lanes = [pool.submit(lane, taken()) for _ in range(jobs)]
            for each in asked:
                # A lane that failed takes nothing any more.
                while not room.acquire(timeout=1) and not any(it.done() for it in lanes):
                    pass
                waiting.put(each)
            end()
        except BaseException:
            # A lane that nobody tells waits for ever.  An interrupt may come in the middle of
            # telling them, and one that is told twice does not hear the second.
            end()
            raise
        for it in lanes:
            it.result()


def _asked(
    requests: Iterable[bytes], send: Callable[[Message], None], about: Message
) -> Iterator[_Asked]:
    """Yield the scenarios to play until ``stop``; answer everything else."""
    for line in requests:
        if not line.strip():
            continue
        known: Message = {}
        try:
            request = parse_json(line)
            known = _known(request)
            checked_request(request)
        except ScenarioError as error:
            send({**known, "error": f"bad request: {error.at('')}"})
            continue
        if request["cmd"] == "stop":
            return
        if request["cmd"] == "hello":
            send(about)
        else:
            yield known, request["scenario"]


def _known(request: Any) -> Message:
    """Return the id that a reply carries: the request's own, else its scenario's."""
    if not isinstance(request, dict):
        return {}
    scenario = request.get("scenario")
    own = scenario.get("id") if isinstance(scenario, dict) else None
    identity = request.get("id", own)
    return {"id": identity} if type(identity) in (int, str) else {}


def _answer(outcome: workers.Answer, known: Message) -> Message:
    """Turn what became of a scenario in the worker into a message of the protocol."""
    if outcome.trouble == "timeout":
        return {**known, "error": "timeout"}
    if outcome.trouble == "crash":
        return {**known, "panic": f"the process died: {outcome.text}"}
    if outcome.trouble:
        return {**known, "panic": outcome.text}
    return {**outcome.value, **known}


def main(
    jobs: int = 1, limit: float = LIMIT, play: str = PLAY, implementation: str = "adkref"
) -> int:
    """Be a driver on standard input and output; the arguments are those of :func:`serve`."""
    answers = os.dup(1)
    os.dup2(2, 1)  # whoever prints does so on standard error
    sys.stdout = sys.stderr
    with open(answers, "wb") as out:  # noqa: PTH123 - a descriptor is no path
        serve(
            sys.stdin.buffer,
            out,
            limit=limit,
            play=play,
            jobs=jobs,
            implementation=implementation,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
