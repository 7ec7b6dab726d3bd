# SPDX-License-Identifier: Apache-2.0
"""``adkref fuzz``: a port before scenarios that nobody has written down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from attrs import evolve
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from adkref.cli.common import BAD_INPUT, FAILURE, SUCCESS, console, print_json
from adkref.conformance import assumptions
from adkref.conformance.faults import ScenarioError
from adkref.conformance.fuzz.finding import Finding, finding_of, load
from adkref.conformance.fuzz.hunt import Catch, Plan, hunt, renumbered
from adkref.conformance.fuzz.rig import Options, Rig, Verdict
from adkref.conformance.narrate import one_line
from adkref.conformance.outcome import DIFFERENT, EQUAL, SKIPPED
from adkref.conformance.port import Limits
from adkref.conformance.scenario import Scenario
from adkref.conformance.trial import baseline as baselines
from adkref.conformance.trial.judging import BY_KIND, TEXT
from adkref.conformance.trial.result import PORT_FAULT

if TYPE_CHECKING:
    from types import ModuleType

#: The groups, named here so that --help needs no Hypothesis; a test holds them equal.
GROUPS: Final = (
    "agents",
    "flow",
    "parallel",
    "multitool",
    "history",
    "transfer",
    "confirm",
    "modes",
    "schema",
    "agenttool",
    "plugins",
    "runner",
    "mixed",
)
#: So many scenarios are played unless something else is asked for.
COUNT: Final = 260


@click.command()
@click.option("--port", "command", metavar="CMD", help="Starts the port's driver.")
@click.option(
    "--group",
    "groups",
    type=click.Choice(GROUPS),
    multiple=True,
    metavar="G",
    help="Only scenarios of this group; may be given several times.",
)
@click.option(
    "--count", type=click.IntRange(min=1), help=f"Play so many scenarios.  [default: {COUNT}]"
)
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="Play for so many seconds instead.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The same seed draws the same scenarios.",
)
@click.option(
    "--errors",
    type=click.Choice([TEXT, BY_KIND]),
    help=f"Compare errors by their text or only by their kind.  [default: {TEXT}]",
)
@click.option(
    "--baseline",
    type=click.Path(dir_okay=False),
    help="A port's baseline, for its assumptions and its error texts.",
)
@click.option(
    "--assume",
    "assumed",
    type=click.Choice(list(assumptions.ASSUMPTIONS)),
    multiple=True,
    metavar="NAME",
    help="Take a known divergence out of the way.",
)
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("findings"),
    show_default=True,
    help="Write each kind of failure to a file in this folder.",
)
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="End after so many kinds of failures.",
)
@click.option(
    "--limit",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    help="Seconds that the port has for a scenario.",
)
@click.option(
    "--shrink",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    help="Seconds for making one failure as small as it gets.",
)
@click.option(
    "--replay",
    "finding",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Play a failure from its file again, and say whether the port still differs.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what came of it as one JSON object.")
def fuzz(
    command: str | None,
    groups: tuple[str, ...],
    count: int | None,
    seconds: float | None,
    seed: int,
    errors: str | None,
    baseline: str | None,
    assumed: tuple[str, ...],
    folder: Path,
    most: int,
    limit: float,
    shrink: float,
    finding: str | None,
    as_json: bool,
) -> int:
    """Play random scenarios on a port and on the reference, and shrink what differs.

    Each kind of failure, told apart by how the traces part and where, is made as small as it
    gets and written to a file, which --replay takes.  The exit code is 0 if the port never
    differed, 1 if it did, and 2 if nothing was shown.
    """
    known = baselines.load(baseline) if baseline is not None else None
    options = Options(
        limits=Limits(case=limit),
        errors=errors or TEXT,
        kinds=known.kinds if known else {},
        assumptions=tuple(dict.fromkeys((*(known.assumptions if known else ()), *assumed))),
    )
    if finding is not None:
        return _replay(finding, command, options, errors, as_json=as_json)
    if command is None:
        raise click.UsageError("Missing option '--port': name the command that starts the port.")
    if count is not None and seconds is not None:
        raise click.UsageError("--count and --time exclude each other.")
    strategies = _strategies()
    drawn = renumbered(_drawn(strategies, groups or GROUPS, seed), seed)
    number = None if seconds is not None else count or COUNT
    out = console(stderr=as_json)
    plan = Plan(seconds=seconds, shrink=shrink, most=most)

    def found(new: Finding) -> None:
        file = new.save(folder)
        _print_finding(out, new, f"written to {file}")

    versions = {"strategies": strategies.VERSION, "hypothesis": strategies.HYPOTHESIS}
    with Rig(command, options) as rig, _progress(number) as heard:
        hello = rig.greet()
        _line(out, f"{hello.name} ({hello.language or 'no language'}), seed {seed}")
        catch = hunt(
            rig,
            islice(drawn, number),
            plan,
            heard=heard,
            found=found,
            known=versions.items(),
        )
    for each in catch.findings:
        # How often a failure was met is known only now.
        each.save(folder)
    _print_catch(out, catch)
    if as_json:
        print_json(_json(catch, seed))
    return catch.exit_code


def _strategies() -> ModuleType:
    """Return the strategies, which need Hypothesis."""
    try:
        import adkref.strategies
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise ScenarioError(str(error)) from error
    return adkref.strategies


def _drawn(
    strategies: ModuleType, groups: Sequence[str], seed: int
) -> Iterator[tuple[str, Scenario]]:
    """Yield scenarios of the groups in turn, without end."""
    examples = {
        group: strategies.samples(strategies.GROUPS[group](), seed * 1009 + at)
        for at, group in enumerate(GROUPS)
        if group in groups
    }
    for group in cycle(examples):
        yield group, next(examples[group])


# --- once more ----------------------------------------------------------------------------


def _replay(
    file: str, command: str | None, options: Options, errors: str | None, *, as_json: bool
) -> int:
    """Play a saved failure again."""
    old = load(file)
    command = command or old.command
    if not command:
        raise click.UsageError("Missing option '--port': the file names no command.")
    options = evolve(
        options,
        errors=errors or old.errors,
        assumptions=options.assumptions or old.assumptions,
    )
    with Rig(command, options) as rig:
        hello = rig.greet()
        verdict = rig.compare(old.scenario)
    out = console(stderr=as_json)
    _line(out, f"{hello.name} ({hello.language or 'no language'}), {old.id}")
    if verdict.signature is None:
        played = verdict.kind == EQUAL
        text = "no longer differs" if played else f"{verdict.kind}: {verdict.reason}"
        _line(out, text, "green" if played else "yellow")
        code = SUCCESS if played else BAD_INPUT
    else:
        new = finding_of(verdict, old.scenario, id=old.id)
        still = verdict.signature == old.signature
        _print_finding(out, new, "still differs" if still else f"was: {old.signature}")
        code = FAILURE
    if as_json:
        now = verdict.signature.to_json() if verdict.signature is not None else None
        print_json({"id": old.id, "before": old.signature.to_json(), "now": now})
    return code


# --- for a reader -------------------------------------------------------------------------


@contextmanager
def _progress(total: int | None) -> Iterator[Callable[[Verdict], None]]:
    """Yield what is to be called with each verdict; on a terminal it moves a bar."""
    out = console(stderr=True)
    if not out.is_terminal:
        yield lambda verdict: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task("playing", total=total)
        failing = 0

        def heard(verdict: Verdict) -> None:
            nonlocal failing
            failing += verdict.is_failing
            words = f"{failing} failing" if failing else "playing"
            bar.update(task, advance=1, description=escape(words))

        yield heard


def _print_finding(out: Console, finding: Finding, where: str) -> None:
    _line(out, f"{finding.id}: {finding.signature}", "bold red")
    if rules := finding.rules:
        _line(out, f"  rules to read: {', '.join(rules)}")
    for line in finding.lines():
        sign = line.lstrip()[:1]
        _line(out, line, {"-": "green", "+": "red"}.get(sign, ""))
    _line(out, f"  {where}", "dim")
    out.print()


def _print_catch(out: Console, catch: Catch) -> None:
    table = Table(box=box.SIMPLE, show_footer=True, pad_edge=False)
    total = catch.total
    table.add_column("group", "all", no_wrap=True)
    shown = [kind for kind in (EQUAL, DIFFERENT, PORT_FAULT, SKIPPED) if total[kind]]
    shown += [kind for kind in total if kind not in shown]
    table.add_column("scenarios", str(total.total()), justify="right")
    for kind in shown:
        table.add_column(kind, str(total[kind]), justify="right")
    for group, tally in catch.tallies.items():
        table.add_row(group, str(tally.total()), *(str(tally[kind]) for kind in shown))
    out.print(table)
    for feature, number in catch.skips.most_common():
        _line(out, f"skipped for {feature}: {number}", "yellow")
    if catch.accepted:
        _line(out, f"equal by a second opinion, as the order is open: {catch.accepted}")
    if catch.undecided:
        _line(out, f"without a second opinion, which took too long: {catch.undecided}", "yellow")
    for trouble in catch.troubles[:5]:
        _line(out, trouble, "yellow")
    kinds = len(catch.findings)
    words = "1 kind of failure" if kinds == 1 else f"{kinds} kinds of failures"
    ended = f"; ended as {catch.ended}" if catch.ended else ""
    style = "red" if kinds else "green"
    _line(out, f"{words} in {catch.played} scenarios, {catch.seconds:.1f} s{ended}", style)


def _json(catch: Catch, seed: int) -> dict[str, Any]:
    return {
        "port": catch.hello.to_json() if catch.hello is not None else None,
        "seed": seed,
        "groups": {group: dict(tally) for group, tally in catch.tallies.items()},
        "skips": dict(catch.skips),
        "accepted": catch.accepted,
        "undecided": catch.undecided,
        "troubles": catch.troubles,
        "ended": catch.ended,
        "seconds": round(catch.seconds, 3),
        "findings": [
            {
                "id": each.id,
                **each.signature.to_json(),
                "met": each.met,
                "steady": each.is_steady,
                "scenario": each.scenario,
            }
            for each in catch.findings
        ],
        "exit_code": catch.exit_code,
    }


def _line(out: Console, text: str, style: str = "") -> None:
    out.print(Text(one_line(text), style), soft_wrap=True)
