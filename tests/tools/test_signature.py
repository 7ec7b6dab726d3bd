# SPDX-License-Identifier: Apache-2.0
"""Tools from plain functions: the schema and the call come from the signature."""

from __future__ import annotations

import warnings

import pytest
from kit import Scene

from adkref.agents import Agent
from adkref.contexts import ToolContext, tool_context
from adkref.errors import AdkError
from adkref.tools import FunctionTool


def context():
    """The context of call c1."""
    return tool_context(Scene(Agent("a")).ctx, "c1")


def forecast(city: str, days: int = 3, tags: list[str] | None = None) -> list:
    """Tell the weather."""
    return [city, days, tags]


def test_schema_and_call():
    """Types and defaults become the schema; arguments are passed by name (TOOL-002)."""
    tool = FunctionTool(forecast)
    assert tool.declaration().parameters_json_schema == {
        "type": "object",
        "properties": {
            "city": {"title": "City", "type": "string"},
            "days": {"default": 3, "title": "Days", "type": "integer"},
            "tags": {
                "anyOf": [{"items": {"type": "string"}, "type": "array"}, {"type": "null"}],
                "default": None,
                "title": "Tags",
            },
        },
        "required": ["city"],
        "additionalProperties": False,
    }
    assert tool.run(context(), {"city": "Oslo"}) == {"result": ["Oslo", 3, None]}
    got = tool.run(context(), {"city": "Oslo", "days": 2.0, "tags": ["x"]})["result"]
    assert got == ["Oslo", 2, ["x"]]
    assert type(got[1]) is int


def test_wrong_arguments_are_refused():
    """Arguments are checked against the schema before the call (TOOL-003)."""
    tool = FunctionTool(forecast)
    for args, text in (
        ({}, 'required: missing properties: ["city"]'),
        ({"city": 1.0}, 'validating /properties/city: type: 1 has type "integer", want "string"'),
        ({"city": "x", "y": 1}, 'additionalProperties: unexpected additional properties ["y"]'),
    ):
        with pytest.raises(AdkError) as caught:
            tool.run(context(), args)
        assert str(caught.value) == f"validating root: {text}"


def by_name(ctx, x: int):
    """Take the context by its first name."""
    return [ctx.function_call_id, x]


def by_other_name(x: int, tool_context):
    """Take the context by its second name."""
    return [tool_context.function_call_id, x]


def by_annotation(x: int, where: ToolContext):
    """Take the context by its type."""
    return [where.function_call_id, x]


@pytest.mark.parametrize("function", [by_name, by_other_name, by_annotation])
def test_the_context_is_no_argument(function):
    """A parameter by one of two names, or annotated so, gets the call's context."""
    tool = FunctionTool(function)
    assert list(tool.declaration().parameters_json_schema["properties"]) == ["x"]
    assert tool.run(context(), {"x": 1}) == {"result": ["c1", 1]}


def test_a_function_without_parameters():
    """It takes no argument at all."""
    tool = FunctionTool(lambda: "x", name="t")
    assert tool.declaration().parameters_json_schema == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }
    assert tool.run(context(), {}) == {"result": "x"}


def test_names_that_pydantic_keeps_for_itself():
    """A parameter may have any name, and no warning is given."""

    def odd(_x: int, schema: str, copy: int = 2, model_config: int = 3):
        return [_x, schema, copy, model_config]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tool = FunctionTool(odd)
    schema = tool.declaration().parameters_json_schema
    assert list(schema["properties"]) == ["_x", "schema", "copy", "model_config"]
    assert schema["required"] == ["_x", "schema"]
    assert tool.run(context(), {"_x": 1, "schema": "s"}) == {"result": [1, "s", 2, 3]}


class Adder:
    """A method is a function, too."""

    def add(self, a: int, b: int) -> int:
        """Add."""
        return a + b


def test_a_method():
    """A bound method's parameters are those without self."""
    tool = FunctionTool(Adder().add)
    assert (tool.name, tool.description) == ("add", "Add.")
    assert tool.run(context(), {"a": 1, "b": 2}) == {"result": 3}


def unknown_type(x: Nowhere):  # noqa: F821
    """Name a type that is not there."""
    return x


def variadic(*args):
    """Take any arguments."""
    return args


def keywords(**options):
    """Take any names."""
    return options


def positional(x: int, /):
    """Take no name."""
    return x


class Opaque:
    """A type without a schema."""


def opaque(x: Opaque):
    """Take what has no schema."""
    return x


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (unknown_type, "name 'Nowhere' is not defined"),
        (variadic, "parameter *args is variadic"),
        (keywords, "parameter **options is variadic"),
        (positional, "parameter x: 'int' is positional-only"),
        (max, "no signature found for builtin <built-in function max>"),
        (opaque, None),
    ],
)
def test_what_has_no_schema_is_refused(function, text):
    """A function whose schema cannot be inferred is refused when the tool is made (TOOL-001)."""
    with pytest.raises(AdkError) as caught:
        FunctionTool(function)
    said = str(caught.value)
    assert said.startswith("failed to infer input schema: ")
    assert text is None or said == f"failed to infer input schema: {text}"
