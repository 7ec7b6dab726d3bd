# SPDX-License-Identifier: Apache-2.0
"""The tool that leaves a loop (TOOL-052)."""

from kit import Scene

from adkref.agents import Agent
from adkref.contexts import tool_context
from adkref.events import EventActions
from adkref.models import FunctionDeclaration
from adkref.tools import exit_loop_tool


def test_declaration():
    """Name and description are literal; it takes any object (TOOL-052)."""
    assert exit_loop_tool().declaration() == FunctionDeclaration(
        "exit_loop",
        "Exits the loop.\n\nCall this function only when you are instructed to do so.\n",
        parameters_json_schema={"type": "object"},
    )


def test_it_escalates_and_skips_the_summary():
    """Both flags are set and the result is an empty object (TOOL-052)."""
    ctx = tool_context(Scene(Agent("a")).ctx, "c1", EventActions.fresh())
    assert exit_loop_tool().run(ctx, {"any": 1}) == {}
    assert ctx.actions == EventActions(
        state_delta={}, artifact_delta={}, escalate=True, skip_summarization=True
    )
