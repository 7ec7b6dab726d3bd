# SPDX-License-Identifier: Apache-2.0
"""A short form of the parallel agent's stress (PAR-020 to PAR-064)."""

import pytest
from parallel_stress import Plan, stress


@pytest.mark.stress
def test_many_runs():
    """No run hangs, leaks a thread, or loses, repeats or invents an event (PAR-024, PAR-043, PAR-061)."""
    figures = stress(400, seed=1_000_000)
    assert figures.runs == 400
    assert figures.threads_left == 0
    # The seeds reach every way to end.
    assert min(figures.stopped, figures.cancelled, figures.failed, figures.complete) > 20


def test_a_plan_belongs_to_its_seed():
    """A failure is told by its seed, and can be run again."""
    assert Plan.draw(7) == Plan.draw(7)
    assert Plan.draw(7) != Plan.draw(8)
