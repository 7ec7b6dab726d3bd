# SPDX-License-Identifier: Apache-2.0
"""Function tools (chapter 02, 9.1)."""

import enum
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from attrs import define
from kit import Scene, content

from adkref.agents import Agent
from adkref.content import NilMap
from adkref.contexts import tool_context
from adkref.errors import (
    AdkError,
    ConfirmationRejected,
    ConfirmationRequired,
    ProgrammingError,
)
from adkref.events import EventActions, ToolConfirmation
from adkref.models import FunctionDeclaration
from adkref.tools import FunctionTool
from adkref.tools.function import LONG_RUNNING_NOTE, as_json

ANY = {"type": "object"}
NEEDS_X = {
    "type": "object",
    "properties": {"x": {"type": "integer"}},
    "required": ["x"],
    "additionalProperties": False,
}
HINT = (
    "Please approve or reject the tool call t() by responding with a FunctionResponse with an "
    "expected ToolConfirmation payload."
)


def context(confirmation=None):
    """The context of call c1."""
    return tool_context(Scene(Agent("a")).ctx, "c1", EventActions.fresh(), confirmation)


def returning(value, **options):
    """A tool t that returns a value."""
    options.setdefault("parameters", ANY)
    return FunctionTool(lambda ctx, args: value, name="t", **options)


# --- construction and declaration --------------------------------------------------------------


def lookup(city: str) -> dict:
    """Look a city up."""
    return {"city": city}


def test_names_come_from_the_function():
    """Name and description are the function's unless given (TOOL-002)."""
    found, given = FunctionTool(lookup), FunctionTool(lookup, name="n", description="d")
    assert (found.name, found.description) == ("lookup", "Look a city up.")
    assert (given.name, given.description) == ("n", "d")
    nameless = FunctionTool(returning(1).run, parameters=ANY, name="", description="")
    assert (nameless.name, nameless.description) == ("", "")
    assert repr(found) == "<FunctionTool 'lookup'>"


@pytest.mark.parametrize(
    ("description", "long_running", "declared"),
    [
        ("d", False, "d"),
        ("d", True, f"d\n\n{LONG_RUNNING_NOTE}"),
        ("", True, LONG_RUNNING_NOTE),
        ("", False, ""),
    ],
)
def test_declaration(description, long_running, declared):
    """Name, description and schema; a long-running tool says so behind a blank line (TOOL-002)."""
    tool = returning(1, description=description, is_long_running=long_running)
    assert tool.declaration() == FunctionDeclaration("t", declared, parameters_json_schema=ANY)
    assert tool.description == description
    assert tool.is_long_running is long_running


def test_the_long_running_note():
    """The literal text of TOOL-002."""
    assert LONG_RUNNING_NOTE == (
        "NOTE: This is a long-running operation. Do not call this tool again if it has already "
        "returned some intermediate or pending status."
    )


def test_a_provider_must_be_callable():
    """Another value as confirmation provider is refused with the literal text (TOOL-001)."""
    with pytest.raises(AdkError) as caught:
        returning(1, require_confirmation_provider=True)
    assert str(caught.value) == (
        "error RequireConfirmationProvider must be a function with signature "
        "func(map[string]interface {}) bool"
    )


def test_a_handler_must_be_callable():
    """A handler that is no function is misuse (TOOL-001)."""
    with pytest.raises(ProgrammingError, match=r"^a tool's handler must be callable, got string$"):
        FunctionTool("lookup")


def test_a_schema_must_be_one():
    """A schema that is none is refused when the tool is made (TOOL-001)."""
    with pytest.raises(AdkError, match=r"^failed to infer input schema: "):
        returning(1, parameters={"type": 5})


# --- arguments -----------------------------------------------------------------------------------


def test_the_handler_gets_a_copy():
    """The handler works on converted arguments; the call's own map stays (TOOL-003)."""
    seen = []

    def handler(ctx, args):
        seen.append((ctx, dict(args)))
        args["x"].append("changed")

    given, ctx = {"x": (1, 2)}, context()
    assert FunctionTool(handler, name="t", parameters=ANY).run(ctx, given) is None
    assert seen == [(ctx, {"x": [1, 2, "changed"]})]
    assert given == {"x": (1, 2)}


@pytest.mark.parametrize("args", [None, {}, NilMap()])
def test_nil_arguments_count_as_an_empty_object(args):
    """Nil is an empty object to schema and handler (TOOL-003)."""
    echo = FunctionTool(lambda ctx, args: args, name="t", parameters=ANY)
    assert echo.run(context(), args) == {}
    with pytest.raises(AdkError) as caught:
        returning(1, parameters=NEEDS_X).run(context(), args)
    assert str(caught.value) == 'validating root: required: missing properties: ["x"]'


@pytest.mark.parametrize(("args", "name"), [([], "[]interface {}"), ("x", "string"), (1, "int")])
def test_arguments_must_be_a_map(args, name):
    """Another type is an error before anything else (TOOL-003)."""
    with pytest.raises(AdkError) as caught:
        returning(1).run(context(), args)
    assert str(caught.value) == f"unexpected args type, got: {name}"


@pytest.mark.parametrize("value", [float("nan"), {1}, object()])
def test_arguments_must_be_json(value):
    """What a callback put into the arguments and is no JSON stops the call."""
    with pytest.raises(TypeError, match=r"^\$\.x: .* is not JSON$"):
        returning(1).run(context(), {"x": value})


def test_invalid_arguments_never_ask():
    """The schema is checked before the confirmation, and the handler never runs (TOOL-003)."""
    called = []
    tool = FunctionTool(
        lambda ctx, args: called.append(1),
        name="t",
        parameters=NEEDS_X,
        require_confirmation_provider=lambda args: called.append(2) or True,
    )
    ctx = context()
    with pytest.raises(AdkError, match=r"^validating root: "):
        tool.run(ctx, {"x": "1"})
    assert (called, ctx.actions) == ([], EventActions.fresh())


# --- results -------------------------------------------------------------------------------------


@define
class Weather:
    """A record that is no JSON yet."""

    city: str
    high: int


class Unit(enum.Enum):
    """A value with a JSON form."""

    C = "celsius"


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (None, None),
        ({}, {}),
        ({"a": (1, {"b": None})}, {"a": [1, {"b": None}]}),
        ("", {"result": ""}),
        ("x", {"result": "x"}),
        (0, {"result": 0}),
        (False, {"result": False}),
        (1.5, {"result": 1.5}),
        ([], {"result": []}),
        ((1, "x"), {"result": [1, "x"]}),
        (b"x", {"result": "eA=="}),
        (Weather("Oslo", 3), {"city": "Oslo", "high": 3}),
        ([Weather("Oslo", 3)], {"result": [{"city": "Oslo", "high": 3}]}),
        (Unit.C, {"result": "celsius"}),
        (content("x"), {"role": "user", "parts": [{"text": "x"}]}),
        (datetime(2026, 8, 1, tzinfo=UTC), {"result": "2026-08-01T00:00:00Z"}),
    ],
)
def test_results(value, result):
    """An object is the result, nil stays nil, everything else is wrapped (TOOL-005)."""
    assert returning(value).run(context(), {}) == result


LOOP: list = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({1, 2}, "$: set is not JSON"),
        ({"a": frozenset()}, "$.a: frozenset is not JSON"),
        ({"a": [0, object()]}, "$.a[1]: object is not JSON"),
        (float("nan"), "$: NaN is not JSON"),
        ({"a": float("-inf")}, "$.a: -Inf is not JSON"),
        ({1: 2}, "$: key 1 is no string"),
        (Decimal(1), "$: Decimal is not JSON"),
        (iter([]), "$: list_iterator is not JSON"),
        (Weather("Oslo", {1}), "$.high: set is not JSON"),
    ],
)
def test_a_result_that_is_no_json_is_an_error(value, text):
    """The error names the tool and the place (TOOL-005)."""
    with pytest.raises(AdkError) as caught:
        returning(value).run(context(), {})
    assert str(caught.value) == f'tool "t" returned no JSON: {text}'


def test_a_result_without_end_is_an_error():
    """A value that holds itself fails; it does not hang."""
    with pytest.raises(AdkError, match="returned no JSON: it is nested too deeply"):
        returning(LOOP).run(context(), {})


def test_what_the_handler_raises_passes():
    """An error of the handler is the tool's error as it is (TOOL-005)."""
    boom = ValueError("boom")

    def handler(ctx, args):
        raise boom

    with pytest.raises(ValueError, match=r"^boom$") as caught:
        FunctionTool(handler, name="t", parameters=ANY).run(context(), {})
    assert caught.value is boom


@pytest.mark.parametrize("where", ["handler", "provider"])
def test_a_panic_becomes_an_error(where):
    """Misuse in handler or provider is an error with its stack (TOOL-006)."""

    def panic(*_):
        raise ProgrammingError("no session")

    tool = (
        FunctionTool(panic, name='t"', parameters=ANY)
        if where == "handler"
        else FunctionTool(
            lambda ctx, args: 1, name='t"', parameters=ANY, require_confirmation_provider=panic
        )
    )
    with pytest.raises(AdkError) as caught:
        tool.run(context(), {})
    first, stack = str(caught.value).split("\n", 1)
    assert first == 'panic in tool "t\\"": no session'
    assert stack.startswith("stack: Traceback")
    assert isinstance(caught.value.__cause__, ProgrammingError)


def test_as_json_keeps_a_nil_map():
    """A nil map stays one on its way through a tool (TOOL-015)."""
    assert isinstance(as_json(NilMap()), NilMap)
    assert type(as_json(NilMap(a=1))) is dict


# --- confirmation (TOOL-004) ---------------------------------------------------------------------


def always(args):
    """Require."""
    return True


def never(args):
    """Do not require."""
    return False


@pytest.mark.parametrize(
    ("options", "asks"),
    [
        ({}, False),
        ({"require_confirmation": True}, True),
        ({"require_confirmation_provider": always}, True),
        ({"require_confirmation_provider": never}, False),
        ({"require_confirmation": True, "require_confirmation_provider": never}, False),
    ],
)
def test_who_decides_on_a_confirmation(options, asks):
    """The provider overrides the flag, also to False (TOOL-004)."""
    ctx = context()
    tool = returning("ran", **options)
    if not asks:
        assert tool.run(ctx, {}) == {"result": "ran"}
        assert ctx.actions == EventActions.fresh()
        return
    with pytest.raises(ConfirmationRequired) as caught:
        tool.run(ctx, {})
    assert str(caught.value) == 'error tool "t" requires confirmation, please approve or reject'
    assert ctx.actions == EventActions(
        state_delta={},
        artifact_delta={},
        requested_tool_confirmations={"c1": ToolConfirmation(hint=HINT)},
        skip_summarization=True,
    )


def test_the_provider_sees_the_arguments():
    """The provider decides from the converted arguments (TOOL-004)."""
    tool = returning("ran", require_confirmation_provider=lambda args: args["x"] > 1)
    assert tool.run(context(), {"x": 1}) == {"result": "ran"}
    with pytest.raises(ConfirmationRequired):
        tool.run(context(), {"x": 2})


@pytest.mark.parametrize(
    "options", [{}, {"require_confirmation": True}, {"require_confirmation_provider": always}]
)
def test_a_given_confirmation_decides(options):
    """A confirmed call runs, a rejected one is refused, and nobody is asked again (TOOL-004)."""
    ctx = context(ToolConfirmation(confirmed=True))
    assert returning("ran", **options).run(ctx, {}) == {"result": "ran"}
    rejected = context(ToolConfirmation())
    with pytest.raises(ConfirmationRejected) as caught:
        returning("ran", **options).run(rejected, {})
    assert str(caught.value) == 'error tool "t" call is rejected'
    assert ctx.actions == rejected.actions == EventActions.fresh()
