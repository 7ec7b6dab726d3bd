# SPDX-License-Identifier: Apache-2.0
"""Coverage: the cases are played, and each rule is told how its own went.

A rule is equal when one of its cases is and none is anything else but skipped; different as
soon as one case is; skipped when all of its cases need what is not built yet.  A rule that no
case lists is tested when a unit test shows it, and excluded when the manifest says why nothing
does.  What remains is open, and nothing of it is hidden in a total.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from adkref.conformance import corpus
from adkref.conformance.outcome import DIFFERENT, EQUAL, FAILED, SKIPPED, Outcome
from adkref.conformance.rules.ids import family
from adkref.conformance.rules.manifest import FOLDERS, Entry, Ledger
from adkref.conformance.rules.registry import Registry
from adkref.conformance.verify import Corpus, verify

TESTED: Final = "tested"
EXCLUDED: Final = "excluded"
OPEN: Final = "nothing"
#: What can become of a rule, from what a report is proud of to what it must not be silent on.
STATES: Final = (EQUAL, TESTED, EXCLUDED, SKIPPED, DIFFERENT, OPEN)

#: The chapters whose rules the kernel has to hold; the later ones come with their systems.
CHAPTERS: Final = ("01", "02", "03", "04")


@frozen
class Line:
    """One rule and what became of its cases."""

    entry: Entry
    #: For each case that lists the rule its outcome, or nothing where it was not played.
    outcomes: Mapping[str, str]

    @property
    def rule(self) -> str:
        """The rule's id."""
        return self.entry.rule

    @property
    def state(self) -> str:
        """One of :data:`STATES`."""
        kinds = set(self.outcomes.values())
        if kinds & {DIFFERENT, FAILED}:
            return DIFFERENT
        if EQUAL in kinds:
            return EQUAL
        if self.entry.tests:
            return TESTED
        if kinds:
            return SKIPPED
        return EXCLUDED if self.entry.exclusion else OPEN

    def count(self, *kinds: str) -> int:
        """Return how many cases of the rule had one of the outcomes."""
        return sum(kind in kinds for kind in self.outcomes.values())

    def to_json(self) -> dict[str, Any]:
        """Return the line as plain data; what is empty is left out."""
        exclusion = self.entry.exclusion
        data = {
            "id": self.rule,
            "state": self.state,
            "cases": dict(self.outcomes),
            "tests": list(self.entry.tests),
            "excluded": exclusion and {"reason": exclusion.reason, "note": exclusion.note},
            "killed_by": list(self.entry.killed_by),
        }
        return {key: value for key, value in data.items() if value}


@frozen
class Coverage:
    """The lines of the rules that were asked for."""

    lines: Sequence[Line]

    @property
    def families(self) -> dict[str, Counter[str]]:
        """For each family how many rules are in which state."""
        found: dict[str, Counter[str]] = {}
        for line in self.lines:
            found.setdefault(family(line.rule), Counter())[line.state] += 1
        return found

    @property
    def total(self) -> Counter[str]:
        """How many rules are in which state."""
        return Counter(line.state for line in self.lines)

    @property
    def reasons(self) -> Counter[str]:
        """How many rules are excluded for which reason."""
        return Counter(
            line.entry.exclusion.reason for line in self.lines if line.entry.exclusion is not None
        )

    def in_state(self, *states: str) -> list[Line]:
        """Return the lines of the rules in one of the states."""
        return [line for line in self.lines if line.state in states]

    def to_json(self) -> dict[str, Any]:
        """Return the coverage as plain data."""
        return {
            "rules": [line.to_json() for line in self.lines],
            "families": {
                name: {state: tally[state] for state in STATES}
                for name, tally in self.families.items()
            },
            "total": {state: self.total[state] for state in STATES},
            "reasons": dict(sorted(self.reasons.items())),
        }


def default_rules(registry: Registry) -> list[str]:
    """Return the rules of the chapters that the kernel has to hold."""
    return [rule.id for rule in registry.values() if rule.chapter.startswith(CHAPTERS)]


def cover(
    ledger: Ledger,
    rules: Iterable[str],
    root: Path,
    *,
    jobs: int = 1,
    heard: Callable[[Outcome], None] = lambda outcome: None,
) -> Coverage:
    """Play the corpora of the ``conformance`` folder that list one of *rules*, and report."""
    rules = list(rules)
    wanted = {case for rule in rules for case in ledger.entries[rule].cases}
    folders = [root / folder for folder in FOLDERS if wanted and (root / folder).is_dir()]
    files = [
        file
        for folder in folders
        for file in corpus.find(folder)
        if any(case.id in wanted for case in corpus.read(file))
    ]
    outcomes: dict[str, str] = {}
    if files:
        report = verify([Corpus("the rules' cases", tuple(files))], jobs=jobs, heard=heard)
        outcomes = {outcome.id: outcome.kind for outcome in report.outcomes}
    return Coverage([_line(ledger.entries[rule], outcomes) for rule in rules])


def _line(entry: Entry, outcomes: Mapping[str, str]) -> Line:
    return Line(entry, {case: outcomes[case] for case in entry.cases if case in outcomes})
