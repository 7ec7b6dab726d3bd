# SPDX-License-Identifier: Apache-2.0
"""The driver: the stdio protocol of the conformance kit, spoken by the reference itself.

One JSON request a line comes in on standard input, one JSON line a request goes out on
standard output, and nothing else does.  A scenario is played in a worker process that
lives on from one scenario to the next and is replaced when a scenario does not end in time,
so that the driver outlives whatever is asked of it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator, Iterable
from contextlib import closing
from importlib import metadata
from typing import IO, Any, Final

from adkref.conformance import workers
from adkref.conformance.faults import ScenarioError
from adkref.conformance.scenario import DEFERRED, FORMAT, parse_json

#: Seconds that one scenario may take.
LIMIT: Final = 10.0

PLAY: Final = "adkref.conformance.player:play"

Message = dict[str, Any]


def hello() -> Message:
    """Return who this driver is and what it cannot play."""
    return {
        "implementation": "adkref",
        "version": version(),
        "language": "python",
        "format": FORMAT,
        "skips": list(DEFERRED),
    }


def version() -> str:
    """Return the version of the installed package."""
    try:
        return metadata.version("adkref")
    except metadata.PackageNotFoundError:
        return "unknown"


def serve(
    requests: Iterable[bytes], answers: IO[bytes], *, limit: float = LIMIT, play: str = PLAY
) -> None:
    """Answer each line of *requests* with a line in *answers* until there are no more.

    *play* names the function that plays a scenario, as ``module:name``.
    """

    def send(answer: Message) -> None:
        answers.write(json.dumps(answer, separators=(",", ":")).encode() + b"\n")
        answers.flush()

    asked: list[Any] = []

    def scenarios() -> Generator[Any, None, None]:
        for line in requests:
            if not line.strip():
                continue
            try:
                request = _request(line)
            except ScenarioError as error:
                send({"error": f"bad request: {error.at('')}"})
                continue
            if request["cmd"] == "hello":
                send(hello())
            else:
                asked.append(request["scenario"].get("id"))
                yield request["scenario"]

    with (
        closing(scenarios()) as tasks,
        closing(workers.run(play, tasks, limit=limit, ahead=1)) as outcomes,
    ):
        for outcome in outcomes:
            identity = asked.pop()
            send(_answer(outcome, {"id": identity} if isinstance(identity, str) else {}))


def _request(line: bytes) -> Message:
    request = parse_json(line)
    if not isinstance(request, dict):
        raise ScenarioError("is no object", expected="an object with the key cmd")
    cmd = request.get("cmd")
    if cmd not in ("hello", "run"):
        shown = json.dumps(cmd)
        raise ScenarioError(f"unknown cmd {shown}", expected="hello or run")
    if cmd == "run" and not isinstance(request.get("scenario"), dict):
        raise ScenarioError("the scenario is no object", path=("scenario",))
    return request


def _answer(outcome: workers.Answer, known: Message) -> Message:
    """Turn what became of a scenario in the worker into a message of the protocol."""
    if outcome.trouble == "timeout":
        return {**known, "error": "timeout"}
    if outcome.trouble == "crash":
        return {**known, "panic": f"the process died: {outcome.text}"}
    if outcome.trouble:
        return {**known, "panic": outcome.text}
    answer: Message = outcome.value
    return answer


def main() -> int:
    """Be a driver on standard input and output."""
    answers = os.dup(1)
    os.dup2(2, 1)  # whoever prints does so on standard error
    sys.stdout = sys.stderr
    with open(answers, "wb") as out:  # noqa: PTH123 - a descriptor is no path
        try:
            serve(sys.stdin.buffer, out)
        except (BrokenPipeError, KeyboardInterrupt):
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
