# SPDX-License-Identifier: Apache-2.0
"""Events: what a run stores and hands to its consumer (chapter 03, EVT)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from attrs import define, field

from adkref import codec
from adkref.codec import converter, record
from adkref.content import (
    RESPONSE_FIELDS,
    Content,
    FunctionCall,
    FunctionResponse,
    Jsonable,
    LlmResponse,
    clone,
)
from adkref.platform import DEFAULT_PLATFORM, Platform
from adkref.timestamps import ZERO_TIME, format_time, parse_time

__all__ = [
    "Event",
    "EventActions",
    "EventCompaction",
    "EventReference",
    "NodeInfo",
    "RequestedInput",
    "ToolConfirmation",
    "event_of_response",
    "new_event",
    "visible_on_branch",
]


@define(slots=False)
class ToolConfirmation(Jsonable):
    """A question to the user about one tool call, or the answer to it."""

    hint: str = ""
    confirmed: bool = False
    payload: Any = None


# None of the three is left out when zero (chapter 02, section 1.5).
converter.register_unstructure_hook(
    ToolConfirmation,
    lambda it: {"hint": it.hint, "confirmed": it.confirmed, "payload": it.payload},
)
codec.record_in(ToolConfirmation)


@record
@define(slots=False)
class EventReference(Jsonable):
    """Names an event that a compaction record does not cover."""

    invocation_id: str = ""
    timestamp: datetime = ZERO_TIME


@record
@define(slots=False)
class EventCompaction(Jsonable):
    """A summary that stands for the events of a time range."""

    start_timestamp: datetime = ZERO_TIME
    end_timestamp: datetime = ZERO_TIME
    compacted_content: Content | None = None
    excluded_events: list[EventReference] = field(factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; the range and the content are always present."""
        return _compaction_json(self)


@record
@define(slots=False)
class RequestedInput(Jsonable):
    """A node's question to the user."""

    interrupt_id: str = ""
    message: str = ""
    response_schema: Any = None
    payload: Any = None


@record
@define(slots=False)
class NodeInfo(Jsonable):
    """Which workflow node an event came from."""

    path: str = ""
    message_as_output: bool = False
    output_for: list[str] = field(factory=list)


@define(slots=False)
class EventActions(Jsonable):
    """Side effects that travel on an event.

    ``state_delta`` and ``artifact_delta`` None is Go's nil map: it is left out of
    the JSON, while an empty one is written as ``{}`` (EVT-020).
    """

    state_delta: dict[str, Any] | None = None
    artifact_delta: dict[str, int] | None = None
    requested_tool_confirmations: dict[str, ToolConfirmation] | None = None
    skip_summarization: bool = False
    transfer_to_agent: str = ""
    escalate: bool = False
    compaction: EventCompaction | None = None

    @classmethod
    def fresh(cls) -> Self:
        """Return actions with both delta maps allocated and empty."""
        return cls(state_delta={}, artifact_delta={})


codec.record_in(EventActions)


@define(slots=False)
class Event(LlmResponse):
    """A model response or another happening, with its place in the run."""

    id: str = ""
    timestamp: datetime = ZERO_TIME
    invocation_id: str = ""
    branch: str = ""
    isolation_scope: str = ""
    author: str = ""
    actions: EventActions = field(factory=EventActions)
    long_running_tool_ids: list[str] | None = None
    routes: Any = None
    requested_input: RequestedInput | None = None
    output: Any = None
    node_info: NodeInfo | None = None

    def calls(self) -> list[FunctionCall]:
        """Return the function calls of the content in part order."""
        return self.content.calls() if self.content is not None else []

    def responses(self) -> list[FunctionResponse]:
        """Return the function responses of the content in part order."""
        return self.content.responses() if self.content is not None else []

    def is_final_response(self) -> bool:
        """Tell whether this event ends a turn (EVT-010, FLOW-004)."""
        actions = self.actions
        if actions.compaction is not None:
            return False
        if actions.skip_summarization or self.long_running_tool_ids:
            return True
        if self.partial:
            return False
        parts = self.content.parts if self.content is not None else []
        if any(part.function_call or part.function_response for part in parts):
            return False
        return not (parts and parts[-1].code_execution_result is not None)

    def is_thought_only(self) -> bool:
        """Tell whether a whole event holds nothing but thoughts (FLOW-005)."""
        parts = self.content.parts if self.content is not None else []
        return not self.partial and bool(parts) and all(part.thought for part in parts)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form of the event (EVT-020, EVT-021)."""
        return _event_json(self)

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """Decode an event; raises :class:`adkref.codec.DecodeError` (EVT-022 to EVT-026)."""
        event = codec.from_json(cls, _with_decoded_time(value))
        info = event.node_info
        if info is not None and info == NodeInfo():  # EVT-025
            event.node_info = None
        return event


codec.record_in(Event)

#: An event that carries an output writes it even when it is "" or 0 (chapter 03, 1.2).
_RESPONSE_JSON = {name: codec.camel(name) for name in RESPONSE_FIELDS}


def new_event(invocation_id: str, platform: Platform = DEFAULT_PLATFORM) -> Event:
    """Return a new event: id, then time, the invocation, both delta maps empty (EVT-001)."""
    fields = _BLANK_EVENT.copy()
    fields["id"] = platform.new_id()
    fields["timestamp"] = platform.now()
    fields["invocation_id"] = invocation_id
    fields["actions"] = EventActions({}, {})
    return _event_over(fields)


def event_of_response(response: LlmResponse) -> Event:
    """Return an event that carries every field of *response*, its content shared (FLOW-016)."""
    fields = _BLANK_EVENT | response.__dict__
    fields["actions"] = EventActions()
    return _event_over(fields)


#: The fields of an event that nobody has filled in yet; every event of a run starts from it.
_BLANK_EVENT = {key: value for key, value in Event().__dict__.items() if key != "actions"}


def _event_over(fields: dict[str, Any]) -> Event:
    """Return an event whose fields are *fields*: half the price of thirty arguments."""
    event = object.__new__(Event)
    event.__dict__ = fields
    return event


def visible_on_branch(event_branch: str, branch: str) -> bool:
    """Tell whether an event on *event_branch* is visible to a run on *branch* (EVT-030)."""
    return (
        not branch
        or not event_branch
        or event_branch == branch
        or branch.startswith(event_branch + ".")
    )


# --- JSON ------------------------------------------------------------------------------


def _with_decoded_time(value: Any) -> Any:
    """Decode the timestamp apart, since its errors have texts of their own."""
    if not isinstance(value, dict):
        return value
    return {k: parse_time(v) if k.lower() == "timestamp" else v for k, v in value.items()}


def _compaction_json(it: EventCompaction) -> dict[str, Any]:
    content = it.compacted_content
    out: dict[str, Any] = {
        "startTimestamp": format_time(it.start_timestamp),
        "endTimestamp": format_time(it.end_timestamp),
        "compactedContent": content.to_json() if content is not None else None,
    }
    if it.excluded_events:
        out["excludedEvents"] = [reference.to_json() for reference in it.excluded_events]
    return out


def _actions_json(it: EventActions) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if it.state_delta is not None:
        out["stateDelta"] = codec.to_json(it.state_delta)
    if it.artifact_delta is not None:
        out["artifactDelta"] = it.artifact_delta
    if it.requested_tool_confirmations:
        out["requestedToolConfirmations"] = {
            key: value.to_json() for key, value in it.requested_tool_confirmations.items()
        }
    if it.skip_summarization:
        out["skipSummarization"] = True
    if it.transfer_to_agent:
        out["transferToAgent"] = it.transfer_to_agent
    if it.escalate:
        out["escalate"] = True
    if it.compaction is not None:
        out["compaction"] = _compaction_json(it.compaction)
    return out


def _event_json(it: Event) -> dict[str, Any]:
    fields = it.__dict__
    out: dict[str, Any] = {}
    for name, key in _RESPONSE_JSON.items():
        value = fields[name]
        if value:
            out[key] = value.to_json() if isinstance(value, Jsonable) else value
    if it.content is not None:
        out["content"] = it.content.to_json()
    out["id"] = it.id
    out["timestamp"] = format_time(it.timestamp)
    out["invocationId"] = it.invocation_id
    if it.branch:
        out["branch"] = it.branch
    if it.isolation_scope:
        out["isolationScope"] = it.isolation_scope
    out["author"] = it.author
    out["actions"] = _actions_json(it.actions)
    if it.long_running_tool_ids:
        out["longRunningToolIds"] = list(it.long_running_tool_ids)
    if it.routes:
        out["routes"] = it.routes
    if it.requested_input is not None:
        out["requestedInput"] = it.requested_input.to_json() | {
            "interruptId": it.requested_input.interrupt_id
        }
    if it.output is not None:
        out["output"] = codec.to_json(it.output)
    if it.node_info is not None:
        out["nodeInfo"] = it.node_info.to_json()
    return out


converter.register_unstructure_hook(EventCompaction, _compaction_json)
converter.register_unstructure_hook(EventActions, _actions_json)
converter.register_unstructure_hook(Event, _event_json)


def clone_event(event: Event) -> Event:
    """Return a shallow copy of an event (its actions are the same object)."""
    return clone(event)
