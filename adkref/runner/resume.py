# SPDX-License-Identifier: Apache-2.0
"""Whether a turn answers a paused node (chapter 03, 4.2).

With services whose append updates the handle, an answer in the message is always
already stored when this is asked, so every turn is a fresh run (NODE-014).  The other
outcomes need a replaced message, or another service.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from attrs import frozen

from adkref.content import ROLE_USER, FunctionResponse, responses_of
from adkref.errors import AdkError, wrap
from adkref.events import Event
from adkref.gotext import quote
from adkref.tools.validation import ArgumentSchema

if TYPE_CHECKING:
    from adkref.runner.invocation import Invocation


@frozen
class Fresh:
    """The node runs with the message's text as input."""


@frozen
class Resumed:
    """The node runs again without input; *answers* are its resumed inputs."""

    answers: dict[str, Any]


@frozen
class NothingToDo:
    """The stream ends at once, with *error* if there is one."""

    error: AdkError | None = None


Plan = Fresh | Resumed | NothingToDo


@frozen
class _Paused:
    """What the history of this invocation says of the node (NODE-011)."""

    waiting: bool
    interrupts: frozenset[str]


def resume_plan(node: str, run: Invocation) -> Plan:
    """Decide how the node called *node* starts (NODE-013).

    Raises AdkError when an answer does not fit its question's schema.
    """
    if not responses_of(run.options.message):
        return Fresh()  # nothing is answered, and a new invocation has no past
    paused = _paused_state(node, run)
    answers = _answers(paused, run)
    if not answers:
        return Fresh()
    if paused is None:
        return NothingToDo()
    if paused.interrupts & answers.keys():
        return Resumed(answers)
    return NothingToDo(AdkError("workflow: no waiting node matched the supplied responses"))


def _paused_state(node: str, run: Invocation) -> _Paused | None:
    """Rebuild the pause state from the events of this invocation (NODE-010, NODE-011)."""
    raised: dict[str, Any] = {}
    answered: dict[str, FunctionResponse] = {}
    for event in run.session.events:
        if event.invocation_id != run.context.invocation_id:
            continue
        if event.author == ROLE_USER and event.content is not None:
            for response in event.responses():
                if response.id and response.id in raised:
                    answered[response.id] = response
        elif _belongs(event, node):
            schema = event.requested_input.response_schema if event.requested_input else None
            raised.update(dict.fromkeys(event.long_running_tool_ids or (), schema))
    raised.pop("", None)
    if not raised:
        return None
    for interrupt, response in answered.items():
        _check(interrupt, raised[interrupt], response)
    open_ids = frozenset(raised) - answered.keys()
    if open_ids and not answered:
        return _Paused(waiting=True, interrupts=open_ids)
    return _Paused(waiting=False, interrupts=open_ids)


def _belongs(event: Event, node: str) -> bool:
    path = event.node_info.path if event.node_info is not None else ""
    segments = [segment.partition("@")[0] for segment in path.split("/")] if path else []
    return node in segments or event.author == node


def _check(interrupt: str, schema: Any, response: FunctionResponse) -> None:
    if not isinstance(schema, dict):
        return
    try:
        ArgumentSchema(schema).check(_decoded(response))
    except AdkError as error:
        raise wrap(
            "workflow: resume response does not match request schema: "
            f"interrupt {quote(interrupt)}",
            error,
        ) from error


def _answers(paused: _Paused | None, run: Invocation) -> dict[str, Any]:
    """Return the answers of the original message to what is pending (NODE-012)."""
    pending = set(paused.interrupts) if paused is not None and paused.waiting else set()
    asked: set[str] = set()
    told: set[str] = set()
    for event in run.session.events:
        asked.update(event.long_running_tool_ids or ())
        told.update(response.id for response in event.responses())
    pending |= asked - told
    return {
        response.id: _decoded(response)
        for response in responses_of(run.options.message)
        if response.id and response.id in pending
    }


def _decoded(response: FunctionResponse) -> Any:
    given = response.response
    if given is None:
        return None
    if "response" in given:
        answer = given["response"]
        if isinstance(answer, str):
            try:
                return json.loads(answer)
            except ValueError:
                return answer
        return answer
    if "payload" in given:
        return given["payload"]
    return given
