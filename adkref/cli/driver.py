# SPDX-License-Identifier: Apache-2.0
"""``adkref driver``: the reference as a driver on standard input and output."""

from __future__ import annotations

import click

import adkref.conformance.driver
from adkref.cli import options
from adkref.conformance.driver import LIMIT


@click.command()
@options.jobs(
    "Scenarios that are played at the same time; with several, answers come in any order."
)
@options.seconds(
    "--limit", LIMIT, "Seconds that a scenario may take; a slow machine may need more."
)
@click.option("--mutant", metavar="ID", help="Be wrong in one way, as that mutant is.")
def driver(jobs: int, limit: float, mutant: str | None) -> int:
    """Answer driver requests: one JSON line in, one JSON line out."""
    if mutant is None:
        return adkref.conformance.driver.main(jobs, limit)
    # Few drivers are wrong, and all of them start often.
    from adkref.cli.mutants import the_mutant
    from adkref.conformance.mutants.worker import function_of

    wrong = the_mutant(mutant)
    return adkref.conformance.driver.main(
        jobs,
        limit,
        play=function_of("play", wrong.graft),
        implementation=f"adkref, mutant {wrong.id}",
    )
