# SPDX-License-Identifier: Apache-2.0
"""``adkref driver``: the reference as a driver on standard input and output."""

from __future__ import annotations

import click

import adkref.conformance.driver


@click.command()
def driver() -> int:
    """Answer driver requests: one JSON line in, one JSON line out."""
    return adkref.conformance.driver.main()
