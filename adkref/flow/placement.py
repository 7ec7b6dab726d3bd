# SPDX-License-Identifier: Apache-2.0
"""Node modes, bound per placement and invocation (V24-006, chapter 03, 1.4).

An agent's declared mode is never written to.  Whoever places an LLM agent as a node
binds a mode to it for that run; the flow asks :func:`mode_of`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from adkref.contexts.host import Key

if TYPE_CHECKING:
    from adkref.agents.base import Agent
    from adkref.agents.llm import LlmAgent
    from adkref.contexts import Context

CHAT = "chat"
TASK = "task"
SINGLE_TURN = "single_turn"
MODES = (CHAT, TASK, SINGLE_TURN)


@frozen
class Placement:
    """The mode that *agent* has where it was placed."""

    agent: Agent
    mode: str


PLACEMENT: Key[Placement] = Key("placement")


def mode_of(agent: LlmAgent, ctx: Context) -> str:
    """Return the mode bound to *agent* here, else the declared one, "" when unset."""
    return bound_mode(agent, ctx) or agent.mode


def bound_mode(agent: LlmAgent, ctx: Context) -> str:
    """Return the mode that a placement bound to *agent*, or ""."""
    placement = ctx.host.value(PLACEMENT)
    return placement.mode if placement is not None and placement.agent is agent else ""


def current_turn_only(agent: LlmAgent, ctx: Context) -> bool:
    """Tell whether the history is cut to the current turn (V24-006)."""
    if agent.include_contents == "none":
        return True
    return bound_mode(agent, ctx) == SINGLE_TURN and agent.include_contents != "default"
