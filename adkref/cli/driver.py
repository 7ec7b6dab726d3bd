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
def driver(jobs: int, limit: float) -> int:
    """Answer driver requests: one JSON line in, one JSON line out."""
    return adkref.conformance.driver.main(jobs, limit)
