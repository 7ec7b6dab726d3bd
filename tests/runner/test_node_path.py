# SPDX-License-Identifier: Apache-2.0
"""The node path around its node (chapter 03, 3.8, RUN-071)."""

import pytest
from kit import World, answer, call, content, event, said

from adkref.agents import LlmAgent
from adkref.errors import ProgrammingError
from adkref.events import RequestedInput
from adkref.models import ScriptedModel
from adkref.plugins import Plugin

PATH = {"nodeInfo": {"path": "a"}}
SCHEMA = {"type": "object", "required": ["ok"]}


def llm(*script, name="a", **options):
    """An LLM agent."""
    return LlmAgent(name, model=ScriptedModel(script or ["x"]), **options)


def noting(log, **hooks):
    """A plugin that notes both run hooks."""
    return Plugin(
        "p",
        before_run_callback=lambda ctx: log.append("before"),
        after_run_callback=lambda ctx: log.append("after"),
        **hooks,
    )


def test_a_name_that_the_workflow_needs():
    """An agent called START cannot be the node; nothing is stored, no hook runs (RUN-071)."""
    log = []
    world = World(llm(name="START"), plugins=[noting(log)])
    assert world.turn() == ["failed to build node workflow: duplicate node name: START"]
    assert (world.stored, log) == ([], [])
    # Selected further down it is the same.
    below = World(llm(name="root", sub_agents=[llm(name="START")]), events=[event("START", "x")])
    assert below.turn() == ["failed to build node workflow: duplicate node name: START"]


def asked(schema=SCHEMA):
    """The stored event of a node that waits for an answer."""
    return event(
        "a",
        call("t", "c1"),
        invocation_id="old",
        long_running_tool_ids=["c1"],
        requested_input=RequestedInput("c1", response_schema=schema),
    )


def test_an_answer_that_does_not_fit():
    """The pause cannot be rebuilt: an error behind BeforeRun, AfterRun runs (RUN-071, NODE-011)."""
    log = []
    world = World(llm("never"), events=[asked()], plugins=[noting(log)])
    assert world.turn(content(answer("t", "c1", no=1))) == [
        (
            "failed to reconstruct workflow run state: workflow: resume response does not match "
            'request schema: interrupt "c1": validating root: required: missing properties: ["ok"]'
        )
    ]
    assert log == ["before", "after"]
    assert len(world.stored) == 2
    assert world.runner.agent.model.requests == []


def test_an_answer_that_fits():
    """It is an ordinary turn, since the answer is stored already (NODE-014)."""
    world = World(llm("done"), events=[asked()])
    assert world.turn(content(answer("t", "c1", ok=1))) == [said("a", "done", **PATH)]


def replaced(events, message, new="something else", **options):
    """Play a turn whose message a plugin replaces, so that its answers are not stored."""
    swap = Plugin("swap", on_user_message_callback=lambda ctx, given: content(new))
    world = World(llm("done"), events=events, plugins=[swap], **options)
    return world.turn(message), world


def test_a_resumed_node():
    """With its answers unstored the waiting node is run again, with the answers (NODE-013)."""
    waiting = event("a", call("t", "c1"), invocation_id="old", long_running_tool_ids=["c1"])
    got, world = replaced([waiting], content(answer("t", "c1", response='{"n": 1}')))
    assert got == [said("a", "done", **PATH)]
    assert world.stored[1] == said("user", "something else", role="user")


def test_nothing_that_waits_matches():
    """An answer to another open call than the node's: nothing to do, or an error (NODE-013)."""
    mine = event("a", call("t", "c1"), invocation_id="old", long_running_tool_ids=["c1"])
    others = event("b", call("t", "c2"), invocation_id="other", long_running_tool_ids=["c2"])
    got, _ = replaced([others, mine], content(answer("t", "c1"), answer("t", "c2")))
    assert got == [said("a", "done", **PATH)]
    foreign = event("b", call("t", "c1"), invocation_id="old", long_running_tool_ids=["c1"])
    got, world = replaced([mine_in("older", "c3"), foreign], content(answer("t", "c1")))
    # The node of this invocation has no state: the stream ends at once.
    assert got == []
    assert world.runner.agent.model.requests == []
    # It has one, but waits for something else.
    got, world = replaced([mine_in("old", "c3"), foreign], content(answer("t", "c1")))
    assert got == ["workflow: no waiting node matched the supplied responses"]
    assert world.runner.agent.model.requests == []


def mine_in(invocation_id, cid):
    """A waiting event of agent a in an invocation."""
    return event("a", call("t", cid), invocation_id=invocation_id, long_running_tool_ids=[cid])


def test_an_answer_beside_the_waiting_node():
    """The node waits for another call of its invocation (NODE-013)."""
    mine = mine_in("old", "c3")
    foreign = event("b", call("t", "c1"), invocation_id="old", long_running_tool_ids=["c1"])
    log = []
    swap = Plugin("swap", on_user_message_callback=lambda ctx, given: content("else"))
    root = llm("never", sub_agents=[llm(name="b")])
    # b made the call, so b is selected; its node does not wait for c3.
    world = World(root, events=[foreign, mine], plugins=[swap, noting(log)])
    message = content(answer("t", "c3"), answer("t", "c1"))
    assert [it["author"] for it in world.turn(message)] == ["a"]
    assert log == ["before", "after"]


def test_misuse_passes_both_finallys():
    """A plugin that panics is not caught here; AfterRun runs (RUN-069)."""
    log = []

    def panic(ctx, it):
        raise ProgrammingError("misuse")

    world = World(llm("x"), plugins=[noting(log, on_event_callback=panic)])
    with pytest.raises(ProgrammingError, match=r"^misuse$"):
        world.turn()
    assert log == ["before", "after"]
