# SPDX-License-Identifier: Apache-2.0
"""Verifying corpora: play every case and compare it with what is known of it.

The playing and the comparing are done in worker processes
(:mod:`adkref.conformance.judge`); here the outcomes are gathered and counted.
Four things can become of a case, and none of them is ever counted as another: it
is equal, it is different, it is skipped as it needs what is not built yet, or it
could not be played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from attrs import Factory, define, field, frozen

from adkref.conformance import corpus, workers
from adkref.conformance.diff import Difference
from adkref.conformance.outcome import DIFFERENT, EQUAL, FAILED, OUTCOMES, SKIPPED, Outcome

#: Applied to each case in a worker process.
CHECK: Final = "adkref.conformance.judge:check"


@frozen
class Corpus:
    """What the user named: a file, a folder, or all that the project has."""

    name: str
    files: tuple[Path, ...]

    @classmethod
    def of(cls, path: str | Path) -> Corpus:
        """Return the corpus at *path*; :class:`ScenarioError` if there is none."""
        return cls(str(path), tuple(corpus.find(path)))


@define
class Report:
    """The outcomes of a verification, in the order of the cases."""

    corpora: Sequence[Corpus]
    outcomes: list[Outcome] = Factory(list)
    _tallies: dict[str, Counter[str]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._tallies = {str(file): Counter() for each in self.corpora for file in each.files}
        for outcome in self.outcomes:
            self._tallies[outcome.file][outcome.kind] += 1

    @property
    def tallies(self) -> dict[str, Counter[str]]:
        """For each file of the corpora how many cases had which outcome."""
        return self._tallies

    @property
    def total(self) -> Counter[str]:
        """How many cases had which outcome, over all files."""
        return sum(self._tallies.values(), Counter())

    @property
    def skips(self) -> Counter[str]:
        """How many cases were skipped for the sake of which feature."""
        return Counter(outcome.reason for outcome in self.of_kind(SKIPPED))

    def of_kind(self, *kinds: str) -> list[Outcome]:
        """Return the outcomes of the given kinds."""
        return [outcome for outcome in self.outcomes if outcome.kind in kinds]

    def unplayed(self) -> list[Corpus]:
        """Return the corpora of which no case was played: they prove nothing."""
        return [
            each
            for each in self.corpora
            if not any(
                self._tallies[str(file)][kind]
                for file in each.files
                for kind in (EQUAL, DIFFERENT)
            )
        ]

    def exit_code(self, *, no_skips: bool = False) -> int:
        """Return 0 if all is equal, 1 if not, 2 if the input does not allow a verdict.

        What could not be played counts like a difference.  What was skipped counts only
        with *no_skips*, but a corpus of which nothing was played is never a success.
        """
        if any(outcome.bad_input for outcome in self.outcomes) or self.unplayed():
            return 2
        total = self.total
        if total[DIFFERENT] or total[FAILED] or (no_skips and total[SKIPPED]):
            return 1
        return 0

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain JSON: counts, and every case that is not equal."""
        return {
            "corpora": [
                {
                    "name": each.name,
                    "files": [
                        {"file": str(file), **_counts(self._tallies[str(file)])}
                        for file in each.files
                    ],
                }
                for each in self.corpora
            ],
            "total": _counts(self.total),
            "skips": dict(sorted(self.skips.items())),
            "cases": [outcome.to_json() for outcome in self.of_kind(DIFFERENT, SKIPPED, FAILED)],
        }


def _counts(tally: Counter[str]) -> dict[str, int]:
    return {"cases": tally.total(), **{kind.replace(" ", "_"): tally[kind] for kind in OUTCOMES}}


def verify(
    corpora: Sequence[Corpus],
    *,
    jobs: int = 1,
    limit: float = workers.LIMIT,
    heard: Callable[[Outcome], None] = lambda outcome: None,
    check: str = CHECK,
) -> Report:
    """Play every case of *corpora* in *jobs* worker processes and report.

    *heard* is told of each outcome as it comes.  A corpus that cannot be read is a
    :class:`ScenarioError`.
    """
    cases: list[corpus.Case] = []
    outcomes: dict[int, Outcome] = {}

    def tasks() -> Generator[dict[str, Any], None, None]:
        for case in corpus.read_all(file for each in corpora for file in each.files):
            # The place is remembered, the traces are not: all of them would fill the memory.
            cases.append(_place(case))
            yield task_of(case)

    with (
        closing(tasks()) as given,
        closing(workers.run(check, given, jobs=jobs, limit=limit)) as answers,
    ):
        for answer in answers:
            outcome = outcome_of(cases[answer.index], answer)
            outcomes[answer.index] = outcome
            heard(outcome)
    return Report(corpora, [outcomes[index] for index in sorted(outcomes)])


# Between the processes


def _place(case: corpus.Case) -> corpus.Case:
    return corpus.Case(id=case.id, file=case.file, line=case.line, scenario={}, rules=case.rules)


def task_of(case: corpus.Case) -> dict[str, Any]:
    """Return a case as a worker gets it: what to play, and what is known of it."""
    task: dict[str, Any] = {"scenario": case.scenario}
    if case.trace is None:
        task["expect"] = case.expect
    else:
        task["trace"] = case.trace
    if case.final is not corpus.ABSENT:
        task["final"] = case.final
    return task


def outcome_of(case: corpus.Case, answer: workers.Answer) -> Outcome:
    """Return what became of *case*, from a worker's *answer*."""
    found: dict[str, Any] = {"kind": FAILED, "reason": answer.trouble}
    if answer.text:
        found["reason"] = f"{answer.trouble}: {answer.text}"
    if not answer.trouble:
        found = answer.value
        if "difference" in found:
            found = {**found, "difference": Difference.from_json(found["difference"])}
    return Outcome(id=case.id, file=case.file, line=case.line, rules=case.rules, **found)
