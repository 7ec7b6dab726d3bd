# SPDX-License-Identifier: Apache-2.0
"""Rules, counters and ops."""

import pytest

from adkref.conformance import script
from adkref.conformance.faults import ScenarioError
from adkref.conformance.script import Call, CallCounter, ScriptedError
from adkref.conformance.trace import Tracer
from adkref.content import Content, LlmResponse, Part
from adkref.errors import AdkError, ArtifactNotFound, StateKeyError
from adkref.events import Event, EventActions, EventCompaction, new_event
from adkref.models import LlmRequest


class _State(dict):
    def __getitem__(self, key):
        if key not in self:
            raise StateKeyError
        return super().__getitem__(key)

    def __setitem__(self, key, value):
        if key == "locked":
            raise AdkError("the state is locked")
        super().__setitem__(key, value)


class _Artifacts:
    def __init__(self):
        self.saved = []

    def save(self, name, part):
        if name == "bad":
            raise AdkError("invalid artifact name")
        self.saved.append((name, part))
        return len(self.saved)

    def load(self, name):
        for saved, part in reversed(self.saved):
            if saved == name:
                return part
        raise ArtifactNotFound


class _Context:
    def __init__(self):
        self.actions = EventActions.fresh()
        self.tool_confirmation = None
        self.ended = False
        self.asked = []

    def end_invocation(self):
        self.ended = True

    def request_confirmation(self, hint, payload):
        if not hint:
            raise AdkError("no hint")
        self.asked.append((hint, payload))


def _call(**fields):
    return Call(
        Tracer(),
        _Context(),
        agent="a",
        branch="b",
        state=_State(),
        artifacts=_Artifacts(),
        **fields,
    )


def _run(call, *ops):
    return script.run_ops(call, ops)


def test_the_first_rule_that_matches_decides():
    """Agent, tool and call number each restrict a rule; without a match there is nothing to do."""
    rules = [
        {"agent": "x", "do": [{"raise": "x"}]},
        {"tool": "t", "call": 2, "do": [{"raise": "t2"}]},
        {"agent": "", "tool": "", "call": 0, "do": [{"raise": "any"}]},
        {"do": [{"raise": "never"}]},
    ]
    picked = [
        script.pick(rules, agent, tool, call)
        for agent, tool, call in [("x", "t", 2), ("y", "t", 2), ("y", "t", 1), ("y", "", 2)]
    ]
    assert picked == [[{"raise": "x"}], [{"raise": "t2"}], [{"raise": "any"}], [{"raise": "any"}]]
    assert script.pick(rules[:1], "y", "", 1) == ()
    assert script.pick([{"agent": "y"}], "y", "", 1) == ()


def test_calls_are_counted_apart_for_each_key():
    """Numbers begin with 1."""
    counter = CallCounter()
    assert [counter.next(key) for key in ("a", "a", "b", "a")] == [1, 2, 1, 3]


def test_ops_run_until_one_returns():
    """What stands behind a return is not done."""
    call = _call()
    ops = {"set_state": {"k": 1}}, {"return": None}, {"set_state": {"k": 2}}
    assert _run(call, *ops) == (True, None)
    assert call.state == {"k": 1.0}
    assert _run(call, {"set_state": {"k": 3}}) == (False, None)


def test_raise_raises_the_text():
    """The error is one of the user's code."""
    with pytest.raises(ScriptedError, match=r"^no luck$"):
        _run(_call(), {"raise": "no luck"})


def test_state_ops_record_values_and_failures():
    """Keys are set in sorted order, numbers as Go reads them; only failures of it are recorded."""
    call = _call()
    _run(
        call,
        {"set_state": {"z": 1, "locked": 2, "a": [3]}},
        {"get_state": "a"},
        {"get_state": "n"},
    )
    assert list(call.state.items()) == [("a", [3.0]), ("z", 1.0)]
    assert type(call.state["z"]) is float
    here = {"agent": "a", "branch": "b"}
    assert call.tracer.records == [
        {"at": "state_error", **here, "key": "locked", "error": "the state is locked"},
        {"at": "state", **here, "key": "a", "value": [3]},
        {"at": "state", **here, "key": "n", "error": "state key does not exist"},
    ]


def test_artifact_ops_record_versions_texts_and_failures():
    """In a tool's context the records carry tool and call."""
    call = _call(marks={"tool": "t", "call_id": "c"})
    _run(
        call,
        {"save_artifact": {"name": "n", "text": "x"}},
        {"load_artifact": "n"},
        {"save_artifact": {"name": "bad"}},
        {"load_artifact": "m"},
    )
    here = {"at": "artifact", "agent": "a", "branch": "b", "tool": "t", "call_id": "c"}
    assert call.tracer.records == [
        {**here, "op": "save", "name": "n", "version": 1},
        {**here, "op": "load", "name": "n", "text": "x"},
        {**here, "op": "save", "name": "bad", "error": "invalid artifact name"},
        {**here, "op": "load", "name": "m", "error": "artifact not found: file does not exist"},
    ]


def test_confirmation_ops_record_without_an_agent():
    """A request may fail; an answer that is not there has no value."""
    call = _call(marks={"tool": "t", "call_id": "c"})
    ops = (
        {"request_confirmation": {"hint": "sure?", "payload": {"n": 1}}},
        {"get_confirmation": True},
    )
    _run(call, *ops, {"request_confirmation": {}})
    assert call.ctx.asked == [("sure?", {"n": 1.0})]
    here = {"at": "confirmation", "tool": "t", "call_id": "c"}
    assert call.tracer.records == [
        {**here, "op": "request"},
        {**here, "op": "get"},
        {**here, "op": "request", "error": "no hint"},
    ]


def test_the_invocation_is_ended_on_the_context_that_was_given():
    """The op calls it and records nothing."""
    call = _call()
    _run(call, {"end_invocation": True})
    assert (call.ctx.ended, call.tracer.records) == (True, [])


def test_an_instruction_is_appended_as_a_part_of_its_own():
    """Configuration and instruction are made where they are missing."""
    call = _call(request=LlmRequest())
    _run(call, {"append_instruction": "one"}, {"append_instruction": "two"})
    assert call.request.config.system_instruction == Content(
        "user", [Part(text="one"), Part(text="two")]
    )


def test_a_text_is_changed_in_place():
    """Only the first part of the response is touched; without one nothing happens."""
    response = LlmResponse(content=Content("model", [Part(text="a"), Part(text="b")]))
    _run(_call(response=response), {"mutate_text": "x"})
    assert response.content == Content("model", [Part(text="x"), Part(text="b")])
    _run(_call(response=LlmResponse()), {"mutate_text": "x"})
    _run(_call(response=None), {"mutate_text": "x"})


def test_arguments_are_changed_in_place():
    """Keys are added or replaced."""
    args = {"a": 1.0, "b": 2.0}
    _run(_call(args=args), {"set_args": {"b": 3, "c": 4}})
    assert args == {"a": 1.0, "b": 3.0, "c": 4.0}


def test_actions_are_laid_over_key_by_key():
    """Maps are merged in place, null takes one away, other fields are replaced."""
    call = _call()
    delta = call.ctx.actions.state_delta
    delta["old"] = 1.0
    _run(call, {"actions": {"stateDelta": {"new": 2}, "escalate": True, "artifactDelta": None}})
    assert call.ctx.actions.state_delta is delta
    assert call.ctx.actions == EventActions(
        state_delta={"old": 1.0, "new": 2.0}, artifact_delta=None, escalate=True
    )


def test_an_event_is_changed_in_place_or_replaced_by_a_copy():
    """A replacement shares nothing that the patch changes."""
    event = new_event("inv")
    event.content = Content.of_text("before", "user")
    call = _call(event=event)
    _run(
        call,
        {
            "replace_event": {
                "author": "x",
                "text": "copy",
                "stateDelta": {"k": 1},
                "partial": True,
            }
        },
    )
    copy = call.replacement
    assert (event.author, event.content.parts[0].text, event.actions.state_delta) == (
        "",
        "before",
        {},
    )
    assert (copy.author, copy.content, copy.actions.state_delta, copy.partial) == (
        "x",
        Content.of_text("copy", "user"),
        {"k": 1.0},
        True,
    )
    _run(call, {"mutate_event": {"text": "after", "author": "y"}})
    assert (event.author, event.content) == ("y", Content.of_text("after", "user"))


def test_a_text_for_an_event_without_content_is_of_the_model():
    """The role is kept only where there is one; without an event nothing happens."""
    event = new_event("inv")
    _run(_call(event=event), {"mutate_event": {"text": "x"}})
    assert event.content == Content.of_text("x", "model")
    _run(_call(), {"mutate_event": {"text": "x"}}, {"replace_event": {"text": "x"}})


def test_the_record_of_a_summary_is_replaced_or_taken_away():
    """The record itself is copied, as others hold it; without one a summary changes nothing."""
    record = EventCompaction(compacted_content=Content.of_text("old"))
    event = Event(actions=EventActions(compaction=record))
    _run(_call(event=event), {"mutate_event": {"summary": "new"}})
    assert record.compacted_content == Content.of_text("old")
    assert event.actions.compaction == EventCompaction(compacted_content=Content.of_text("new"))
    _run(_call(event=event), {"mutate_event": {"no_record": True}})
    assert event.actions.compaction is None
    _run(_call(event=event), {"mutate_event": {"summary": "new"}})
    assert event.actions.compaction is None


def test_an_event_is_filled_from_its_json():
    """What the spec lacks is emptied, its actions are laid over the new event's."""
    event = new_event("inv")
    script.fill_event(
        event,
        {
            "author": "a",
            "content": "hi",
            "partial": True,
            "turnComplete": True,
            "errorCode": "E",
            "errorMessage": "m",
            "branch": "b",
            "isolationScope": "s",
            "longRunningToolIds": ["c"],
            "output": {"n": 1},
            "customMetadata": {"m": 2},
            "usageMetadata": {"promptTokenCount": 3},
            "invocationId": "other",
            "actions": {"stateDelta": {"k": 4}, "transferToAgent": "t"},
        },
    )
    assert event == Event(
        id=event.id,
        timestamp=event.timestamp,
        author="a",
        content=Content.of_text("hi"),
        partial=True,
        turn_complete=True,
        error_code="E",
        error_message="m",
        branch="b",
        isolation_scope="s",
        long_running_tool_ids=["c"],
        output={"n": 1.0},
        custom_metadata={"m": 2.0},
        usage_metadata={"promptTokenCount": 3},
        invocation_id="other",
        actions=EventActions(state_delta={"k": 4.0}, artifact_delta={}, transfer_to_agent="t"),
    )


def test_data_that_cannot_be_decoded_is_the_scenarios_fault():
    """The schema does not look into the texts of times."""
    spec = {"actions": {"compaction": {"startTimestamp": "today"}}}
    with pytest.raises(ScenarioError, match='decoding event timestamp "today"'):
        script.fill_event(new_event("inv"), spec)


def test_every_place_has_ops_and_every_hook_returns_something():
    """The tables cover the twelve hooks, tools and bodies."""
    assert {place for op in script.OPS.values() for place in op.places} >= set(script.PLACES)
    assert set(script.RETURNS) == {*script.HOOKS, script.TOOL}
