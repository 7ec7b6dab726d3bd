# SPDX-License-Identifier: Apache-2.0
"""Measure how often a wrong port is told the right rule.

    python conformance/mutants/told.py [--every N] [--jobs N] [--limit S]
        [--seconds S] [--out FILE] [--of FILE]

Each mutant plays the hand-written cases, and the rule that ``adkref test`` would call most likely
broken is compared with the rules that the mutant breaks by its own record.  With ``--out`` the
differences are written to a file, and with ``--of`` they are read from one instead of played, so
that a change to ``adkref/conformance/trial/suspects.py`` is measured in seconds.  ``--seconds``
ends the playing after that time; the mutants are taken in strides, so those that were played are
a fair sample, and the end says how many they are.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import click

from adkref.conformance import corpus, workers
from adkref.conformance.diff import Difference
from adkref.conformance.mutants import registry
from adkref.conformance.mutants.registry import Mutant
from adkref.conformance.mutants.worker import function_of
from adkref.conformance.outcome import EQUAL, SKIPPED
from adkref.conformance.rules.ids import family
from adkref.conformance.trial import suspects
from adkref.conformance.trial.result import PORT_FAULT, Result
from adkref.conformance.verify import outcome_of, task_of

ROOT: Final = Path(__file__).parents[1]
#: A mutant that hangs does so in many cases; these are enough.
HANGS: Final = 3
STRIDE: Final = 16


def play(mutant: Mutant, cases: list[corpus.Case], limit: float) -> list[dict[str, Any]]:
    """Return for each case that is played its id, and where the mutant is wrong how."""
    found: list[dict[str, Any]] = []
    hangs = 0
    function = function_of("check", mutant.graft)
    with closing(workers.run(function, map(task_of, cases), limit=limit)) as answers:
        for answer in answers:
            outcome = outcome_of(cases[answer.index], answer)
            if outcome.kind == SKIPPED:
                continue
            if outcome.kind == EQUAL:
                found.append({"id": outcome.id})
                continue
            difference = outcome.difference.to_json() if outcome.difference else None
            found.append({"id": outcome.id, "difference": difference, "wrong": True})
            hangs += answer.trouble == "timeout"
            if hangs >= HANGS:
                break
    return found


def results(played: list[dict[str, Any]], cases: dict[str, corpus.Case]) -> Iterator[Result]:
    """Yield what was played as results of a trial."""
    for each in played:
        case = cases[each["id"]]
        given = each.get("difference")
        difference = Difference.from_json(given) if given else None
        verdict = EQUAL if "wrong" not in each else "different" if given else PORT_FAULT
        rule = suspects.suspect(case.rules, difference) if difference else ""
        yield Result(
            id=case.id,
            file=case.file,
            line=case.line,
            level="",
            rules=case.rules,
            verdict=verdict,
            difference=difference,
            rule=rule,
        )


def measure(played: dict[str, Any], cases: dict[str, corpus.Case]) -> None:
    """Print the misses, and how many mutants are told one of their rules."""
    known = registry.load(ROOT)
    listed = {rule for case in cases.values() for rule in case.rules}
    count = dict.fromkeys(("mutants", "told", "among three", "family", "silent", "no case"), 0)
    for identity, outcomes in played.items():
        mutant = known[identity]
        ranked = suspects.ranked(list(results(outcomes, cases)))
        named = [each.rule for each in ranked[:3]]
        count["mutants"] += 1
        count["silent"] += not ranked
        count["told"] += (told := named[:1] != [] and named[0] in mutant.rules)
        count["among three"] += bool(set(named) & set(mutant.rules))
        count["family"] += named[:1] != [] and family(named[0]) in map(family, mutant.rules)
        count["no case"] += not listed & set(mutant.rules)
        if not told:
            click.echo(
                f"{identity}: breaks {' '.join(mutant.rules)}, told {' '.join(named) or '-'}"
            )
    total = count["mutants"]
    click.echo(f"{total} of {len(known)} mutants played")
    click.echo(
        f"  {count['told']} are told a rule that they break first ({count['told'] / total:.0%})"
    )
    click.echo(f"  {count['among three']} have one among the first three")
    click.echo(f"  {count['family']} are told a rule of the right family first")
    click.echo(f"  {count['silent']} fail no hand-written case")
    click.echo(f"  {count['no case']} break only rules that no hand-written case lists")


def main() -> None:
    """Play, or read what was played, and measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--every", type=int, default=1, help="take every Nth mutant")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=3.0, help="seconds that a case may take")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--of", type=Path)
    asked = parser.parse_args()
    cases = {case.id: case for case in corpus.read_all([ROOT / "cases"])}
    if asked.of:
        measure(json.loads(asked.of.read_text(encoding="utf-8")), cases)
        return
    mutants = list(registry.load(ROOT).values())[:: asked.every]
    end = time.monotonic() + asked.seconds

    def one(mutant: Mutant) -> list[dict[str, Any]] | None:
        return play(mutant, list(cases.values()), asked.limit) if time.monotonic() < end else None

    order = [each for start in range(STRIDE) for each in mutants[start::STRIDE]]
    with ThreadPoolExecutor(asked.jobs) as pool:
        found = zip(order, pool.map(one, order), strict=True)
        played = {mutant.id: each for mutant, each in found if each is not None}
    if asked.out:
        asked.out.write_text(json.dumps(played), encoding="utf-8")
    measure(played, cases)


if __name__ == "__main__":
    main()
