# SPDX-License-Identifier: Apache-2.0
"""Which parts of an event are copied when it is stored (SES-044, SES-045, SES-046)."""

from datetime import UTC, datetime

import pytest

from adkref.content import Content, Part
from adkref.events import (
    Event,
    EventActions,
    EventCompaction,
    EventReference,
    NodeInfo,
    RequestedInput,
    ToolConfirmation,
)
from adkref.sessions.copies import stored_copy, without_temp_delta

NOON = datetime(2026, 8, 1, 12, tzinfo=UTC)


def full_event():
    """An event with something in every copied field and in some shared ones."""
    return Event(
        content=Content.of_text("hi"),
        custom_metadata={"m": [1]},
        usage_metadata={"totalTokenCount": 3},
        model_version="m-1",
        id="e-1",
        timestamp=NOON,
        invocation_id="i",
        branch="root.a",
        isolation_scope="fc-1",
        author="a",
        actions=EventActions(
            state_delta={"k": [1], "temp:t": 2},
            artifact_delta={"f": 1},
            requested_tool_confirmations={"c": ToolConfirmation("sure?", payload={"p": 1})},
            skip_summarization=True,
            transfer_to_agent="b",
            escalate=True,
            compaction=EventCompaction(
                NOON, NOON, Content.of_text("sum"), [EventReference("i", NOON)]
            ),
        ),
        long_running_tool_ids=["c"],
        routes=["left"],
        requested_input=RequestedInput("q"),
        output={"o": 1},
        node_info=NodeInfo("root"),
    )


def test_stored_copy_equals_the_event():
    """Every field is in the stored object, temporary delta keys included (SES-045, SES-046)."""
    event = full_event()
    stored = stored_copy(event)
    assert stored == full_event() == event
    assert stored is not event
    assert stored.to_json() == event.to_json()
    assert type(stored) is Event


def test_stored_copy_is_apart_where_the_rule_says():
    """Changes in the copied maps, lists and records do not reach the store (SES-045)."""
    event = full_event()
    stored = stored_copy(event)
    actions = event.actions
    actions.state_delta["k2"] = 1
    actions.artifact_delta["f"] = 9
    actions.requested_tool_confirmations["c"].confirmed = True
    actions.requested_tool_confirmations["d"] = ToolConfirmation()
    actions.compaction.start_timestamp = datetime(2026, 1, 1, tzinfo=UTC)
    actions.compaction.compacted_content.role = "user"
    actions.compaction.compacted_content.parts[0].text = "changed"
    actions.compaction.compacted_content.parts.append(Part(text="more"))
    actions.compaction.excluded_events[0].invocation_id = "j"
    actions.compaction.excluded_events.append(EventReference())
    actions.escalate = False
    event.long_running_tool_ids.append("d")
    event.routes.append("right")
    event.author = "b"
    assert stored == full_event()


def test_stored_copy_shares_the_rest():
    """Content, response fields, output, requested input and node info are shared (SES-045)."""
    event = full_event()
    stored = stored_copy(event)
    for name in (
        "content", "custom_metadata", "usage_metadata", "requested_input", "output", "node_info",
    ):  # fmt: skip
        assert getattr(stored, name) is getattr(event, name)
    # one level only
    assert stored.actions.state_delta["k"] is event.actions.state_delta["k"]
    confirmations = stored.actions.requested_tool_confirmations
    assert confirmations["c"].payload is event.actions.requested_tool_confirmations["c"].payload


@pytest.mark.parametrize("empty", [None, "allocated"])
def test_nil_stays_nil_and_empty_stays_empty(empty):
    """An absent map or list is not turned into an empty one, nor the reverse (SES-045)."""

    def event():
        made = Event(id="e")
        if empty:
            made.actions = EventActions({}, {}, {}, compaction=EventCompaction())
            made.long_running_tool_ids, made.routes = [], []
        return made

    assert stored_copy(event()) == event()


def test_clean_delta_keeps_the_very_object():
    """Without temporary keys the handle lists the caller's object (SES-044)."""
    event = Event(actions=EventActions(state_delta={"k": 1}))
    assert without_temp_delta(event, event.actions.state_delta) is event


def test_temporary_keys_are_cut_from_a_shallow_copy():
    """With temporary keys the handle lists a copy whose other fields are shared (SES-044)."""
    event = full_event()
    trimmed = without_temp_delta(event, event.actions.state_delta)
    assert event == full_event()
    expected = full_event()
    del expected.actions.state_delta["temp:t"]
    assert trimmed == expected
    assert trimmed.content is event.content
    assert trimmed.actions.artifact_delta is event.actions.artifact_delta
    assert trimmed.long_running_tool_ids is event.long_running_tool_ids


def test_only_temporary_keys_leave_an_empty_delta():
    """A delta of nothing but temporary keys becomes an empty map, not an absent one (SES-044)."""
    event = Event(actions=EventActions(state_delta={"temp:t": 1}))
    assert without_temp_delta(event, event.actions.state_delta).actions.state_delta == {}
