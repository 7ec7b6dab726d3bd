# SPDX-License-Identifier: Apache-2.0
"""Measure adkref beside google-adk and beside bare generators, and print the figures.

``make bench`` runs this in an environment of its own, which has google-adk in it.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click
from cases import CASES, GROWTH, GROWTH_CASE, SIDES
from figures import Run
from report import THEIRS, Results, as_json, show
from rich.console import Console
from rich.progress import track

MEASURE = Path(__file__).with_name("measure.py")
#: Seconds after which a run is given up.
LIMIT = 600
WIDTH = 150  # of the tables, where there is no terminal that has a width


class Failed(Exception):
    """A run did not come to its end."""


def measure(side: str, case: str) -> dict[str, Any]:
    """Run one case on one side in a fresh process; raises :class:`Failed`."""
    command = [sys.executable, str(MEASURE), side, case]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        raise Failed(f"{case} on {side}: gave up after {LIMIT} s") from None
    if done.returncode:
        last = (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[-1]
        raise Failed(f"{case} on {side}: {last}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def plan(names: Sequence[str], sides: Sequence[str], runs: int) -> Iterator[tuple[str, str]]:
    """Yield sides and cases in the order of measuring: case by case, A B C A B C ..."""
    for name in names:
        places = [GROWTH_CASE] if name == GROWTH_CASE else sides
        labels = [str(stored) for stored in GROWTH] if name == GROWTH_CASE else [name]
        for _ in range(runs):
            yield from ((side, label) for side in places for label in labels)


def measure_all(names: Sequence[str], runs: int) -> Results:
    """Measure the named cases."""
    versions, sides, failures = {"Python": platform.python_version()}, list(SIDES), []
    try:
        versions[THEIRS] = version(THEIRS)
    except PackageNotFoundError:
        sides.remove(THEIRS)
        failures.append(f"{THEIRS} is not installed here; `make bench` installs it")
    machine = this_machine()
    cases: dict[str, dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
    growth: dict[int, list[dict[str, float]]] = defaultdict(list)
    steps = list(plan(names, sides, runs))
    progress = Console(stderr=True)
    for side, case in track(steps, "measuring", console=progress, transient=True):
        try:
            found = measure(side, case)
        except Failed as failure:
            if str(failure) not in failures:
                failures.append(str(failure))
            continue
        if side == GROWTH_CASE:
            growth[int(case)].append(found)
        else:
            cases[case][side].append(Run(**found))
    return Results(machine, versions, runs, cases, growth, failures)


def this_machine() -> str:
    """Return what the figures depend on, with how busy it is at the moment."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors, "
        f"load average {load} at the start"
    )


NAMES = [*(case.name for case in CASES), GROWTH_CASE]


@click.command()
@click.option("--runs", type=click.IntRange(min=1), default=5, show_default=True, metavar="N")
@click.option("--case", "names", type=click.Choice(NAMES), multiple=True, help="Only this case.")
@click.option("--json", "machine_readable", is_flag=True, help="Print JSON with all runs.")
def main(runs: int, names: tuple[str, ...], machine_readable: bool) -> None:
    """Print medians of alternating runs, each in a process of its own.

    The exit status is 1 when a run failed, whatever the figures are.
    """
    results = measure_all([name for name in NAMES if not names or name in names], runs)
    if machine_readable:
        click.echo(json.dumps(as_json(results), ensure_ascii=False, indent=1))
    else:
        console = Console()
        if not console.is_terminal:
            console = Console(width=WIDTH)
        show(results, console)
    sys.exit(1 if results.failures else 0)


if __name__ == "__main__":
    main()
