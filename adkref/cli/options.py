# SPDX-License-Identifier: Apache-2.0
"""Options that several subcommands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def jobs(text: str) -> Decorator:
    """Return the option ``--jobs`` with its help."""
    return click.option(
        "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help=text
    )


def seconds(name: str, default: float, text: str) -> Decorator:
    """Return an option for a number of seconds with its help."""
    return click.option(
        name,
        type=click.FloatRange(min=0, min_open=True),
        default=default,
        show_default=True,
        help=text,
    )


def max_cases(name: str) -> Decorator:
    """Return the option that says how many failing cases are shown in full."""
    return click.option(
        name,
        type=click.IntRange(min=0),
        default=10,
        show_default=True,
        help="So many failing cases are shown in full.",
    )
