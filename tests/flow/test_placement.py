# SPDX-License-Identifier: Apache-2.0
"""Modes bound per placement (V24-006)."""

import pytest
from kit import Scene

from adkref.agents import LlmAgent
from adkref.contexts import Context
from adkref.flow.placement import (
    PLACEMENT,
    Placement,
    bound_mode,
    current_turn_only,
    mode_of,
)


def placed(agent, mode, other=None):
    """A context in which a mode is bound to the agent, or to another one."""
    ctx = Context.promote(Scene(agent).ctx)
    if mode is None:
        return ctx
    return ctx.with_host(ctx.host.with_value(PLACEMENT, Placement(other or agent, mode)))


@pytest.mark.parametrize("declared", ["", "chat", "task", "single_turn"])
@pytest.mark.parametrize("bound", [None, "chat", "task", "single_turn"])
def test_the_bound_mode_goes_first(declared, bound):
    """Else the declared one counts; the agent itself is never written to (V24-006)."""
    agent = LlmAgent("a", mode=declared)
    ctx = placed(agent, bound)
    assert bound_mode(agent, ctx) == (bound or "")
    assert mode_of(agent, ctx) == (bound or declared)
    assert agent.mode == declared


def test_a_mode_is_bound_to_one_agent():
    """What was bound to another one does not count (V24-006)."""
    agent = LlmAgent("a", mode="chat")
    ctx = placed(agent, "task", other=LlmAgent("a"))
    assert (bound_mode(agent, ctx), mode_of(agent, ctx)) == ("", "chat")


@pytest.mark.parametrize(
    ("include", "declared", "bound", "only"),
    [
        ("none", "", None, True),
        ("none", "chat", "chat", True),
        ("", "", None, False),
        ("", "single_turn", None, False),
        ("", "", "single_turn", True),
        ("", "single_turn", "chat", False),
        ("default", "", "single_turn", False),
        ("other", "", "single_turn", True),
        ("", "", "task", False),
    ],
)
def test_the_current_turn(include, declared, bound, only):
    """For none, and for a bound single_turn unless default was set explicitly (V24-006, LLM-024)."""
    agent = LlmAgent("a", mode=declared)
    agent.include_contents = include  # a port may have more values; the constructor refuses them
    assert current_turn_only(agent, placed(agent, bound)) is only
    assert agent.include_contents == include
