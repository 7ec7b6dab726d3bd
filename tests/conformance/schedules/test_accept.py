# SPDX-License-Identifier: Apache-2.0
"""Accepting any legal order, and no other."""

from __future__ import annotations

import copy
import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

import adkref.conformance.corpus as corpora
from adkref.conformance.player import play
from adkref.conformance.scenario import skip_reason
from adkref.conformance.schedules import replay
from adkref.conformance.schedules.accept import Accepted, Refused, accept
from adkref.conformance.schedules.explore import explore
from tests.conformance.schedules.test_explore import FOLDER, observed
from tests.conformance.schedules.test_hub import lanes

CONFORMANCE = FOLDER.parent
SCENARIO = json.loads((FOLDER / "two-lanes.json").read_text())


def test_every_trace_of_adk_go_is_accepted_with_a_schedule_that_gives_it() -> None:
    """Each of the 518 traces is accepted, and a replay of its schedule is that trace."""
    for number, trace in enumerate(observed()):
        verdict = accept(SCENARIO, {"trace": trace})
        assert isinstance(verdict, Accepted)
        if number % 10:
            continue
        schedule = " ".join(map(str, verdict.schedule))
        assert replay(SCENARIO, schedule).answer["trace"] == trace


@pytest.mark.parametrize("count", [90, pytest.param(500, marks=pytest.mark.slow)])
def test_mutated_traces_are_judged_as_exploring_judges_them(count: int) -> None:
    """With records swapped, dropped or doubled, a trace passes only if a schedule gives it."""
    chance = random.Random(5)
    traces = observed()
    everything = explore(SCENARIO)
    refused = 0
    for number in range(count):
        trace = copy.deepcopy(chance.choice(traces))
        one, other = sorted(chance.sample(range(len(trace)), 2))
        match number % 3:
            case 0:
                trace[one], trace[other] = trace[other], trace[one]
            case 1:
                del trace[one]
            case _:
                trace.insert(other, copy.deepcopy(trace[one]))
        verdict = accept(SCENARIO, {"trace": trace})
        assert isinstance(verdict, Accepted) == everything.holds(trace)
        if isinstance(verdict, Refused):
            assert verdict.certain
            refused += 1
    assert refused > 0.9 * count


def test_a_refusal_names_the_first_impossible_record_and_what_was_possible() -> None:
    """Yielding before storing is refused at the yield; storing was possible there."""
    answer = play(lanes(1))
    trace = copy.deepcopy(answer["trace"])
    place = next(i for i, r in enumerate(trace) if r["at"] == "append" and i > 1)
    del trace[place]
    verdict = accept(lanes(1), {"trace": trace})
    assert isinstance(verdict, Refused)
    assert (verdict.at, verdict.record) == (place, trace[place])
    assert verdict.possible == [answer["trace"][place]]
    assert verdict.prefix == trace[: place + 1]


def test_a_trace_that_ends_too_soon_is_refused() -> None:
    """Records that are missing at the end are told as the possible ones."""
    answer = play(lanes(1))
    verdict = accept(lanes(1), {"trace": answer["trace"][:-1]})
    assert isinstance(verdict, Refused)
    assert (verdict.at, verdict.record) == (len(answer["trace"]) - 1, None)
    assert verdict.possible == [{"at": "end"}]


def test_a_wrong_final_state_is_refused() -> None:
    """A legal order with another final state is refused with the right state."""
    answer = play(lanes(1))
    wrong = {"trace": answer["trace"], "final": {"state": {}, "events": 7}}
    verdict = accept(lanes(1), wrong)
    assert isinstance(verdict, Refused)
    assert verdict.final == answer["final"]


def test_a_search_without_time_is_not_certain() -> None:
    """A refusal by a search that met its limit says that it is not certain."""
    answer = play(lanes(3, 2))
    trace = [r for r in answer["trace"] if r["at"] != "end"]
    verdict = accept(lanes(3, 2), {"trace": trace}, seconds=-1.0)
    assert isinstance(verdict, Refused)
    assert not verdict.certain


def test_a_long_trace_of_threads_is_accepted_without_a_way_back() -> None:
    """What four lanes of threads did with 25 events each is followed in a few runs."""
    scenario = lanes(4, 25)
    verdict = accept(scenario, play(scenario))
    assert isinstance(verdict, Accepted)
    assert verdict.runs < 5


def sampled(corpus: str, step: int) -> list[corpora.Case]:
    """Return every *step*-th case of a corpus whose order may vary."""
    cases = [
        case
        for case in corpora.read(CONFORMANCE / corpus)
        if case.scenario.get("ordering") == "lanes"
        and not skip_reason(case.scenario)
        and len(case.trace or ()) < 400
    ]
    return cases[::step]


@pytest.mark.parametrize(
    "corpus",
    ["parallel", "multitool", "flow", "confirm", "agenttool", "mixed"],
)
def test_golden_traces_of_varying_order_are_accepted(corpus: str) -> None:
    """What ADK-Go did with lanes, concurrent tools and partial events is legal here."""
    for case in sampled(f"golden/{corpus}.jsonl.gz", 16):
        verdict = accept(case.scenario, {"trace": case.trace, "final": case.final})
        assert isinstance(verdict, Accepted), case.id


def test_lane_cases_of_the_hand_written_corpora_are_accepted() -> None:
    """Every hand-written case of varying order is a legal order of its scenario."""
    for file in sorted((CONFORMANCE / "cases").glob("*.jsonl")):
        for case in sampled(f"cases/{file.name}", 1):
            verdict = accept(case.scenario, {"trace": case.trace, "final": case.final})
            assert isinstance(verdict, Accepted), case.id


def test_traces_read_from_a_file_are_plain_json(tmp_path: Path) -> None:
    """A trace that went through JSON is judged like the one that was played."""
    scenario: dict[str, Any] = lanes(2)
    path = tmp_path / "trace.json.gz"
    path.write_bytes(gzip.compress(json.dumps(play(scenario)).encode()))
    read = json.loads(gzip.decompress(path.read_bytes()))
    assert isinstance(accept(scenario, read), Accepted)
