# SPDX-License-Identifier: Apache-2.0
"""The report of a trial: results, counts, suspects, problems, and whether all is well.

A run that proves nothing is no success: no case, no record, an entry of the baseline that is not
true, a corpus or a level that was asked for and of which nothing was played, each fails it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from attrs import Factory, define, evolve, frozen

from adkref.conformance.corpus import Case
from adkref.conformance.levels import NAMES, level_of
from adkref.conformance.outcome import DIFFERENT, EQUAL, SKIPPED
from adkref.conformance.port import PortFault
from adkref.conformance.protocol import Hello
from adkref.conformance.rules.ids import family
from adkref.conformance.rules.manifest import Dispute
from adkref.conformance.trial import disputes, suspects
from adkref.conformance.trial.baseline import Baseline, applied, idle, stale
from adkref.conformance.trial.result import (
    DISPUTED,
    FLAKY,
    HARNESS_FAULT,
    KNOWN,
    PORT_FAULT,
    SCENARIO_FAULT,
    VERDICTS,
    Result,
)
from adkref.conformance.trial.run import Run
from adkref.conformance.trial.suspects import Suspect
from adkref.conformance.verify import Corpus
from adkref.conformance.versions import SCHEMA_VERSION

#: What was played, whatever came of it.
PLAYED: Final = (EQUAL, DIFFERENT, PORT_FAULT, KNOWN, FLAKY, DISPUTED)


@frozen
class Problem:
    """Why a run fails beside its failing cases."""

    #: ``start``, ``vacuous``, ``baseline``, ``implementation``.
    kind: str
    text: str
    #: File and line, where there is one.
    place: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the problem as plain JSON."""
        fields = {"kind": self.kind, "text": self.text, "place": self.place}
        return {key: value for key, value in fields.items() if value}


@frozen(kw_only=True)
class Asked:
    """What was asked for, as a report repeats it."""

    command: str
    #: The files of the corpora, and what the user named: a file or a folder with its files.
    files: tuple[str, ...] = ()
    named: tuple[Corpus, ...] = ()
    levels: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    errors: str = "text"
    baseline: str = ""
    assumptions: tuple[str, ...] = ()
    jobs: int = 1
    limit: float = 0.0

    def chooses(self, case: Case) -> bool:
        """Tell whether a case is meant by what was asked for."""
        return (
            (not self.levels or level_of(case) in self.levels)
            and (not self.rules or any(shows(rule, case.rules) for rule in self.rules))
            and (not self.cases or any(fnmatchcase(case.id, name) for name in self.cases))
        )

    @property
    def is_whole(self) -> bool:
        """Whether every case of the corpora was meant."""
        return not (self.levels or self.rules or self.cases)

    def to_json(self) -> dict[str, Any]:
        """Return the options as plain JSON; what was not given is left out."""
        fields = {
            "levels": list(self.levels),
            "rules": list(self.rules),
            "cases": list(self.cases),
            "errors": self.errors,
            "baseline": self.baseline,
            "assumptions": list(self.assumptions),
            "jobs": self.jobs,
            "limit": self.limit,
        }
        return {key: value for key, value in fields.items() if value}


@define(kw_only=True)
class Report:
    """All that is known after a trial."""

    asked: Asked
    results: Sequence[Result] = ()
    hello: Hello | None = None
    problems: Sequence[Problem] = ()
    warnings: Sequence[str] = ()
    suspects: Sequence[Suspect] = ()
    #: The sentences of the rules that the report names.
    sentences: dict[str, str] = Factory(dict)
    kit: str = ""
    started: str = ""
    seconds: float = 0.0

    # --- counts -------------------------------------------------------------------------------

    @property
    def total(self) -> Counter[str]:
        """How many cases had which verdict."""
        return Counter(result.verdict for result in self.results)

    @property
    def levels(self) -> dict[str, Counter[str]]:
        """The same for each level of which there is a case, in the order of the levels."""
        found = {
            name: Counter(result.verdict for result in self.results if result.level == name)
            for name in NAMES
        }
        return {name: tally for name, tally in found.items() if tally}

    @property
    def corpora(self) -> dict[str, Counter[str]]:
        """The same for each file that was asked for."""
        found: dict[str, Counter[str]] = {file: Counter() for file in self.asked.files}
        for result in self.results:
            found.setdefault(result.file, Counter())[result.verdict] += 1
        return found

    @property
    def detected(self) -> list[str]:
        """The levels that the port has reached: every case of them is equal, or disputed."""
        return [
            name
            for name, tally in self.levels.items()
            if tally[EQUAL] and tally[EQUAL] + tally[DISPUTED] == tally.total()
        ]

    @property
    def skips(self) -> Counter[str]:
        """How many cases were skipped for the sake of which feature."""
        return Counter(result.reason for result in self.results if result.verdict == SKIPPED)

    def failing(self) -> list[Result]:
        """Return the results by which the run fails, those of the likeliest rules first."""
        rank = {suspect.rule: number for number, suspect in enumerate(self.suspects)}
        failing = [result for result in self.results if result.is_failing]
        return sorted(failing, key=lambda result: rank.get(result.rule, len(rank)))

    def of(self, *verdicts: str) -> list[Result]:
        """Return the results with one of these verdicts."""
        return [result for result in self.results if result.verdict in verdicts]

    @property
    def exit_code(self) -> int:
        """0 if all is well, 1 if the port is not, 2 if the input or the kit is not."""
        kinds = {problem.kind for problem in self.problems}
        if self.of(SCENARIO_FAULT, HARNESS_FAULT) or "vacuous" in kinds:
            return 2
        return 1 if self.failing() or self.problems else 0

    # --- as JSON ------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain JSON: its schema is ``adkref schema report``."""
        port: dict[str, Any] = {"command": self.asked.command}
        if self.hello is not None:
            port["hello"] = self.hello.to_json()
        detected = self.detected
        return {
            "schema_version": SCHEMA_VERSION,
            "kit": self.kit,
            "started": self.started,
            "seconds": round(self.seconds, 3),
            "port": port,
            "options": self.asked.to_json(),
            "corpora": [{"file": file, **counts(tally)} for file, tally in self.corpora.items()],
            "total": counts(self.total),
            "levels": [
                {"level": name, "detected": name in detected, **counts(tally)}
                for name, tally in self.levels.items()
            ],
            "skips": dict(sorted(self.skips.items())),
            "suspects": [self._suspect(each) for each in self.suspects],
            "cases": [result.to_json() for result in self.results if result.verdict != EQUAL],
            "problems": [problem.to_json() for problem in self.problems],
            "warnings": list(self.warnings),
            "exit_code": self.exit_code,
        }

    def _suspect(self, suspect: Suspect) -> dict[str, Any]:
        fields = {
            "rule": suspect.rule,
            "sentence": self.sentences.get(suspect.rule, ""),
            "failing": suspect.failing,
            "showing": suspect.showing,
        }
        return {key: value for key, value in fields.items() if value != ""}


def counts(tally: Counter[str]) -> dict[str, int]:
    """Return a tally with all verdicts, by names that are keys."""
    return {
        "cases": tally.total(),
        **{verdict.replace(" ", "_"): tally[verdict] for verdict in VERDICTS},
    }


def shows(rule: str, rules: Iterable[str]) -> bool:
    """Tell whether *rule*, or one of the family of that name, is among *rules*."""
    return any(rule in (each, family(each)) for each in rules)


#: So many suspects are worth naming.
_SUSPECTS: Final = 5


def conclude(
    asked: Asked,
    run: Run,
    baseline: Baseline | None = None,
    sentence_of: Callable[[str], str] = lambda rule: "",
    disputed: Mapping[str, Dispute] | None = None,
) -> Report:
    """Return the report of a run, with *sentence_of* a rule where it names one.

    What points at a *disputed* rule is told apart; the baseline goes first.
    """
    if run.fault is not None:
        problem = Problem("start", f"the port does not start: {_told(run.fault)}")
        return Report(asked=asked, problems=[problem])
    results: Sequence[Result] = run.results
    problems, warnings = [], [*run.warnings]
    if baseline is not None:
        results = applied(baseline, results)
        problems += _of_baseline(baseline, results, run, asked)
        warnings += _elsewhere(baseline, results, asked)
    if disputed:
        results = disputes.applied(disputed, results)
    ranked = suspects.ranked(results)
    top = ranked[:_SUSPECTS]
    named = {result.rule for result in results if result.is_failing}
    named.update(each.rule for each in top)
    sentences = {rule: sentence_of(rule) for rule in sorted(named) if rule}
    results = [
        evolve(result, sentence=sentences.get(result.rule, "")) if result.is_failing else result
        for result in results
    ]
    return Report(
        asked=asked,
        results=results,
        hello=run.hello,
        problems=[*_vacuous(asked, results), *problems],
        warnings=warnings,
        suspects=top,
        sentences=sentences,
    )


def _told(fault: PortFault) -> str:
    return "\n".join((fault.text, *(f"  stderr: {line}" for line in fault.stderr)))


def _of_baseline(
    baseline: Baseline, results: Sequence[Result], run: Run, asked: Asked
) -> list[Problem]:
    problems = []
    if run.hello is not None and run.hello.implementation != baseline.implementation:
        text = (
            f"the baseline is that of {baseline.implementation}, "
            f"and the port is {run.hello.implementation}"
        )
        problems.append(Problem("implementation", text, baseline.file))
    # Of corpora that were named nobody knows whether they are all that the baseline is about.
    is_whole = asked.is_whole and not asked.named
    for entry, reason in stale(baseline, results, is_whole=is_whole):
        text = f"stale: {entry.name} {reason}"
        problems.append(Problem("baseline", text, baseline.place(entry)))
    if is_whole:
        problems += [
            Problem("baseline", f"stale: {text}", place)
            for text, place in idle(baseline, run.idle, results)
        ]
    return problems


def _elsewhere(baseline: Baseline, results: Sequence[Result], asked: Asked) -> list[str]:
    """Return a warning of entries that no case of the named corpora is about."""
    if not (asked.named and asked.is_whole):
        return []
    found = [
        entry
        for entry in baseline.entries
        if not any(entry.is_about(result) for result in results)
    ]
    if not found:
        return []
    speak = "1 entry speaks" if len(found) == 1 else f"{len(found)} entries speak"
    return [f"{speak} of no case of these corpora, the first at {baseline.place(found[0])}"]


def _vacuous(asked: Asked, results: Sequence[Result]) -> list[Problem]:
    """Return what makes a run prove nothing, or less than was asked for."""
    if not results:
        return [Problem("vacuous", "no case was chosen, so nothing is shown")]
    played = [result for result in results if result.verdict in PLAYED]
    if not played:
        return [Problem("vacuous", f"none of {len(results)} cases was played")]
    texts = []
    if not any(result.records for result in played) and not any(
        result.verdict in (PORT_FAULT, KNOWN) for result in played
    ):
        texts.append("no trace has a record, so nothing was compared")
    texts += [
        f"no case of the level {name} was played"
        for name in asked.levels
        if not any(result.level == name for result in played)
    ]
    texts += [
        f"no case that shows {rule} was played"
        for rule in asked.rules
        if not any(shows(rule, result.rules) for result in played)
    ]
    texts += [
        f"there is no case {name}"
        for name in asked.cases
        if not any(fnmatchcase(result.id, name) for result in results)
    ]
    if asked.is_whole:
        files = {result.file for result in played}
        texts += [
            f"nothing of {each.name} was played"
            for each in asked.named
            if files.isdisjoint(map(str, each.files))
        ]
    return [Problem("vacuous", text) for text in texts]
