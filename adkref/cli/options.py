# SPDX-License-Identifier: Apache-2.0
"""Options that several subcommands have."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


#: More seconds than this are more milliseconds than the system can wait for.
_LONGEST: Final = 1_000_000


class _Seconds(click.FloatRange):
    """A number of seconds that one can wait for."""

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True, max=_LONGEST)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number; NaN, which is in no range and fails no comparison, is refused."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is no number of seconds.", param, ctx)
        return number


def jobs(text: str) -> Decorator:
    """Return the option ``--jobs`` with its help."""
    return click.option(
        "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help=text
    )


def seconds(name: str, default: float, text: str) -> Decorator:
    """Return an option for a number of seconds with its help."""
    return click.option(
        name,
        type=_Seconds(),
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
