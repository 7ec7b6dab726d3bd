# SPDX-License-Identifier: Apache-2.0
"""The history that a model is shown (chapter 02, section 6).

Selection, other agents' events as text, the current-turn cut and the output; pairing of
calls and answers is :mod:`adkref.flow.pairing`.  Every request of every step passes
here, so the common event, a text that everybody may see, takes the short way.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from attrs import frozen

from adkref.content import (
    ROLE_MODEL,
    ROLE_USER,
    Content,
    FunctionCall,
    FunctionResponse,
    Part,
    clone,
)
from adkref.events import Event, visible_on_branch
from adkref.flow.pairing import paired
from adkref.gotext import to_json

F = TypeVar("F", FunctionCall, FunctionResponse)

#: Calls by which the framework asks the user; no model sees them (CNT-013).
HIDDEN_CALLS = frozenset({"adk_request_credential", "adk_request_confirmation"})

CONTINUE = (
    "Continue processing previous requests as instructed. "
    "Exit or provide a summary if no more outputs are needed."
)
SINGLE_TURN_NUDGE = (
    "Important: You will not receive any user replies or clarifications. "
    "Complete the task using only the information provided above."
)


@frozen
class Viewer:
    """For whom a history is built."""

    agent_name: str
    branch: str = ""
    scope: str = ""
    current_turn_only: bool = False
    single_turn: bool = False
    user_content: Content | None = None


def build_contents(events: Iterable[Event], viewer: Viewer) -> list[Content]:
    """Return the contents of one request, made of *events* as *viewer* sees them.

    The session's own objects stay as they are; values inside arguments and responses
    are shared (CNT-048).  Raises AdkError when an answer cannot be paired (CNT-041).
    """
    # CNT-001: without compaction, what carries a record is left out (CMP-080).
    given = [event for event in events if event.actions.compaction is None]
    if viewer.current_turn_only:
        given = _current_turn(given, viewer)
    contents = _leading(given, viewer)
    kept, pairing = _selected(given, viewer)
    for event in paired(kept) if pairing else kept:
        content = copied(event.content)
        if content is not None:
            contents.append(content)
    if contents and contents[-1].role != ROLE_USER:  # CNT-060
        contents.append(Content.of_text(CONTINUE, ROLE_USER))
    return contents


# --- selection (6.1) ----------------------------------------------------------------------


def _selected(events: Sequence[Event], viewer: Viewer) -> tuple[list[Event], bool]:
    """Return the events to show, and whether there are calls or answers to pair."""
    own = (viewer.agent_name, ROLE_USER)
    branch, scope = viewer.branch, viewer.scope
    kept: list[Event] = []
    pairing = spoken = False
    for event in events:
        content = event.content
        if content is None or not content.role or not content.parts:  # CNT-010
            if event.input_transcription is None and event.output_transcription is None:
                continue
            spoken = True
        if branch and event.branch and not visible_on_branch(event.branch, branch):  # CNT-011
            continue
        if event.isolation_scope != scope:  # CNT-012
            continue
        functions = False
        if content is not None:
            hidden = False
            for part in content.parts:
                function = part.function_call or part.function_response
                if function is not None:
                    functions = True
                    hidden = hidden or function.name in HIDDEN_CALLS
            if hidden:  # CNT-013: the whole event, its other parts too
                continue
        if event.author in own:  # CNT-014
            kept.append(event)
            pairing = pairing or functions
        else:
            kept.append(foreign(event))
    return (_transcribed(kept) if spoken else kept), pairing


def _transcribed(events: Sequence[Event]) -> list[Event]:
    """Turn runs of transcriptions into contents, input before output (CNT-016)."""
    result: list[Event] = []
    heard = said = ""
    for index, event in enumerate(events):
        if event.content is not None and event.content.parts:
            result.append(event)
            continue
        following = events[index + 1] if index + 1 < len(events) else None
        spoken_in = event.input_transcription.text if event.input_transcription else ""
        spoken_out = event.output_transcription.text if event.output_transcription else ""
        if spoken_in:
            heard += spoken_in
            if following is None or not (
                following.input_transcription and following.input_transcription.text
            ):
                result.append(_with_text(event, ROLE_USER, heard))
                heard = ""
        elif spoken_out:
            said += spoken_out
            if following is None or not (
                following.output_transcription and following.output_transcription.text
            ):
                result.append(_with_text(event, ROLE_MODEL, said))
                said = ""
        else:
            result.append(event)
    return result


def _with_text(event: Event, role: str, text: str) -> Event:
    event = clone(event)
    event.content = Content.of_text(text, role)
    return event


# --- other agents (6.2) ---------------------------------------------------------------------


def foreign(event: Event) -> Event:
    """Return another agent's event as something the user reports (CNT-020, CNT-021)."""
    content = event.content
    if content is None or not content.parts:
        return event
    parts = [Part(text="For context:")]
    parts.extend(_reported(event.author, part) for part in content.parts)
    return Event(
        timestamp=event.timestamp,
        invocation_id=event.invocation_id,
        branch=event.branch,
        author=ROLE_USER,
        content=Content(ROLE_USER, parts),
    )


def _reported(author: str, part: Part) -> Part:
    if part.text:
        return Part(text=f"[{author}] said: {part.text}")
    if (call := part.function_call) is not None:
        args = to_json(call.args)
        return Part(text=f"[{author}] called tool `{call.name}` with parameters: {args}")
    if (response := part.function_response) is not None:
        answer = to_json(response.response)
        return Part(text=f"[{author}] `{response.name}` tool returned result: {answer}")
    return part


# --- the current turn (6.3) -----------------------------------------------------------------


def _current_turn(events: list[Event], viewer: Viewer) -> list[Event]:
    """Cut the list to start at the newest visible event of somebody else (CNT-030)."""
    for index in range(len(events) - 1, -1, -1):
        event = events[index]
        if (
            event.author != viewer.agent_name
            and event.isolation_scope == viewer.scope
            and visible_on_branch(event.branch, viewer.branch)
        ):
            return events[index:]
    return events


# --- output (6.6) ---------------------------------------------------------------------------


def _leading(events: Sequence[Event], viewer: Viewer) -> list[Content]:
    """Return what stands before a scoped agent's history: its task (CNT-050)."""
    if not viewer.scope:
        return []
    parts: list[Part] = []
    call = _call_with_args(events, viewer.scope)
    if call is not None:
        parts = [Part(text=to_json(call.args))]
    elif viewer.user_content is not None:
        parts = list(viewer.user_content.parts)
    if not parts:
        return []
    if viewer.single_turn:
        parts.append(Part(text=SINGLE_TURN_NUDGE))
    return [Content(ROLE_USER, parts)]


def _call_with_args(events: Sequence[Event], wanted: str) -> FunctionCall | None:
    for event in events:
        for call in event.calls():
            if call.id == wanted and call.args:
                return call
    return None


def copied(content: Content | None) -> Content | None:
    """Return a deep copy without empty parts and client-made ids, or None (CNT-048)."""
    if content is None:
        return None
    parts = []
    for part in content.parts:
        call, response = part.function_call, part.function_response
        if not part.text and call is None and response is None and part.is_zero():
            continue
        own = clone(part)
        if call is not None:
            own.function_call = call = _anonymous(call)
            call.args = _own_map(call.args)
        if response is not None:
            own.function_response = response = _anonymous(response)
            response.response = _own_map(response.response)
        if own.inline_data is not None:  # REQ-055 writes to it
            own.inline_data = clone(own.inline_data)
        if own.file_data is not None:
            own.file_data = clone(own.file_data)
        parts.append(own)
    return Content(content.role, parts) if parts else None


def _anonymous(function: F) -> F:
    function = clone(function)
    if function.id.startswith("adk-"):
        function.id = ""
    return function


def _own_map(values: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a shallow copy of the same type: a nil map is written as null."""
    return values.copy() if type(values) is dict else copy.copy(values)
