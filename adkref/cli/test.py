# SPDX-License-Identifier: Apache-2.0
"""``adkref test``: a port before the cases, and what it does differently."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import click
from attrs import evolve
from rich.console import Console
from rich.text import Text

import adkref.conformance.corpus as corpora
from adkref.cli import options as option
from adkref.cli.common import (
    check_writable,
    conformance_root,
    console,
    project_files,
    write_whole,
)
from adkref.cli.progress import progress
from adkref.conformance import assumptions, levels, reports
from adkref.conformance.driver import version
from adkref.conformance.faults import ScenarioError
from adkref.conformance.port import Limits
from adkref.conformance.protocol import Hello
from adkref.conformance.reports.terminal import live_line, print_report
from adkref.conformance.rules import manifest, registry
from adkref.conformance.rules.manifest import Dispute
from adkref.conformance.trial import baseline as baselines
from adkref.conformance.trial import disputes
from adkref.conformance.trial.baseline import Baseline
from adkref.conformance.trial.judging import BY_KIND, TEXT
from adkref.conformance.trial.report import Asked, Report, conclude
from adkref.conformance.trial.result import Result
from adkref.conformance.trial.run import Options, put
from adkref.conformance.verify import Corpus

#: So many failing cases are told of while the others are played.
_LIVE = 20


class _ReportFile(click.ParamType):
    """``FORMAT=FILE``."""

    name = "FORMAT=FILE"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Path]:
        """Return form and file."""
        form, _, file = value.partition("=")
        if form not in reports.FORMATS or not file:
            forms = ", ".join(reports.FORMATS)
            self.fail(f"{value!r} is no FORMAT=FILE with one of the formats {forms}", param, ctx)
        return form, Path(file)


@click.command()
@click.argument("corpus", metavar="[CORPUS]...", nargs=-1)
@click.option("--port", "command", metavar="CMD", required=True, help="Starts the port's driver.")
@click.option(
    "--level",
    "chosen_levels",
    type=click.Choice(levels.NAMES),
    multiple=True,
    help="Only cases of this level; may be given several times.",
)
@click.option(
    "--rule",
    "rules",
    metavar="ID",
    multiple=True,
    help="Only cases that show this rule or family.",
)
@click.option(
    "--case",
    "cases",
    metavar="ID",
    multiple=True,
    help="Only this case; stars stand for anything.",
)
@click.option(
    "--baseline",
    type=click.Path(dir_okay=False),
    help="A YAML file with the failures that are known.",
)
@click.option(
    "--assume",
    "assumed",
    type=click.Choice(list(assumptions.ASSUMPTIONS)),
    multiple=True,
    metavar="NAME",
    help="Take a known divergence out of the way; the baseline may name some as well.",
)
@option.jobs("Processes of the port that play at the same time.")
@click.option(
    "--errors",
    type=click.Choice([TEXT, BY_KIND]),
    default=TEXT,
    show_default=True,
    help="Compare errors by their text or only by their kind.",
)
@click.option(
    "--report",
    "files",
    type=_ReportFile(),
    multiple=True,
    help=f"Write a report as well: {', '.join(reports.FORMATS)}.",
)
@option.max_cases("--max-cases")
@option.seconds("--limit", Limits().case, "Seconds that the port has for a case.")
@option.seconds("--start-limit", Limits().start, "Seconds that it has for its reply to hello.")
def test(
    corpus: tuple[str, ...],
    command: str,
    chosen_levels: tuple[str, ...],
    rules: tuple[str, ...],
    cases: tuple[str, ...],
    baseline: str | None,
    assumed: tuple[str, ...],
    jobs: int,
    errors: str,
    files: tuple[tuple[str, Path], ...],
    max_cases: int,
    limit: float,
    start_limit: float,
) -> int:
    """Put cases to a port and tell what it does differently, and which rule that breaks.

    CORPUS is a .jsonl or .jsonl.gz file or a folder of such files; without any, all corpora of
    the project are used.  The exit code is 0 if every case that the port plays is equal or known
    to the baseline, 1 if one is not, if the port does not start or if the baseline is stale, and
    2 if nothing was shown or a case or the kit itself is at fault.
    """
    named = tuple(Corpus.of(each) for each in corpus)
    found = [file for each in named for file in each.files] or project_files()
    known = baselines.load(baseline) if baseline is not None else None
    asked = Asked(
        command=command,
        files=tuple(map(str, found)),
        named=named,
        levels=chosen_levels,
        rules=tuple(rule.upper() for rule in rules),
        cases=cases,
        errors=errors,
        baseline=baseline or "",
        assumptions=tuple(dict.fromkeys((*(known.assumptions if known else ()), *assumed))),
        jobs=jobs,
        limit=limit,
    )
    options = Options(
        jobs=jobs,
        limits=Limits(start=start_limit, case=limit),
        errors=errors,
        kinds=known.kinds if known else {},
        assumptions=asked.assumptions,
        keep=any(form == "html" for form, _ in files),
    )
    for _, file in files:
        check_writable(file)
    out = console()
    report = _tested(out, found, asked, options, known)
    print_report(out, report, max_cases)
    for form, file in files:
        write_whole(file, reports.render(form, report))
    return report.exit_code


def _tested(
    out: Console,
    found: Sequence[Path],
    asked: Asked,
    options: Options,
    known: Baseline | None,
) -> Report:
    """Run the trial, telling of failing cases as they come."""
    chosen = (case for case in corpora.read_all(found) if asked.chooses(case))
    begun, clock = datetime.now(UTC), time.monotonic()
    told = 0
    disputed = _disputed()
    with progress(found, is_whole=asked.is_whole) as moved:

        def heard(result: Result) -> None:
            nonlocal told
            moved(result.file, result.is_failing)
            if result.is_failing and not _is_known(known, disputed, result):
                told += 1
                if told <= _LIVE:
                    _say(out, live_line(result), "red")
                elif told == _LIVE + 1:
                    _say(out, "more cases fail, which are told of at the end", "dim")

        run = put(
            asked.command,
            chosen,
            options,
            greeted=lambda hello: _say(out, f"{hello.name} ({hello.language or 'no language'})"),
            heard=heard,
        )
    if told:
        out.print()
    report = conclude(asked, run, known, _sentence_of, disputed)
    return evolve(
        report,
        warnings=[*report.warnings, *_odd_choices(run.hello)],
        kit=f"adkref {version()}",
        started=begun.isoformat(timespec="seconds"),
        seconds=time.monotonic() - clock,
    )


def _disputed() -> dict[str, Dispute]:
    root = conformance_root()
    return manifest.disputes(root / "rules") if root is not None else {}


def _is_known(known: Baseline | None, disputed: Mapping[str, Dispute], result: Result) -> bool:
    found = [result] if known is None else baselines.applied(known, [result])
    return disputes.applied(disputed, found)[0].known is not None


def _registry() -> registry.Registry | None:
    """Return the rules; away from the repository there are none, and ids have to say enough."""
    root = conformance_root()
    return _registry_of(root / "rules") if root is not None else None


@cache
def _registry_of(folder: Path) -> registry.Registry | None:
    try:
        return registry.load(folder)
    except ScenarioError:
        return None


def _sentence_of(rule: str) -> str:
    """Return what a rule says, and where ADK-Go has it."""
    known = _registry()
    if known is None or rule not in known:
        return ""
    source = "; ".join(known[rule].source)
    return f"{known[rule].sentence} [{source}]" if source else known[rule].sentence


def _odd_choices(hello: Hello | None) -> list[str]:
    """Return a warning for each choice that a port declares for a rule that is none."""
    if hello is None or not hello.choices or (known := _registry()) is None:
        return []
    return [
        f"the port declares a choice for {rule}, which is no rule"
        for rule in hello.choices
        if rule not in known
    ]


def _say(out: Console, text: str, style: str = "") -> None:
    out.print(Text(text, style), soft_wrap=True)
