# SPDX-License-Identifier: Apache-2.0
"""The referee: puts cases to a port, one at a time, and says what becomes of each."""

from __future__ import annotations

from typing import Any

from attrs import define, evolve, field

from adkref.conformance import assumptions, corpus, features, levels, scenario
from adkref.conformance.corpus import Case
from adkref.conformance.diff import Difference
from adkref.conformance.faults import ScenarioError
from adkref.conformance.fuzz.rig import Options, Rig
from adkref.conformance.outcome import DIFFERENT, EQUAL, SKIPPED
from adkref.conformance.port import Port, PortFault
from adkref.conformance.protocol import Hello
from adkref.conformance.trial import baseline as baselines
from adkref.conformance.trial.baseline import Baseline
from adkref.conformance.trial.judging import judge_reply
from adkref.conformance.trial.result import PORT_FAULT, SCENARIO_FAULT, Result
from adkref.conformance.trial.suspects import suspect


@define(eq=False)
class Referee:
    """One port in one run of pytest; its process is started for the first case."""

    command: str
    options: Options
    baseline: Baseline | None = None
    #: What became of the cases, for the baseline.
    results: list[Result] = field(factory=list, init=False)
    #: The assumptions that have changed nothing of an equal case so far.
    idle: tuple[str, ...] = field(init=False)
    _port: Port | None = field(default=None, init=False)
    _rig: Rig | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self.idle = tuple(self.options.assumptions)

    def judge(self, case: Case) -> Result:
        """Put *case* to the port and return what became of it."""
        result = self._judged(case)
        self.results.append(result)
        if self.baseline is not None:
            (result,) = baselines.applied(self.baseline, [result])
        return result

    def rig(self) -> Rig:
        """Return the port beside the reference, for scenarios that nobody has written down."""
        if self._rig is None:
            self._rig = Rig(self.command, self.options)
            self._rig.greet()
        return self._rig

    @property
    def implementation(self) -> str:
        """Who the port says that it is; empty before it was asked."""
        hello = self._port.hello if self._port is not None else None
        return hello.implementation if hello is not None else ""

    def close(self) -> None:
        """End the port's processes."""
        port, self._port = self._port, None
        rig, self._rig = self._rig, None
        try:
            if port is not None:
                port.stop()
        finally:
            if port is not None:
                port.kill()
            if rig is not None:
                rig.close()

    def _judged(self, case: Case) -> Result:
        try:
            changed = scenario.check(case.scenario)
            if self.options.assumptions:
                changed = assumptions.rewritten(self.options.assumptions, changed)
            replay = changed != case.scenario
            if replay:
                scenario.check(changed)
        except ScenarioError as error:
            return _result(case, SCENARIO_FAULT, reason=f"bad scenario: {error}")
        try:
            missing = _missing(self._greeted(), changed)
        except PortFault as fault:
            return _blamed(case, fault)
        if missing:
            return _result(case, SKIPPED, reason=missing)
        assert self._port is not None
        found = None
        for reply in self._port.play([(case.id, changed)]):
            # A fault that shows only after the reply counts.
            found = reply if found is None or reply.fault is not None else found
        assert found is not None
        if found.fault is not None:
            return _blamed(case, found.fault)
        verdict = judge_reply(
            {
                "case": _known(case, changed, replay=replay),
                "reply": found.line.decode(),
                "errors": self.options.errors,
                "kinds": self.options.kinds,
                "assumptions": self.options.assumptions,
                "replay": replay,
                "watched": self.idle,
            }
        )
        used = set(verdict.pop("masked_by", ()))
        if verdict["verdict"] == EQUAL and replay and self.idle:
            used.update(assumptions.changing(self.options.assumptions, case.scenario, self.idle))
        self.idle = tuple(name for name in self.idle if name not in used)
        rule = ""
        if verdict["verdict"] == DIFFERENT:
            verdict["difference"] = Difference.from_json(verdict["difference"])
            rule = suspect(case.rules, verdict["difference"])
        return _result(case, **{**verdict, "rule": rule, "seconds": found.seconds})

    def _greeted(self) -> Hello:
        if self._port is None:
            self._port = Port(self.command, self.options.limits)
        return self._port.greet()


def _missing(hello: Hello, spec: dict[str, Any]) -> str:
    needed = features.needed(spec) if hello.skips else set()
    return next((name for name in hello.skips if name in needed), "")


def _known(case: Case, changed: dict[str, Any], *, replay: bool) -> dict[str, Any]:
    """Return what is known of a case; of a scenario that was changed nothing is."""
    known: dict[str, Any] = {"scenario": changed}
    if replay:
        return known
    if case.trace is None:
        return {**known, "expect": case.expect}
    known["trace"] = case.trace
    if case.final is not corpus.ABSENT:
        known["final"] = case.final
    return known


def _blamed(case: Case, fault: PortFault) -> Result:
    result = _result(case, PORT_FAULT, fault=fault.kind, reason=fault.text)
    return evolve(result, stderr=fault.stderr)


def _result(case: Case, verdict: str, **fields: Any) -> Result:
    return Result(
        id=case.id,
        file=case.file,
        line=case.line,
        level=levels.level_of(case),
        rules=case.rules,
        verdict=verdict,
        **fields,
    )
