# SPDX-License-Identifier: Apache-2.0
"""Wrappers around toolsets (chapter 02, 9.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from adkref.contexts import ReadonlyContext, ToolContext
from adkref.errors import ProgrammingError
from adkref.models.request import FunctionDeclaration, LlmRequest
from adkref.tools.function import check_confirmation
from adkref.tools.tool import FunctionLike, Result, Tool, Toolset, Upward, is_function, pack_tool

Predicate = Callable[[ReadonlyContext, Tool], bool]
#: Decides from a tool's name and raw arguments whether a call needs approval.
NamedProvider = Callable[[str, Any], bool]


class StaticToolset:
    """A toolset of fixed tools."""

    def __init__(self, name: str, tools: Iterable[Tool]) -> None:
        self.name = name
        self._tools = list(tools)

    def tools(self, ctx: ReadonlyContext) -> list[Tool]:
        """Return the tools."""
        del ctx
        return list(self._tools)


class FilterToolset:
    """The inner tools that the predicate accepts, in order (TOOL-050)."""

    def __init__(self, toolset: Toolset, predicate: Predicate) -> None:
        if toolset is None:
            raise ProgrammingError("toolset must not be nil")
        if predicate is None:
            raise ProgrammingError("predicate must not be nil")
        self._toolset, self._predicate = toolset, predicate

    @property
    def name(self) -> str:
        """The inner toolset's name."""
        return self._toolset.name

    def tools(self, ctx: ReadonlyContext) -> list[Tool]:
        """Return the accepted tools."""
        return [tool for tool in self._toolset.tools(ctx) if self._predicate(ctx, tool)]


class ConfirmingToolset:
    """Asks for the user's approval before each function tool of a toolset (TOOL-051)."""

    def __init__(
        self,
        toolset: Toolset,
        *,
        require_confirmation: bool = False,
        provider: NamedProvider | None = None,
    ) -> None:
        self._toolset = toolset
        self._required = require_confirmation
        self._provider = provider

    @property
    def name(self) -> str:
        """The inner toolset's name."""
        return self._toolset.name

    def tools(self, ctx: ReadonlyContext) -> list[Tool]:
        """Return the tools; those that can be called are wrapped."""
        return [
            _Confirming(tool, self._required, self._provider) if is_function(tool) else tool
            for tool in self._toolset.tools(ctx)
        ]


class _Confirming:
    """One wrapped tool; other capabilities of the inner one are hidden."""

    def __init__(
        self, inner: FunctionLike, required: bool, provider: NamedProvider | None
    ) -> None:
        self._inner = inner
        self._required = required
        self._provider = provider

    name = property(lambda self: self._inner.name, doc="The inner tool's name.")
    description = property(lambda self: self._inner.description, doc="The inner description.")
    is_long_running = property(lambda self: self._inner.is_long_running, doc="As the inner.")

    def declaration(self) -> FunctionDeclaration | None:
        return self._inner.declaration()

    def process_request(self, ctx: ToolContext, request: LlmRequest) -> None:
        # If the inner tool newly registered its name, the wrapper takes that place.
        before = request.tools.get(self.name)
        process = getattr(self._inner, "process_request", None)
        if process is not None:
            process(ctx, request)
        if before is None and self.name in request.tools:
            request.tools[self.name] = self
        else:
            pack_tool(request, self)

    def run(self, ctx: ToolContext, args: dict[str, Any]) -> Result | Upward:
        # Before any argument is checked, unlike a function tool's own flag.
        required = self._required
        if self._provider is not None and ctx.tool_confirmation is None:
            required = self._provider(self.name, args)
        check_confirmation(ctx, self.name, required=required)
        return self._inner.run(ctx, args)
