# SPDX-License-Identifier: Apache-2.0
"""Whether a turn answers a paused node (chapter 03, 4.2)."""

import pytest
from kit import Scene, answer, call, content, event

from adkref.content import FunctionResponse, Part
from adkref.contexts import Context, RunConfig
from adkref.errors import AdkError
from adkref.events import NodeInfo, RequestedInput
from adkref.plugins import PluginManager
from adkref.runner.invocation import Invocation, Options, Services
from adkref.runner.resume import Fresh, NothingToDo, Resumed, resume_plan


def plan(*events, message=None):
    """How node a starts, for a message that is not stored, in invocation inv."""
    scene = Scene(events=events)
    run = Invocation(
        Services(scene.service),
        PluginManager(),
        Options(message, RunConfig()),
        scene.session,
        Context.promote(scene.ctx),
    )
    return resume_plan("a", run)


def waiting(*cids, author="a", invocation_id="inv", **fields):
    """An event that waits for some calls."""
    parts = [call("t", cid) for cid in cids]
    return event(
        author, *parts, invocation_id=invocation_id, long_running_tool_ids=list(cids), **fields
    )


def told(*cids, author="user", invocation_id="inv", **response):
    """A stored event that answers some calls."""
    return event(
        author, *(answer("t", cid, **response) for cid in cids), invocation_id=invocation_id
    )


def answers(*cids, **response):
    """A message that answers some calls."""
    return content(*(answer("t", cid, **response) for cid in cids))


NO_MATCH = "workflow: no waiting node matched the supplied responses"


# --- fresh runs (NODE-013, NODE-014) --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([], None),
        ([], content("hi")),
        ([waiting("c1")], None),
        ([waiting("c1")], content("hi")),
        ([waiting("c1")], answers("c2")),
        ([waiting("")], answers("")),
        # Answered already, as with every store that brings the handle up to date.
        ([waiting("c1"), told("c1")], answers("c1")),
        ([event("a", call("t", "c1"), invocation_id="inv")], answers("c1")),
    ],
)
def test_a_fresh_run(events, message):
    """Without an answer to something that is pending (NODE-012, NODE-013)."""
    assert plan(*events, message=message) == Fresh()


# --- resumed runs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "paused",
    [
        waiting("c1"),
        waiting("c1", author="b", node_info=NodeInfo("a@1/x")),
        waiting("c1", author="b", node_info=NodeInfo("r/a")),
        event("user", invocation_id="inv", long_running_tool_ids=["c1"], node_info=NodeInfo("a")),
    ],
)
def test_a_waiting_node(paused):
    """By a segment of its path, or by its author (NODE-010, NODE-013)."""
    assert plan(paused, message=answers("c1", x=1)) == Resumed({"c1": {"x": 1}})


@pytest.mark.parametrize(
    "other",
    [
        waiting("c1", author="b"),
        waiting("c1", author="b", node_info=NodeInfo("ab/b@1")),
        waiting("c1", invocation_id="old"),
        # A user event with a content only answers.
        waiting("c1", author="user"),
    ],
)
def test_another_nodes_pause(other):
    """Without a state of this node the stream ends at once (NODE-013)."""
    assert plan(other, message=answers("c1")) == NothingToDo()


def test_some_answered():
    """With one answer stored, the others are the state's interrupts (NODE-011)."""
    events = [waiting("c1", "c2", "c3"), told("c2")]
    assert plan(*events, message=answers("c1", "c2", "c3")) == Resumed({"c1": {}, "c3": {}})


def test_all_answered():
    """A state without interrupts matches nothing (NODE-011, NODE-013)."""
    events = [waiting("c1"), told("c1"), waiting("c2", author="b")]
    got = plan(*events, message=answers("c1", "c2"))
    assert isinstance(got, NothingToDo)
    assert str(got.error) == NO_MATCH


def test_another_open_call():
    """Open calls of other nodes are pending, and match nothing here (NODE-012, NODE-013)."""
    got = plan(waiting("c1"), waiting("c2", author="b"), message=answers("c2"))
    assert isinstance(got, NothingToDo)
    assert str(got.error) == NO_MATCH


def test_a_waiting_node_whose_call_was_told_elsewhere():
    """Interrupts of a waiting node are pending even when another author answered them (NODE-012)."""
    events = [waiting("c1"), told("c1", author="b")]
    assert plan(*events, message=answers("c1", x=1)) == Resumed({"c1": {"x": 1}})


def test_only_answers_behind_the_question_count():
    """An answer before its interrupt was raised is none; the last one wins (NODE-010)."""
    events = [told("c1"), waiting("c1", "c2")]
    assert plan(*events, message=answers("c1", "c2")) == Resumed({"c1": {}, "c2": {}})


def test_answers_without_id():
    """They answer nothing (NODE-012)."""
    assert plan(waiting("c1"), message=answers("", "c1")) == Resumed({"c1": {}})


# --- values (NODE-012) -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("response", "value"),
    [
        (None, None),
        ({}, {}),
        ({"x": 1}, {"x": 1}),
        ({"response": '{"n": [1]}'}, {"n": [1]}),
        ({"response": "5"}, 5),
        ({"response": "not json"}, "not json"),
        ({"response": ""}, ""),
        ({"response": {"n": 1}, "payload": 2}, {"n": 1}),
        ({"response": None}, None),
        ({"payload": {"n": 1}, "x": 2}, {"n": 1}),
        ({"payload": "5"}, "5"),
    ],
)
def test_the_value_of_an_answer(response, value):
    """Under response, parsed when it is JSON text; under payload; else the whole map (NODE-012)."""
    message = content(Part(function_response=FunctionResponse("c1", "t", response)))
    assert plan(waiting("c1"), message=message) == Resumed({"c1": value})


# --- schemas (NODE-011) ------------------------------------------------------------------------------------------


def question(schema):
    """A waiting event with a schema for its answer."""
    return waiting("c1", requested_input=RequestedInput("c1", response_schema=schema))


@pytest.mark.parametrize(
    ("schema", "response", "fault"),
    [
        ({"type": "integer"}, {"response": "5"}, None),
        ({"type": "object"}, {"x": 1}, None),
        (None, {"x": 1}, None),
        ("any", {"x": 1}, None),
        (
            {"type": "integer"},
            {"response": "five"},
            'validating root: type: five has type "string", want "integer"',
        ),
        (
            {"type": "nonsense"},
            {"x": 1},
            "failed to infer input schema: 'nonsense' is not valid under any of the given schemas",
        ),
    ],
)
def test_answers_are_checked(schema, response, fault):
    """A stored answer to a question with a schema must fit it (NODE-011)."""
    events = [question(schema), told("c1", **response)]
    if fault is None:
        assert plan(*events, message=answers("c9")) == Fresh()
        return
    with pytest.raises(AdkError) as caught:
        plan(*events, message=answers("c9"))
    assert str(caught.value) == (
        f'workflow: resume response does not match request schema: interrupt "c1": {fault}'
    )
