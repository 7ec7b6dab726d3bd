# SPDX-License-Identifier: Apache-2.0
"""Traces in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adkref.conformance import corpus, narrate
from adkref.conformance.narrate import Step, final_words, lane_label, sentence, short, short_json

CONFORMANCE = Path(__file__).parents[2] / "conformance"

CALL = {
    "functionCall": {"id": "adk-1", "name": "get_weather", "args": {"city": "Rome", "days": 2}}
}
ANSWER = {"functionResponse": {"id": "adk-1", "name": "get_weather", "response": {"sky": "blue"}}}


def event(*parts, **fields):
    """Return an event of agent w with the given parts."""
    return {"author": "w", "content": {"role": "model", "parts": list(parts)}, **fields}


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"at": "construct_error", "error": "no name"}, 'the run could not be built — error: "no name"'),
        ({"at": "turn", "n": 2}, "turn 2 begins"),
        (
            {"at": "hook", "hook": "before_agent", "by": "plugin:p", "agent": "w"},
            "plugin:p before_agent",
        ),
        (
            {"at": "hook", "hook": "on_user_message", "by": "plugin:p", "content": {"parts": [{"text": "hi"}]}},
            'plugin:p on_user_message: "hi"',
        ),
        (
            {"at": "hook", "hook": "on_event", "by": "plugin:p", "event": event({"text": "hi"})},
            'plugin:p on_event: w: "hi"',
        ),
        (
            {"at": "hook", "hook": "before_tool", "by": "agent:w/c1", "tool": "t", "args": {}, "call_id": "c"},
            "agent:w/c1 before_tool t()",
        ),
        (
            {"at": "hook", "hook": "after_tool", "by": "agent:w/c1", "tool": "t", "args": {"a": 1}, "result": {"ok": True}, "error": "e"},
            'agent:w/c1 after_tool t(a=1): {"ok": true} — error: "e"',
        ),
        (
            {"at": "hook", "hook": "after_model", "by": "agent:w/c1", "response": {"content": {"parts": [CALL]}}},
            'agent:w/c1 after_model: calls get_weather(city="Rome", days=2)',
        ),
        (
            {"at": "model", "agent": "w", "stream": True, "request": {"contents": [{"parts": [{"text": "a"}]}, {"parts": [ANSWER]}], "tools": ["get_weather", "exit_loop"]}},
            'model is asked for a stream: 2 contents, the last get_weather answers {"sky": "blue"}; tools get_weather, exit_loop',
        ),
        ({"at": "model", "agent": "w", "request": {"contents": []}}, "model is asked: 0 contents"),
        ({"at": "model_stopped", "agent": "w"}, "model's stream is stopped"),
        ({"at": "tool", "tool": "t", "args": {"a": ["x", None]}}, 'tool t(a=["x", null]) runs'),
        ({"at": "state", "key": "k", "value": None}, 'state "k" is null'),
        ({"at": "state", "key": "k", "error": "no such key"}, 'state "k" — error: "no such key"'),
        ({"at": "state_error", "key": "k", "error": "no"}, 'state "k" is not set — error: "no"'),
        ({"at": "artifact", "op": "save", "name": "f", "version": 1}, "artifact f save, version 1"),
        ({"at": "artifact", "op": "load", "name": "f", "text": "t"}, 'artifact f load: "t"'),
        ({"at": "artifact", "op": "load", "name": "f", "error": "e"}, 'artifact f load — error: "e"'),
        (
            {"at": "confirmation", "op": "get", "tool": "t", "call_id": "c", "value": {"confirmed": True}},
            'confirmation get for t: {"confirmed": true}',
        ),
        ({"at": "body", "agent": "w", "step": "start"}, "body starts"),
        ({"at": "body", "agent": "w", "step": "resumed"}, "body goes on: its yield was taken"),
        ({"at": "body", "agent": "w", "step": "stopped"}, "body is stopped at its yield"),
        ({"at": "body", "agent": "w", "step": "end"}, "body ends"),
        ({"at": "history", "agent": "w", "own": 1}, "sees 1 event of its own in the session"),
        ({"at": "append", "event": event({"text": "hi"})}, 'stored w: "hi"'),
        (
            {"at": "append", "event": event({"text": "hi"}), "error": "disk full"},
            'not stored w: "hi" — error: "disk full"',
        ),
        (
            {"at": "yield", "event": event({"text": "a", "thought": True}, CALL, partial=True, longRunningToolIds=["adk-1"])},
            'consumer takes w: thinks "a" + calls get_weather(city="Rome", days=2) [partial; waits for adk-1]',
        ),
        (
            {"at": "yield", "event": {"author": "w", "actions": {"stateDelta": {"k": 1}, "transferToAgent": "b", "escalate": True}}},
            'consumer takes w: no content [state {"k": 1}; transfer to b; escalate]',
        ),
        ({"at": "yield", "error": "boom"}, 'consumer takes an item without an event — error: "boom"'),
        ({"at": "stop"}, "consumer stops"),
        ({"at": "end"}, "stream ends"),
        ({"at": "runaway"}, "consumer took 400 items and closes the stream"),
        ({"at": "node", "node": "a", "path": "wf@1/a@1", "input": {"k": 1}}, 'node wf@1/a@1 starts with {"k": 1}'),
        ({"at": "resumed", "node": "a", "id": "q", "found": True, "value": "y"}, 'node a reads the answer to q: "y"'),
        ({"at": "ws", "agent": "w", "branch": "ws:1", "step": "close", "code": 1000}, 'socket close {"code": 1000}'),
        ({"at": "teleport", "to": "Mars"}, '{"at": "teleport", "to": "Mars"}'),
        ({"at": "body", "step": "jumps"}, '{"at": "body", "step": "jumps"}'),
        ({"at": "model"}, '{"at": "model"}'),
        ({"n": 1}, '{"n": 1}'),
        ({"at": "tool", "tool": "a\x1b[2J\nb", "args": {}}, "tool a\\u001b[2J\\u000ab() runs"),
    ],
)  # fmt: skip
def test_sentence(record, words):
    """Each kind of record has its words; what has none, or another shape, shows as JSON."""
    assert sentence(record) == words


@pytest.mark.parametrize(
    ("record", "label"),
    [
        ({"at": "turn", "n": 1}, ""),
        ({"at": "model", "agent": "w"}, "w"),
        ({"at": "model", "agent": "w", "branch": "p.w"}, "p.w"),
        ({"at": "model", "agent": "v", "branch": "p.w"}, "p.w v"),
        ({"at": "model", "agent": "w", "branch": "w"}, "w"),
        ({"at": "tool", "agent": "w", "branch": "p.w", "call_id": "adk-1"}, "p.w call adk-1"),
        ({"at": "yield", "event": {"author": "user"}}, "user"),
        ({"at": "yield", "error": "e"}, ""),
    ],
)
def test_lane_label(record, label):
    """A lane is shown by its branch, by its agent or author, or by its call."""
    assert lane_label(record) == label


def test_steps():
    """A trace becomes steps with number, lane, words and a style."""
    trace = [
        {"at": "turn", "n": 1},
        {"at": "tool", "agent": "w", "tool": "t", "args": {}},
        {"at": "yield", "error": "e"},
    ]
    assert list(narrate.narrate(trace)) == [
        Step(1, "", "turn 1 begins", "bold"),
        Step(2, "w", "tool t() runs", "cyan"),
        Step(3, "", 'consumer takes an item without an event — error: "e"', "red"),
    ]


@pytest.mark.parametrize(
    ("final", "words"),
    [
        ({"state": {"k": 1}, "events": 1}, 'final: 1 event, state {"k": 1}'),
        ({"error": "gone"}, 'final: {"error": "gone"}'),
        (None, "final: null"),
    ],
)
def test_final(final, words):
    """The final state is told, or why there is none."""
    assert final_words(final) == words


def test_shortened():
    """Long texts and long values lose their end, and show it."""
    assert short("x" * 100) == '"' + "x" * 59 + '…"'
    assert short_json({"k": "x" * 100, "n": [1]}) == '{"k": "' + "x" * 59 + '…", "n": [1]}'
    assert short_json(list(range(100)), 20) == "[0, 1, 2, 3, 4, 5, …"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["parts", "text", "actions", "content"]), inner)
    ),
    max_leaves=5,
)
keys = st.sampled_from(
    ["hook", "event", "content", "request", "response", "tool", "args", "step", "key", "error",
     "op", "n", "by", "call_id", "agent", "branch", "path", "node", "own", "id", "events", "call"]
)  # fmt: skip


@given(st.sampled_from([*narrate._SAYS, "other"]), st.dictionaries(keys, values))
def test_any_record_has_a_sentence(at, fields):
    """Whatever a port writes is told on one line."""
    record = {"at": at, **fields}
    for text in (sentence(record), lane_label(record)):
        assert text.isprintable() or not any(ord(c) < 32 for c in text)


def test_every_record_of_the_cases():
    """No record of the hand-written cases has to be shown as JSON."""
    told = 0
    for case in corpus.read(CONFORMANCE / "cases"):
        for record in case.trace:
            told += 1
            narrate._SAYS[record["at"]](record)
            assert sentence(record) != short_json(record), record
    assert told > 5000
