# SPDX-License-Identifier: Apache-2.0
"""adkref: the control flow of ADK-Go 2.4 as a readable, executable specification.

The names below are what a first agent needs; each room's package has the rest.  A name's room
is loaded when the name is first asked for, so that ``import adkref`` alone costs nothing: pytest
does it in every run in whose environment adkref is installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adkref.agents import Agent, LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
    from adkref.content import Content, FunctionCall, FunctionResponse, LlmResponse, Part
    from adkref.contexts import CallbackContext, Context, HostContext, RunConfig, ToolContext
    from adkref.errors import AdkError, ProgrammingError
    from adkref.events import Event, EventActions, new_event
    from adkref.models import ScriptedModel
    from adkref.plugins import Plugin
    from adkref.runner import Runner
    from adkref.tools import FunctionTool

_ROOMS = {
    "agents": ("Agent", "LlmAgent", "LoopAgent", "ParallelAgent", "SequentialAgent"),
    "content": ("Content", "FunctionCall", "FunctionResponse", "LlmResponse", "Part"),
    "contexts": ("CallbackContext", "Context", "HostContext", "RunConfig", "ToolContext"),
    "errors": ("AdkError", "ProgrammingError"),
    "events": ("Event", "EventActions", "new_event"),
    "models": ("ScriptedModel",),
    "plugins": ("Plugin",),
    "runner": ("Runner",),
    "tools": ("FunctionTool",),
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = globals()[name] = getattr(import_module(f"adkref.{_HOMES[name]}"), name)
        return value
    # Reading the installed version costs more than everything else here; few ask for it.
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("adkref")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0+source"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


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
