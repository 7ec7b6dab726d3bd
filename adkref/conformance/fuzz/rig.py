# SPDX-License-Identifier: Apache-2.0
"""The rig: a port and the reference side by side, and whether they agree on a scenario."""

from __future__ import annotations

import json
import queue
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self

from attrs import Factory, define, evolve, field, frozen

from adkref.conformance import assumptions, features, workers
from adkref.conformance.diff import Difference
from adkref.conformance.fuzz import signature
from adkref.conformance.fuzz.opinion import UNPLAYED
from adkref.conformance.fuzz.signature import Signature
from adkref.conformance.outcome import DIFFERENT, EQUAL, SKIPPED
from adkref.conformance.port import Limits, Port, Reply
from adkref.conformance.protocol import Hello
from adkref.conformance.scenario import Scenario
from adkref.conformance.trial.judging import TEXT
from adkref.conformance.trial.result import HARNESS_FAULT, PORT_FAULT, SCENARIO_FAULT

#: Applied to each reply in a worker process, and the seconds that it may take.
JUDGE: Final = "adkref.conformance.fuzz.opinion:judge"
JUDGE_LIMIT: Final = 30.0
#: Seconds for one second opinion.
OPINION: Final = 10.0

#: Faults by which a port kept us waiting.
_WAITING: Final = ("silence", "partial", "stuck")


@frozen(kw_only=True)
class Options:
    """How a port is compared."""

    limits: Limits = Factory(Limits)
    #: How errors are compared: by text or by kind.
    errors: str = TEXT
    #: The port's own error texts, by kind.
    kinds: Mapping[str, Sequence[str]] = Factory(dict)
    #: Names of rewrites; see :mod:`adkref.conformance.assumptions`.
    assumptions: Sequence[str] = ()


@frozen(kw_only=True)
class Verdict:
    """What became of a scenario."""

    #: Equal, different, skipped, a port's fault, or one that the reference does not play.
    kind: str
    #: Why it was skipped or not played, or what the fault is.
    reason: str = ""
    signature: Signature | None = None
    difference: Difference | None = None
    #: What the reference and the port played, where they differ.
    expected: dict[str, Any] | None = field(default=None, repr=False)
    actual: dict[str, Any] | None = field(default=None, repr=False)
    #: The number of the first record that cannot stand there, where the order is wrong.
    impossible: int | None = None
    #: Lanes differ, and the order is legal all the same.
    is_accepted: bool = False
    #: Whether the order is legal could not be found out in time.
    is_undecided: bool = False
    stderr: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def is_failing(self) -> bool:
        """Whether the port is to blame."""
        return self.signature is not None


@define(eq=False)
class Rig:
    """A port and the reference; use it as a context manager."""

    command: str
    options: Options = Factory(Options)
    hello: Hello | None = None
    #: The longest that the port took for a reply that came.
    slowest: float = 0.0
    _port: Port | None = None
    _tasks: queue.SimpleQueue[dict[str, Any]] = field(factory=queue.SimpleQueue, init=False)
    _answers: Any = field(default=None, init=False)

    def greet(self) -> Hello:
        """Start the port and return what it says of itself; a :class:`PortFault` if it fails."""
        self.hello = self._talk().greet()
        return self.hello

    def compare(self, scenario: Scenario) -> Verdict:
        """Put *scenario*, which has been checked, to both and say whether they agree."""
        if self.options.assumptions:
            scenario = assumptions.rewritten(self.options.assumptions, scenario)
        if reason := self._lacking(scenario):
            return Verdict(kind=SKIPPED, reason=reason)
        reply = self._ask(scenario)
        if reply.fault is not None:
            return _faulty(reply.fault.kind, reply.fault.text, reply.fault.stderr)
        self.slowest = max(self.slowest, reply.seconds)
        answer = self._judge(scenario, reply)
        if answer.trouble == "timeout":
            return Verdict(kind=UNPLAYED, reason="the reference takes too long")
        if answer.trouble:
            return Verdict(kind=HARNESS_FAULT, reason=f"{answer.trouble}: {answer.text}")
        return _verdict(answer.value, reply)

    def patient(self, seconds: float) -> Rig:
        """Return a rig of the same port that waits less long, to be closed on its own."""
        limits = evolve(self.options.limits, case=min(seconds, self.options.limits.case))
        return Rig(self.command, evolve(self.options, limits=limits), self.hello)

    # --- the port -----------------------------------------------------------------------------

    def _talk(self) -> Port:
        if self._port is None:
            self._port = Port(self.command, self.options.limits, hello=self.hello)
        return self._port

    def _lacking(self, scenario: Scenario) -> str:
        """Return the first feature that the port has declared to lack and that is needed."""
        skips = self.hello.skips if self.hello is not None else ()
        needed = features.needed(scenario) if skips else set()
        return next((name for name in skips if name in needed), "")

    def _ask(self, scenario: Scenario) -> Reply:
        port = self._talk()
        found: Reply | None = None
        for reply in port.play([(None, scenario)]):
            # A fault that shows only after the reply counts.
            found = reply if found is None or reply.fault is not None else found
        assert found is not None
        if found.fault is not None and found.fault.kind in _WAITING:
            # A port that keeps its kit waiting is given up in the end; here each time counts.
            port.kill()
            self._port = None
        return found

    # --- the reference ------------------------------------------------------------------------

    def _judge(self, scenario: Scenario, reply: Reply) -> workers.Answer:
        if self._answers is None:
            self._answers = workers.run(JUDGE, self._given(), limit=JUDGE_LIMIT, ahead=1)
        self._tasks.put(
            {
                "scenario": scenario,
                "reply": reply.line.decode(),
                "errors": self.options.errors,
                "kinds": dict(self.options.kinds),
                "assumptions": list(self.options.assumptions),
                "seconds": OPINION,
            }
        )
        found: workers.Answer = next(self._answers)
        return found

    def _given(self) -> Iterator[dict[str, Any]]:
        while True:
            yield self._tasks.get()

    # --- the end ------------------------------------------------------------------------------

    def close(self) -> None:
        """End the port and the reference; no process is left."""
        try:
            if self._port is not None:
                self._port.stop()
        finally:
            if self._port is not None:
                self._port.kill()
            if self._answers is not None:
                self._answers.close()
            self._port = self._answers = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _faulty(kind: str, text: str, stderr: tuple[str, ...] = ()) -> Verdict:
    return Verdict(
        kind=PORT_FAULT, reason=text, signature=signature.of_fault(kind, text), stderr=stderr
    )


def _verdict(found: dict[str, Any], reply: Reply) -> Verdict:
    kind = found["verdict"]
    if kind == PORT_FAULT:
        return _faulty(found["fault"], found["reason"])
    if kind not in (EQUAL, DIFFERENT):
        unplayed = kind in (UNPLAYED, SCENARIO_FAULT)
        return Verdict(kind=UNPLAYED if unplayed else kind, reason=found["reason"])
    opinion = found.get("opinion", {})
    accepted = opinion.get("accepted")
    if kind == EQUAL and accepted is not False:
        return Verdict(kind=EQUAL, is_undecided="undecided" in opinion, seconds=reply.seconds)
    if kind == DIFFERENT and accepted:
        return Verdict(kind=EQUAL, is_accepted=True, seconds=reply.seconds)
    common: dict[str, Any] = {
        "kind": DIFFERENT,
        "expected": found["known"],
        "actual": _played(reply),
        "seconds": reply.seconds,
    }
    if kind == EQUAL:
        return Verdict(
            **common,
            signature=signature.of_order(opinion["record"]),
            impossible=opinion["at"] + 1,
        )
    difference = Difference.from_json(found["difference"])
    return Verdict(
        **common,
        signature=signature.of_difference(difference),
        difference=difference,
        is_undecided="undecided" in opinion,
    )


def _played(reply: Reply) -> dict[str, Any]:
    answer = json.loads(reply.line)
    return {key: answer[key] for key in ("trace", "final") if key in answer}
