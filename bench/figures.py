# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the benchmarks: runs to figures, figures to ratios, both to words.

Nothing here measures, and nothing here knows what is measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from attrs import frozen


@frozen
class Run:
    """One measured run: how many events the consumer was given, and how long it took."""

    events: int
    seconds: float


@frozen
class Unit:
    """What a run's time is told in."""

    label: str
    per_event: bool
    per_second: float

    def of(self, run: Run) -> float:
        """Return the figure of one run; without events, a time per event is not a number."""
        if not self.per_event:
            return run.seconds * self.per_second
        return run.seconds * self.per_second / run.events if run.events else math.nan


PER_EVENT = Unit("µs per event", per_event=True, per_second=1e6)
WHOLE_TURN = Unit("ms per turn", per_event=False, per_second=1e3)


def figure(unit: Unit, runs: Sequence[Run]) -> float | None:
    """Return the median of the runs' figures, None without runs."""
    return median(unit.of(run) for run in runs) if runs else None


def spread(unit: Unit, runs: Sequence[Run]) -> tuple[float, float] | None:
    """Return the least and the greatest figure, None without runs."""
    figures = [unit.of(run) for run in runs]
    return (min(figures), max(figures)) if figures else None


def ratio(ours: float | None, theirs: float | None) -> float | None:
    """Return *ours* divided by *theirs*, None where either is missing or theirs is zero."""
    return ours / theirs if ours is not None and theirs else None


def spell(value: float | None) -> str:
    """Return three significant digits, or all digits before the point; a dash for None."""
    if value is None:
        return "–"
    if not value:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}"


def spell_ratio(value: float | None) -> str:
    """Return a ratio as people say it: ``1/60`` below one, ``×1.3`` from one on."""
    if not value:
        return "–"
    return f"1/{spell_factor(1 / value)}" if value < 1 else f"×{spell_factor(value)}"


def spell_factor(value: float) -> str:
    """Return a factor: one decimal below ten, none from ten on."""
    return f"{value:.1f}" if value < 9.95 else f"{value:,.0f}"
