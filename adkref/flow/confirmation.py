# SPDX-License-Identifier: Apache-2.0
"""Asking the user about a call, and going on with the answer (chapter 02, section 10).

A call that needs approval ends the run with a *confirmation event*: a call of
``adk_request_confirmation`` that carries the original call.  The user answers that call
in a later message; then, before anything else of a step, the original calls are run.
"""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from attrs import define

from adkref.codec import DecodeError
from adkref.content import (
    ROLE_MODEL,
    ROLE_USER,
    Content,
    FunctionCall,
    FunctionResponse,
    Part,
)
from adkref.errors import AdkError, text_of, wrap
from adkref.events import Event, EventActions, ToolConfirmation, new_event
from adkref.flow.model_call import CALL_ID_PREFIX
from adkref.flow.tool_calls import ToolCalls
from adkref.gotext import quote, to_json, type_name
from adkref.streams import Stream

if TYPE_CHECKING:
    from adkref.agents.llm import LlmAgent
    from adkref.contexts import Context
    from adkref.tools import Tool

REQUEST_CONFIRMATION = "adk_request_confirmation"


# --- asking (TOOL-101, TOOL-102) ------------------------------------------------------------


def confirmation_event(
    ctx: Context, agent_name: str, asked: Content | None, response: Event
) -> Event | None:
    """Return the event that asks about the calls of *asked*, or None when none needs it."""
    requested = response.actions.requested_tool_confirmations
    if not requested or asked is None:
        return None
    parts = []
    for part in asked.parts:
        call = part.function_call
        if call is None or call.id not in requested:
            continue
        question = FunctionCall(
            id=CALL_ID_PREFIX + ctx.host.platform.new_id(),
            name=REQUEST_CONFIRMATION,
            args={"originalFunctionCall": call, "toolConfirmation": requested[call.id]},
        )
        parts.append(Part(function_call=question, thought_signature=part.thought_signature))
    if not parts:
        return None
    event = new_event(ctx.invocation_id, ctx.host.platform)
    event.branch = ctx.branch
    event.author = agent_name
    event.content = Content(ROLE_MODEL, parts)
    event.actions = EventActions.fresh()
    event.long_running_tool_ids = [p.function_call.id for p in parts if p.function_call]
    return event


# --- reading the answer (TOOL-103 to TOOL-105) ------------------------------------------------


def answers_in(event: Event) -> dict[str, ToolConfirmation]:
    """Return the confirmations that a user event gives, by the id of the question."""
    return {
        response.id: _confirmation_of(response, event.id)
        for response in event.responses()
        if response.name == REQUEST_CONFIRMATION
    }


def _confirmation_of(response: FunctionResponse, event_id: str) -> ToolConfirmation:
    where = f"confirmation function response for event id {quote(event_id)}"
    given = response.response
    if given is None:
        return ToolConfirmation()
    if len(given) == 1 and "response" in given:
        raw = given["response"]
        if not isinstance(raw, str):
            raise AdkError(f"error 'response' key found but value is not a string for {where}")
        try:
            answer = json.loads(raw, parse_constant=_refuse_constant)
            # Go's decoder leaves the record as it was for null: not confirmed (TOOL-103).
            return ToolConfirmation.from_json({} if answer is None else answer)
        except (ValueError, DecodeError) as error:
            raise wrap(
                f"error 'response' key found but failed unmarshalling {where}", error
            ) from error
    try:
        return ToolConfirmation.from_json(json.loads(to_json(given)))
    except TypeError as error:
        raise wrap(f"error failed marshalling {where}", error) from error
    except DecodeError as error:
        raise wrap(f"error failed unmarshalling {where}", error) from error


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


def original_call_of(question: FunctionCall | None) -> FunctionCall:
    """Return the call that *question* asks about (TOOL-110)."""
    if question is None or question.args is None:
        raise AdkError("functionCall or its arguments cannot be nil")
    if "originalFunctionCall" not in question.args:
        raise AdkError(
            'required argument "originalFunctionCall" is missing from call with ID ' + question.id
        )
    original = question.args["originalFunctionCall"]
    if isinstance(original, FunctionCall):
        return original
    if not isinstance(original, dict):
        raise AdkError(
            'argument "originalFunctionCall" has invalid type: expected JSON object '
            f"(map[string]any) or *genai.FunctionCall, got {type_name(original)}"
        )
    try:
        return FunctionCall.from_json(original)
    except DecodeError as error:
        raise AdkError(
            'failed to decode "originalFunctionCall" structure for call ID '
            f"{question.id}: {text_of(error)}"
        ) from error


# --- going on (TOOL-104 to TOOL-109) ----------------------------------------------------------


@define
class _Question:
    """A confirmation call that this agent asked and the user answered."""

    id: str
    original: FunctionCall


def resume_confirmed(agent: LlmAgent, ctx: Context, tools: Sequence[Tool]) -> Stream:
    """Run the calls that the user's newest message decides on.

    Yields one merged response event per event that asked, newest first.
    """
    events = list(ctx.session.events) if ctx.session is not None else []
    place = _newest_user_event(events)
    if place is None:
        return
    answers = answers_in(events[place])
    if not answers:
        return
    disputed = _disputed(events, agent.name, answers)
    # TOOL-108: one snapshot for all, so a question stored twice is run twice.
    already = {r.id for event in events[place + 1 :] for r in event.responses()}
    by_name = {tool.name: tool for tool in tools}
    for event in reversed(events[:-1]):  # TOOL-107
        if event.author != agent.name:  # TOOL-106
            continue
        decided: dict[str, tuple[FunctionCall, ToolConfirmation]] = {}
        for question in _questions(event, answers):
            if question.id not in disputed:
                decided[question.original.id] = question.original, answers[question.id]
        calls = [call for call_id, (call, _) in decided.items() if call_id not in already]
        if not calls:
            continue
        confirmations = {call_id: answer for call_id, (_, answer) in decided.items()}
        batch = ToolCalls(agent, ctx, by_name, confirmations)
        merged = yield from batch.run(calls)
        if merged is not None:
            yield merged, None


def _newest_user_event(events: Sequence[Event]) -> int | None:
    for index in range(len(events) - 1, -1, -1):
        if events[index].author == ROLE_USER:
            return index
    return None


def _questions(event: Event, answered: Container[str]) -> list[_Question]:
    """Return the answered questions of *event* that decode; no name is tested (TOOL-106)."""
    found = []
    for call in event.calls():
        if call.id not in answered:
            continue
        try:
            found.append(_Question(call.id, original_call_of(call)))
        except AdkError:
            continue
    return found


def _disputed(events: Sequence[Event], agent_name: str, answered: Container[str]) -> set[str]:
    """Return the *answered* ids that were asked about different calls (TOOL-106)."""
    asked: dict[str, str] = {}
    disputed = set()
    for event in events:
        if event.author != agent_name:
            continue
        for question in _questions(event, answered):
            original = to_json(question.original)
            if asked.setdefault(question.id, original) != original:
                disputed.add(question.id)
    return disputed
