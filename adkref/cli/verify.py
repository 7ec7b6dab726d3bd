# SPDX-License-Identifier: Apache-2.0
"""``adkref verify``: corpora played and compared, counted and judged."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from adkref.cli import options
from adkref.cli.common import console, print_json, project_files
from adkref.cli.progress import progress
from adkref.conformance.narrate import one_line
from adkref.conformance.outcome import DIFFERENT, EQUAL, FAILED, OUTCOMES, SKIPPED, Outcome
from adkref.conformance.verify import Corpus, Report
from adkref.conformance.verify import verify as verify_corpora
from adkref.conformance.workers import LIMIT

_STYLES = {EQUAL: "green", DIFFERENT: "red", SKIPPED: "yellow", FAILED: "red"}


@click.command()
@click.argument("corpora", metavar="[CORPUS]...", nargs=-1)
@options.jobs("Worker processes that play at the same time.")
@click.option("--no-skips", is_flag=True, help="Count a skipped case as a failure.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@options.max_cases("--max-diffs")
@options.seconds("--limit", LIMIT, "Seconds that a case may take; a slow machine may need more.")
def verify(
    corpora: tuple[str, ...],
    jobs: int,
    no_skips: bool,
    as_json: bool,
    max_diffs: int,
    limit: float,
) -> int:
    """Play corpora and compare every case with its golden trace.

    CORPUS is a .jsonl or .jsonl.gz file or a folder of such files; without any, all corpora
    of the project are played.  The exit code is 0 if all that was played is equal, 1 if a
    case is different or could not be played, 2 on bad input and when nothing of a corpus was
    played.
    """
    named = [Corpus.of(each) for each in corpora] or [
        Corpus("the project", tuple(project_files()))
    ]
    with progress([file for each in named for file in each.files]) as told:

        def heard(outcome: Outcome) -> None:
            told(outcome.file, outcome.kind in (DIFFERENT, FAILED))

        report = verify_corpora(named, jobs=jobs, limit=limit, heard=heard)
    code = report.exit_code(no_skips=no_skips)
    if as_json:
        print_json({**report.to_json(), "exit_code": code})
    else:
        _print(console(), report, max_diffs)
    return code


# Afterwards


def _print(out: Console, report: Report, max_diffs: int) -> None:
    failing = report.of_kind(DIFFERENT, FAILED)
    for outcome in failing[:max_diffs]:
        _print_failing(out, outcome)
    out.print(_table(report))
    if skips := report.skips:
        features = ", ".join(f"{feature} {count}" for feature, count in skips.most_common())
        _line(out, f"skipped, because they need what is not built yet: {features}", "yellow")
    if len(failing) > max_diffs:
        _line(
            out,
            f"{len(failing)} cases fail, the first {max_diffs} are shown; "
            "--max-diffs N shows more",
        )
    for each in report.unplayed():
        _line(out, f"nothing of {each.name} was played, so nothing is shown by it", "red")
    _line(out, _verdict(report.total))


def _verdict(total: Counter[str]) -> str:
    words = [f"{total[EQUAL]} of {total.total()} cases are equal"]
    words += [f"{total[kind]} {kind}" for kind in (DIFFERENT, FAILED, SKIPPED) if total[kind]]
    return ", ".join(words)


def _table(report: Report) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_footer=len(report.tallies) > 1)
    folder, names = _names(list(report.tallies))
    total = report.total
    # On a narrow terminal the names fold, the figures stay whole.
    table.add_column(
        Text(one_line(f"corpus in {folder}" if folder else "corpus")), "all", overflow="fold"
    )
    table.add_column("cases", str(total.total()), justify="right", no_wrap=True)
    for kind in OUTCOMES:
        style = _STYLES[kind] if total[kind] else "dim"
        table.add_column(kind, str(total[kind]), justify="right", no_wrap=True, style=style)
    for name, tally in zip(names, report.tallies.values(), strict=True):
        counts = (str(tally[kind]) for kind in OUTCOMES)
        table.add_row(Text(one_line(name)), str(tally.total()), *counts)
    return table


def _names(files: list[str]) -> tuple[str, list[str]]:
    """Return the folder that all files are in, if there is one, and the rest of each name."""
    try:
        folder = os.path.commonpath([Path(file).parent for file in files])
    except ValueError:  # some are relative, some are not
        folder = ""
    if folder in ("", ".", os.sep):
        return "", files
    return folder, [os.path.relpath(file, folder) for file in files]


def _print_failing(out: Console, outcome: Outcome) -> None:
    rules = f" ({', '.join(outcome.rules)})" if outcome.rules else ""
    where = f"{outcome.file}:{outcome.line}"
    _line(out, f"{outcome.id}{rules}", "bold")
    if outcome.difference is None:
        _line(out, f"  {where}: {FAILED}: {outcome.reason}", "red")
    else:
        _line(out, f"  {where}: {DIFFERENT} at {outcome.difference.place()}")
        for line in outcome.difference.lines():
            sign = line.lstrip()[:1]
            _line(out, line, {"-": "green", "+": "red"}.get(sign, "dim"))
    out.print()


def _line(out: Console, text: str, style: str = "") -> None:
    out.print(Text(one_line(text), style), soft_wrap=True)
