# SPDX-License-Identifier: Apache-2.0
"""Events (chapter 03, sections 1.2 and 5)."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import START, answer, call, content, counting_platform, event, reply, thought

from adkref.codec import DecodeError
from adkref.content import Content, Part
from adkref.errors import AdkError
from adkref.events import (
    Event,
    EventActions,
    EventCompaction,
    EventReference,
    NodeInfo,
    RequestedInput,
    ToolConfirmation,
    clone_event,
    event_of_response,
    new_event,
    visible_on_branch,
)
from adkref.timestamps import ZERO_TIME

#: Every field set, as it travels.
FULL_JSON = {
    "content": {"role": "model", "parts": [{"text": "hi"}]},
    "citationMetadata": {"c": 1},
    "groundingMetadata": {"g": 1},
    "usageMetadata": {"u": 1},
    "customMetadata": {"m": 1},
    "logprobsResult": {"l": 1},
    "inputTranscription": {"text": "in"},
    "outputTranscription": {"text": "out", "finished": True},
    "modelVersion": "v",
    "partial": True,
    "turnComplete": True,
    "interrupted": True,
    "sessionResumptionHandle": "h",
    "errorCode": "E",
    "errorMessage": "m",
    "finishReason": "STOP",
    "avgLogprobs": -0.5,
    "id": "e1",
    "timestamp": "2026-08-01T12:00:00.5Z",
    "invocationId": "inv",
    "branch": "a.b",
    "isolationScope": "s",
    "author": "a",
    "actions": {
        "stateDelta": {"k": None},
        "artifactDelta": {"f": 2},
        "requestedToolConfirmations": {"c1": {"hint": "", "confirmed": False, "payload": None}},
        "skipSummarization": True,
        "transferToAgent": "b",
        "escalate": True,
        "compaction": {
            "startTimestamp": "2026-08-01T11:00:00Z",
            "endTimestamp": "2026-08-01T12:00:00Z",
            "compactedContent": {"role": "model", "parts": [{"text": "sum"}]},
            "excludedEvents": [{"invocationId": "i", "timestamp": "2026-08-01T11:30:00Z"}],
        },
    },
    "longRunningToolIds": ["c1"],
    "routes": ["x"],
    "requestedInput": {
        "interruptId": "q",
        "message": "?",
        "responseSchema": {"type": "object"},
        "payload": {"p": 1},
    },
    "output": {"o": 1},
    "nodeInfo": {"path": "a/b@1", "messageAsOutput": True, "outputFor": ["a/b@1"]},
}


# --- making them ---------------------------------------------------------------------------


def test_a_new_event():
    """Id, then time, the invocation, both deltas empty, the rest zero (EVT-001)."""
    platform = counting_platform()
    got = new_event("inv", platform)
    assert got == Event(
        id="id-1",
        timestamp=datetime(2026, 8, 1, 12, 0, 1, tzinfo=UTC),
        invocation_id="inv",
        actions=EventActions(state_delta={}, artifact_delta={}),
    )
    assert EventActions.fresh() == got.actions


def test_new_events_share_nothing():
    """Two events have maps of their own (EVT-001)."""
    one, other = new_event("inv"), new_event("inv")
    assert one.id != other.id
    one.actions.state_delta["k"] = 1
    one.author = "a"
    assert (other.actions.state_delta, other.author, Event().author) == ({}, "", "")


def test_an_event_of_a_response():
    """Every field of the response is taken over, its content shared, actions new (FLOW-016)."""
    given_response = reply(
        "x", partial=True, error_code="E", custom_metadata={"m": 1}, avg_logprobs=0.5
    )
    got = event_of_response(given_response)
    assert got == Event(
        content=content("x", role="model"),
        partial=True,
        error_code="E",
        custom_metadata={"m": 1},
        avg_logprobs=0.5,
    )
    assert got.content is given_response.content
    got.author = "a"
    assert not hasattr(given_response, "author")


def test_a_clone_shares_its_actions():
    """A shallow copy of an event keeps the very actions."""
    first = event("a", "x", actions=EventActions(escalate=True))
    copy = clone_event(first)
    assert copy == first
    assert copy is not first
    assert copy.actions is first.actions


# --- final responses ------------------------------------------------------------------------


COMPACTION = EventActions(compaction=EventCompaction(), skip_summarization=True)
RESULT = Part(code_execution_result={"output": "1"})


@pytest.mark.parametrize(
    ("given_event", "final"),
    [
        (Event(), True),
        (event("a", "x"), True),
        (event("a", thought("x")), True),
        (event("a", "x", partial=True), False),
        (event("a", call("t")), False),
        (event("a", "x", call("t")), False),
        (event("a", answer("t")), False),
        (event("a", RESULT), False),
        (event("a", "x", RESULT), False),
        (event("a", RESULT, "x"), True),
        (event("a", call("t"), long_running_tool_ids=["c1"]), True),
        (event("a", call("t"), long_running_tool_ids=["c1"], partial=True), True),
        (event("a", answer("t"), actions=EventActions(skip_summarization=True)), True),
        (
            event("a", "x", actions=EventActions(skip_summarization=True), partial=True),
            True,
        ),
        (event("a", "x", actions=COMPACTION), False),
        (
            event("a", "x", actions=COMPACTION, long_running_tool_ids=["c1"]),
            False,
        ),
    ],
)
def test_final_responses(given_event, final):
    """Compaction, then skip and long-running ids, then calls, partial, code (EVT-010, FLOW-004)."""
    assert given_event.is_final_response() is final


@pytest.mark.parametrize(
    ("given_event", "only"),
    [
        (Event(), False),
        (Event(content=Content("model")), False),
        (event("a", thought("x")), True),
        (event("a", thought("x"), thought("")), True),
        (event("a", thought("x"), partial=True), False),
        (event("a", thought("x"), "y"), False),
        (event("a", thought("x"), call("t")), False),
        (event("a", Part(text="x", thought_signature=b"s")), False),
        (
            event("a", Part(thought=True, function_call=call("t").function_call)),
            True,
        ),
    ],
)
def test_thought_only_events(given_event, only):
    """A whole event of thoughts; a signature alone is none, a call only with the flag (FLOW-005)."""
    assert given_event.is_thought_only() is only


def test_reading_calls_and_responses():
    """Calls and responses come in part order; without a content there are none."""
    mixed = event("a", call("t"), "x", answer("u"), call("v", "c2"))
    assert [c.name for c in mixed.calls()] == ["t", "v"]
    assert [r.name for r in mixed.responses()] == ["u"]
    assert (Event().calls(), Event().responses()) == ([], [])


# --- branches ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event_branch", "branch", "visible"),
    [
        ("", "", True),
        ("a", "", True),
        ("", "a", True),
        ("a", "a", True),
        ("a", "a.b", True),
        ("a.b", "a.b.c", True),
        ("a.b", "a", False),
        ("a", "ab", False),
        ("a", "b.a", False),
        ("a.b", "a.c", False),
    ],
)
def test_branch_visibility(event_branch, branch, visible):
    """A run sees its own branch and those above, nothing below or beside (EVT-030, CNT-011)."""
    assert visible_on_branch(event_branch, branch) is visible


# --- JSON -------------------------------------------------------------------------------------


def test_every_field_survives_json():
    """A full event is read and written under the names of chapter 03, 1.2 (EVT-020)."""
    assert Event.from_json(FULL_JSON).to_json() == FULL_JSON


def test_a_zero_event_has_five_keys():
    """The JSON of an all-zero event is exactly this (EVT-021)."""
    assert Event().to_json() == {
        "id": "",
        "timestamp": "0001-01-01T00:00:00Z",
        "invocationId": "",
        "author": "",
        "actions": {},
    }


@pytest.mark.parametrize("delta", [None, {}, {"k": None}, {"k": {"n": [1, {}]}}])
def test_delta_maps_keep_nil_and_empty_apart(delta):
    """A nil map has no key, an allocated one is written, and both come back (EVT-020, EVT-026)."""
    versions = None if delta is None else dict.fromkeys(delta, 1)
    actions = EventActions(state_delta=delta, artifact_delta=versions)
    json = actions.to_json()
    assert json == ({} if delta is None else {"stateDelta": delta, "artifactDelta": versions})
    assert Event.from_json({"actions": json}).actions == actions


@pytest.mark.parametrize("output", ["", 0, 0.0, False, {}, []])
def test_an_output_is_written_even_when_it_is_empty(output):
    """Only nil is left out of the JSON (chapter 03, 1.2)."""
    json = Event(output=output).to_json()
    assert json["output"] == output
    assert Event.from_json(json).output == output


@pytest.mark.parametrize(
    "fields",
    [
        {"long_running_tool_ids": []},
        {"routes": []},
        {"custom_metadata": {}},
        {"avg_logprobs": 0.0},
        {"actions": EventActions(requested_tool_confirmations={})},
    ],
)
def test_empty_values_are_left_out(fields):
    """Empty lists, maps and zero numbers have no key (chapter 03, 1.2)."""
    assert Event(**fields).to_json() == Event().to_json()


def test_present_records_are_written():
    """An empty content, transcription, node info or question is there (chapter 03, 1.2)."""
    json = Event.from_json(
        {"content": {}, "inputTranscription": {}, "requestedInput": {}, "nodeInfo": {"path": "p"}}
    ).to_json()
    assert {key: json[key] for key in json if key not in Event().to_json()} == {
        "content": {},
        "inputTranscription": {},
        "requestedInput": {"interruptId": ""},
        "nodeInfo": {"path": "p"},
    }
    assert Event(requested_input=RequestedInput("q")).to_json()["requestedInput"] == {
        "interruptId": "q"
    }


def test_a_compaction_record_always_has_its_range_and_content():
    """A missing content is null, no excluded events no key (chapter 03, 1.2)."""
    json = EventCompaction().to_json()
    zero = "0001-01-01T00:00:00Z"
    assert json == {"startTimestamp": zero, "endTimestamp": zero, "compactedContent": None}
    assert EventCompaction.from_json(json) == EventCompaction()
    reference = EventReference("i", START)
    assert EventCompaction(excluded_events=[reference]).to_json()["excludedEvents"] == [
        {"invocationId": "i", "timestamp": "2026-08-01T12:00:00Z"}
    ]


def test_confirmations_have_all_three_keys():
    """Hint, confirmed and payload are written when zero, too (chapter 02, 1.5)."""
    assert ToolConfirmation().to_json() == {"hint": "", "confirmed": False, "payload": None}
    assert ToolConfirmation.from_json({"Confirmed": True, "more": 1}) == ToolConfirmation(
        confirmed=True
    )


def test_keys_of_older_versions_bind():
    """Capitalised names are read, unknown keys ignored (EVT-022)."""
    assert Event.from_json(
        {
            "ID": "e",
            "InvocationID": "inv",
            "Timestamp": 0,
            "Actions": {"StateDelta": {"K": 1}},
            "LongRunningToolIDs": ["c"],
            "nonsense": [],
        }
    ) == Event(
        id="e",
        invocation_id="inv",
        timestamp=datetime(1970, 1, 1, tzinfo=UTC),
        actions=EventActions(state_delta={"K": 1}),
        long_running_tool_ids=["c"],
    )


@pytest.mark.parametrize("time", [{}, {"timestamp": None}])
def test_an_absent_time_stays_zero(time):
    """Null and absent leave the zero time (EVT-023)."""
    assert Event.from_json(time).timestamp == ZERO_TIME


@pytest.mark.parametrize(
    ("json", "text"),
    [
        (
            {"TIMESTAMP": 1754049600000},
            "session: event timestamp 1754049600000 is not a plausible date",
        ),
        (
            {"timestamp": "soon"},
            'session: decoding event timestamp "soon": expected RFC 3339',
        ),
        ({"timestamp": {}}, "session: decoding event timestamp {}: expected a string, got dict"),
        (
            {"author": 1},
            "invalid value for type, expected str @ Event.author",
        ),
        ({"longRunningToolIds": "c1"}, None),
        ({"content": "hi"}, None),
        ([], "Event: expected an object, got list"),
        (None, "Event: expected an object, got NoneType"),
    ],
)
def test_what_is_no_event_is_refused(json, text):
    """Times have texts of their own, other faults the decoder's (EVT-024)."""
    with pytest.raises(AdkError) as caught:
        Event.from_json(json)
    if text is None:
        assert isinstance(caught.value, DecodeError)
    else:
        assert str(caught.value) == text


@pytest.mark.parametrize(
    ("info", "kept"),
    [
        ({}, None),
        ({"path": ""}, None),
        ({"messageAsOutput": False, "outputFor": []}, None),
        ({"path": "p"}, NodeInfo("p")),
        ({"messageAsOutput": True}, NodeInfo(message_as_output=True)),
        ({"outputFor": ["p"]}, NodeInfo(output_for=["p"])),
    ],
)
def test_an_empty_node_info_becomes_nil(info, kept):
    """After decoding, a node info that says nothing is none (EVT-025)."""
    assert Event.from_json({"nodeInfo": info}).node_info == kept


@given(
    st.builds(
        Event,
        id=st.text(),
        author=st.text(),
        branch=st.text(),
        partial=st.booleans(),
        timestamp=st.datetimes(timezones=st.just(UTC)),
        actions=st.builds(
            EventActions,
            state_delta=st.none() | st.dictionaries(st.text(), st.none() | st.integers()),
            artifact_delta=st.none() | st.dictionaries(st.text(), st.integers()),
            escalate=st.booleans(),
        ),
        long_running_tool_ids=st.none() | st.lists(st.text(), min_size=1),
        output=st.none() | st.booleans() | st.text() | st.dictionaries(st.text(), st.integers()),
    )
)
def test_events_round_trip(given_event):
    """What is written is read back, nil and empty apart (EVT-020, EVT-026)."""
    assert Event.from_json(given_event.to_json()) == given_event
