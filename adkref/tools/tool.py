# SPDX-License-Identifier: Apache-2.0
"""What a tool is, and how it gets into a request (chapter 02, 1.4; REQ-003, REQ-004).

A tool has a name, a description and ``is_long_running``.  Everything else is a
capability that the flow discovers: ``process_request``, ``declaration`` with ``run`` or
``run_stream``, ``defers_response``.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

from adkref.errors import AdkError
from adkref.gotext import quote
from adkref.models.request import FunctionDeclaration, LlmRequest, ToolDeclarations

if TYPE_CHECKING:
    from adkref.contexts import ReadonlyContext, ToolContext
    from adkref.streams import Pair

#: A tool answers with a JSON object or with None.
Result = dict[str, Any] | None
#: A tool that runs an agent yields the agent's pairs upward and returns its result.
Upward = Generator["Pair", None, Result]


class Tool(Protocol):
    """The least that a tool is."""

    @property
    def name(self) -> str:
        """The name by which a model calls it."""

    @property
    def description(self) -> str:
        """What the model is told."""

    @property
    def is_long_running(self) -> bool:
        """Whether an answer may come in a later turn (TOOL-040)."""


class RequestProcessor(Protocol):
    """A tool or toolset that takes part in building the request (REQ-060)."""

    def process_request(self, ctx: ToolContext, request: LlmRequest) -> None:
        """Change *request* in place; raising ends the step."""


class FunctionLike(Tool, Protocol):
    """A tool that a model can call."""

    def declaration(self) -> FunctionDeclaration | None:
        """Return what the model is told."""

    def run(self, ctx: ToolContext, args: dict[str, Any]) -> Result | Upward:
        """Return the result, or a generator that yields pairs upward and returns it."""


class StreamingLike(Tool, Protocol):
    """A tool that answers in pieces of text."""

    def declaration(self) -> FunctionDeclaration | None:
        """Return what the model is told."""

    def run_stream(self, ctx: ToolContext, args: dict[str, Any]) -> Iterator[str]:
        """Yield pieces of the answer; raise for an error."""


class Toolset(Protocol):
    """Tools that depend on the run."""

    @property
    def name(self) -> str:
        """The name that errors show."""

    def tools(self, ctx: ReadonlyContext) -> Iterable[Tool]:
        """Return the tools for this run."""


def is_function(tool: object) -> TypeGuard[FunctionLike]:
    """Tell whether the flow can call *tool* (TOOL-019)."""
    return callable(getattr(tool, "run", None)) and callable(getattr(tool, "declaration", None))


def is_streaming(tool: object) -> TypeGuard[StreamingLike]:
    """Tell whether *tool* answers in pieces (TOOL-011)."""
    return callable(getattr(tool, "run_stream", None))


def defers_response(tool: object) -> bool:
    """Tell whether a nil result means that the answer comes later (TOOL-020)."""
    defers = getattr(tool, "defers_response", None)
    return bool(defers()) if callable(defers) else False


def pack_tool(request: LlmRequest, tool: Tool) -> None:
    """Register *tool* in the request and declare it to the model.

    Raises AdkError ``duplicate tool: "<name>"`` for a name that is taken (REQ-004).
    """
    if tool.name in request.tools:
        raise AdkError(f"duplicate tool: {quote(tool.name)}")
    request.tools[tool.name] = tool
    config = request.need_config()
    declaration = tool.declaration() if is_function(tool) or is_streaming(tool) else None
    if declaration is not None:
        declare(config.tools, declaration)


def declare(entries: list[ToolDeclarations], declaration: FunctionDeclaration) -> None:
    """Append to the first entry that holds declarations, else to a new one (REQ-003)."""
    for entry in entries:
        if entry.function_declarations is not None:
            entry.function_declarations.append(declaration)
            return
    entries.append(ToolDeclarations(function_declarations=[declaration]))
