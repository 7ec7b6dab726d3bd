# SPDX-License-Identifier: Apache-2.0
"""``adkref driver``: the reference as a driver on standard input and output."""

from __future__ import annotations

import click

import adkref.conformance.driver
from adkref.conformance.driver import LIMIT


@click.command()
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Scenarios that are played at the same time; with several, answers come in any order.",
)
@click.option(
    "--limit",
    type=click.FloatRange(min=0, min_open=True),
    default=LIMIT,
    show_default=True,
    help="Seconds that a scenario may take; a slow machine may need more.",
)
def driver(jobs: int, limit: float) -> int:
    """Answer driver requests: one JSON line in, one JSON line out."""
    return adkref.conformance.driver.main(jobs, limit)
