# SPDX-License-Identifier: Apache-2.0
"""Tests of a port and the reference side by side."""

from __future__ import annotations

import json

import pytest
from attrs import evolve

from adkref.conformance.fuzz.opinion import judge, reference
from adkref.conformance.fuzz.rig import Verdict
from adkref.conformance.fuzz.signature import Signature

SESSION = {"app": "app", "user": "u1", "id": "s1"}


def scenario(agent=None, **parts):
    """Return a scenario of a custom agent that says x."""
    body = [{"yield": {"content": "x"}}]
    agent = agent or {"kind": "custom", "name": "c1", "body": body}
    return {"id": "x", "session": SESSION, "agent": agent, "turns": [{"user": "hi"}], **parts}


def lanes(*bodies):
    """Return a scenario of agents beside each other."""
    subs = [
        {"kind": "custom", "name": f"c{number}", "body": body}
        for number, body in enumerate(bodies, 2)
    ]
    agent = {"kind": "parallel", "name": "p1", "sub_agents": subs}
    return scenario(agent, ordering="lanes")


SAY = {"yield": {"branch": "$ctx", "content": "x"}}


def signature(verdict):
    """Return what a verdict is and why."""
    return verdict.kind, verdict.signature


def test_a_sound_port_is_equal(rig):
    """The reference in a port's place agrees with itself, in lanes as well."""
    sound = rig("sound")
    assert sound.compare(scenario()).kind == "equal"
    assert sound.compare(lanes([SAY, SAY], [SAY])).kind == "equal"
    assert sound.hello.implementation == "fuzzed-sound"
    assert sound.slowest > 0


def test_a_value_that_differs_is_found_with_both_traces(rig):
    """The verdict has what the reference played and what the port did."""
    found = rig("without-authors").compare(scenario())
    assert signature(found) == ("different", Signature("value", "append", "$.event.author"))
    assert found.difference.expected == "user"
    assert found.expected["trace"][1]["event"]["author"] == "user"
    assert "author" not in found.actual["trace"][1]["event"]
    assert found.actual["final"] == {"events": 2, "state": {}}


def test_the_final_state_counts(rig):
    """Equal traces with another end are not equal."""
    assert signature(rig("with-state").compare(scenario())) == (
        "different",
        Signature("final", "", "$.state"),
    )


def test_lanes_that_are_equal_in_an_order_that_cannot_be_are_told_of(rig):
    """Every lane is right, and no schedule gives the trace."""
    found = rig("by-lanes").compare(lanes([SAY], [SAY]))
    assert signature(found) == ("different", Signature("order", "body start"))
    assert found.impossible == 1


def test_lanes_that_differ_in_a_legal_order_are_equal():
    """What a model is shown of others depends on their order, so any legal one is accepted."""
    last = {"kind": "llm", "name": "w4", "model": {"name": "m", "script": [{"responses": ["y"]}]}}
    spec = lanes([SAY], [{"yield": {"branch": "$ctx", "content": "z"}}])
    spec["agent"] = {"kind": "sequential", "name": "s0", "sub_agents": [spec["agent"], last]}
    other = {**spec, "agent": {**spec["agent"]}}
    parallel = spec["agent"]["sub_agents"][0]
    turned = {**parallel, "sub_agents": parallel["sub_agents"][::-1]}
    other["agent"] = {**spec["agent"], "sub_agents": [turned, last]}
    task = {"scenario": spec, "reply": json.dumps(reference(other)), "seconds": 60}
    found = judge(task)
    assert (found["verdict"], found["opinion"]) == ("different", {"accepted": True})
    assert "known" in found


def test_errors_by_kind(rig):
    """A port with words of its own is equal by kind, and differs by text."""
    broken = scenario(
        {
            "kind": "custom",
            "name": "c1",
            "before": [{"id": "b1", "rules": [{"do": [{"get_state": "k"}]}]}],
            "body": [],
        }
    )
    expected = Signature("value", "state", "$.error")
    assert signature(rig("in-own-words").compare(broken)) == ("different", expected)
    assert rig("in-own-words", errors="kind").compare(broken).kind == "equal"


def test_assumptions_take_a_divergence_away(rig):
    """Both sides play the scenario as the assumption has it."""
    one = rig("with-state", assumptions=("no-temp-state",))
    found = one.compare(scenario(turns=[{"user": "hi", "state_delta": {"temp:t": 1}}]))
    assert found.expected["trace"][1]["event"].get("actions") is None


@pytest.mark.parametrize(
    ("way", "broken", "expected"),
    [
        (
            "dies",
            scenario(plugins=[{"name": "p1"}]),
            Signature("fault", "crash", "exit"),
        ),
        (
            "panics",
            scenario({"kind": "custom", "name": "c1", "body": [{"end_invocation": True}]}),
            Signature("fault", "panic", "KeyError"),
        ),
        (
            "babbles",
            scenario({"kind": "custom", "name": "c1", "body": [{"own_history": True}]}),
            Signature("fault", "garbage"),
        ),
    ],
)
def test_a_port_that_falls_is_a_finding_and_started_again(rig, way, broken, expected):
    """After a fault the next scenario is played by a new process."""
    one = rig(way)
    assert signature(one.compare(broken)) == ("port fault", expected)
    assert one.compare(scenario()).kind == "equal"


def test_a_port_that_hangs_is_a_finding_each_time(rig):
    """However often it hangs, it is asked once more."""
    one = rig("hangs", case=1.0)
    loop = scenario({"kind": "loop", "name": "l1", "max_iterations": 1, "sub_agents": []})
    for _ in range(2):
        assert signature(one.compare(loop)) == ("port fault", Signature("fault", "silence"))
    hasty = one.patient(0.5)
    assert hasty.options.limits.case == 0.5
    assert hasty.hello == one.hello
    assert rig("hangs").compare(scenario()).kind == "equal"


def test_what_a_port_lacks_is_not_put_to_it(rig):
    """The feature is the reason."""
    loop = scenario({"kind": "loop", "name": "l1", "max_iterations": 1, "sub_agents": []})
    assert rig("skips").compare(loop) == Verdict(kind="skipped", reason="loop")


def test_what_the_reference_does_not_play_is_no_failure_of_the_port(rig):
    """A scenario that needs what is not built yet is told of, and counts for nothing."""
    found = rig("sound").compare(scenario(compaction={"interval": 2}))
    assert evolve(found, seconds=0.0) in (
        Verdict(kind="unplayed", reason="compaction"),
        Verdict(kind="skipped", reason="compaction"),
    )
