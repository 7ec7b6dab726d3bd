# SPDX-License-Identifier: Apache-2.0
"""Tools: what a model can call."""

from adkref.tools.agent_tool import AgentTool
from adkref.tools.exit_loop import exit_loop_tool
from adkref.tools.function import FunctionTool
from adkref.tools.tool import Tool, Toolset, pack_tool
from adkref.tools.toolset import ConfirmingToolset, FilterToolset, StaticToolset

__all__ = [
    "AgentTool",
    "ConfirmingToolset",
    "FilterToolset",
    "FunctionTool",
    "StaticToolset",
    "Tool",
    "Toolset",
    "exit_loop_tool",
    "pack_tool",
]
