# SPDX-License-Identifier: Apache-2.0
"""The tool that leaves a loop (LOOP-030 to LOOP-034, TOOL-052)."""

from __future__ import annotations

from typing import Any

from adkref.contexts import ToolContext
from adkref.tools.function import FunctionTool

DESCRIPTION = "Exits the loop.\n\nCall this function only when you are instructed to do so.\n"


def exit_loop_tool() -> FunctionTool:
    """Return a tool that escalates and skips the summary; its result is ``{}``."""
    return FunctionTool(
        _exit_loop, name="exit_loop", description=DESCRIPTION, parameters={"type": "object"}
    )


def _exit_loop(ctx: ToolContext, args: dict[str, Any]) -> dict[str, Any]:
    del args
    ctx.actions.escalate = True
    ctx.actions.skip_summarization = True
    return {}
