# SPDX-License-Identifier: Apache-2.0
"""What a tool is, and how it gets into a request (chapter 02, 1.4; REQ-003, REQ-004)."""

from types import SimpleNamespace

import pytest

from adkref.errors import AdkError
from adkref.models import FunctionDeclaration, GenerateContentConfig, LlmRequest, ToolDeclarations
from adkref.tools import FunctionTool, pack_tool
from adkref.tools.tool import declare, defers_response, is_function, is_streaming


def tool(name, **capabilities):
    """A tool with a name and some capabilities."""
    return SimpleNamespace(name=name, description="d", is_long_running=False, **capabilities)


def declaring(name, **capabilities):
    """A tool that declares itself."""
    return tool(name, declaration=lambda: FunctionDeclaration(name), **capabilities)


def nothing(*_):
    """Do nothing."""


@pytest.mark.parametrize(
    ("given", "function", "streaming"),
    [
        (tool("t"), False, False),
        (declaring("t"), False, False),
        (tool("t", run=nothing), False, False),
        (declaring("t", run=nothing), True, False),
        (declaring("t", run_stream=nothing), False, True),
        (declaring("t", run=nothing, run_stream=nothing), True, True),
        (declaring("t", run=1), False, False),
    ],
)
def test_capabilities_are_discovered(given, function, streaming):
    """A callable tool has a declaration and a run; a streaming one has run_stream (1.4)."""
    assert (is_function(given), is_streaming(given)) == (function, streaming)


@pytest.mark.parametrize(
    ("given", "defers"),
    [
        (tool("t"), False),
        (tool("t", defers_response=lambda: True), True),
        (tool("t", defers_response=lambda: False), False),
        (tool("t", defers_response=True), False),
    ],
)
def test_deferring(given, defers):
    """A tool defers its answer when its method says so (TOOL-020)."""
    assert defers_response(given) is defers


def test_packing_registers_and_declares():
    """Tools get into the request in order, in one list of declarations (REQ-003)."""
    request = LlmRequest()
    tools = [declaring("a", run=nothing), declaring("b", run_stream=nothing)]
    for item in tools:
        pack_tool(request, item)
    assert request == LlmRequest(
        config=GenerateContentConfig(
            tools=[ToolDeclarations([FunctionDeclaration("a"), FunctionDeclaration("b")])]
        ),
        tools={"a": tools[0], "b": tools[1]},
    )


@pytest.mark.parametrize(
    "given",
    [
        tool("t"),
        declaring("t"),
        tool("t", run=nothing, declaration=lambda: None),
    ],
)
def test_a_tool_without_declaration_is_registered(given):
    """It is not declared, but registered, and the configuration is there (REQ-004)."""
    request = LlmRequest()
    pack_tool(request, given)
    assert request == LlmRequest(config=GenerateContentConfig(), tools={"t": given})


def test_a_name_is_taken_once():
    """A second tool of the same name is refused, and the request stays as it is (REQ-004)."""
    request = LlmRequest()
    first = declaring('a"b', run=nothing)
    pack_tool(request, first)
    with pytest.raises(AdkError) as caught:
        pack_tool(request, declaring('a"b', run=nothing))
    assert str(caught.value) == 'duplicate tool: "a\\"b"'
    assert request.tools == {'a"b': first}
    assert request.config.tools == [ToolDeclarations([FunctionDeclaration('a"b')])]


def test_declarations_join_the_first_list():
    """The first entry with a list takes them, another kind of entry does not (REQ-003)."""
    entries = [ToolDeclarations(), ToolDeclarations([]), ToolDeclarations([])]
    declare(entries, FunctionDeclaration("x"))
    assert entries == [
        ToolDeclarations(),
        ToolDeclarations([FunctionDeclaration("x")]),
        ToolDeclarations([]),
    ]
    only = [ToolDeclarations()]
    declare(only, FunctionDeclaration("x"))
    assert only == [ToolDeclarations(), ToolDeclarations([FunctionDeclaration("x")])]


def test_a_function_tool_packs_itself():
    """ProcessRequest of a function tool declares it (TOOL-002)."""
    request = LlmRequest()
    given = FunctionTool(nothing, name="n", description="d", parameters={"type": "object"})
    given.process_request(None, request)
    assert request.tools == {"n": given}
    assert request.config.tools == [
        ToolDeclarations(
            [FunctionDeclaration("n", "d", parameters_json_schema={"type": "object"})]
        )
    ]
