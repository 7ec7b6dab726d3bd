# SPDX-License-Identifier: Apache-2.0
"""The report on a terminal: the rule that is most likely broken first, then what shows it."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from adkref.conformance.narrate import one_line
from adkref.conformance.outcome import DIFFERENT, EQUAL, SKIPPED
from adkref.conformance.trial.report import Report
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

_STYLES = {
    EQUAL: "green",
    DIFFERENT: "red",
    PORT_FAULT: "red",
    SCENARIO_FAULT: "red",
    HARNESS_FAULT: "red",
    SKIPPED: "yellow",
    KNOWN: "cyan",
    FLAKY: "cyan",
    DISPUTED: "cyan",
}


def live_line(result: Result) -> str:
    """Return what is said of a failing case while others are still played."""
    where = result.difference.place() if result.difference is not None else result.reason
    return one_line(f"{_head(result)}: {where}")


def _head(result: Result) -> str:
    verdict = f"{result.verdict}, {result.fault}" if result.fault else result.verdict
    return " ".join(filter(None, (result.rule, result.id, f"({verdict})")))


def print_report(out: Console, report: Report, max_cases: int) -> None:
    """Print the report with at most *max_cases* failing cases in full."""
    if report.suspects:
        first = report.suspects[0]
        _line(
            out,
            f"{first.rule} is most likely broken: {first.failing} of {first.showing} cases that "
            "show it fail",
            "bold red",
        )
        if sentence := report.sentences.get(first.rule):
            _line(out, f"  {sentence}")
        out.print()
    failing = report.failing()
    for result in failing[:max_cases]:
        for text, style in _told(result):
            _line(out, text, style)
        out.print()
    if report.results:
        out.print(_table(report))
    _print_notes(out, report, len(failing) - max_cases)
    _line(out, _summary(report), "bold green" if report.exit_code == 0 else "bold red")


def _told(result: Result) -> Iterator[tuple[str, str]]:
    """Yield the lines about a failing case, each with its style; the rule comes first."""
    yield _head(result), "bold red"
    if result.sentence:
        yield f"  {result.sentence}", ""
    others = [rule for rule in result.rules if rule != result.rule]
    if others:
        yield f"  the case shows {', '.join(others)} as well", "dim"
    if result.difference is None:
        yield f"  {result.place}: {result.reason}", "red"
    else:
        yield f"  {result.place}: {result.verdict} at {result.difference.place()}", ""
        for line in result.difference.lines():
            sign = line.lstrip()[:1]
            yield line, {"-": "green", "+": "red"}.get(sign, "dim")
    for line in result.stderr:
        yield f"  stderr: {line}", "dim"


def _table(report: Report) -> Table:
    """Return the summary: a row for each level, a column for each verdict that occurs."""
    total = report.total
    shown = [each for each in VERDICTS if total[each] or each in (EQUAL, DIFFERENT)]
    table = Table(box=box.SIMPLE_HEAD, show_footer=len(report.levels) > 1)
    table.add_column("level", "all", no_wrap=True)
    table.add_column("cases", str(total.total()), justify="right", no_wrap=True)
    for verdict in shown:
        style = _STYLES[verdict] if total[verdict] else "dim"
        table.add_column(verdict, str(total[verdict]), justify="right", no_wrap=True, style=style)
    table.add_column("reached", no_wrap=True)
    detected = report.detected
    for level, tally in report.levels.items():
        counts = (str(tally[verdict]) for verdict in shown)
        table.add_row(level, str(tally.total()), *counts, "yes" if level in detected else "")
    return table


def _print_notes(out: Console, report: Report, hidden: int) -> None:
    if hidden > 0:
        _line(out, f"{hidden} more cases fail; --max-cases N shows more")
    if len(report.suspects) > 1:
        others = (f"{each.rule} ({each.failing}/{each.showing})" for each in report.suspects[1:])
        _line(out, f"other suspects: {', '.join(others)}")
    if skips := report.skips:
        features = ", ".join(f"{feature} {count}" for feature, count in skips.most_common())
        _line(out, f"skipped, because they need what the port has not: {features}", "yellow")
    for result in report.of(DISPUTED):
        assert result.known is not None
        _line(out, f"{result.id}: {result.known.reason} ({result.known.link})", "cyan")
    for warning in report.warnings:
        _line(out, f"warning: {warning}", "yellow")
    for problem in report.problems:
        place = f"{problem.place}: " if problem.place else ""
        for line in f"{place}{problem.text}".splitlines():
            _line(out, line, "red")


def _summary(report: Report) -> str:
    total = report.total
    words = [f"{total[EQUAL]} of {total.total()} cases are equal"]
    words += [f"{total[each]} {each}" for each in VERDICTS[1:] if total[each]]
    if report.problems:
        words.append(
            "1 problem" if len(report.problems) == 1 else f"{len(report.problems)} problems"
        )
    name = report.hello.name if report.hello is not None else "the port"
    levels = ", ".join(report.detected)
    return f"{name}: {', '.join(words)}" + (f"; levels reached: {levels}" if levels else "")


def _line(out: Console, text: str, style: str = "") -> None:
    # A terminal wraps long lines by itself, and a file should keep them whole.
    out.print(Text(one_line(text), style), soft_wrap=True)
