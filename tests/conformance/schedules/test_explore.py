# SPDX-License-Identifier: Apache-2.0
"""Exploring every schedule."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adkref.conformance.player import play
from adkref.conformance.schedules.explore import Exploration, explore
from adkref.conformance.schedules.invariants import INVARIANTS
from adkref.conformance.trace import Record
from tests.conformance.schedules.test_hub import lanes

FOLDER = Path(__file__).parents[3] / "conformance" / "explore"


def observed() -> list[list[Record]]:
    """Return the distinct traces that many runs of ADK-Go gave."""
    with gzip.open(FOLDER / "two-lanes.traces.jsonl.gz", "rt") as file:
        return [json.loads(line)["trace"] for line in file]


@pytest.fixture(scope="module")
def two_lanes() -> Exploration:
    """The two-lane scenario, explored without a bound."""
    scenario = json.loads((FOLDER / "two-lanes.json").read_text())
    return explore(scenario, invariants=INVARIANTS)


def test_every_trace_that_adk_go_gave_is_found(two_lanes: Exploration) -> None:
    """All 518 distinct traces of 12,000 runs of ADK-Go are among those found (PAR-024)."""
    traces = observed()
    assert len(traces) == 518
    assert [trace for trace in traces if not two_lanes.holds(trace)] == []


def test_exploring_is_complete_and_without_violations(two_lanes: Exploration) -> None:
    """Without a bound every schedule is covered, and the invariants hold under all."""
    assert (two_lanes.complete, two_lanes.violations) == (True, [])
    assert two_lanes.distinct() == len({json.dumps(trace) for trace in two_lanes.traces()})


def test_a_trace_in_the_wrong_order_is_not_held(two_lanes: Exploration) -> None:
    """An event that is yielded before it was stored is no trace of the scenario."""
    trace = observed()[0]
    place = next(i for i, record in enumerate(trace) if record["at"] == "yield")
    trace[place - 1], trace[place] = trace[place], trace[place - 1]
    assert not two_lanes.holds(trace)


def test_a_bound_gives_fewer_traces_and_each_is_among_the_others() -> None:
    """Traces with fewer preemptions are a part of those with more."""
    scenario = lanes(2)
    found = [{json.dumps(t) for t in explore(scenario, bound=n).traces()} for n in (0, 1, 2)]
    everything = {json.dumps(trace) for trace in explore(scenario).traces()}
    assert 0 < len(found[0]) < len(found[1]) < len(found[2]) <= len(everything)
    assert found[0] < found[1] < found[2] <= everything


def test_a_scenario_without_lanes_has_one_trace() -> None:
    """Where nothing runs side by side there is one trace: the one that is played."""
    scenario = lanes(1)
    scenario["agent"] = scenario["agent"]["sub_agents"][0]
    found = explore(scenario)
    assert list(found.traces()) == [play(scenario)["trace"]]
    assert found.distinct() == 1


def test_time_that_is_up_makes_the_result_incomplete() -> None:
    """A search that met its time limit says so."""
    assert not explore(lanes(4, 3), seconds=0.0).complete


def test_a_violated_invariant_comes_with_its_schedule() -> None:
    """An invariant that does not hold is reported with a schedule that shows it."""

    def no_end(trace: list[dict[str, Any]]) -> Iterator[str]:
        if trace[-1]["at"] == "end":
            yield "it ends"

    found = explore(lanes(1), invariants=(no_end,))
    assert {violation.what for violation in found.violations} == {"it ends"}
    assert found.violations[0].schedule.startswith("main> main.")
