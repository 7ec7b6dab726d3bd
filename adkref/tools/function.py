# SPDX-License-Identifier: Apache-2.0
"""Function tools (chapter 02, 9.1)."""

from __future__ import annotations

import inspect
import math
import traceback
from collections.abc import Callable
from enum import Enum
from typing import Any

from adkref import codec
from adkref.content import Jsonable, NilMap
from adkref.contexts import ToolContext
from adkref.errors import (
    AdkError,
    ConfirmationRejected,
    ConfirmationRequired,
    ProgrammingError,
)
from adkref.gotext import float_text, quote, type_name
from adkref.models.request import FunctionDeclaration, LlmRequest
from adkref.tools.signature import Signature, name_of
from adkref.tools.tool import Result, pack_tool
from adkref.tools.validation import ArgumentSchema

Handler = Callable[..., Any]
#: Decides from the arguments whether a call needs the user's approval.
ConfirmationProvider = Callable[[dict[str, Any]], bool]

#: What the model is told beside the description of a long-running tool (TOOL-002).
LONG_RUNNING_NOTE = (
    "NOTE: This is a long-running operation. Do not call this tool again if it has already "
    "returned some intermediate or pending status."
)


class FunctionTool:
    """Makes a Python function callable by a model.

    Without *parameters* the JSON schema is derived from the function's signature and the
    function is called with named arguments; a parameter called ``ctx`` (or annotated
    :class:`~adkref.contexts.ToolContext`) gets the call's context.  With *parameters*, a JSON
    schema, it is called as ``handler(ctx, args)`` with a copy of the arguments.

    A result that is no JSON object is wrapped as ``{"result": value}`` (TOOL-005).
    """

    def __init__(
        self,
        handler: Handler,
        *,
        name: str | None = None,
        description: str | None = None,
        parameters: dict[str, Any] | None = None,
        is_long_running: bool = False,
        require_confirmation: bool = False,
        require_confirmation_provider: ConfirmationProvider | None = None,
    ) -> None:
        if not callable(handler):
            raise ProgrammingError(f"a tool's handler must be callable, got {type_name(handler)}")
        if inspect.iscoroutinefunction(handler) or inspect.isasyncgenfunction(handler):
            raise ProgrammingError(
                f"tool {handler.__name__!r} is an async function, which nobody here awaits; "
                "expected a plain one"
            )
        if require_confirmation_provider is not None and not callable(
            require_confirmation_provider
        ):  # TOOL-001
            raise AdkError(
                "error RequireConfirmationProvider must be a function with signature "
                "func(map[string]interface {}) bool"
            )
        self.name = name if name is not None else name_of(handler)
        self.description = (
            description if description is not None else inspect.getdoc(handler) or ""
        )
        self.is_long_running = is_long_running
        self._require_confirmation = require_confirmation
        self._provider = require_confirmation_provider
        self._handler = handler
        signature = Signature(handler) if parameters is None else None
        self._call = signature.call if signature is not None else handler
        self._schema = ArgumentSchema(
            signature.schema if signature is not None else parameters or {}
        )

    def declaration(self) -> FunctionDeclaration:
        """Return name, description and schema (TOOL-002)."""
        description = self.description
        if self.is_long_running:
            description = (
                f"{description}\n\n{LONG_RUNNING_NOTE}" if description else LONG_RUNNING_NOTE
            )
        return FunctionDeclaration(
            name=self.name,
            description=description,
            parameters_json_schema=self._schema.schema,
        )

    def process_request(self, ctx: ToolContext, request: LlmRequest) -> None:
        """Declare the tool to the model."""
        del ctx
        pack_tool(request, self)

    def run(self, ctx: ToolContext, args: dict[str, Any]) -> Result:
        """Check the arguments, then the confirmation, then call the handler (TOOL-003)."""
        if args is not None and not isinstance(args, dict):
            raise AdkError(f"unexpected args type, got: {type_name(args)}")
        values = as_json(args if args is not None else NilMap())
        self._schema.check(values)
        try:
            required = self._require_confirmation
            if self._provider is not None and ctx.tool_confirmation is None:
                required = self._provider(values)  # it overrides the flag, also to False
            check_confirmation(ctx, self.name, required=required)
            return self._converted(self._call(ctx, values))
        except ProgrammingError as panic:  # TOOL-006
            raise AdkError(
                f"panic in tool {quote(self.name)}: {panic}\nstack: {traceback.format_exc()}"
            ) from panic

    def _converted(self, value: Any) -> Result:
        # TOOL-005
        if value is None:
            return None
        try:
            plain = as_json(value)
        except TypeError as error:
            raise AdkError(f"tool {quote(self.name)} returned no JSON: {error}") from error
        except RecursionError as error:
            raise AdkError(
                f"tool {quote(self.name)} returned no JSON: it is nested too deeply"
            ) from error
        return plain if isinstance(plain, dict) else {"result": plain}

    def __repr__(self) -> str:
        return f"<FunctionTool {self.name!r}>"


def check_confirmation(ctx: ToolContext, name: str, *, required: bool) -> None:
    """Let a call through, or raise that it waits for or lacks the user's approval (TOOL-004)."""
    confirmation = ctx.tool_confirmation
    if confirmation is not None:
        if not confirmation.confirmed:
            raise ConfirmationRejected(f"error tool {quote(name)} call is rejected")
        return
    if required:
        ctx.request_confirmation(
            f"Please approve or reject the tool call {name}() by responding with a "
            "FunctionResponse with an expected ToolConfirmation payload."
        )
        ctx.actions.skip_summarization = True
        raise ConfirmationRequired(
            f"error tool {quote(name)} requires confirmation, please approve or reject"
        )


def as_json(value: Any) -> Any:
    """Return a deep copy in JSON types; records become objects, tuples lists.

    Raises TypeError that names the place of what is not JSON.
    """
    return _as_json(value, "$")


def _as_json(value: Any, path: str) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise TypeError(f"{path}: {float_text(value)} is not JSON")
    if isinstance(value, Enum):  # also one that is an int or a str
        return _as_json(value.value, path)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, NilMap) and not value:
        return NilMap()
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"{path}: key {key!r} is no string")
        return {key: _as_json(item, f"{path}.{key}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(item, f"{path}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, Jsonable):
        return value.to_json()
    plain = codec.converter.unstructure(value)
    if type(plain) is type(value):  # a set stays a set
        raise TypeError(f"{path}: {type(value).__name__} is not JSON")
    return _as_json(plain, path)
