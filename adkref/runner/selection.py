# SPDX-License-Identifier: Apache-2.0
"""Which agent answers, and under which invocation id (chapter 03, 3.3 and 3.4)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from adkref.agents.base import Agent
from adkref.agents.llm import LlmAgent
from adkref.content import ROLE_USER, Content, responses_of
from adkref.events import Event
from adkref.flow.placement import TASK

if TYPE_CHECKING:
    from adkref.agents.tree import Parents

log = logging.getLogger("adkref")


def select_agent(
    root: Agent, parents: Parents, events: Sequence[Event], message: Content | None
) -> Agent:
    """Return the agent that answers *message*, from the history before it (RUN-025)."""
    if any(isinstance(sub, LlmAgent) and sub.mode == TASK for sub in root.sub_agents):
        return root  # RUN-016
    called = _author_of_call(events, message)
    if called is not None:
        agent = root.find_agent(called)
        if agent is not None:
            return agent  # RUN-021: whatever it is
        log.warning("function call from an unknown agent: %s", called)
    for event in reversed(events):  # RUN-022
        if event.author == ROLE_USER:
            continue
        agent = root.find_agent(event.author)
        if agent is None:
            log.warning("event from an unknown agent: %s", event.author)
        elif _transferable(agent, parents):
            return agent
    return root


def _author_of_call(events: Sequence[Event], message: Content | None) -> str | None:
    """Return who made the call that the first response of *message* answers (RUN-020)."""
    responses = responses_of(message)
    if not responses:
        return None
    event = find_call_event(events, responses[0].id)
    return event.author if event is not None else None


def find_call_event(events: Sequence[Event], call_id: str) -> Event | None:
    """Return the newest event with a call of this id."""
    for event in reversed(events):
        if event.content is not None and any(call.id == call_id for call in event.calls()):
            return event
    return None


def _transferable(agent: Agent | None, parents: Parents) -> bool:
    """Tell whether the agent and all above it may be handed over to (RUN-023)."""
    while agent is not None:
        if not isinstance(agent, LlmAgent) or agent.disallow_transfer_to_parent:
            return False
        agent = parents.get(agent.name)
    return True


def reused_invocation_id(events: Sequence[Event], message: Content | None) -> str:
    """Return the invocation id of the call that *message* answers, or "" (RUN-030)."""
    for response in responses_of(message):
        if response.id:
            event = find_call_event(events, response.id)
            if event is not None:
                return event.invocation_id
    return ""
