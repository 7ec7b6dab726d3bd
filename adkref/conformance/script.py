# SPDX-License-Identifier: Apache-2.0
"""What scripted callbacks, tools and bodies do: rules, their counters, and the ops.

An op is one action of a script.  :data:`OPS` says for each where it may stand and what
it does; the checks of a scenario and the running script read the same table.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from attrs import define, field, frozen

from adkref.codec import DecodeError
from adkref.conformance.faults import ScenarioError
from adkref.conformance.trace import Tracer, plain, pruned
from adkref.content import ROLE_MODEL, ROLE_USER, Content, LlmResponse, Part, clone
from adkref.events import Event, EventActions, EventCompaction
from adkref.gotext import numbers_as_go
from adkref.models import LlmRequest

Rules = Sequence[Mapping[str, Any]]


class ScriptedError(Exception):
    """What a script raises: an error of the user's code with the text that it says."""


# --- places ----------------------------------------------------------------------------

AGENT_HOOKS: Final = ("before_agent", "after_agent")
MODEL_HOOKS: Final = ("before_model", "after_model", "on_model_error")
TOOL_HOOKS: Final = ("before_tool", "after_tool", "on_tool_error")
RUN_HOOKS: Final = ("on_user_message", "before_run", "after_run", "on_event")
HOOKS: Final = (*RUN_HOOKS, *AGENT_HOOKS, *MODEL_HOOKS, *TOOL_HOOKS)
TOOL: Final = "tool"
BODY: Final = "body"
PLACES: Final = (*HOOKS, TOOL, BODY)

CONTENT, RESPONSE, MAP, NOTHING = "content", "response", "map", "nothing"

#: What ``{"return": X}`` returns in each place.
RETURNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "on_user_message": CONTENT,
        "before_run": CONTENT,
        "after_run": NOTHING,
        "on_event": NOTHING,
        **dict.fromkeys(AGENT_HOOKS, CONTENT),
        **dict.fromkeys(MODEL_HOOKS, RESPONSE),
        **dict.fromkeys(TOOL_HOOKS, MAP),
        TOOL: MAP,
    }
)


# --- rules and counters ----------------------------------------------------------------


class CallCounter:
    """Numbers calls from 1, apart for each key."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: Counter[Any] = Counter()

    def next(self, key: Any = None) -> int:
        """Return the number of this call."""
        with self._lock:
            self._calls[key] += 1
            return self._calls[key]


def pick(rules: Rules, agent: str, tool: str, call: int) -> Sequence[Mapping[str, Any]]:
    """Return the ops of the first rule that matches; without one there is nothing to do."""
    for rule in rules:
        if (
            rule.get("agent") in (None, "", agent)
            and rule.get("tool") in (None, "", tool)
            and rule.get("call") in (None, 0, call)
        ):
            ops: Sequence[Mapping[str, Any]] = rule.get("do", ())
            return ops
    return ()


# --- a call of a script ----------------------------------------------------------------


@define(eq=False)
class Call:
    """One call of a scripted callback, tool or body: what its ops work on.

    ``ctx`` is the context that the framework gave; ``state`` and ``artifacts`` are that
    context's own.  The other fields are there only where the place has them.
    """

    tracer: Tracer
    ctx: Any
    agent: str
    branch: str
    state: Any
    artifacts: Any
    marks: dict[str, Any] = field(factory=dict)
    args: dict[str, Any] | None = None
    request: LlmRequest | None = None
    response: LlmResponse | None = None
    event: Event | None = None
    replacement: Event | None = None

    def note(self, at: str, **fields: Any) -> None:
        """Record something that an op did, with the place where it happened."""
        self.tracer.add(at, agent=self.agent, branch=self.branch, **self.marks, **fields)


def run_ops(call: Call, ops: Sequence[Mapping[str, Any]]) -> tuple[bool, Any]:
    """Run *ops* in order until one returns or raises; gives ``(returned, what)``."""
    for op in ops:
        for name, argument in op.items():
            if name == "return":
                return True, argument
            OPS[name].do(call, argument)
    return False, None


# --- the ops ---------------------------------------------------------------------------


def _set_state(call: Call, values: Mapping[str, Any]) -> None:
    for key in sorted(values):
        try:
            call.state[key] = numbers_as_go(values[key])
        except Exception as error:  # what the state refuses is part of the trace
            call.note("state_error", key=key, error=str(error))


def _get_state(call: Call, key: str) -> None:
    try:
        value = call.state[key]
    except Exception as error:  # likewise
        call.note("state", key=key, error=str(error))
    else:
        call.note("state", key=key, value=plain(value))


def _save_artifact(call: Call, what: Mapping[str, str]) -> None:
    name = what["name"]
    try:
        version = call.artifacts.save(name, Part(text=what.get("text", "")))
    except Exception as error:  # likewise
        call.note("artifact", op="save", name=name, error=str(error))
    else:
        call.note("artifact", op="save", name=name, version=version)


def _load_artifact(call: Call, name: str) -> None:
    try:
        part = call.artifacts.load(name)
    except Exception as error:  # likewise
        call.note("artifact", op="load", name=name, error=str(error))
    else:
        call.note("artifact", op="load", name=name, text=part.text)


def _end_invocation(call: Call, _: Any) -> None:
    call.ctx.end_invocation()


def _raise(_: Call, text: str) -> None:
    raise ScriptedError(text)


def _append_instruction(call: Call, text: str) -> None:
    assert call.request is not None
    config = call.request.need_config()
    if config.system_instruction is None:
        config.system_instruction = Content.of_text(text, ROLE_USER)
    else:  # a part of its own, whatever the framework does with instructions of its own
        config.system_instruction.parts.append(Part(text=text))


def _mutate_text(call: Call, text: str) -> None:
    content = call.response.content if call.response is not None else None
    if content is not None and content.parts:
        content.parts[0].text = text


def _set_args(call: Call, values: Mapping[str, Any]) -> None:
    if call.args is not None:
        call.args.update(numbers_as_go(dict(values)))


def _actions(call: Call, patch: Mapping[str, Any]) -> None:
    lay_over(call.ctx.actions, patch)


def _request_confirmation(call: Call, what: Mapping[str, Any]) -> None:
    error = ""
    try:
        call.ctx.request_confirmation(what.get("hint", ""), numbers_as_go(what.get("payload")))
    except Exception as raised:  # likewise
        error = str(raised)
    call.tracer.add("confirmation", op="request", **call.marks, error=error)


def _get_confirmation(call: Call, _: Any) -> None:
    answer = call.ctx.tool_confirmation
    value = pruned(answer) if answer is not None else None
    call.tracer.add("confirmation", op="get", **call.marks, value=value)


def _mutate_event(call: Call, patch: Mapping[str, Any]) -> None:
    if call.event is not None:
        patch_event(call.event, patch)


def _replace_event(call: Call, patch: Mapping[str, Any]) -> None:
    if call.event is not None:
        copy = clone(call.event)
        copy.actions = clone(copy.actions)  # Go's event holds its actions by value
        patch_event(copy, patch)
        call.replacement = copy


def _own_history(call: Call, _: Any) -> None:
    own = sum(event.author == call.agent for event in call.ctx.session.events)
    call.note("history", own=own)


@frozen
class Op:
    """Where an op may stand, and what it does; the steps of a body are in build.py."""

    places: frozenset[str]
    do: Callable[[Call, Any], None]


def _op(do: Callable[[Call, Any], None], *places: str) -> Op:
    return Op(frozenset(places), do)


def _step(_: Call, __: Any) -> None:
    """Mark an op that its place carries out itself: a return, or a yield of a body."""


OPS: Final[Mapping[str, Op]] = MappingProxyType(
    {
        "set_state": _op(_set_state, *PLACES),
        "get_state": _op(_get_state, *PLACES),
        "save_artifact": _op(_save_artifact, *PLACES),
        "load_artifact": _op(_load_artifact, *PLACES),
        "end_invocation": _op(_end_invocation, *AGENT_HOOKS, *MODEL_HOOKS, *RUN_HOOKS, BODY),
        "return": _op(_step, *HOOKS, TOOL),
        "raise": _op(_raise, *HOOKS, TOOL),
        "append_instruction": _op(_append_instruction, "before_model", "on_model_error"),
        "mutate_text": _op(_mutate_text, "after_model"),
        "set_args": _op(_set_args, *TOOL_HOOKS, TOOL),
        "actions": _op(_actions, *TOOL_HOOKS, TOOL),
        "request_confirmation": _op(_request_confirmation, *TOOL_HOOKS, TOOL),
        "get_confirmation": _op(_get_confirmation, *TOOL_HOOKS, TOOL),
        "mutate_event": _op(_mutate_event, "on_event"),
        "replace_event": _op(_replace_event, "on_event"),
        "own_history": _op(_own_history, BODY),
        "yield": _op(_step, BODY),
        "yield_error": _op(_step, BODY),
        "run": _op(_step, BODY),
        "set_message_text": _op(_step, "before_request"),
        "replace_message": _op(_step, "before_request"),
    }
)


# --- data out of a spec ----------------------------------------------------------------


def content_of(spec: str | Mapping[str, Any], role: str = ROLE_MODEL) -> Content:
    """Build a content: a text gets *role*, an object is taken as it is."""
    if isinstance(spec, str):
        return Content.of_text(spec, role)
    return decoded(Content, spec)


def response_of(spec: str | Mapping[str, Any]) -> LlmResponse:
    """Build a response: a text of role model, or an object as it is."""
    if isinstance(spec, str):
        return LlmResponse(content=Content.of_text(spec))
    return decoded(LlmResponse, spec)


def decoded(cls: Any, spec: Any) -> Any:
    """Decode *spec*, its numbers as Go reads them."""
    try:
        return cls.from_json(numbers_as_go(spec))
    except DecodeError as error:
        raise ScenarioError(str(error)) from error


_EVENT_TEXTS: Final = {
    "author": "author",
    "errorCode": "error_code",
    "errorMessage": "error_message",
    "branch": "branch",
    "isolationScope": "isolation_scope",
}


def fill_event(event: Event, spec: Mapping[str, Any]) -> None:
    """Lay the JSON of an event over *event*; what the spec lacks is emptied."""
    for key, name in _EVENT_TEXTS.items():
        setattr(event, name, spec.get(key, ""))
    event.content = content_of(spec["content"]) if "content" in spec else None
    event.partial = spec.get("partial", False)
    event.turn_complete = spec.get("turnComplete", False)
    event.long_running_tool_ids = spec.get("longRunningToolIds")
    event.output = numbers_as_go(spec.get("output"))
    event.custom_metadata = numbers_as_go(spec.get("customMetadata"))
    if "usageMetadata" in spec:
        event.usage_metadata = dict(spec["usageMetadata"])
    if spec.get("invocationId"):
        event.invocation_id = spec["invocationId"]
    if "actions" in spec:
        lay_over(event.actions, spec["actions"])


def lay_over(actions: EventActions, patch: Mapping[str, Any]) -> None:
    """Set the fields of *actions* that *patch* names; maps are merged key by key."""
    given = decoded(EventActions, {k: v for k, v in patch.items() if v is not None})
    for key, name in _ACTION_MAPS.items():
        if key in patch:
            setattr(actions, name, _merged(getattr(actions, name), getattr(given, name)))
    for key, name in _ACTION_FIELDS.items():
        if patch.get(key) is not None:
            setattr(actions, name, getattr(given, name))


def _merged(there: dict[str, Any] | None, given: dict[str, Any] | None) -> Any:
    """Add to a map in place, as others may share it; null takes the map away."""
    if there is None or given is None:
        return given
    there.update(given)
    return there


_ACTION_MAPS: Final = {
    "stateDelta": "state_delta",
    "artifactDelta": "artifact_delta",
    "requestedToolConfirmations": "requested_tool_confirmations",
}
_ACTION_FIELDS: Final = {
    "skipSummarization": "skip_summarization",
    "transferToAgent": "transfer_to_agent",
    "escalate": "escalate",
    "compaction": "compaction",
}


def patch_event(event: Event, patch: Mapping[str, Any]) -> None:
    """Apply a PATCH of an on_event hook to *event* in place."""
    if "author" in patch:
        event.author = patch["author"]
    if "text" in patch:
        role = event.content.role if event.content is not None else ""
        event.content = Content.of_text(patch["text"], role or ROLE_MODEL)
    if patch.get("stateDelta") is not None:
        event.actions.state_delta = numbers_as_go(dict(patch["stateDelta"]))
    if "partial" in patch:
        event.partial = patch["partial"]
    record: EventCompaction | None = event.actions.compaction
    if record is not None and "summary" in patch:
        record = clone(record)
        record.compacted_content = content_of(patch["summary"])
        event.actions.compaction = record
    if patch.get("no_record"):
        event.actions.compaction = None
