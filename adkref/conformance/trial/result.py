# SPDX-License-Identifier: Apache-2.0
"""What can become of a case that is put to a port, and whose fault it is."""

from __future__ import annotations

from typing import Any, Final

from attrs import frozen

from adkref.conformance.diff import Difference
from adkref.conformance.outcome import DIFFERENT, EQUAL, SKIPPED

#: The port did not answer as it should: it crashed, was silent, wrote what is no reply.
PORT_FAULT: Final = "port fault"
#: The case itself is wrong; the port was not asked.
SCENARIO_FAULT: Final = "scenario fault"
#: The kit failed.
HARNESS_FAULT: Final = "harness fault"
#: It fails, and the baseline says so.
KNOWN: Final = "known"
#: It fails in some runs only, and the baseline says so.
FLAKY: Final = "flaky"
#: It differs by a rule that is disputed, which nobody is to blame for until it is settled.
DISPUTED: Final = "disputed"

VERDICTS: Final = (
    EQUAL,
    DIFFERENT,
    SKIPPED,
    PORT_FAULT,
    SCENARIO_FAULT,
    HARNESS_FAULT,
    KNOWN,
    FLAKY,
    DISPUTED,
)
#: What makes a run fail.
FAILING: Final = (DIFFERENT, PORT_FAULT, SCENARIO_FAULT, HARNESS_FAULT)
#: What a port is to blame for; only this may be in its baseline.
TO_BLAME: Final = (DIFFERENT, PORT_FAULT)


@frozen
class Known:
    """What a baseline says of a failure."""

    reason: str
    link: str = ""
    #: File and line of the entry.
    place: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return what is known as plain JSON; what is empty is left out."""
        fields = {"reason": self.reason, "link": self.link, "place": self.place}
        return {key: value for key, value in fields.items() if value}


@frozen
class Traces:
    """The two canonical traces of a case that differs, for a report that shows them whole."""

    expected: dict[str, Any]
    actual: dict[str, Any]


@frozen(kw_only=True)
class Result:
    """What became of one case."""

    id: str
    file: str
    line: int
    level: str
    rules: tuple[str, ...] = ()
    #: One of :data:`VERDICTS`.
    verdict: str
    #: For a port's fault its word in :data:`adkref.conformance.port.FAULTS`.
    fault: str = ""
    #: Why it was skipped, or what went wrong.
    reason: str = ""
    difference: Difference | None = None
    #: The rule that is most likely broken, and what it says.
    rule: str = ""
    sentence: str = ""
    known: Known | None = None
    #: The last lines that the port wrote on standard error.
    stderr: tuple[str, ...] = ()
    seconds: float = 0.0
    #: How many records the port's trace has.
    records: int = 0
    traces: Traces | None = None

    @property
    def place(self) -> str:
        """File and line of the case."""
        return f"{self.file}:{self.line}"

    @property
    def is_failing(self) -> bool:
        """Whether the run fails by this case."""
        return self.verdict in FAILING

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain JSON; what is empty is left out, the traces always are."""
        fields: dict[str, Any] = {
            "rules": list(self.rules),
            "fault": self.fault,
            "reason": self.reason,
            "rule": self.rule,
            "sentence": self.sentence,
            "difference": self.difference and self.difference.to_json(),
            "known": self.known and self.known.to_json(),
            "stderr": list(self.stderr),
            "seconds": round(self.seconds, 3),
        }
        return {
            "id": self.id,
            "file": self.file,
            "line": self.line,
            "level": self.level,
            "verdict": self.verdict,
            **{key: value for key, value in fields.items() if value},
        }
