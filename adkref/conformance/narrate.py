# SPDX-License-Identifier: Apache-2.0
"""Traces in words: step number, lane, what happened.

Each kind of record has one function that says what happened; the table
``_SAYS`` walks through them in the order of the format's pages.  A record of a
kind that is not there is shown as JSON, so nothing of a trace is ever hidden.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import frozen

from adkref.conformance.canonical import lane_of

Record = Mapping[str, Any]

#: Longer texts and arguments are cut to this many characters.
SHORT = 60


@frozen
class Step:
    """One record of a trace, told."""

    number: int
    #: Who acts: a branch, an agent, an event's author or a call; empty for the consumer.
    lane: str
    words: str
    #: A style as rich names it.
    style: str


def narrate(trace: list[dict[str, Any]]) -> Iterator[Step]:
    """Yield a step for each record of *trace*."""
    for number, record in enumerate(trace, 1):
        at = str(record.get("at"))
        style = "red" if "error" in record else _STYLES.get(at, "")
        yield Step(number, lane_label(record), sentence(record), style)


def sentence(record: Record) -> str:
    """Return what happened in words, on one line."""
    return one_line(_sentence(record))


def _sentence(record: Record) -> str:
    say = _SAYS.get(str(record.get("at")))
    if say is None:
        return short_json(record)
    try:
        return say(record)
    except (AttributeError, KeyError, TypeError, ValueError):
        # A port's record may have any shape; its reader wants to see it all the same.
        return short_json(record)


# Names come from a scenario as well, and none may move a terminal's cursor.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def one_line(text: str) -> str:
    """Return *text* with its control characters escaped."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def final_words(final: Any) -> str:
    """Return the final state in words."""
    if not isinstance(final, dict) or "state" not in final:
        return f"final: {short_json(final)}"
    return f"final: {_count(final.get('events'), 'event')}, state {short_json(final['state'])}"


def lane_label(record: Record) -> str:
    """Return the short name of a record's lane."""
    kind, _, place = one_line(lane_of(record)).partition(":")
    branch, _, who = place.rpartition("|")
    if kind == "call":
        who = f"call {who}"
    elif branch == who or branch.endswith(f".{who}"):
        return branch
    return f"{branch} {who}".strip()


def short(text: str, limit: int = SHORT) -> str:
    """Return *text* on one line, quoted as in JSON, its end cut off where it is long."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return json.dumps(cut, ensure_ascii=False)


def short_json(value: Any, limit: int = 2 * SHORT) -> str:
    """Return *value* as JSON on one line, its end cut off where it is long."""
    text = json.dumps(_shortened(value), ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _shortened(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= SHORT else value[: SHORT - 1] + "…"
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item) for item in value]
    return value


# Pieces of sentences


def _count(number: Any, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _error(record: Record) -> str:
    return f" — error: {short(record['error'], 2 * SHORT)}" if "error" in record else ""


def _arguments(args: Any) -> str:
    if not isinstance(args, dict):
        return f"({short_json(args)})"
    return "(" + ", ".join(f"{key}={short_json(value)}" for key, value in args.items()) + ")"


def _call(record: Record) -> str:
    return f"{record['tool']}{_arguments(record.get('args', {}))}"


def _part(part: Record) -> str:
    if "functionCall" in part:
        call = part["functionCall"]
        return f"calls {call.get('name', '')}{_arguments(call.get('args', {}))}"
    if "functionResponse" in part:
        response = part["functionResponse"]
        return f"{response.get('name', '')} answers {short_json(response.get('response'))}"
    if "text" in part:
        return ("thinks " if part.get("thought") else "") + short(part["text"])
    return short_json(part)


def _content(content: Any) -> str:
    if isinstance(content, str):
        return short(content)
    return " + ".join(_part(part) for part in content.get("parts", [])) or "nothing"


#: What an event says beside its content.
_EVENT_NOTES: dict[str, Callable[[Any], str]] = {
    "partial": lambda _: "partial",
    "turnComplete": lambda _: "turn complete",
    "interrupted": lambda _: "interrupted",
    "errorCode": lambda code: f"error code {code}",
    "errorMessage": lambda text: f"error message {short(text)}",
    "longRunningToolIds": lambda ids: f"waits for {', '.join(ids)}",
    "output": lambda value: f"output {short_json(value)}",
    "isolationScope": lambda scope: f"scope {scope}",
}
_ACTION_NOTES: dict[str, Callable[[Any], str]] = {
    "stateDelta": lambda delta: f"state {short_json(delta)}",
    "artifactDelta": lambda delta: f"artifacts {short_json(delta)}",
    "transferToAgent": lambda name: f"transfer to {name}",
    "escalate": lambda _: "escalate",
    "skipSummarization": lambda _: "skip summarization",
    "requestedToolConfirmations": lambda asked: f"asks to confirm {', '.join(asked)}",
}


def _notes(of: Record, table: Mapping[str, Callable[[Any], str]]) -> list[str]:
    return [say(of[key]) for key, say in table.items() if key in of]


def _message(of: Record) -> str:
    """Return an event or a model's response in words."""
    notes = _notes(of, _EVENT_NOTES) + _notes(of.get("actions", {}), _ACTION_NOTES)
    words = _content(of["content"]) if "content" in of else "no content"
    return words + (f" [{'; '.join(notes)}]" if notes else "")


def _event(record: Record) -> str:
    if "event" not in record:
        return "nothing"
    return f"{record['event'].get('author', 'nobody')}: {_message(record['event'])}"


def _request(request: Record) -> str:
    contents = request.get("contents", [])
    words = _count(len(contents), "content")
    if contents:
        words += f", the last {_content(contents[-1])}"
    if tools := request.get("tools"):
        words += f"; tools {', '.join(tools)}"
    return words


# Hooks


def _hook(record: Record) -> str:
    words = f"{record.get('by', 'hook')} {record['hook']}"
    if "tool" in record:
        words += f" {_call(record)}"
    for key, say in _HOOK_SHOWS.items():
        if key in record:
            words += f": {say(record[key])}"
    return words + _error(record)


_HOOK_SHOWS: dict[str, Callable[[Any], str]] = {
    "content": _content,
    "event": lambda event: _event({"event": event}),
    "request": _request,
    "response": _message,
    "result": short_json,
}


# The other records


def _artifact(record: Record) -> str:
    words = f"artifact {record.get('name', '')} {record['op']}"
    if "version" in record:
        words += f", version {record['version']}"
    if "text" in record:
        words += f": {short(record['text'])}"
    return words + _error(record)


def _confirmation(record: Record) -> str:
    shown = f": {short_json(record['value'])}" if "value" in record else ""
    return f"confirmation {record['op']} for {record['tool']}{shown}{_error(record)}"


_BODY = {
    "start": "body starts",
    "resumed": "body goes on: its yield was taken",
    "stopped": "body is stopped at its yield",
    "end": "body ends",
}


def _append(record: Record) -> str:
    return f"{'not stored' if 'error' in record else 'stored'} {_event(record)}{_error(record)}"


def _yield(record: Record) -> str:
    if "event" not in record:
        return f"consumer takes an item without an event{_error(record)}"
    return f"consumer takes {_event(record)}{_error(record)}"


def _summarize(record: Record) -> str:
    return f"summarizer call {record['call']} over {_count(len(record['events']), 'event')}"


def _ws(record: Record) -> str:
    shown = {key: record[key] for key in ("path", "message", "code") if key in record}
    return f"socket {record['step']}" + (f" {short_json(shown)}" if shown else "")


def _node(record: Record) -> str:
    given = f" with {short_json(record['input'])}" if "input" in record else ""
    return f"node {record['path']} starts{given}"


def _model_response(record: Record) -> str:
    answer = f" {_message(record['response'])}" if "response" in record else ""
    return f"model answers{answer}{_error(record)}"


def _plain(words: str, *fields: str) -> Callable[[Record], str]:
    """Return a function that says *words* and shows the fields that the record has."""

    def say(record: Record) -> str:
        shown = [short_json(record[key]) for key in fields if key in record]
        return " ".join([words, *shown]) + _error(record)

    return say


_SAYS: dict[str, Callable[[Record], str]] = {
    # scenario-format
    "construct_error": _plain("the run could not be built"),
    "turn": lambda record: f"turn {record['n']} begins",
    "hook": _hook,
    "model": lambda record: (
        f"model is asked{' for a stream' if record.get('stream') else ''}: "
        f"{_request(record['request'])}"
    ),
    "model_stopped": _plain("model's stream is stopped"),
    "tool": lambda record: f"tool {_call(record)} runs",
    "state": lambda record: (
        f"state {short(record['key'])}"
        + ("" if "error" in record else f" is {short_json(record.get('value'))}")
        + _error(record)
    ),
    "state_error": lambda record: f"state {short(record['key'])} is not set{_error(record)}",
    "artifact": _artifact,
    "confirmation": _confirmation,
    "body": lambda record: _BODY[record["step"]],
    "history": lambda record: f"sees {_count(record['own'], 'event')} of its own in the session",
    "append": _append,
    "yield": _yield,
    "stop": _plain("consumer stops"),
    "end": _plain("stream ends"),
    "runaway": _plain("consumer took 400 items and closes the stream"),
    # scenario-format-workflow
    "node": _node,
    "note": lambda record: f"node {record['node']} notes {short_json(record.get('value'))}",
    "resumed": lambda record: (
        f"node {record['node']} reads the answer to {record['id']}: "
        + (short_json(record.get("value")) if record.get("found") else "none")
    ),
    "run_node": lambda record: f"node {record['node']} ran {record['child']}{_error(record)}",
    "cancel": _plain("consumer cancels the context"),
    "summarize": _summarize,
    "outside": lambda record: f"stored from outside {_event(record)}",
    # scenario-format-network
    "http": _plain("server gets", "method", "path", "body"),
    "model_response": _model_response,
    "a2a_client": lambda record: f"A2A client: {record['op']}{_error(record)}",
    "rpc": _plain("peer is called", "method", "params"),
    "card": _plain("card provider is asked"),
    "cleanup": _plain("clean-up", "task_id", "context_id", "cause"),
    "a2a_event": _plain("executor yields", "event"),
    "live_error": _plain("live run could not start"),
    "live_send": _plain("client sends"),
    "live_close": _plain("client closes"),
    "ws": _ws,
    "tool_stream": lambda record: f"streaming tool {record['tool']}: {record['step']}",
    "unsettled": _plain("something still runs three seconds after the last turn"),
}

_STYLES = {
    "construct_error": "red",
    "turn": "bold",
    "hook": "magenta",
    "model": "blue",
    "model_stopped": "blue",
    "model_response": "blue",
    "tool": "cyan",
    "state": "yellow",
    "artifact": "yellow",
    "confirmation": "yellow",
    "body": "dim",
    "append": "green",
    "yield": "bold green",
    "stop": "bold",
    "end": "bold",
    "runaway": "bold red",
    "node": "cyan",
    "cancel": "bold",
}
