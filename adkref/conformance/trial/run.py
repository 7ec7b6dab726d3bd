# SPDX-License-Identifier: Apache-2.0
"""Putting cases to a port: several processes of it at a time, each with a judge beside it.

A *lane* is one process of the port, a thread that talks to it, and one worker process that
checks and compares what it replies.  Lanes share the cases, which are read as they are needed.
With one case on its way in each lane, port and judge take turns, so that so many lanes keep so
many cores busy.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Final

from attrs import Factory, define, evolve, field, frozen

from adkref.conformance import assumptions, corpus, features, levels, scenario, workers
from adkref.conformance.corpus import Case
from adkref.conformance.diff import Difference
from adkref.conformance.faults import ScenarioError
from adkref.conformance.outcome import DIFFERENT, EQUAL, SKIPPED
from adkref.conformance.port import Limits, Port, PortFault, Reply
from adkref.conformance.protocol import Hello
from adkref.conformance.scenario import Scenario
from adkref.conformance.trial.judging import TEXT
from adkref.conformance.trial.result import (
    HARNESS_FAULT,
    PORT_FAULT,
    SCENARIO_FAULT,
    Result,
    Traces,
)
from adkref.conformance.trial.suspects import suspect

#: Applied to each reply in a worker process, and the seconds that it may take.
JUDGE: Final = "adkref.conformance.trial.judging:judge_reply"
JUDGE_LIMIT: Final = 60.0

#: Of so many cases that differ the traces are kept whole.
KEEP: Final = 200


@frozen(kw_only=True)
class Options:
    """How a port is tested."""

    jobs: int = 1
    limits: Limits = Factory(Limits)
    #: How errors are compared: by text or by kind.
    errors: str = TEXT
    #: The port's own error texts, by kind.
    kinds: Mapping[str, Sequence[str]] = Factory(dict)
    #: Names of rewrites; see :mod:`adkref.conformance.assumptions`.
    assumptions: Sequence[str] = ()
    #: Whether the traces of cases that differ are kept.
    keep: bool = False


@define
class Run:
    """What a port did with the cases that were put to it."""

    hello: Hello | None = None
    #: In the order of the cases.
    results: list[Result] = Factory(list)
    warnings: list[str] = Factory(list)
    #: The assumptions that have changed nothing of any equal case.
    idle: Sequence[str] = ()
    #: Why no case could be put to it.
    fault: PortFault | None = None


def put(
    command: str,
    cases: Iterable[Case],
    options: Options,
    *,
    greeted: Callable[[Hello], None] = lambda hello: None,
    heard: Callable[[Result], None] = lambda result: None,
) -> Run:
    """Put *cases* to the port that *command* starts and return what became of them.

    *greeted* is told who the port is, *heard* of each result as it comes; a case may be heard
    of twice when a fault shows only after its reply.  No process is left at the end.
    """
    first = Port(command, options.limits)
    try:
        hello = first.greet()
    except PortFault as fault:
        first.kill()
        return Run(fault=fault)
    greeted(hello)
    return _Trial(cases, options, hello, heard).run(command, first)


@define(eq=False)
class _Trial:
    """What the lanes share."""

    cases: Iterable[Case]
    options: Options
    hello: Hello
    heard: Callable[[Result], None]
    _waiting: Iterator[tuple[int, Case]] = field(init=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _results: dict[int, Result] = field(factory=dict, init=False)
    _errors: list[BaseException] = field(factory=list, init=False)
    _kept: int = field(default=0, init=False)
    _halted: bool = field(default=False, init=False)
    #: The assumptions that have changed nothing of an equal case so far; all lanes read it.
    idle: tuple[str, ...] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._waiting = enumerate(self.cases)
        self.idle = tuple(self.options.assumptions)

    def run(self, command: str, first: Port) -> Run:
        others = [
            Port(command, self.options.limits, hello=self.hello)
            for _ in range(self.options.jobs - 1)
        ]
        lanes = [_Lane(self, port) for port in (first, *others)]
        threads = [
            threading.Thread(target=self._guarded, args=(lane,), name="adkref-lane", daemon=True)
            for lane in lanes
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except BaseException:
            # Interrupted: the lanes end as soon as their ports are gone.
            self._halted = True
            for lane in lanes:
                lane.port.halt()
            for thread in threads:
                thread.join()
            raise
        if self._errors:
            raise self._errors[0]
        warnings = dict.fromkeys(text for lane in lanes for text in lane.port.warnings)
        unknown = [name for name in self.hello.skips if name not in features.NAMES]
        if unknown:
            names = ", ".join(unknown)
            warnings[f"the port skips what the kit has no name for: {names}"] = None
        return Run(
            hello=self.hello,
            results=[self._results[index] for index in sorted(self._results)],
            warnings=list(warnings),
            idle=self.idle,
        )

    def _guarded(self, lane: _Lane) -> None:
        try:
            lane.run()
        except BaseException as error:
            self._halted = True
            self._errors.append(error)

    def next(self) -> tuple[int, Case] | None:
        """Return the next case with its number, or None."""
        with self._lock:
            return None if self._halted else next(self._waiting, None)

    def tell(self, index: int, result: Result) -> None:
        """Take down what became of a case."""
        with self._lock:
            if result.traces is not None:
                self._kept += 1
                if self._kept > KEEP:
                    result = evolve(result, traces=None)
            self._results[index] = result
            self.heard(result)

    def use(self, names: Collection[str]) -> None:
        """Take down that these assumptions have changed something of an equal case."""
        if names:
            with self._lock:
                self.idle = tuple(name for name in self.idle if name not in names)

    def result(self, index: int) -> Result:
        """Return what became of a case so far."""
        with self._lock:
            return self._results[index]


@frozen
class _Put:
    """A case that is with the port."""

    index: int
    case: Case
    scenario: Scenario
    #: Whether an assumption has changed the scenario, so that its golden trace is another's.
    replay: bool
    #: The assumptions, of those that were idle, that have changed it.
    changed_by: Sequence[str] = ()


class _Lane:
    """One process of the port with its judge."""

    def __init__(self, trial: _Trial, port: Port) -> None:
        self.port = port
        self._trial = trial
        self._options = trial.options
        #: With the judge, in order.
        self._judged: deque[tuple[_Put, Reply]] = deque()

    def run(self) -> None:
        ahead = self._trial.hello.window
        try:
            with (
                closing(self._tasks()) as tasks,
                closing(workers.run(JUDGE, tasks, limit=JUDGE_LIMIT, ahead=ahead)) as answers,
            ):
                for answer in answers:
                    self._tell(*self._judged.popleft(), answer)
            for reply in self.port.stop():
                self._blame(reply)
        finally:
            self.port.kill()

    def _tasks(self) -> Generator[dict[str, Any], None, None]:
        """Yield what the judge has to look at."""
        for reply in self.port.play(self._asked()):
            if reply.fault is not None:
                self._blame(reply)
                continue
            put: _Put = reply.key
            self._judged.append((put, reply))
            yield {
                "case": self._known(put),
                "reply": reply.line.decode(),
                "errors": self._options.errors,
                "kinds": self._options.kinds,
                "assumptions": self._options.assumptions,
                "replay": put.replay,
                "keep": self._options.keep,
                "watched": self._trial.idle,
            }

    def _known(self, put: _Put) -> dict[str, Any]:
        """Return what the judge has to know of a case."""
        if put.replay:
            return {"scenario": put.scenario}
        case = put.case
        known: dict[str, Any] = {
            "scenario": {"id": case.id, "ordering": put.scenario.get("ordering")}
        }
        if case.trace is None:
            return {**known, "expect": case.expect}
        known["trace"] = case.trace
        if case.final is not corpus.ABSENT:
            known["final"] = case.final
        return known

    def _asked(self) -> Iterator[tuple[_Put, Scenario]]:
        """Yield the cases that can be put to the port; tell of the others."""
        while (found := self._trial.next()) is not None:
            index, case = found
            try:
                changed = scenario.check(case.scenario)
                if self._options.assumptions:
                    changed = assumptions.rewritten(self._options.assumptions, changed)
                replay = changed != case.scenario
                if replay:
                    scenario.check(changed)
            except ScenarioError as error:
                reason = f"bad scenario: {error}"
                self._trial.tell(index, _result(case, SCENARIO_FAULT, reason=reason))
                continue
            if missing := self._missing(changed):
                self._trial.tell(index, _result(case, SKIPPED, reason=missing))
                continue
            yield _Put(index, case, changed, replay, self._changed_by(case, replay)), changed

    def _changed_by(self, case: Case, replay: bool) -> Sequence[str]:
        idle = self._trial.idle
        if not (replay and idle):
            return ()
        return assumptions.changing(self._options.assumptions, case.scenario, idle)

    def _missing(self, scenario: Scenario) -> str:
        """Return the first feature that the port has declared to lack and that is needed."""
        skips = self._trial.hello.skips
        if not skips:
            return ""
        needed = features.needed(scenario)
        return next((name for name in skips if name in needed), "")

    # --- what became of it --------------------------------------------------------------------

    def _blame(self, reply: Reply) -> None:
        fault, put = reply.fault, reply.key
        assert fault is not None
        # A fault after the reply: what was judged is no longer worth anything.
        for each in [pair for pair in self._judged if pair[0] is put]:
            self._judged[self._judged.index(each)] = (put, reply)
        result = _result(
            put.case, PORT_FAULT, fault=fault.kind, reason=fault.text, stderr=fault.stderr
        )
        self._trial.tell(put.index, result)

    def _tell(self, put: _Put, reply: Reply, answer: workers.Answer) -> None:
        if reply.fault is not None:
            return
        if answer.trouble:
            reason = f"the judge failed: {answer.trouble} {answer.text}".strip()
            self._trial.tell(put.index, _result(put.case, HARNESS_FAULT, reason=reason))
            return
        found = dict(answer.value)
        rule = ""
        if found["verdict"] == DIFFERENT:
            found["difference"] = Difference.from_json(found["difference"])
            rule = suspect(put.case.rules, found["difference"])
        if found["verdict"] == EQUAL:
            self._trial.use({*put.changed_by, *found.pop("masked_by", ())})
        if "traces" in found:
            found["traces"] = Traces(*found["traces"])
        self._trial.tell(put.index, _result(put.case, seconds=reply.seconds, rule=rule, **found))


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
