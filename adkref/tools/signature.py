# SPDX-License-Identifier: Apache-2.0
"""A tool from a plain function: its schema is derived from the signature by pydantic."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, get_args, get_type_hints

from adkref.contexts import ToolContext
from adkref.errors import AdkError, wrap

#: A parameter with this annotation, or with one of these names, gets the tool context.
CONTEXT_NAMES = ("ctx", "tool_context")


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a function, also under ``functools.partial``, or ""."""
    while isinstance(function, partial):
        function = function.func
    return getattr(function, "__name__", "")


def _annotated(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what carries the annotations of anything that can be called."""
    while isinstance(function, partial):
        function = function.func
    if isinstance(function, type) or inspect.isroutine(function):
        return function
    return type(function).__call__


def _refused(function: str, parameter: str, error: Exception) -> AdkError:
    """Return the error that names function and parameter."""
    # What follows the first sentence is advice on pydantic's own models.
    cause = str(error).partition(". ")[0].partition("\n")[0]
    place = f"parameter {parameter!r} of {function or 'the tool'}: " if parameter else ""
    return AdkError(f"failed to infer input schema: {place}{cause}")


class Signature:
    """The JSON schema of a function's parameters, and how arguments become a call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        # pydantic costs a tenth of a second to import; only derived schemas need it.
        from pydantic import BaseModel, ConfigDict, Field, create_model
        from pydantic.errors import PydanticUserError

        try:
            hints = get_type_hints(_annotated(function))
            parameters = inspect.signature(function).parameters
        except (NameError, TypeError, ValueError) as error:
            raise wrap("failed to infer input schema", error) from error
        self._function = function
        self._context: str | None = None
        #: The names of the model's fields and those of the function's parameters.
        self._names: dict[str, str] = {}
        fields: dict[str, Any] = {}
        for name, parameter in parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise AdkError(f"failed to infer input schema: parameter {parameter} is variadic")
            if parameter.kind is parameter.POSITIONAL_ONLY:
                raise AdkError(
                    f"failed to infer input schema: parameter {parameter} is positional-only"
                )
            if name in CONTEXT_NAMES or ToolContext in (
                (hint := hints.get(name)),
                *get_args(hint),  # Optional[ToolContext]
            ):
                self._context = name
                continue
            default = ... if parameter.default is parameter.empty else parameter.default
            key = name
            if name.startswith("_") or hasattr(BaseModel, name):  # pydantic's own names
                key, default = f"parameter_{len(fields)}", Field(default, alias=name)
            self._names[key] = name
            fields[key] = (hints.get(name, Any), default)
        own_name = name_of(function)

        def made(title: str, chosen: dict[str, Any]) -> tuple[type[BaseModel], dict[str, Any]]:
            model = create_model(title, __config__=ConfigDict(extra="forbid"), **chosen)
            return model, model.model_json_schema()

        try:
            self._model, schema = made(own_name or "arguments", fields)
        except (PydanticUserError, TypeError) as error:
            for key, definition in fields.items():
                try:
                    made("argument", {key: definition})
                except (PydanticUserError, TypeError) as fault:
                    raise _refused(own_name, self._names[key], fault) from fault
            raise _refused(own_name, "", error) from error
        self.schema: dict[str, Any] = {k: v for k, v in schema.items() if k != "title"}

    def call(self, ctx: ToolContext, args: dict[str, Any]) -> Any:
        """Call the function; a number that is whole fits an int parameter."""
        values = self._model.model_validate(args)
        named = {name: getattr(values, key) for key, name in self._names.items()}
        if self._context is not None:
            named[self._context] = ctx
        return self._function(**named)
