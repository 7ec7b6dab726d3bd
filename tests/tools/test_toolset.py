# SPDX-License-Identifier: Apache-2.0
"""Wrappers around toolsets (chapter 02, 9.5)."""

from types import SimpleNamespace

import pytest
from kit import Scene

from adkref.agents import Agent
from adkref.contexts import ReadonlyContext, tool_context
from adkref.errors import AdkError, ConfirmationRejected, ConfirmationRequired, ProgrammingError
from adkref.events import EventActions, ToolConfirmation
from adkref.models import FunctionDeclaration, LlmRequest
from adkref.tools import ConfirmingToolset, FilterToolset, FunctionTool, StaticToolset, pack_tool

NEEDS_X = {"type": "object", "required": ["x"]}


def context(confirmation=None):
    """The context of call c1."""
    return tool_context(Scene(Agent("a")).ctx, "c1", EventActions.fresh(), confirmation)


def function(name, parameters=None, **options):
    """A tool that returns its name."""
    return FunctionTool(
        lambda ctx, args: name,
        name=name,
        description=f"does {name}",
        parameters=parameters or {"type": "object"},
        **options,
    )


def readonly():
    """The context that toolsets get."""
    return ReadonlyContext(Scene(Agent("a")).ctx)


# --- fixed and filtered ------------------------------------------------------------------------


def test_a_static_toolset_gives_its_tools():
    """The tools come in order, in a list of the caller's own."""
    tools = [function("a"), function("b")]
    toolset = StaticToolset("s", tools)
    got = toolset.tools(readonly())
    assert (toolset.name, got) == ("s", tools)
    got.clear()
    assert toolset.tools(readonly()) == tools


def test_a_filter_keeps_the_order():
    """The accepted tools come in order; the predicate sees context and tool (TOOL-050)."""
    asked, ctx = [], readonly()
    toolset = FilterToolset(
        StaticToolset("s", [function("a"), function("b"), function("c")]),
        lambda ctx, tool: asked.append((ctx, tool.name)) or tool.name != "b",
    )
    assert toolset.name == "s"
    assert [tool.name for tool in toolset.tools(ctx)] == ["a", "c"]
    assert asked == [(ctx, "a"), (ctx, "b"), (ctx, "c")]


@pytest.mark.parametrize(
    ("toolset", "predicate", "text"),
    [
        (None, lambda ctx, tool: True, "toolset must not be nil"),
        (StaticToolset("s", []), None, "predicate must not be nil"),
        (None, None, "toolset must not be nil"),
    ],
)
def test_a_filter_needs_both(toolset, predicate, text):
    """A missing toolset or predicate is misuse with its literal text (TOOL-050)."""
    with pytest.raises(ProgrammingError) as caught:
        FilterToolset(toolset, predicate)
    assert str(caught.value) == text


# --- confirming (TOOL-051) ---------------------------------------------------------------------


def wrapped(tool, **options):
    """The only tool of a confirming toolset."""
    (got,) = ConfirmingToolset(StaticToolset("s", [tool]), **options).tools(readonly())
    return got


def test_only_function_tools_are_wrapped():
    """Tools without run pass as they are, streaming ones too (TOOL-051)."""
    bare = SimpleNamespace(name="bare", description="", is_long_running=False)
    streaming = SimpleNamespace(
        name="s", declaration=lambda: None, run_stream=lambda ctx, args: iter(())
    )
    inner = function("t", is_long_running=True)
    toolset = ConfirmingToolset(StaticToolset("set", [bare, inner, streaming]))
    one, other, third = toolset.tools(readonly())
    assert (toolset.name, one, third) == ("set", bare, streaming)
    assert other is not inner
    assert (other.name, other.description, other.is_long_running) == ("t", "does t", True)
    assert other.declaration() == inner.declaration()


@pytest.mark.parametrize(
    ("options", "asks"),
    [
        ({}, False),
        ({"require_confirmation": True}, True),
        ({"provider": lambda name, args: True}, True),
        ({"require_confirmation": True, "provider": lambda name, args: False}, False),
    ],
)
def test_who_decides_on_a_confirmation(options, asks):
    """The provider overrides the flag, also to False (TOOL-051, TOOL-004)."""
    ctx = context()
    tool = wrapped(function("t"), **options)
    if not asks:
        assert tool.run(ctx, {}) == {"result": "t"}
        return
    with pytest.raises(ConfirmationRequired) as caught:
        tool.run(ctx, {})
    assert str(caught.value) == 'error tool "t" requires confirmation, please approve or reject'
    assert list(ctx.actions.requested_tool_confirmations) == ["c1"]
    assert ctx.actions.skip_summarization


def test_asking_comes_before_checking():
    """Unlike a function tool's own flag, the wrapper asks about invalid arguments (TOOL-051)."""
    asked = []
    tool = wrapped(
        function("t", NEEDS_X), provider=lambda name, args: asked.append((name, args)) or True
    )
    with pytest.raises(ConfirmationRequired):
        tool.run(context(), {"y": 1})
    assert asked == [("t", {"y": 1})]
    with pytest.raises(AdkError, match=r"^validating root: required"):
        tool.run(context(ToolConfirmation(confirmed=True)), {"y": 1})


def test_a_given_confirmation_decides():
    """A confirmed call runs without asking the provider, a rejected one does not run (TOOL-051)."""
    asked = []
    tool = wrapped(function("t"), provider=lambda name, args: asked.append(name) or True)
    assert tool.run(context(ToolConfirmation(confirmed=True)), {}) == {"result": "t"}
    with pytest.raises(ConfirmationRejected) as caught:
        tool.run(context(ToolConfirmation()), {})
    assert str(caught.value) == 'error tool "t" call is rejected'
    assert asked == []


def test_the_wrapper_takes_the_inner_tools_place():
    """The inner tool declares itself, the wrapper is registered (TOOL-051)."""
    request, inner = LlmRequest(), function("t")
    tool = wrapped(inner)
    tool.process_request(context(), request)
    assert request.tools == {"t": tool}
    assert request.config.tools[0].function_declarations == [inner.declaration()]


def test_a_wrapper_packs_itself_when_the_inner_tool_does_not():
    """Without an inner process_request, or one that registers nothing (TOOL-051)."""
    for inner in (
        SimpleNamespace(
            name="t",
            description="",
            is_long_running=False,
            declaration=lambda: FunctionDeclaration("t"),
            run=lambda ctx, args: {},
        ),
        SimpleNamespace(
            name="t",
            description="",
            is_long_running=False,
            declaration=lambda: FunctionDeclaration("t"),
            run=lambda ctx, args: {},
            process_request=lambda ctx, request: request.append_instruction("seen"),
        ),
    ):
        request = LlmRequest()
        tool = wrapped(inner)
        tool.process_request(context(), request)
        assert request.tools == {"t": tool}
        assert request.config.tools[0].function_declarations == [FunctionDeclaration("t")]


def test_a_name_that_is_taken_stays_taken():
    """A name that was there before is a duplicate, whether the inner tool notices or not (TOOL-051)."""
    silent = SimpleNamespace(
        name="t",
        description="",
        is_long_running=False,
        declaration=lambda: None,
        run=lambda ctx, args: {},
        process_request=lambda ctx, request: None,
    )
    for inner in (function("t"), silent):
        request, first = LlmRequest(), function("t")
        pack_tool(request, first)
        with pytest.raises(AdkError, match=r'^duplicate tool: "t"$'):
            wrapped(inner).process_request(context(), request)
        assert request.tools == {"t": first}


def test_deferring_is_hidden():
    """Other capabilities of the inner tool do not show (TOOL-051)."""
    inner = function("t")
    inner.defers_response = lambda: True
    assert not hasattr(wrapped(inner), "defers_response")
