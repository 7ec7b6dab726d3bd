# SPDX-License-Identifier: Apache-2.0
"""The report as Markdown: the matrix for a port's README, then what fails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from adkref.conformance.outcome import DIFFERENT, EQUAL, SKIPPED
from adkref.conformance.trial.report import Report
from adkref.conformance.trial.result import (
    DISPUTED,
    FLAKY,
    HARNESS_FAULT,
    KNOWN,
    PORT_FAULT,
    SCENARIO_FAULT,
    Result,
)

#: So many failing cases are listed.
_CASES = 50


def render(report: Report) -> str:
    """Return the report as Markdown."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    name = report.hello.name if report.hello else report.asked.command
    yield f"# adkref and {_cell(name)}"
    yield ""
    detected = report.detected
    yield f"Levels reached: {', '.join(detected) or 'none'}."
    yield ""
    yield from _table(
        ("level", "cases", "equal", "different", "faults", "known", "flaky", "disputed", "skipped", "reached"),
        (
            (
                level,
                tally.total(),
                tally[EQUAL],
                tally[DIFFERENT],
                sum(tally[each] for each in (PORT_FAULT, SCENARIO_FAULT, HARNESS_FAULT)),
                tally[KNOWN],
                tally[FLAKY],
                tally[DISPUTED],
                tally[SKIPPED],
                "yes" if level in detected else "no",
            )
            for level, tally in report.levels.items()
        ),
    )
    if report.problems:
        yield from ("", "## Problems", "")
        for problem in report.problems:
            place = f"`{problem.place}`: " if problem.place else ""
            yield f"- {place}{_cell(problem.text)}"
    if report.suspects:
        yield from ("", "## Rules that are most likely broken", "")
        yield from _table(
            ("rule", "failing", "of", "sentence"),
            (
                (each.rule, each.failing, each.showing, report.sentences.get(each.rule, ""))
                for each in report.suspects
            ),
        )
    failing = report.failing()
    if failing:
        yield from ("", "## Cases that fail", "")
        yield from _table(("case", "rule", "verdict", "where"), map(_row, failing[:_CASES]))
        if len(failing) > _CASES:
            yield from ("", f"{len(failing) - _CASES} more fail.")
    if known := report.of(KNOWN, FLAKY, DISPUTED):
        yield from ("", "## Known failures", "")
        yield from _table(
            ("case", "rule", "reason"),
            ((each.id, each.rule, _known(each)) for each in known),
        )
    if skips := report.skips:
        yield from ("", "## Skipped", "")
        yield from _table(("feature", "cases"), skips.most_common())


def _row(result: Result) -> Sequence[str]:
    where = result.difference.place() if result.difference is not None else result.reason
    verdict = result.fault or result.verdict
    return result.id, result.rule, verdict, where


def _known(result: Result) -> str:
    assert result.known is not None
    link = result.known.link
    return f"{result.known.reason} ([link]({link}))" if link else result.known.reason


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(_cell(str(each)) for each in row)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
