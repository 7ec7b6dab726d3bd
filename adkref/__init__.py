# SPDX-License-Identifier: Apache-2.0
"""adkref: the control flow of ADK-Go 2.4 as a readable, executable specification.

The names below are what a first agent needs; each room's package has the rest.
"""

from importlib.metadata import PackageNotFoundError, version

from adkref.agents import Agent, LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
from adkref.content import Content, FunctionCall, FunctionResponse, LlmResponse, Part
from adkref.contexts import CallbackContext, Context, HostContext, RunConfig, ToolContext
from adkref.errors import AdkError, ProgrammingError
from adkref.events import Event, EventActions, new_event
from adkref.models import ScriptedModel
from adkref.plugins import Plugin
from adkref.runner import Runner
from adkref.tools import FunctionTool

try:
    __version__ = version("adkref")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+source"

__all__ = [
    "AdkError",
    "Agent",
    "CallbackContext",
    "Content",
    "Context",
    "Event",
    "EventActions",
    "FunctionCall",
    "FunctionResponse",
    "FunctionTool",
    "HostContext",
    "LlmAgent",
    "LlmResponse",
    "LoopAgent",
    "ParallelAgent",
    "Part",
    "Plugin",
    "ProgrammingError",
    "RunConfig",
    "Runner",
    "ScriptedModel",
    "SequentialAgent",
    "ToolContext",
    "new_event",
]
