# SPDX-License-Identifier: Apache-2.0
"""The messages between the kit and a port, version 1, checked on their way in and out.

The kit writes one JSON request a line to the port's standard input, the port writes one JSON
reply a line to its standard output.

* ``hello`` comes first; the reply says who the port is, which formats it plays, which features
  it skips, and what it chose where a rule leaves the choice to ports.
* ``run`` carries a scenario and a number of its own, ``id``.  A port of protocol 1 gives it
  back.  One that declares ``pipelining`` may be sent several before it answers, and may answer
  them in any order; any other is sent one at a time.  A port that knows nothing of ids answers
  with the scenario's id, or with none.
* ``stop`` comes last and has no reply.  A port that does not know it ends with its input.

The reply to ``run`` is one of four: ``trace`` with ``final``, ``error``, ``panic`` or ``skip``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from attrs import Factory, frozen

from adkref.conformance.faults import HarnessError, ScenarioError
from adkref.conformance.scenario import FORMAT
from adkref.conformance.schema import Violation, first_violation, record_violation
from adkref.conformance.versions import PROTOCOL

Message = dict[str, Any]

#: What a reply to ``run`` can be.
TRACE: Final = "trace"
ERROR: Final = "error"
PANIC: Final = "panic"
SKIP: Final = "skip"
ANSWERS: Final = (TRACE, ERROR, PANIC, SKIP)

#: So many requests may be with a port that declares pipelining.
WINDOW: Final = 4


@frozen(kw_only=True)
class Hello:
    """What a port says of itself."""

    implementation: str
    version: str = ""
    language: str = ""
    #: A hash of what was built, since a version's label need not be what is running.
    source_hash: str = ""
    formats: tuple[str, ...] = (FORMAT,)
    #: The protocol that it speaks; 0 for one that knows nothing of ids.
    protocol: int = 0
    #: Whether several requests may be on their way, with replies in any order.
    pipelining: bool = False
    #: Features that it cannot play; a scenario that needs one is not sent.
    skips: tuple[str, ...] = ()
    #: What it does where a rule leaves the choice: rule id to the choice's name.
    choices: Mapping[str, str] = Factory(dict)

    @classmethod
    def from_json(cls, reply: Message) -> Hello:
        """Read a reply that its schema accepts."""
        fields = {key: value for key, value in reply.items() if key != "format"}
        for key in ("formats", "skips"):
            if key in fields:
                fields[key] = tuple(fields[key])
        # The older form names its one format.
        if "formats" not in fields and "format" in reply:
            fields["formats"] = (reply["format"],)
        return cls(**fields)

    def to_json(self) -> Message:
        """Return the reply in full; what is empty is left out."""
        fields = {
            "implementation": self.implementation,
            "version": self.version,
            "language": self.language,
            "source_hash": self.source_hash,
            "format": self.formats[0],
            "formats": list(self.formats),
            "protocol": self.protocol,
            "pipelining": self.pipelining,
            "skips": list(self.skips),
            "choices": dict(self.choices),
        }
        return {key: value for key, value in fields.items() if value}

    @property
    def name(self) -> str:
        """Implementation and version, as reports show them."""
        return f"{self.implementation} {self.version}".strip()

    @property
    def window(self) -> int:
        """How many requests may be with the port at a time."""
        return WINDOW if self.pipelining and self.protocol else 1


# --- what the kit writes ----------------------------------------------------------------------


def hello_request() -> Message:
    """Return the first message."""
    return _ours("hello-request", {"cmd": "hello", "version": PROTOCOL})


def run_request(number: int, scenario: Message) -> Message:
    """Return the message that asks for *scenario*, which has been checked."""
    # The scenario is most of it, and its own check says more than its schema.
    _ours("run-request", {"cmd": "run", "id": number, "scenario": _SMALLEST})
    return {"cmd": "run", "id": number, "scenario": scenario}


def stop_request() -> Message:
    """Return the last message."""
    return _ours("stop-request", {"cmd": "stop"})


_SMALLEST: Final = {"id": "x", "agent": {"kind": "custom", "name": "a"}}


def _ours(name: str, message: Message) -> Message:
    """Return *message*; if it breaks its schema, the kit is at fault."""
    if (found := first_violation(name, message)) is not None:
        raise HarnessError(f"the kit would send a bad {name}: {found}")
    return message


# --- what the port writes ---------------------------------------------------------------------


def hello_violation(reply: Any) -> Violation | None:
    """Return what is wrong with a reply to ``hello``, or None."""
    return first_violation("hello-reply", reply)


def reply_violation(reply: Any) -> Violation | None:
    """Return what is wrong with a reply to ``run``, or None.

    This says the same as the schema ``run-reply``, but a record is looked up by its kind.
    """
    shell = reply
    records: list[Any] = []
    if isinstance(reply, dict) and isinstance(reply.get(TRACE), list):
        records = reply[TRACE]
        shell = {**reply, TRACE: []}
    if (found := first_violation("run-reply", shell)) is not None:
        return found
    for number, record in enumerate(records):
        if (found := record_violation(record)) is not None:
            return found.below((TRACE, number))
    return None


# --- what a driver reads ----------------------------------------------------------------------


def checked_request(request: Any) -> Message:
    """Return a request as a driver may take it; a :class:`ScenarioError` says what is wrong.

    Whether the scenario can be played is not asked here: it has an answer of its own.
    """
    if not isinstance(request, dict):
        raise ScenarioError("is no object", expected="an object with the key cmd")
    cmd = request.get("cmd")
    if cmd not in _REQUESTS:
        raise ScenarioError(f"unknown cmd {json.dumps(cmd)}", expected="hello, run or stop")
    shell = request
    if cmd == "run" and isinstance(request.get("scenario"), dict):
        shell = {**request, "scenario": _SMALLEST}
    if (found := first_violation(f"{cmd}-request", shell)) is not None:
        raise ScenarioError(found.problem, path=found.path, expected=found.expected)
    return request


_REQUESTS: Final = ("hello", "run", "stop")
