# SPDX-License-Identifier: Apache-2.0
"""Tests of the parts of scenarios: each op where it has a meaning, each name where it is known."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adkref.conformance.scenario import check
from adkref.conformance.script import HOOKS, TOOL
from adkref.strategies import (
    Below,
    Scope,
    Style,
    Tree,
    agents,
    bodies,
    builtin_plugins,
    callees,
    histories,
    model_turns,
    models,
    ops,
    plugins,
    sessions,
    several_tools,
    turns,
)

_FEW = settings(max_examples=40, deadline=None)


def scenario(**parts):
    """Return a scenario around a part."""
    agent = {"kind": "custom", "name": "a", "body": []}
    return {"id": "x", "agent": agent, "turns": [], **parts}


def op_names(found):
    """Return the names of all ops in a list of rules."""
    return {name for rule in found for op in rule["do"] for name in op}


@_FEW
@given(st.data())
def test_parts_fit_into_a_scenario(data):
    """Bodies, tools, models, plugins, sessions and turns are what the checks ask for."""
    names = data.draw(several_tools(2))
    llm = {
        "kind": "llm",
        "name": "w",
        "tools": names,
        "model": data.draw(models(callees(tuple(tool["name"] for tool in names)))),
    }
    body = {"kind": "custom", "name": "c", "body": data.draw(bodies())}
    check(
        scenario(
            agent={"kind": "sequential", "name": "s", "sub_agents": [llm, body]},
            plugins=[*data.draw(plugins()), data.draw(builtin_plugins(("tool1",)))],
            session={**data.draw(sessions(creating=50)), "events": data.draw(histories("w"))},
            turns=[data.draw(turns(streams=50))],
        )
    )


@_FEW
@given(st.data(), st.sampled_from((*HOOKS, TOOL)))
def test_a_call_that_does_something_does_what_its_place_allows(data, place):
    """Ops of a place are never none, and what returns or raises is the last."""
    drawn = [next(iter(op)) for op in data.draw(ops(place))]
    assert drawn
    assert not {"return", "raise"} & set(drawn[:-1])


@_FEW
@given(st.data(), st.sampled_from(HOOKS))
def test_beside_others_nothing_is_done_that_an_order_could_show(data, hook):
    """Beside others no state is read, none that is shared is written, and no error is raised."""
    found = data.draw(plugins((hook,), Scope(beside=True, others=("a", "b"))))
    done = {name for plugin in found for name in op_names(plugin.get(hook, []))}
    allowed = {"return", "set_args", "append_instruction", "mutate_text", "actions"}
    assert done <= allowed | {"mutate_event", "replace_event"}
    own = data.draw(ops("before_agent", Scope(beside=True, own="w1")))
    assert {key for op in own for key in op.get("set_state", ())} <= {"w1_k1", "w1_temp:t"}


@_FEW
@given(st.data())
def test_a_turn_with_several_calls_calls_each_tool_once(data):
    """Which call of one tool comes first would be left open."""
    turn = data.draw(model_turns(callees(("tool1", "tool2")), several=True, calling=10))
    for response in turn.get("responses", ()):
        if isinstance(response, dict):
            parts = response.get("content", {}).get("parts", ())
            names = [part["functionCall"]["name"] for part in parts if "functionCall" in part]
            assert len(names) == len(set(names))


@_FEW
@given(
    agents(
        Tree.of("llm", llm=Below(("llm", "custom")), tools=Below(("custom",), least=0), depth=2),
        Style(transfers=True, modes=("task",), agent_callbacks=80),
    )
)
def test_no_placeholder_is_left_in_a_tree(agent):
    """What stands for a name while a tree is drawn is a name in the end."""
    assert "@" not in json.dumps(agent)
    check(scenario(agent=agent))


def test_without_hypothesis_the_way_to_get_it_is_named():
    """The import says which extra is missing."""
    code = "import sys; sys.modules['hypothesis'] = None; import adkref.strategies"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: adkref.strategies needs Hypothesis: pip install 'adkref[fuzz]'"
    )


@pytest.mark.parametrize("kind", ["sequential", "loop", "parallel"])
def test_a_tree_ends_at_its_depth(kind):
    """At the last level only agents stand that need nobody below."""
    tree = Tree.of(kind, depth=1, **{kind: Below(("custom", kind))})
    below, inner = tree.under(kind)
    assert (below.kinds, inner.kinds, inner.under(kind)) == (("custom", kind), ("custom",), None)
