# SPDX-License-Identifier: Apache-2.0
"""From runs to what is printed: tables for people, JSON for programs.

It says what was measured and never judges: no mark, no colour, no exit status depends on
a figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from attrs import field, frozen
from cases import ADK_GO_SOURCE, CASES, SIDES, Case
from figures import Run, figure, ratio, spell, spell_ratio, spread
from rich import box
from rich.console import Console
from rich.table import Table

#: The side that is told in ratios, and what it is compared with.
OURS, THEIRS = "adkref", "google-adk"
#: What is told of a step in the table of growth; the rest is the step without the history.
GROWTH_KEYS = ("custom", "llm", "history", "rest")
GROWTH_NOTE = (
    "A tool step is a model call with its tool call; requests are kept until the end, so that "
    "freeing their histories is in no step."
)

Runs = Mapping[str, Sequence[Run]]
Steps = Sequence[Mapping[str, float]]


@frozen
class Results:
    """All that was measured: the runs of each case by side, and the steps by stored events."""

    machine: str
    versions: Mapping[str, str]
    wanted: int
    cases: Mapping[str, Runs] = field(factory=dict)
    growth: Mapping[int, Steps] = field(factory=dict)
    #: What went wrong, as sentences.
    failures: Sequence[str] = ()

    def measured(self) -> list[tuple[Case, Runs]]:
        """Return the cases that were played, in the order of the table."""
        return [(case, self.cases[case.name]) for case in CASES if case.name in self.cases]


def compared(case: Case, runs: Runs) -> float | None:
    """Return our figure divided by theirs."""
    return ratio(figure(case.unit, runs.get(OURS, ())), figure(case.unit, runs.get(THEIRS, ())))


def step(steps: Steps) -> dict[str, float]:
    """Return the medians of the steps after one number of stored events."""
    whole = [{**one, "rest": one["llm"] - one["history"]} for one in steps]
    return {key: median(one[key] for one in whole) for key in GROWTH_KEYS}


# --- for people -----------------------------------------------------------------------------


def row(case: Case, runs: Runs) -> list[str]:
    """Return the cells of one line."""
    cells = {side: spell(figure(case.unit, runs.get(side, ()))) for side in SIDES}
    return [
        case.title,
        case.unit.label,
        cells.pop(OURS),
        cells.pop(THEIRS),
        spell_ratio(compared(case, runs)),
        *cells.values(),
        spell(case.adk_go),
        case.aim,
    ]


def notes(results: Results) -> list[str]:
    """Return what a reader of the tables has to know."""
    turns = ", ".join([*SIDES, OURS])
    versions = ", ".join(f"{name} {version}" for name, version in results.versions.items())
    how = f"Medians of {results.wanted} runs, each in a fresh process after a small warm-up"
    found = [
        f"{how}; the sides take turns: {turns}, …",
        f"{results.machine}; {versions}.",
        f"{ADK_GO_SOURCE}.",
    ]
    if results.growth:
        found.append(GROWTH_NOTE)
    for case, runs in results.measured():
        counts = {side: median(run.events for run in done) for side, done in runs.items() if done}
        if len(set(counts.values())) > 1:
            told = ", ".join(f"{side} {count:,.0f}" for side, count in counts.items())
            found.append(f"{case.title}: the sides yield different numbers of events: {told}.")
    return found + [f"Failed: {failure}" for failure in results.failures]


def tables(results: Results) -> list[Table]:
    """Return the table of cases and the table of growth, each if there is anything in it."""
    found = []
    if results.cases:
        rest = [side for side in SIDES if side not in (OURS, THEIRS)]
        table = _table("case", "unit", OURS, THEIRS, f"{OURS}/{THEIRS}", *rest, "ADK-Go", "aim")
        for case, runs in results.measured():
            table.add_row(*row(case, runs))
        found.append(table)
    if results.growth:
        table = _table(
            "adkref, stored events before the run",
            "unit",
            "custom root, per event",
            "LLM agent, per tool step",
            "of it building the history",
            "the rest",
        )
        for stored, steps in sorted(results.growth.items()):
            figures = step(steps)
            table.add_row(f"{stored:,}", "µs", *(spell(figures[key]) for key in GROWTH_KEYS))
        found.append(table)
    return found


def _table(*titles: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, title in enumerate(titles):
        table.add_column(title, justify="left" if number < 2 else "right")
    return table


def show(results: Results, console: Console) -> None:
    """Print the tables and their notes."""
    for table in tables(results):
        console.print(table)
    for note in notes(results):
        console.print(note, highlight=False, markup=False)


# --- for programs ---------------------------------------------------------------------------


def as_json(results: Results) -> dict[str, Any]:
    """Return all figures, and the runs that they were made of."""
    return {
        "machine": results.machine,
        "versions": dict(results.versions),
        "runs": results.wanted,
        "cases": [_case_json(case, runs) for case, runs in results.measured()],
        "growth": [
            {"stored": stored, "unit": "µs per step", **step(steps)}
            for stored, steps in sorted(results.growth.items())
        ],
        "constants": ADK_GO_SOURCE,
        "failures": list(results.failures),
    }


def _case_json(case: Case, runs: Runs) -> dict[str, Any]:
    sides = {}
    for side, done in runs.items():
        if done:
            least, greatest = spread(case.unit, done) or (None, None)
            sides[side] = {
                "median": figure(case.unit, done),
                "least": least,
                "greatest": greatest,
                "events": [run.events for run in done],
                "seconds": [run.seconds for run in done],
            }
    return {
        "case": case.name,
        "title": case.title,
        "unit": case.unit.label,
        "sides": sides,
        f"{OURS}/{THEIRS}": compared(case, runs),
        "adk_go": case.adk_go,
        "aim": case.aim,
    }
