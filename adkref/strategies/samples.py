# SPDX-License-Identifier: Apache-2.0
"""Many examples of a strategy, without a test: what ``adkref fuzz`` plays."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count as numbers
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

#: So many examples are drawn at a time; a batch is what Hypothesis gives before the first.
BATCH: Final = 25


def samples(strategy: SearchStrategy[Any], start: int) -> Iterator[Any]:
    """Yield examples of *strategy* without end; the same *start* gives the same examples."""
    for batch in numbers():
        yield from _batch(strategy, start * 1_000_003 + batch)


def _batch(strategy: SearchStrategy[Any], start: int) -> list[Any]:
    drawn: list[Any] = []

    @seed(start)
    @settings(
        max_examples=BATCH,
        phases=[Phase.generate],
        # Neither a clock nor what was found on earlier days may change what a seed draws.
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(example: Any) -> None:
        drawn.append(example)

    collect()
    return drawn
