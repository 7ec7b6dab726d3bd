# SPDX-License-Identifier: Apache-2.0
"""Hunting mutants: cases are played against each until one shows that it is wrong.

The cases that list a rule which the mutant breaks come first, those that are about few other
rules before the rest.  A mutant is played in a fresh worker process of its own; one that hangs
or dies is killed by that.  And a kill counts only if the reference itself plays the case as it
should: where something is broken anyway, any mutant would seem to die.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import (
    Callable,
    Collection,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from attrs import Factory, define, frozen

from adkref.conformance import corpus, workers
from adkref.conformance.canonical import ABSENT
from adkref.conformance.corpus import Case
from adkref.conformance.diff import Difference
from adkref.conformance.faults import HarnessError
from adkref.conformance.mutants.registry import Mutant
from adkref.conformance.mutants.worker import function_of
from adkref.conformance.narrate import short_json
from adkref.conformance.outcome import DIFFERENT, EQUAL, SKIPPED, Outcome
from adkref.conformance.verify import CHECK, outcome_of, task_of

#: Seconds that a case may take: some mutants never end.
LIMIT: Final = 10.0

#: A case that takes the reference more than this part of the limit is no witness of a mutant
#: that never ends: a busy machine may have made it late.
_WITNESS: Final = 0.2


class Depth(Enum):
    """When to let a mutant be."""

    #: After the first kill.
    FIRST = "first"
    #: After the cases that are known to kill it, unless they do not.
    KEPT = "kept"
    #: After a kill by a case of each of its rules, or when those cases are played.
    RULES = "rules"
    #: When every case is played.
    FULL = "full"


@frozen
class Kill:
    """A case that shows that a mutant is wrong."""

    case: str
    file: str
    line: int
    #: Those of the rules that the mutant breaks which the case lists.
    rules: tuple[str, ...]
    #: Empty if the traces differ, else why the case could not be played to its end.
    reason: str = ""
    difference: Difference | None = None

    def words(self) -> str:
        """Return in a few words what gave the mutant away."""
        if self.difference is None:
            return self.reason
        of = self.difference
        return f"{of.place()}: {_shown(of.expected)} became {_shown(of.actual)}"

    def to_json(self) -> dict[str, Any]:
        """Return the kill as plain JSON; what is empty is left out."""
        fields = {
            "case": self.case,
            "file": self.file,
            "line": self.line,
            "rules": list(self.rules),
            "reason": self.reason,
            "difference": self.difference and self.difference.to_json(),
        }
        return {key: value for key, value in fields.items() if value}


def _shown(value: Any) -> str:
    return "nothing" if value is ABSENT else short_json(value, 40)


@define
class Verdict:
    """What became of a mutant."""

    mutant: Mutant
    kills: list[Kill] = Factory(list)
    #: Cases that would have killed it, if the reference itself played them as it should.
    void: list[str] = Factory(list)
    played: int = 0
    seconds: float = 0.0

    @property
    def killed(self) -> bool:
        """Whether a case gave it away."""
        return bool(self.kills)

    @property
    def by_rule(self) -> dict[str, list[str]]:
        """For each rule that the mutant breaks the killing cases that list it."""
        return {
            rule: [kill.case for kill in self.kills if rule in kill.rules]
            for rule in self.mutant.rules
        }

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain JSON."""
        return {
            "id": self.mutant.id,
            "family": self.mutant.family,
            "title": self.mutant.title,
            "module": self.mutant.graft.module,
            "killed": self.killed,
            "rules": self.by_rule,
            "kills": [kill.to_json() for kill in self.kills],
            "void": self.void,
            "played": self.played,
            "seconds": round(self.seconds, 3),
        }


class Deck:
    """All cases, in the order in which a mutant meets them."""

    def __init__(
        self, files: Iterable[Path], kept: Mapping[str, Collection[str]] | None = None
    ) -> None:
        self._files = list(files)
        # Those that list rules are written by hand and few; the others are read when needed.
        self._listing = [
            case
            for file in self._files
            if file.suffix != ".gz"
            for case in corpus.read(file)
            if case.rules
        ]
        self._kept = self._found(kept or {})

    def _found(self, kept: Mapping[str, Collection[str]]) -> dict[str, list[Case]]:
        """Return the cases whose ids are *kept*; one that is gone is left out."""
        wanted = {case for cases in kept.values() for case in cases}
        found = {case.id: case for case in self._listing if case.id in wanted}
        if wanted - set(found):
            large = (file for file in self._files if file.suffix == ".gz")
            cases = (case for file in large for case in corpus.read(file))
            found |= {case.id: case for case in cases if case.id in wanted}
        return {
            mutant: [found[case] for case in sorted(cases) if case in found]
            for mutant, cases in kept.items()
        }

    def kept(self, mutant: Mutant) -> list[Case]:
        """Return the cases that are known to kill *mutant*."""
        return self._kept.get(mutant.id, [])

    def of_rules(self, rules: Sequence[str]) -> list[Case]:
        """Return the cases that list any of *rules*, those first that are most about them."""
        wanted = set(rules)
        found = [case for case in self._listing if wanted.intersection(case.rules)]
        return sorted(
            found, key=lambda case: (-len(wanted.intersection(case.rules)), len(case.rules))
        )

    def others(self, mutant: Mutant) -> Iterator[Case]:
        """Yield the cases that list none of the mutant's rules, its family's files first."""
        groups = dict(zip(mutant.golden, range(-len(mutant.golden), 0), strict=True))
        for file in sorted(self._files, key=lambda file: groups.get(file.name.split(".")[0], 0)):
            for case in corpus.read(file):
                if not set(mutant.rules).intersection(case.rules):
                    yield case


class Control:
    """The reference itself, to tell whether it plays a case as it should."""

    def __init__(self, limit: float = LIMIT) -> None:
        self._asked: queue.SimpleQueue[Case] = queue.SimpleQueue()
        self._limit = limit
        self._answers = workers.run(CHECK, self._tasks(), limit=limit, ahead=1)
        #: Whether the reference played the case as it should, and in how many seconds.
        self._known: dict[tuple[str, int], tuple[bool, float]] = {}
        self._lock = threading.Lock()

    def _tasks(self) -> Iterator[dict[str, Any]]:
        while True:
            yield task_of(self._asked.get())

    def holds(self, case: Case, *, late: bool = False) -> bool:
        """Tell whether the reference plays *case* as it should; any thread may ask.

        With *late*, the mutant took too long: then the reference has to be quick.
        """
        place = case.file, case.line
        with self._lock:
            if place not in self._known:
                self._known[place] = self._play(case)
            equal, seconds = self._known[place]
            if equal and late and not self._is_quick(seconds):
                # The first time may have been that of starting a process.
                self._known[place] = equal, seconds = self._play(case)
        return equal and (not late or self._is_quick(seconds))

    def _play(self, case: Case) -> tuple[bool, float]:
        started = time.monotonic()
        self._asked.put(case)
        outcome = outcome_of(case, next(self._answers))
        return outcome.kind == EQUAL, time.monotonic() - started

    def _is_quick(self, seconds: float) -> bool:
        return seconds <= _WITNESS * self._limit

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._answers.close()


def hunt(
    mutant: Mutant,
    deck: Deck,
    control: Control,
    *,
    depth: Depth = Depth.FIRST,
    limit: float = LIMIT,
) -> Verdict:
    """Play cases against *mutant* as deep as *depth* says, and return what came of it."""
    verdict = Verdict(mutant)
    started = time.monotonic()
    given: list[Case] = []
    open_rules = set(mutant.rules)
    kept = {case.id for case in deck.kept(mutant)} if depth is Depth.KEPT else set()

    def done() -> bool:
        if depth is Depth.FULL or not verdict.killed:
            return False
        return not kept if depth is Depth.KEPT else depth is Depth.FIRST or not open_rules

    def tasks() -> Generator[dict[str, Any], None, None]:
        for case in _cases(mutant, deck, verdict, open_rules, depth):
            given.append(case)
            yield task_of(case)

    function = function_of("check", mutant.graft)
    try:
        with (
            closing(tasks()) as asked,
            closing(workers.run(function, asked, limit=limit)) as answers,
        ):
            for answer in answers:
                case = given[answer.index]
                verdict.played += 1
                kept.discard(case.id)
                outcome = outcome_of(case, answer)
                if outcome.kind in (EQUAL, SKIPPED):
                    if done():
                        break
                    continue
                if not control.holds(case, late=answer.trouble == "timeout"):
                    verdict.void.append(case.id)
                    continue
                kill = _kill(mutant, outcome)
                if verdict.killed and depth is Depth.RULES and not open_rules & set(kill.rules):
                    continue  # it was on its way when an earlier case did its work
                verdict.kills.append(kill)
                open_rules.difference_update(kill.rules)
                if done():
                    break
    except HarnessError as error:
        raise HarnessError(f"mutant {mutant.id}: {error}") from error
    verdict.seconds = time.monotonic() - started
    return verdict


def _cases(
    mutant: Mutant, deck: Deck, verdict: Verdict, open_rules: set[str], depth: Depth
) -> Iterator[Case]:
    """Yield what is left to play; *verdict* and *open_rules* grow and shrink meanwhile."""
    if depth is Depth.KEPT:
        yield from deck.kept(mutant)
    for case in deck.of_rules(mutant.rules):
        if depth is not Depth.RULES or open_rules.intersection(case.rules):
            yield case
    for case in deck.others(mutant):
        if verdict.killed and depth is not Depth.FULL:
            return
        yield case


def _kill(mutant: Mutant, outcome: Outcome) -> Kill:
    return Kill(
        case=outcome.id,
        file=outcome.file,
        line=outcome.line,
        rules=tuple(rule for rule in mutant.rules if rule in outcome.rules),
        reason="" if outcome.kind == DIFFERENT else outcome.reason,
        difference=outcome.difference,
    )


def hunt_all(
    mutants: Sequence[Mutant],
    files: Iterable[Path],
    *,
    jobs: int = 1,
    depth: Depth = Depth.FIRST,
    limit: float = LIMIT,
    heard: Callable[[Verdict], None] = lambda verdict: None,
    kept: Mapping[str, Collection[str]] | None = None,
) -> list[Verdict]:
    """Hunt *mutants*, *jobs* at a time, and return the verdicts in their order.

    *kept* has for each mutant the cases that are known to kill it.  *heard* is told of each as
    it comes.  Raises HarnessError before anything is played if a mutant's snippet is not in its
    module exactly once.
    """
    for each in mutants:
        each.check()
    deck = Deck(files, kept)
    with Control(limit) as control, ThreadPoolExecutor(max(1, jobs)) as pool:
        hunts: dict[Future[Verdict], Mutant] = {}
        try:
            for each in mutants:
                future = pool.submit(hunt, each, deck, control, depth=depth, limit=limit)
                hunts[future] = each
            running = set(hunts)
            while running:
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                for future in ended:
                    heard(future.result())
        finally:
            for future in hunts:
                future.cancel()
        return [future.result() for future in hunts]
