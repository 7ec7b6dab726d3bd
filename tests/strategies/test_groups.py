# SPDX-License-Identifier: Apache-2.0
"""Tests of whole scenarios by group: valid, ending, with one canonical trace, small when shrunk."""

from __future__ import annotations

import json
import random
from itertools import islice

import pytest
from hypothesis import HealthCheck, Phase, find, settings

from adkref.conformance.canonical import canonical
from adkref.conformance.features import needed
from adkref.conformance.fuzz.ordering import ordering_of
from adkref.conformance.player import play
from adkref.conformance.scenario import check
from adkref.conformance.schedules.execution import replay
from adkref.conformance.schedules.hub import Kind
from adkref.strategies import GROUPS, samples, scenarios

_FINDING = settings(
    max_examples=1000,
    # To explain what it has found, Hypothesis would go on with larger ones.
    phases=[Phase.generate, Phase.shrink],
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def drawn(group, count, start=1):
    """Return some scenarios of a group."""
    return list(islice(samples(GROUPS[group](), start), count))


@pytest.mark.parametrize("group", GROUPS)
def test_scenarios_are_valid_and_end_by_themselves(group):
    """Each is accepted by the checks, is played to its end, and says if its order is open."""
    for scenario in drawn(group, 12):
        check(scenario)
        answer = play(scenario)
        assert scenario["id"] == group
        assert scenario.get("ordering", "total") == ordering_of(scenario)
        assert "trace" in answer, answer
        kinds = {record["at"] for record in answer["trace"]}
        assert kinds & {"end", "stop", "construct_error"}
        assert "runaway" not in kinds


@pytest.mark.parametrize("group", ["parallel", "multitool", "mixed", "flow"])
def test_lanes_have_one_canonical_trace(group):
    """Whatever the schedule, the lanes of a scenario are the same."""
    chance = random.Random(7)

    def any_move(moves):
        return chance.choice([move for move in moves if move.kind is not Kind.YES] or list(moves))

    for scenario in drawn(group, 12, start=2):
        if scenario.get("ordering") == "lanes":
            played = [
                json.loads(json.dumps(replay(scenario, then=any_move).answer)) for _ in range(3)
            ]
            first, *others = [canonical(each, "lanes") for each in played]
            assert others == [first, first]


#: What each group is there for, by the names of features.
_SHOWN = {
    "agents": {"loop", "agent_callbacks", "end_invocation", "artifacts", "own_history"},
    "flow": {"llm", "sse", "model_callbacks", "tool_callbacks", "long_running"},
    "parallel": {"parallel", "sequential", "llm"},
    "multitool": {"tool_callbacks", "model_callbacks"},
    "history": {"stored_events"},
    "transfer": {"llm", "stop_after"},
    "confirm": {"confirmation"},
    "modes": {"modes"},
    "schema": {"output_schema", "input_schema", "modes"},
    "agenttool": {"agent_tool"},
    "plugins": {"plugins", "retry_and_reflect", "function_call_modifier"},
    "runner": {"faults.append", "auto_create", "state_delta", "yield_user_message"},
    "mixed": {"parallel", "loop", "llm"},
}


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_shows_what_it_is_there_for(group):
    """Among sixty scenarios, each of the group's features is needed by some."""
    found = set()
    for scenario in drawn(group, 60, start=3):
        found |= needed(scenario)
    assert _SHOWN[group] <= found


_SESSION = {"app": "app", "user": "u1", "id": "s1"}
_MODEL = {"name": "mock", "script": [{"responses": ["sun"]}]}
_LLM = {"kind": "llm", "name": "w1", "model": _MODEL}
_CUSTOM = [{"kind": "custom", "name": f"c{number}", "body": []} for number in range(1, 4)]
_PLAINEST = {
    "agents": _CUSTOM[0],
    "runner": _CUSTOM[0],
    "mixed": {"kind": "sequential", "name": "s1", "sub_agents": [_CUSTOM[1]]},
    "parallel": {"kind": "parallel", "name": "p1", "sub_agents": _CUSTOM[1:]},
    "modes": {**_LLM, "sub_agents": [{**_LLM, "name": "w2", "mode": "single_turn"}]},
    "multitool": {**_LLM, "tools": [{"name": "tool1"}]},
    "confirm": {**_LLM, "tools": [{"name": "tool1"}]},
}


@pytest.mark.parametrize("group", GROUPS)
def test_the_simplest_scenario_has_nothing_that_it_does_not_need(group):
    """Where any scenario will do, it is one turn of the plainest agent."""
    stored = {"author": "w1", "content": {"role": "model", "parts": [{"text": "sun"}]}}
    assert next(samples(GROUPS[group](), 1)) == {
        "format": "adk-scenario/1",
        "id": group,
        "session": {**_SESSION, "events": [stored]} if group == "history" else _SESSION,
        "agent": _PLAINEST.get(group, _LLM),
        "turns": [{"user": "sun"}],
        **({"ordering": "lanes"} if group == "parallel" else {}),
    }


def smallest(group, condition):
    """Return what Hypothesis shrinks a scenario to that meets a condition."""
    return find(GROUPS[group](), condition, settings=_FINDING, random=random.Random(1))


def calls(agent):
    """Return the names that a model calls."""
    return [
        part["functionCall"]["name"]
        for turn in agent.get("model", {}).get("script", ())
        for response in turn.get("responses", ())
        if isinstance(response, dict)
        for part in response.get("content", {}).get("parts", ())
        if "functionCall" in part
    ]


def test_a_call_that_meets_a_callback_is_shrunk_to_these_two():
    """What remains of a flow is one call, one tool and one callback without rules."""
    found = smallest(
        "flow", lambda it: "after_tool" in it["agent"] and "tool1" in calls(it["agent"])
    )
    call = {"functionCall": {"name": "tool1", "args": {"city": "sun"}}}
    response = {"content": {"role": "model", "parts": [call]}}
    assert found == {
        "format": "adk-scenario/1",
        "id": "flow",
        "session": _SESSION,
        "agent": {
            "kind": "llm",
            "name": "w1",
            "model": {"name": "mock", "script": [{"responses": [response]}]},
            "tools": [{"name": "tool1"}],
            "after_tool": [{"id": "at1", "rules": []}],
        },
        "turns": [{"user": "sun"}],
    }


def test_a_nested_agent_is_shrunk_with_all_that_is_around_it():
    """Of a tree there remain a loop, its one child, and what that child yields."""

    def yields(agent):
        return any("yield_error" in op for op in agent.get("body", ()))

    found = smallest(
        "agents",
        lambda it: it["agent"]["kind"] == "loop" and any(map(yields, it["agent"]["sub_agents"])),
    )
    assert found == {
        "format": "adk-scenario/1",
        "id": "agents",
        "session": _SESSION,
        "agent": {
            "kind": "loop",
            "name": "l1",
            "max_iterations": 1,
            "sub_agents": [
                {"kind": "custom", "name": "c2", "body": [{"yield_error": "fault sun"}]}
            ],
        },
        "turns": [{"user": "sun"}],
    }


def test_names_count_from_the_root_in_the_order_of_reading():
    """Agents are numbered parents first, and what a body runs stands among its sub-agents."""

    def names(agent):
        return [
            agent["name"],
            *(name for sub in agent.get("sub_agents", ()) for name in names(sub)),
        ]

    for scenario in drawn("agents", 20, start=4):
        found = names(scenario["agent"])
        assert [name[1:] for name in found] == [str(n) for n in range(1, len(found) + 1)]


def test_several_groups_are_drawn_from():
    """Without a name any group is drawn from, with names only these."""
    found = islice(samples(scenarios("history", "agents"), 1), 20)
    assert {scenario["id"] for scenario in found} == {"history", "agents"}
    with pytest.raises(KeyError):
        scenarios("nothing")
