# SPDX-License-Identifier: Apache-2.0
"""One response event out of the answers to several calls (TOOL-030)."""

import pytest
from kit import START, answer, content, event

from adkref.events import EventActions, ToolConfirmation
from adkref.flow.merge import merge_responses


def answering(name, **actions):
    """The response event of one call."""
    return event(
        "a", answer(name, name), role="user", id=f"e-{name}", actions=EventActions(**actions)
    )


def merged(*actions):
    """The actions that several calls come to."""
    events = [answering(f"t{i}", **fields) for i, fields in enumerate(actions)]
    return merge_responses(events).actions


@pytest.mark.parametrize("events", [[], [None], [None, None]])
def test_no_response_is_no_event(events):
    """Without calls, or without answers, there is no event (TOOL-030)."""
    assert merge_responses(events) is None


def test_one_response_is_its_own_event():
    """A single answer stays as it is, wherever it stands (TOOL-030)."""
    only = answering("t", escalate=True)
    before = answering("t", escalate=True)
    assert merge_responses([only]) is only
    assert merge_responses([None, only, None]) is only
    assert only == before


def test_the_first_event_takes_all_parts():
    """The first answer's event is reused; all parts follow in call order (TOOL-030)."""
    first, second, third = answering("x"), answering("y"), answering("z")
    first.timestamp, first.branch = START, "b"
    second.content.parts.append(content("shown").parts[0])
    third.content = None
    assert merge_responses([None, first, second, None, third]) is first
    assert first == event(
        "a",
        answer("x", "x"),
        answer("y", "y"),
        "shown",
        role="user",
        id="e-x",
        timestamp=START,
        branch="b",
    )
    assert second.content == content(answer("y", "y"), "shown")


@pytest.mark.parametrize(
    ("actions", "result"),
    [
        (({}, {"skip_summarization": True}), {"skip_summarization": True}),
        (({"skip_summarization": True}, {}), {"skip_summarization": True}),
        (({}, {"escalate": True}, {}), {"escalate": True}),
        (
            ({"transfer_to_agent": "x"}, {"transfer_to_agent": "y"}, {}),
            {"transfer_to_agent": "y"},
        ),
        (({"transfer_to_agent": "x"}, {}), {"transfer_to_agent": "x"}),
        (({}, {}), {}),
        (({"state_delta": {}}, {"state_delta": {}}), {"state_delta": {}}),
        (({"state_delta": None}, {"state_delta": {"a": 1}}), {"state_delta": {"a": 1}}),
        (
            ({"state_delta": {"a": 1, "b": 1}}, {"state_delta": {"b": 2, "c": None}}),
            {"state_delta": {"a": 1, "b": 2, "c": None}},
        ),
        (
            (
                {"state_delta": {"m": {"x": 1, "in": {"p": 1}}}},
                {"state_delta": {"m": {"y": 2, "in": {"q": 2}}}},
                {"state_delta": {"m": {"x": 3}}},
            ),
            {"state_delta": {"m": {"x": 3, "y": 2, "in": {"p": 1, "q": 2}}}},
        ),
        (
            ({"state_delta": {"m": {"x": 1}}}, {"state_delta": {"m": 1}}),
            {"state_delta": {"m": 1}},
        ),
        (
            ({"state_delta": {"m": 1}}, {"state_delta": {"m": {"x": 1}}}),
            {"state_delta": {"m": {"x": 1}}},
        ),
        (
            ({"artifact_delta": {"f": 3, "g": 1}}, {"artifact_delta": {"f": 2, "g": 2, "h": 0}}),
            {"artifact_delta": {"f": 3, "g": 2, "h": 0}},
        ),
        (({}, {"artifact_delta": {"f": 1}}), {"artifact_delta": {"f": 1}}),
        (
            (
                {"requested_tool_confirmations": {"1": ToolConfirmation("x")}},
                {
                    "requested_tool_confirmations": {
                        "1": ToolConfirmation("y"),
                        "2": ToolConfirmation("z"),
                    }
                },
            ),
            {
                "requested_tool_confirmations": {
                    "1": ToolConfirmation("y"),
                    "2": ToolConfirmation("z"),
                }
            },
        ),
        (
            ({}, {"requested_tool_confirmations": {"2": ToolConfirmation("z")}}),
            {"requested_tool_confirmations": {"2": ToolConfirmation("z")}},
        ),
    ],
)
def test_actions_are_merged_from_left_to_right(actions, result):
    """Flags OR-ed, last transfer, deep state, highest version, united questions (TOOL-030)."""
    assert merged(*actions) == EventActions(**result)


def test_nested_maps_are_merged_in_place():
    """The earlier map is changed, the later one is not (TOOL-030)."""
    earlier, later = {"x": 1}, {"y": 2}
    actions = merged({"state_delta": {"m": earlier}}, {"state_delta": {"m": later}})
    assert actions.state_delta["m"] is earlier
    assert (earlier, later) == ({"x": 1, "y": 2}, {"y": 2})
