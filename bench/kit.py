# SPDX-License-Identifier: Apache-2.0
"""Measure the kit: 3,000 cases put to the reference's own driver, with one process and with two.

A case is played by the driver, checked and compared by a judge; driver and judge take turns, so
two lanes should be nearly twice as fast as one where two cores are free.
"""

from __future__ import annotations

import itertools
import os
import shlex
import sys
import time
from pathlib import Path

import click

from adkref.conformance import corpus
from adkref.conformance.corpus import Case
from adkref.conformance.outcome import EQUAL, SKIPPED
from adkref.conformance.port import Limits
from adkref.conformance.trial.run import Options, put

GOLDEN = Path(__file__).parents[1] / "conformance" / "golden"
CASES = 3000
#: Seconds that 3,000 cases may take with two jobs.
AIM = 180
#: A case may take long on a machine that is busy otherwise.
PATIENT = 60


def cases(count: int) -> list[Case]:
    """Return so many golden cases, some of every group, in the order of play."""
    files = [corpus.read(file) for file in corpus.find(GOLDEN)]
    rounds = zip(*(itertools.islice(file, 400) for file in files), strict=False)
    return list(itertools.islice(itertools.chain.from_iterable(rounds), count))


def measure(chosen: list[Case], jobs: int) -> float:
    """Return the seconds that it takes to put the cases to the reference."""
    driver = [sys.executable, "-m", "adkref", "driver", "--limit", str(PATIENT)]
    begun = time.monotonic()
    run = put(shlex.join(driver), chosen, Options(jobs=jobs, limits=Limits(case=2 * PATIENT)))
    seconds = time.monotonic() - begun
    odd = [result.id for result in run.results if result.verdict not in (EQUAL, SKIPPED)]
    if run.fault is not None or odd:
        raise click.ClickException(f"not equal: {run.fault or odd[:5]}")
    return seconds


@click.command()
@click.option("--count", type=click.IntRange(min=1), default=CASES, show_default=True)
def main(count: int) -> None:
    """Print the figures."""
    chosen = cases(count)
    click.echo(f"{len(chosen)} cases put to adkref driver, {os.cpu_count()} cores")
    one, two = (measure(chosen, jobs) for jobs in (1, 2))
    for jobs, seconds in ((1, one), (2, two)):
        click.echo(f"  --jobs {jobs}  {seconds:7.1f} s  {len(chosen) / seconds:6.0f} cases/s")
    click.echo(f"  twice the jobs are {one / two:.2f} times as fast; the aim is under {AIM} s")


if __name__ == "__main__":
    main()
