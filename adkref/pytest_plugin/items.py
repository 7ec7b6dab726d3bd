# SPDX-License-Identifier: Apache-2.0
"""What pytest collects: cases of corpora, properties of groups, a baseline's own test."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pytest

from adkref.cli.fuzz import GROUPS
from adkref.conformance import corpus
from adkref.conformance.corpus import Case
from adkref.conformance.faults import ScenarioError
from adkref.conformance.fuzz.hunt import Catch, Plan, hunt, renumbered
from adkref.conformance.outcome import EQUAL, SKIPPED
from adkref.conformance.port import PortFault
from adkref.conformance.trial import baseline as baselines
from adkref.conformance.trial.result import DISPUTED, FLAKY, KNOWN, Result
from adkref.pytest_plugin.referee import Referee


class Failure(Exception):
    """What a port did wrong, told for a reader."""


class _Item(pytest.Item):
    """An item whose failures are told in their own words."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the words of a failure; whatever else went wrong is shown as usual."""
        if isinstance(excinfo.value, Failure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


# --- cases --------------------------------------------------------------------------------


class CorpusFile(pytest.File):
    """A corpus."""

    def __init__(self, *, referee: Referee, **options: Any) -> None:
        super().__init__(**options)
        self._referee = referee
        self._reader: Iterator[Case] = iter(())
        #: The line that was read last.
        self._line = 0

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for each case."""
        try:
            for case in corpus.read(self.path):
                yield CaseItem.from_parent(
                    self, name=case.id, line=case.line, rules=case.rules, referee=self._referee
                )
        except ScenarioError as error:
            raise self.CollectError(str(error)) from error

    def case(self, line: int) -> Case:
        """Return the case of a line; only one is kept, since traces are large."""
        if line <= self._line:
            self._line, self._reader = 0, iter(())
        if not self._line:
            self._reader = corpus.read(self.path)
        for case in self._reader:
            self._line = case.line
            if case.line == line:
                return case
        raise Failure(f"{self.path}:{line}: the corpus has changed since it was collected")


class CaseItem(_Item):
    """One case, put to the port."""

    def __init__(
        self, *, line: int, rules: tuple[str, ...], referee: Referee, **options: Any
    ) -> None:
        super().__init__(**options)
        self._line = line
        self._referee = referee
        self.add_marker(pytest.mark.adkref)
        self.user_properties.append(("rules", " ".join(rules)))

    def runtest(self) -> None:
        """Raise what pytest makes a failure, a skip or an expected failure of."""
        assert isinstance(self.parent, CorpusFile)
        result = self._referee.judge(self.parent.case(self._line))
        if result.verdict == EQUAL:
            return
        if result.verdict == SKIPPED:
            pytest.skip(f"the port lacks {result.reason}")
        if result.verdict in (KNOWN, FLAKY, DISPUTED):
            assert result.known is not None
            pytest.xfail(" ".join(filter(None, (result.known.reason, result.known.link))))
        raise Failure("\n".join(told(result)))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return file, line and name."""
        return self.path, self._line - 1, self.name


def told(result: Result) -> Iterator[str]:
    """Yield what is to be said of a failing case."""
    rules = f" ({', '.join(result.rules)})" if result.rules else ""
    yield f"{result.id}{rules}: {result.verdict}"
    if result.rule:
        yield f"  {result.rule} is most likely broken"
    if result.reason:
        yield f"  {result.reason}"
    for line in result.stderr:
        yield f"    stderr: {line}"
    if result.difference is not None:
        yield f"  {result.difference.place()}"
        yield from result.difference.lines()
    yield f"  {result.place}"


# --- properties ---------------------------------------------------------------------------


class Properties(pytest.Collector):
    """A property for each group of scenarios: the port plays them as the reference does."""

    def __init__(self, *, referee: Referee, examples: int, seed: int, **options: Any) -> None:
        super().__init__(**options)
        self._options = {"referee": referee, "examples": examples, "seed": seed}

    def collect(self) -> list[pytest.Item]:
        """Return an item for each group."""
        return [
            PropertyItem.from_parent(self, name=f"property[{group}]", group=group, **self._options)
            for group in GROUPS
        ]


#: Of one group so many kinds of failures are told.
_MOST: Final = 3


class PropertyItem(_Item):
    """Random scenarios of one group, put to the port and to the reference."""

    def __init__(
        self, *, group: str, referee: Referee, examples: int, seed: int, **options: Any
    ) -> None:
        super().__init__(**options)
        self._group = group
        self._referee = referee
        self._examples = examples
        self._seed = seed
        self.add_marker(pytest.mark.adkref)

    def runtest(self) -> None:
        """Raise what pytest makes a failure or a skip of."""
        strategies = pytest.importorskip(
            "adkref.strategies", reason="properties need Hypothesis: pip install 'adkref[fuzz]'"
        )
        examples = strategies.samples(strategies.GROUPS[self._group](), self._seed)
        drawn = renumbered(((self._group, each) for each in examples), self._seed)
        try:
            catch = hunt(
                self._referee.rig(), islice(drawn, self._examples), Plan(most=_MOST, shrink=10.0)
            )
        except PortFault as fault:
            raise Failure(f"the port does not start: {fault.text}") from fault
        if catch.findings or catch.troubles:
            raise Failure("\n".join(_caught(catch)))
        if not catch.played:
            pytest.skip(f"the port lacks {', '.join(catch.skips)}")

    def reportinfo(self) -> tuple[str, None, str]:
        """Return no place, as there is none, and the name."""
        return "adkref", None, self.name


def _caught(catch: Catch) -> Iterator[str]:

    for finding in catch.findings:
        yield f"{finding.signature}, met {finding.met} times in {catch.played} scenarios"
        if finding.rules:
            yield f"  rules to read: {', '.join(finding.rules)}"
        yield from finding.lines()
        yield f"  the smallest scenario: {json.dumps(finding.scenario)}"
    yield from catch.troubles


# --- the baseline -------------------------------------------------------------------------


class BaselineItem(_Item):
    """Holds the baseline to its word, once all cases were played."""

    def __init__(self, *, referee: Referee, whole: int, **options: Any) -> None:
        super().__init__(**options)
        self._referee = referee
        #: How many cases there are, if that is known.
        self._whole = whole

    def runtest(self) -> None:
        """Raise what pytest makes a failure of: entries that are not true, another port."""
        known = self._referee.baseline
        assert known is not None
        results = baselines.applied(known, self._referee.results)
        is_whole = len(results) == self._whole
        wrong = [
            f"{known.place(entry)}: stale: {entry.name} {reason}"
            for entry, reason in baselines.stale(known, results, is_whole=is_whole)
        ]
        if is_whole:
            wrong += [
                f"{place}: stale: {text}"
                for text, place in baselines.idle(known, self._referee.idle, results)
            ]
        port = self._referee.implementation
        if port and port != known.implementation:
            wrong.insert(
                0, f"{known.file}: the baseline is that of {known.implementation}, not of {port}"
            )
        if wrong:
            raise Failure("\n".join(_first(wrong, 20)))

    def reportinfo(self) -> tuple[str, None, str]:
        """Return the file of the baseline."""
        known = self._referee.baseline
        return known.file if known is not None else "", None, self.name


def _first(lines: list[str], most: int) -> Iterable[str]:
    yield from lines[:most]
    if len(lines) > most:
        yield f"and {len(lines) - most} more"
