# SPDX-License-Identifier: Apache-2.0
"""Records, snapshots and names."""

import threading
from datetime import UTC, datetime, timedelta

import pytest

from adkref.conformance import trace
from adkref.conformance.faults import HarnessError
from adkref.conformance.trace import Names, Tracer, plain, pruned
from adkref.content import Content, FunctionCall, FunctionResponse, LlmResponse, Part
from adkref.events import Event, EventActions, ToolConfirmation, new_event
from adkref.models import LlmRequest
from adkref.models.request import FunctionDeclaration, GenerateContentConfig, ToolDeclarations

A = "0a000000-0000-4000-8000-000000000000"
B = "0b000000-0000-4000-8000-000000000000"
C = "0c000000-0000-4000-8000-000000000000"


def test_a_record_leaves_out_null_and_empty_text_only():
    """Empty objects and lists, false and zero are kept."""
    tracer = Tracer()
    tracer.add("tool", a=None, b="", c={}, d=[], e=False, f=0)
    assert tracer.finished() == [{"at": "tool", "c": {}, "d": [], "e": False, "f": 0}]


def test_the_gate_sees_a_record_before_it_is_stored():
    """A scheduler can hold a thread at its record."""
    seen = []
    tracer = Tracer(lambda record: seen.append((record["at"], len(tracer.records))))
    tracer.add("one")
    tracer.add("two")
    assert seen == [("one", 0), ("two", 1)]


def test_threads_lose_no_record():
    """Any number of threads may record at the same time."""
    tracer = Tracer()

    def work(lane):
        for number in range(500):
            tracer.add("x", lane=lane, number=number)

    threads = [threading.Thread(target=work, args=(lane,)) for lane in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [
        [record["number"] for record in tracer.records if record["lane"] == lane]
        for lane in range(4)
    ] == [list(range(500))] * 4


def test_an_endless_trace_is_cut_and_then_refused(monkeypatch):
    """What loops without end must not fill the memory before it is killed."""
    monkeypatch.setattr(trace, "MAX_RECORDS", 2)
    tracer = Tracer()
    for _ in range(3):
        tracer.add("x")
    assert len(tracer.records) == 2
    with pytest.raises(HarnessError, match="the trace has more than 2 records"):
        tracer.finished()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (5.0, 5),
        (-0.0, 0),
        (0.5, 0.5),
        (1e21, 1e21),
        (1e20, 100000000000000000000),
        (True, True),
        ((1.0, "a"), [1, "a"]),
        ({"k": {"n": 2.0}, "e": {}, "x": None}, {"k": {"n": 2}, "e": {}, "x": None}),
        (b"ab", "YWI="),
        (Content.of_text("hi"), {"role": "model", "parts": [{"text": "hi"}]}),
        (float("nan"), "<unmarshallable: json: unsupported value: NaN>"),
        ({"f": print}, "<unmarshallable: json: unsupported type: builtin_function_or_method>"),
    ],
)
def test_plain_gives_json_types(value, shown):
    """Whole floats become integers, records objects; what is no JSON says so."""
    assert repr(plain(value)) == repr(shown)


def test_plain_copies():
    """A snapshot does not change with what it shows."""
    inner = {"k": 1}
    shown = plain({"inner": inner})
    inner["k"] = 2
    assert shown == {"inner": {"k": 1}}


def test_pruning_spares_the_users_own_data():
    """Own fields that are empty are dropped, the user's data only as a whole."""
    assert pruned(
        {
            "a": None,
            "b": "",
            "c": False,
            "d": [],
            "e": {"x": ""},
            "content": {},
            "zero": 0.0,
            "list": ["", {}, None, False, {"a": ""}],
            "stateDelta": {"a": None, "b": "", "c": [], "d": 3.0},
            "args": {},
            "payload": None,
            "output": "",
            "response": [],
        }
    ) == {
        "content": {},
        "zero": 0,
        "list": ["", {}, None, False, {}],
        "stateDelta": {"a": None, "b": "", "c": [], "d": 3},
        "output": "",
        "response": [],
    }


def test_an_event_is_shown_without_its_own_id_and_time():
    """Ids of calls and responses stay."""
    event = new_event("inv")
    event.author = "a"
    event.branch = "b"
    event.content = Content(
        "model",
        [
            Part(function_call=FunctionCall(id="c1", name="f", args={"n": 1.0, "empty": ""})),
            Part(function_response=FunctionResponse(id="c1", name="f", response={})),
            Part(text="t", thought=True),
        ],
    )
    event.actions = EventActions(
        state_delta={"k": 2.0},
        artifact_delta={},
        requested_tool_confirmations={"c1": ToolConfirmation(hint="h")},
    )
    event.long_running_tool_ids = ["c1"]
    assert trace.event_json(event) == {
        "author": "a",
        "branch": "b",
        "invocationId": "inv",
        "content": {
            "role": "model",
            "parts": [
                {"functionCall": {"id": "c1", "name": "f", "args": {"n": 1, "empty": ""}}},
                {"functionResponse": {"id": "c1", "name": "f"}},
                {"text": "t", "thought": True},
            ],
        },
        "actions": {
            "stateDelta": {"k": 2},
            "requestedToolConfirmations": {"c1": {"hint": "h"}},
        },
        "longRunningToolIds": ["c1"],
    }


def test_an_event_that_is_no_json_is_left_out():
    """A record about it shows no event, as with a missing one."""
    assert trace.event_json(Event(output=print)) is None
    assert trace.event_json(None) is None


def test_a_response_and_a_content_are_pruned():
    """Both have the same form as inside an event; a missing one is null."""
    response = LlmResponse(content=Content.of_text("hi"), usage_metadata={"n": 3.0})
    assert trace.response_json(response) == {
        "content": {"role": "model", "parts": [{"text": "hi"}]},
        "usageMetadata": {"n": 3},
    }
    assert trace.content_json(Content("user", [Part()])) == {"role": "user", "parts": [{}]}
    assert (trace.response_json(None), trace.content_json(None)) == (None, None)


def test_a_request_shows_what_the_model_is_asked():
    """Names of tools in order, each part of the instruction, and whether a schema is set."""
    request = LlmRequest(
        "m",
        [Content.of_text("hi", "user")],
        GenerateContentConfig(
            system_instruction=Content("user", [Part(text="one"), Part(text="two")]),
            tools=[
                ToolDeclarations(None),
                ToolDeclarations([FunctionDeclaration("f"), FunctionDeclaration("g")]),
            ],
            response_schema={"type": "OBJECT"},
            response_mime_type="application/json",
        ),
    )
    assert trace.request_json(request) == {
        "model": "m",
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
        "system_instruction": ["one", "two"],
        "tools": ["f", "g"],
        "response_schema": True,
        "response_mime_type": "application/json",
    }
    assert trace.request_json(LlmRequest()) == {"contents": []}
    assert trace.request_json(LlmRequest(config=GenerateContentConfig())) == {"contents": []}


def test_ids_are_named_by_first_appearance():
    """Records in order, keys sorted, a key before its value; calls and bare ids share a count."""
    names = Names()
    assert names.records(
        [
            {"z": f"e-{B}", "a": f"adk-{A}"},
            {"m": {f"adk-{C}": C}, "text": f"artifact_e-{A}_1. It has adk-{A}", "n": [B, 5]},
            {"given": "inv-history", "call": "fc-1"},
        ]
    ) == [
        {"a": "adk-1", "z": "inv-1"},
        {"m": {"adk-2": "id-3"}, "n": ["id-4", 5], "text": "artifact_inv-2_1. It has adk-1"},
        {"call": "fc-1", "given": "inv-history"},
    ]
    assert names.final({"state": {"k": B, "j": f"e-{B}"}}) == {
        "state": {"j": "inv-1", "k": "id-4"}
    }


@pytest.mark.parametrize("end", ["\n\nx, w", '", w', "\\n, w"])
def test_the_tools_that_are_available_are_sorted(end):
    """The list ends at a line break, a quote or a backslash."""
    assert Names().records([{"error": f"no.\nAvailable tools: b\u00e4, c, a{end}"}]) == [
        {"error": f"no.\nAvailable tools: a, b\u00e4, c{end}"}
    ]
    assert Names().final({"k": "Available tools: "}) == {"k": "Available tools: "}


def test_times_are_named_after_stored_events():
    """Equal times take the first event, a time that no event has is @?, other texts stay."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    names = Names([start, start + timedelta(seconds=1), start])
    assert names.records(
        [
            {
                "startTimestamp": "2026-01-01T00:00:00Z",
                "endTimestamp": "2026-01-01T00:00:01Z",
                "deep": [{"timestamp": "2026-01-02T00:00:00.5Z"}],
                "timestamp": "today",
                "time": "2026-01-01T00:00:00Z",
            }
        ]
    ) == [
        {
            "startTimestamp": "@1",
            "endTimestamp": "@2",
            "deep": [{"timestamp": "@?"}],
            "timestamp": "today",
            "time": "2026-01-01T00:00:00Z",
        }
    ]
    assert names.final({"timestamp": "2026-01-01T00:00:00Z"}) == {
        "timestamp": "2026-01-01T00:00:00Z"
    }
