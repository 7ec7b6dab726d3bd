# SPDX-License-Identifier: Apache-2.0
"""Tests of making the scenario of a failure as small as it gets."""

from __future__ import annotations

import copy

import pytest

from adkref.conformance.fuzz.plainer import renamed
from adkref.conformance.fuzz.shrink import shrink
from adkref.conformance.scenario import check

SESSION = {"app": "app", "user": "u1", "id": "s1"}


def scenario(agent, **parts):
    """Return a scenario."""
    return {
        "format": "adk-scenario/1",
        "id": "x",
        "session": SESSION,
        "agent": agent,
        "turns": [{"user": "hi"}],
        **parts,
    }


def custom(name, *body, **parts):
    """Return a custom agent."""
    return {"kind": "custom", "name": name, **parts, "body": list(body)}


def says(text):
    """Return a step that yields a text."""
    return {"yield": {"content": {"role": "model", "parts": [{"text": text}]}}}


def texts(value):
    """Return all keys and texts of a value."""
    if isinstance(value, dict):
        return [*value, *(text for item in value.values() for text in texts(item))]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


LARGE = scenario(
    {
        "kind": "sequential",
        "name": "outer",
        "before": [{"id": "b7", "rules": [{"call": 2, "do": [{"get_state": "k1"}]}]}],
        "sub_agents": [
            custom("first", says("nothing"), {"own_history": True}),
            {
                "kind": "loop",
                "name": "round",
                "max_iterations": 3,
                "sub_agents": [
                    custom("second", says("one two"), {"yield_error": "a long fault"}),
                    custom("third", says("three")),
                ],
            },
        ],
    },
    plugins=[{"name": "watch", "on_event": [{"do": [{"raise": "no"}]}], "after_run": []}],
    turns=[{"user": "a b c", "state_delta": {"k1": [1, 2]}}, {"user": "d", "stop_after": 4}],
)


def test_what_the_failure_needs_is_all_that_remains():
    """Of trees, plugins and turns there remain one agent, one step and one turn."""
    before = copy.deepcopy(LARGE)
    found = shrink(LARGE, lambda it: "yield_error" in texts(it["agent"]))
    assert found == {
        "format": "adk-scenario/1",
        "id": "x",
        "session": SESSION,
        "agent": custom("c1", {"yield_error": "x"}),
        "turns": [],
    }
    assert before == LARGE


def test_a_loop_keeps_a_limit_and_gets_the_least_that_fails():
    """A loop without a limit may never end, and one that is needed is not made a sequence."""
    found = shrink(LARGE, lambda it: any_agent(it, lambda one: one.get("max_iterations", 0) > 1))
    assert found["agent"] == {
        "kind": "loop",
        "name": "l1",
        "max_iterations": 2,
    }


def any_agent(it, condition):
    """Tell whether any agent meets a condition."""
    waiting = [it["agent"]]
    while waiting:
        agent = waiting.pop()
        if condition(agent):
            return True
        waiting += agent.get("sub_agents", ())
    return False


def test_only_scenarios_that_can_be_played_are_asked_about():
    """An agent is taken away with the steps that run it."""
    asked = []
    large = scenario(
        custom("root", {"run": "inner"}, says("x"), sub_agents=[custom("inner", says("y"))])
    )

    def fails(candidate):
        asked.append(check(copy.deepcopy(candidate)))
        return "yield" in texts(candidate)

    assert shrink(large, fails)["agent"] == custom("c1", {"yield": {}})
    assert all("run" not in texts(it) or len(texts(it)) > 10 for it in asked)


def test_what_runs_beside_others_keeps_its_branch_and_says_that_the_order_is_open():
    """Lanes are told apart by the branches of their events."""
    step = {"yield": {"branch": "$ctx", "content": "x"}}
    lanes = {"kind": "parallel", "name": "p", "sub_agents": [custom("a", step), custom("b", step)]}
    found = shrink(
        scenario({"kind": "sequential", "name": "s", "sub_agents": [lanes]}, ordering="lanes"),
        lambda it: any_agent(it, lambda one: len(one.get("sub_agents", ())) == 2),
    )
    assert found["agent"] == {
        "kind": "sequential",
        "name": "s1",
        "sub_agents": [{"kind": "custom", "name": name} for name in ("c2", "c3")],
    }
    assert "ordering" not in found
    kept = shrink(
        scenario(lanes, ordering="lanes"),
        lambda it: it["agent"]["kind"] == "parallel" and texts(it).count("yield") == 1,
    )
    assert kept["ordering"] == "lanes"
    assert kept["agent"]["sub_agents"] == [custom("c2", {"yield": {"branch": "$ctx"}})]


def test_nothing_is_tried_when_the_time_is_over():
    """What was found by then is the answer."""
    asked = []
    assert shrink(LARGE, asked.append, is_over=lambda: True) == LARGE
    assert asked == []


def test_no_scenario_is_asked_about_twice():
    """A try costs the time of a play."""
    asked = []

    def fails(candidate):
        asked.append(repr(candidate))
        return "own_history" in texts(candidate)

    shrink(LARGE, fails)
    assert len(asked) == len(set(asked)) < 120


def test_names_are_counted_where_they_mean_the_same_afterwards():
    """Agents, tools, plugins and callbacks are counted; texts of the user stay as they are."""
    agent = {
        "kind": "llm",
        "name": "w7",
        "model": {
            "name": "mock",
            "script": [
                {"responses": [{"content": {"role": "model", "parts": [call("look", "w7")]}}]},
                {"responses": ["w7"]},
            ],
        },
        "tools": [{"name": "look", "rules": [{"do": [{"set_state": {"w7_k": 1}}]}]}],
        "after_tool": [{"id": "at9", "rules": [{"tool": "look", "do": []}]}],
    }
    plugins = [{"name": "p5", "before_agent": [{"agent": "w7", "do": []}]}]
    found = renamed(scenario(agent, plugins=plugins))
    assert found["agent"] == {
        "kind": "llm",
        "name": "w1",
        "model": {
            "name": "mock",
            "script": [
                {"responses": [{"content": {"role": "model", "parts": [call("tool1", "w1")]}}]},
                {"responses": ["w1"]},
            ],
        },
        "tools": [{"name": "tool1", "rules": [{"do": [{"set_state": {"w1_k": 1}}]}]}],
        "after_tool": [{"id": "at1", "rules": [{"tool": "tool1", "do": []}]}],
    }
    assert found["plugins"] == [{"name": "p1", "before_agent": [{"agent": "w1", "do": []}]}]


def call(name, agent):
    """Return a part that calls something with an agent's name."""
    return {"functionCall": {"name": name, "args": {"agent_name": agent}}}


@pytest.mark.parametrize("value", [{"role": "model", "parts": [{"text": "a b"}]}, "a b"])
def test_a_content_becomes_the_shortest_text(value):
    """What is an object with one text is a text, and a text is one letter."""
    large = scenario(custom("a", {"yield": {"content": value}}))
    found = shrink(large, lambda it: "content" in texts(it))
    assert found["agent"] == custom("c1", {"yield": {"content": "x"}})
