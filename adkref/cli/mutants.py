# SPDX-License-Identifier: Apache-2.0
"""``adkref mutants``: small wrong ports, and which case of which rule gives each away."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from adkref.cli import options
from adkref.cli.common import (
    FAILURE,
    SUCCESS,
    conformance_root,
    console,
    print_json,
    project_files,
    write_whole,
)
from adkref.cli.progress import progress
from adkref.conformance.faults import ScenarioError
from adkref.conformance.mutants import killed, registry
from adkref.conformance.mutants.hunt import LIMIT, Depth, Kill, Verdict, hunt_all
from adkref.conformance.mutants.killed import Killed
from adkref.conformance.mutants.registry import FOLDER, Mutant
from adkref.conformance.narrate import one_line


@click.command()
@click.argument("names", metavar="[ID|RULE|FAMILY]...", nargs=-1)
@options.jobs("Mutants that are hunted at the same time.")
@click.option("--json", "as_json", is_flag=True, help="Print the matrix as one JSON object.")
@click.option(
    "--markdown",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the matrix to a file, a row for each mutant and rule.",
)
@click.option(
    "--kept",
    "depth",
    flag_value=Depth.KEPT.value,
    help="Play the cases that are kept as killing, and others only if they kill no more.",
)
@click.option(
    "--rules",
    "depth",
    flag_value=Depth.RULES.value,
    help="Look for a killing case of each rule that a mutant breaks.",
)
@click.option(
    "--full",
    "depth",
    flag_value=Depth.FULL.value,
    help="Play every case against each mutant and count those that kill it.",
)
@click.option("--write", is_flag=True, help="Like --rules, and keep what comes of it.")
@options.seconds("--limit", LIMIT, "Seconds that a case may take; a slow machine may need more.")
def mutants(
    names: tuple[str, ...],
    jobs: int,
    as_json: bool,
    markdown: Path | None,
    depth: str | None,
    write: bool,
    limit: float,
) -> int:
    """Play the project's cases against mutants until each is killed.

    A mutant is the reference with one behaviour that is wrong.  Those are meant that are named,
    by id, by a rule that they break or by family; without a name it is all of them.  The cases
    of a mutant's rules come first, and the first case that tells the mutant from the reference
    kills it.  The exit code is 1 if a mutant survives, or if a rule has lost its mutant.
    """
    root = _root()
    wanted = registry.load(root).named(names)
    if write and names:
        raise click.UsageError("--write is for all mutants, so none can be named")
    how_far = Depth(depth or (Depth.RULES if write else Depth.FIRST).value)
    if write and how_far in (Depth.FIRST, Depth.KEPT):
        how_far = Depth.RULES
    kept = killed.load(root)
    started = time.monotonic()
    with progress((), is_whole=False) as moved:
        verdicts = hunt_all(
            wanted,
            project_files(),
            jobs=jobs,
            depth=how_far,
            limit=limit,
            heard=lambda verdict: moved(verdict.mutant.id, not verdict.killed),
            kept=kept.cases,
        )
    seconds = time.monotonic() - started
    lost = kept.lost(Killed.of(verdicts)) if not names and how_far is not Depth.FIRST else []
    if write and all(verdict.killed for verdict in verdicts):
        kept, lost = killed.write(root, verdicts), []
    survivors = [verdict for verdict in verdicts if not verdict.killed]
    code = FAILURE if survivors or lost else SUCCESS
    if markdown is not None:
        write_whole(markdown, _markdown(verdicts, how_far))
    if as_json:
        print_json(
            {
                "mutants": [verdict.to_json() for verdict in verdicts],
                "survivors": [verdict.mutant.id for verdict in survivors],
                "rules": {rule: list(found) for rule, found in kept.killers.items()},
                "floor": kept.floor,
                "lost": lost,
                "seconds": round(seconds, 1),
                "exit_code": code,
            }
        )
    else:
        _print(console(), verdicts, how_far)
        _print_end(console(), verdicts, kept, lost, seconds)
    return code


def the_mutant(identity: str) -> Mutant:
    """Return one mutant of the project; its snippet fits, or ConformanceError says why not."""
    known = registry.load(_root())
    if identity not in known:
        known.named([identity])  # says what comes close
        raise ScenarioError(f"{identity!r} names no single mutant")
    known[identity].check()
    return known[identity]


def _root() -> Path:
    root = conformance_root()
    if root is None or not (root / FOLDER).is_dir():
        raise ScenarioError(
            f"no mutants here: there is no conformance/{FOLDER} from the current directory upward"
        )
    return root


# --- the matrix -------------------------------------------------------------------------------


def _print(out: Console, verdicts: Sequence[Verdict], depth: Depth) -> None:
    """Print the matrix, a line for each cell, in columns that a search can rely on."""
    rows = [(verdict, rule, kill) for verdict in verdicts for rule, kill in _cells(verdict, depth)]
    wide = max(len(verdict.mutant.id) for verdict in verdicts)
    # The rules of a first kill stand together, and few have several.
    rules = max(len(rule.partition(" ")[0]) for _, rule, _ in rows)
    for verdict, rule, kill in rows:
        words = f"{kill.case}: {kill.words()}" if kill is not None else "nothing"
        if depth is Depth.FULL:
            words = f"{_count(verdict, rule):4} cases, {words}"
        style = "" if kill is not None else "yellow" if verdict.killed else "red"
        _line(out, f"{verdict.mutant.id:<{wide}}  {rule:<{rules}}  {words}", style)


def _markdown(verdicts: Sequence[Verdict], depth: Depth) -> str:
    """Return the matrix as a table of Markdown."""
    lines = ["| mutant | rule | case | difference |", "| --- | --- | --- | --- |"]
    for verdict in verdicts:
        for rule, kill in _cells(verdict, depth):
            shown = ("nothing", "") if kill is None else (kill.case, kill.words())
            cells = (verdict.mutant.id, rule, *shown)
            lines.append(
                f"| {' | '.join(one_line(cell).replace('|', '&#124;') for cell in cells)} |"
            )
    return "\n".join(lines) + "\n"


def _cells(verdict: Verdict, depth: Depth) -> list[tuple[str, Kill | None]]:
    """Return the lines of a mutant: one at the depth of the first kill, else one a rule."""
    first = verdict.kills[0] if verdict.kills else None
    if depth is Depth.FIRST or first is None:
        shown = first.rules if first is not None else verdict.mutant.rules
        return [(" ".join(shown) or "none of its own", first)]
    lines: list[tuple[str, Kill | None]] = [
        (rule, next((kill for kill in verdict.kills if rule in kill.rules), None))
        for rule in verdict.mutant.rules
    ]
    if all(kill is None for _, kill in lines):
        lines.append(("none of its own", first))
    return lines


def _count(verdict: Verdict, rule: str) -> int:
    cases = verdict.by_rule.get(rule)
    return len(verdict.kills) if cases is None else len(cases)


def _print_end(
    out: Console, verdicts: Sequence[Verdict], kept: Killed, lost: Sequence[str], seconds: float
) -> None:
    out.print(_families(verdicts))
    for verdict in verdicts:
        if not verdict.killed:
            _line(out, f"{verdict.mutant.id} survives: {verdict.mutant.title}", "red")
        if verdict.void:
            few = ", ".join(verdict.void[:3])
            _line(
                out,
                f"{verdict.mutant.id}: {len(verdict.void)} kills count for nothing, because the "
                f"reference does not play these cases as it should in time: {few}",
                "yellow",
            )
    for each in lost:
        _line(out, each, "red")
    dead = sum(verdict.killed for verdict in verdicts)
    _line(out, f"{dead} of {len(verdicts)} mutants are killed, in {seconds:.0f} s")
    _line(
        out,
        f"{len(kept.rules)} rules have a mutant that a case of theirs kills; "
        f"the number may not fall below {kept.floor}",
    )


def _families(verdicts: Sequence[Verdict]) -> Table:
    counts: dict[str, list[int]] = {}
    for verdict in verdicts:
        count = counts.setdefault(verdict.mutant.family, [0, 0, 0])
        count[0] += 1
        count[1] += verdict.killed
        count[2] += any(verdict.by_rule.values())
    table = Table(box=box.SIMPLE_HEAD, show_footer=True)
    table.add_column("family", "all", no_wrap=True)
    for place, name in enumerate(("mutants", "killed", "by a case of their rules")):
        total = sum(count[place] for count in counts.values())
        table.add_column(name, str(total), justify="right")
    for family, count in counts.items():
        table.add_row(Text(family), *map(str, count))
    return table


def _line(out: Console, text: str, style: str = "") -> None:
    out.print(Text(one_line(text), style), soft_wrap=True)
