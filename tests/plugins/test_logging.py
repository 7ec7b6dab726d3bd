# SPDX-License-Identifier: Apache-2.0
"""The logging plugin (LOG-001 to LOG-005)."""

import contextlib
import io
import sys
from datetime import UTC, datetime
from itertools import count

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adkref.agents import Agent, LlmAgent
from adkref.content import (
    ZERO_PART,
    Blob,
    Content,
    FunctionCall,
    FunctionResponse,
    LlmResponse,
    Part,
)
from adkref.contexts import PLATFORM, Context, HostContext, InvocationContext, callback_context
from adkref.errors import AdkError
from adkref.events import Event, EventActions
from adkref.models import GenerateContentConfig, LlmRequest, ScriptedModel
from adkref.platform import Platform
from adkref.plugins import HOOKS, LoggingPlugin
from adkref.plugins.logging import format_args, format_content
from adkref.runner import Runner
from adkref.sessions import InMemorySessionService

ERROR = AdkError("broken")


@pytest.fixture
def logged():
    """A function that calls one hook and returns the messages it logged."""

    def call(hook, *arguments):
        stream = io.StringIO()
        callback = LoggingPlugin("log", stream).callback(hook)
        assert callback(*arguments) is None  # it never answers
        return messages(stream.getvalue())

    return call


def messages(written, name="log"):
    """What was logged, without colour, name and line ends; checks that they are there."""
    head, tail = f"\x1b[90m[{name}] ", "\x1b[0m\n"
    lines = written.splitlines(keepends=True)
    assert [line[: len(head)] for line in lines] == [head] * len(lines)
    assert [line[-len(tail) :] for line in lines] == [tail] * len(lines)
    return [line[len(head) : -len(tail)] for line in lines]


# --- the plugin and its lines ------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_name", "name"),
    [((), "logging_plugin"), (("",), "logging_plugin"), (("mine",), "mine")],
)
def test_an_empty_name_is_replaced(given_name, name):
    """The default name stands for none (LOG-001)."""
    assert LoggingPlugin(*given_name).name == name


def test_all_twelve_hooks_are_set():
    """Each hook has a callback, and there is nothing to close (LOG-005)."""
    plugin = LoggingPlugin()
    assert [hook.name for hook in HOOKS if plugin.callback(hook.name) is None] == []
    assert plugin.close() is None


def test_lines_go_to_standard_output_by_default(capsysbinary, run_ctx):
    """Each message is a line of grey text with the plugin's name, in UTF-8 (LOG-002)."""
    sys.stdout.write("before\n")
    LoggingPlugin().callback("after_run")(run_ctx)
    sys.stdout.write("after\n")
    assert capsysbinary.readouterr().out == (
        b"before\n"
        b"\x1b[90m[logging_plugin] \xe2\x9c\x85 INVOCATION COMPLETED\x1b[0m\n"
        b"\x1b[90m[logging_plugin]    Invocation ID: inv\x1b[0m\n"
        b"\x1b[90m[logging_plugin]    Final Agent: root\x1b[0m\n"
        b"after\n"
    )


def test_standard_output_is_looked_up_when_a_line_is_written(run_ctx):
    """Redirecting after the plugin was made is possible (LOG-002)."""
    plugin, stream = LoggingPlugin("log"), io.StringIO()
    with contextlib.redirect_stdout(stream):
        plugin.callback("before_run")(run_ctx)
    assert messages(stream.getvalue())[0] == "🏃 INVOCATION STARTING"


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "latin-1"])
def test_bytes_do_not_depend_on_the_encoding_of_the_stream(encoding, ctx):
    """The signs reach a stream that has no letters for them, in order with what was written."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    stream.write("x\n")
    LoggingPlugin("log", stream).callback("after_agent")(ctx)
    written = raw.getvalue().decode()
    assert written.startswith("x\n\x1b[90m[log] 🤖 AGENT COMPLETED\x1b[0m\n")


def test_half_a_character_is_written_as_it_was_cut(ctx):
    """A cut counts bytes, so it may leave the first bytes of a character (LOG-003)."""
    raw, shown = io.BytesIO(), io.StringIO()
    text = io.TextIOWrapper(raw, encoding="utf-8")  # what it wraps closes when nobody holds it
    response = LlmResponse(content=Content.of_text("x" * 199 + "é!"))
    for stream in (text, shown):
        LoggingPlugin("log", stream).callback("after_model")(ctx, response, None)
    assert b"   Content: text: '" + b"x" * 199 + b"\xc3...'\x1b[0m\n" in raw.getvalue()
    # A stream of characters has only the replacement character for it.
    assert "   Content: text: '" + "x" * 199 + "\ufffd...'\x1b[0m\n" in shown.getvalue()


def test_half_a_surrogate_pair_fails_no_run(logged, ctx):
    """A text that is no Unicode text is shown as well as can be, short or cut (LOG-005)."""
    for part, shown in (("\ud800 x", "? x"), ("\ud800" * 70, "\ufffd" * 200 + "...")):
        response = LlmResponse(content=Content.of_text(part))
        assert logged("after_model", ctx, response, None)[2] == f"   Content: text: '{shown}'"


def test_a_stream_that_refuses_fails_no_run(ctx):
    """The plugin never changes control flow, whatever becomes of its lines (LOG-005)."""

    class Broken(io.StringIO):
        def write(self, text):
            raise BrokenPipeError(text)

    closed = io.StringIO()
    closed.close()
    for stream in (Broken(), closed):
        assert LoggingPlugin("log", stream).callback("before_agent")(ctx) is None


# --- spellings ---------------------------------------------------------------------------

CALL = Part(function_call=FunctionCall("c", "f", {"a": 1}))
RESPONSE = Part(function_response=FunctionResponse("c", "f", {"a": 1}))


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (None, "None"),
        (Content("user", []), "None"),
        (Content.of_text("hi"), "text: 'hi'"),
        (Content.of_text(" \t\n\v\f\r\x85\xa0\u2003\u3000hi there\n"), "text: 'hi there'"),
        (Content.of_text("\x1c\u200bhi"), "text: '\x1c\u200bhi'"),
        (Content.of_text("  "), "text: ''"),
        (Content("user", [CALL]), "function_call: f"),
        (Content("user", [RESPONSE]), "function_response: f"),
        (Content("user", [Part(code_execution_result={})]), "code_execution_result"),
        (Content("user", [Part(inline_data=Blob("text/plain", b"x"))]), "other_part"),
        (Content("user", [ZERO_PART]), "other_part"),
        (
            Content("user", [Part(text="a"), CALL, Part(), RESPONSE]),
            "text: 'a' | function_call: f | other_part | function_response: f",
        ),
        # What is asked first wins.
        (Content("user", [Part(text="a", function_call=FunctionCall("c", "f"))]), "text: 'a'"),
        (
            Content(
                "user",
                [Part(function_call=CALL.function_call, code_execution_result={"outcome": "OK"})],
            ),
            "function_call: f",
        ),
    ],
)
def test_content_is_one_fragment_per_part(content, shown):
    """The kind of a part decides how it is shown; fragments are joined by bars (LOG-003)."""
    assert format_content(content) == shown


@pytest.mark.parametrize(
    ("args", "shown"),
    [
        (None, "{}"),
        ({}, "{}"),
        ({"b": 1.5, "a": "x y", "c": None}, "map[a:x y b:1.5 c:<nil>]"),
        ({"n": {"z": [True, "q"], "y": {}}}, "map[n:map[y:map[] z:[true q]]]"),
    ],
)
def test_arguments_have_the_form_of_a_go_map(args, shown):
    """Keys are sorted, nothing is quoted, and an empty map has a form of its own (LOG-004)."""
    assert format_args(args) == shown


@given(st.text())
@example("x" * 200)
@example("x" * 201)
@example("é" * 100)
@example("é" * 101)
@example("x" + "é" * 100)
def test_texts_are_cut_after_200_bytes(text):
    """Longer texts keep their first 200 bytes of UTF-8 and get three dots (LOG-003)."""
    text = f"|{text}|"  # no white space to strip
    whole = text.encode()
    shown = format_content(Content.of_text(text)).encode("utf-8", "surrogateescape")
    expected = whole if len(whole) <= 200 else whole[:200] + b"..."
    assert shown == b"text: '" + expected + b"'"


@pytest.mark.parametrize(
    ("length", "shown"), [(293, "map[k:%s]"), (294, "map[k:%s...}"), (400, "map[k:%s...}")]
)
def test_arguments_are_cut_after_300_bytes(length, shown):
    """The cut map ends with three dots and a brace; nothing is redacted (LOG-004)."""
    assert format_args({"k": "x" * length}) == shown % ("x" * min(length, 294))


# --- the hooks ---------------------------------------------------------------------------


def test_user_message(logged, invocation):
    """Where the message belongs, who will get it, and what it says (LOG-005)."""
    lines = [
        "🚀 USER MESSAGE RECEIVED",
        "   Invocation ID: inv",
        "   Session ID: s",
        "   User ID: u",
        "   App Name: a",
        "   Root Agent: root",
        "   User Content: text: 'hi'",
    ]
    message = Content.of_text("hi")
    assert logged("on_user_message", Context.promote(invocation), message) == lines
    assert logged("on_user_message", invocation, message) == lines
    invocation.branch = "a.b"
    assert logged("on_user_message", invocation, message) == [*lines, "   Branch: a.b"]
    invocation.agent = None
    lines[5] = "   Root Agent: Unknown"
    assert logged("on_user_message", invocation, message) == [*lines, "   Branch: a.b"]


@pytest.mark.parametrize(
    ("hook", "title", "agent"),
    [
        ("before_run", "🏃 INVOCATION STARTING", "Starting Agent"),
        ("after_run", "✅ INVOCATION COMPLETED", "Final Agent"),
    ],
)
def test_both_ends_of_a_run(logged, invocation, hook, title, agent):
    """The invocation and the agent, if there is one (LOG-005)."""
    assert logged(hook, invocation) == [title, "   Invocation ID: inv", f"   {agent}: root"]
    invocation.agent = None
    assert logged(hook, invocation) == [title, "   Invocation ID: inv", f"   {agent}: Unknown"]


def test_an_event(logged, run_ctx):
    """Lists appear only where the event has something to list (LOG-005)."""
    event = Event(id="e", author="root", content=Content.of_text("done"))
    lines = ["📢 EVENT YIELDED", "   Event ID: e", "   Author: root"]
    assert logged("on_event", run_ctx, event) == [
        *lines,
        "   Content: text: 'done'",
        "   Final Response: true",
    ]
    event = Event(
        id="e",
        author="root",
        content=Content(
            "model", [CALL, Part(function_call=FunctionCall(name="g")), RESPONSE, RESPONSE]
        ),
        long_running_tool_ids=["c", "d"],
        actions=EventActions(),
    )
    assert logged("on_event", run_ctx, event) == [
        *lines,
        "   Content: function_call: f | function_call: g | function_response: f | function_response: f",
        "   Final Response: true",
        "   Function Calls: [f g]",
        "   Function Responses: [f f]",
        "   Long Running Tools: [c d]",
    ]
    event = Event(id="e", author="root", partial=True, long_running_tool_ids=[])
    assert logged("on_event", run_ctx, event) == [
        *lines,
        "   Content: None",
        "   Final Response: false",
    ]


def test_an_agent_call(logged, invocation):
    """Only the start shows the branch (LOG-005)."""
    for branch in ("", "a.b"):
        invocation.branch = branch
        ctx = callback_context(invocation)
        assert logged("before_agent", ctx) == [
            "🤖 AGENT STARTING",
            "   Agent Name: root",
            "   Invocation ID: inv",
            *(["   Branch: a.b"] if branch else []),
        ]
        assert logged("after_agent", ctx) == [
            "🤖 AGENT COMPLETED",
            "   Agent Name: root",
            "   Invocation ID: inv",
        ]


@pytest.mark.parametrize(
    ("request_", "lines"),
    [
        (LlmRequest(), ["   Model: default", "   Agent: root"]),
        (
            LlmRequest("m", config=GenerateContentConfig()),
            ["   Model: m", "   Agent: root"],
        ),
        (
            LlmRequest("m", config=GenerateContentConfig(Content("user", []))),
            ["   Model: m", "   Agent: root"],
        ),
        (
            LlmRequest(
                "m",
                config=GenerateContentConfig(Content("user", [Part(text="Be "), CALL, Part("x")])),
                tools={"f": None, "g": None},
            ),
            [
                "   Model: m",
                "   Agent: root",
                "   System Instruction: 'Be x'",
                "   Available Tools: [f g]",
            ],
        ),
        (
            LlmRequest("m", config=GenerateContentConfig(Content("user", [CALL]))),
            ["   Model: m", "   Agent: root", "   System Instruction: ''"],
        ),
        (
            LlmRequest("m", config=GenerateContentConfig(Content.of_text(" " + "x" * 200))),
            ["   Model: m", "   Agent: root", f"   System Instruction: ' {'x' * 199}...'"],
        ),
    ],
)
def test_a_model_request(logged, ctx, request_, lines):
    """Model, instruction and tools; the instruction is cut, not stripped (LOG-005)."""
    assert logged("before_model", ctx, request_) == ["🧠 LLM REQUEST", *lines]


@pytest.mark.parametrize(
    ("response", "error", "lines"),
    [
        (None, None, []),
        (LlmResponse(error_code="E", usage_metadata={}), ERROR, ["   ❌ ERROR - broken"]),
        (None, ERROR, ["   ❌ ERROR - broken"]),
        (LlmResponse(), None, ["   Content: None", "   Turn Complete: false"]),
        (
            LlmResponse(content=Content.of_text("hi"), partial=True, turn_complete=True),
            None,
            ["   Content: text: 'hi'", "   Partial: true", "   Turn Complete: true"],
        ),
        (
            LlmResponse(usage_metadata={"promptTokenCount": 1234567.0, "candidatesTokenCount": 7}),
            None,
            [
                "   Content: None",
                "   Turn Complete: false",
                "   Token Usage - Input: 1234567, Output: 7",
            ],
        ),
        (
            LlmResponse(
                content=Content.of_text("hi"),
                error_code="SAFETY",
                error_message="no",
                usage_metadata={},
            ),
            None,
            [
                "   ❌ ERROR - Code: SAFETY",
                "   Error Message: no",
                "   Token Usage - Input: 0, Output: 0",
            ],
        ),
        (
            LlmResponse(error_message="without a code"),
            None,
            ["   Content: None", "   Turn Complete: false"],
        ),
    ],
)
def test_a_model_response(logged, ctx, response, error, lines):
    """An error argument ends the list, an error code only replaces the content (LOG-005)."""
    assert logged("after_model", ctx, response, error) == [
        "🧠 LLM RESPONSE",
        "   Agent: root",
        *lines,
    ]


def test_a_model_error(logged, ctx):
    """The error that the model stream carried (LOG-005)."""
    assert logged("on_model_error", ctx, LlmRequest(), ERROR) == [
        "🧠 LLM ERROR",
        "   Agent: root",
        "   Error: broken",
    ]


def test_a_tool_call(logged, tool_ctx, tool):
    """Every line of a tool hook names the tool, the agent and the call (LOG-005)."""
    call = ["   Tool Name: t", "   Agent: root", "   Function Call ID: c"]
    args = {"k": "v"}
    assert logged("before_tool", tool_ctx, tool, args) == [
        "🔧 TOOL STARTING",
        *call,
        "   Arguments: map[k:v]",
    ]
    assert logged("after_tool", tool_ctx, tool, args, {"r": 1}, None) == [
        "🔧 TOOL COMPLETED",
        *call,
        "   Result: map[r:1]",
    ]
    assert logged("after_tool", tool_ctx, tool, args, None, None) == [
        "🔧 TOOL COMPLETED",
        *call,
        "   Result: {}",
    ]
    assert logged("after_tool", tool_ctx, tool, args, {"r": 1}, ERROR) == [
        "🔧 TOOL COMPLETED",
        *call,
        "   Error: broken",
    ]
    assert logged("on_tool_error", tool_ctx, tool, {}, ERROR) == [
        "🔧 TOOL ERROR",
        *call,
        "   Arguments: {}",
        "   Error: broken",
    ]


# --- a whole run -------------------------------------------------------------------------


def weather(city: str) -> dict[str, int]:
    """Tell a temperature."""
    if city == "Nowhere":
        raise ValueError("no such city")
    return {"temperature": 26}


def run(agent, *plugins):
    """The events of one run with ids and times that repeat."""
    numbers = count(1)
    platform = Platform(lambda: str(next(numbers)), lambda: datetime(2026, 8, 1, tzinfo=UTC))
    host = HostContext.background().with_value(PLATFORM, platform)
    service = InMemorySessionService()
    service.create("a", "u", "s")
    runner = Runner("a", agent, service, plugins=plugins)
    events = []
    with contextlib.suppress(ConnectionError):
        events.extend(
            event.to_json() for event in runner.run("u", "s", "How warm is it?", host=host)
        )
    return events


def a_model():
    """A model that calls twice, the second time in vain, answers, and breaks."""
    calls = [
        LlmResponse(
            content=Content(
                "model", [Part(function_call=FunctionCall(f"c-{city}", "weather", {"city": city}))]
            )
        )
        for city in ("Hangzhou", "Nowhere")
    ]
    return ScriptedModel([*calls, ["26", ConnectionError("down")]], name="m")


def test_the_plugin_changes_nothing():
    """A run with it and one without it give the same events (LOG-005)."""

    def agent():
        return LlmAgent("root", model=a_model(), tools=[weather])

    assert run(agent(), LoggingPlugin("log", io.StringIO())) == run(agent())


def test_a_run_is_told_in_the_order_of_its_hooks():
    """The titles of the lines show which hook came when (LOG-005)."""
    stream = io.StringIO()
    run(LlmAgent("root", model=a_model(), tools=[weather]), LoggingPlugin("log", stream))
    titles = [line for line in messages(stream.getvalue()) if not line.startswith(" ")]
    tool_turn = ["🧠 LLM REQUEST", "🧠 LLM RESPONSE", "📢 EVENT YIELDED", "🔧 TOOL STARTING"]
    assert titles == [
        "🚀 USER MESSAGE RECEIVED",
        "🏃 INVOCATION STARTING",
        "🤖 AGENT STARTING",
        *tool_turn,
        "🔧 TOOL COMPLETED",
        "📢 EVENT YIELDED",
        *tool_turn,
        "🔧 TOOL ERROR",
        "🔧 TOOL COMPLETED",
        "📢 EVENT YIELDED",
        "🧠 LLM REQUEST",
        "🧠 LLM RESPONSE",
        "📢 EVENT YIELDED",
        "🧠 LLM ERROR",
        "✅ INVOCATION COMPLETED",
    ]


def test_a_custom_agent_is_told_in_full():
    """One event of a run without a model, line by line (LOG-005)."""
    stream = io.StringIO()
    agent = Agent("root", run=lambda ctx: [Event(id="1", content=Content.of_text("hi"))])
    run(agent, LoggingPlugin("log", stream))
    lines = messages(stream.getvalue())
    assert lines[1].startswith("   Invocation ID: e-")
    inv = lines[1]
    assert lines == [
        "🚀 USER MESSAGE RECEIVED",
        inv,
        "   Session ID: s",
        "   User ID: u",
        "   App Name: a",
        "   Root Agent: root",
        "   User Content: text: 'How warm is it?'",
        "🏃 INVOCATION STARTING",
        inv,
        "   Starting Agent: root",
        "🤖 AGENT STARTING",
        "   Agent Name: root",
        inv,
        "📢 EVENT YIELDED",
        "   Event ID: 1",
        "   Author: root",
        "   Content: text: 'hi'",
        "   Final Response: true",
        "🤖 AGENT COMPLETED",
        "   Agent Name: root",
        inv,
        "✅ INVOCATION COMPLETED",
        inv,
        "   Final Agent: root",
    ]


def test_a_context_without_an_agent_is_told_too():
    """The live path's hooks get a plain invocation context (LOG-005, chapter 04, 6)."""
    stream = io.StringIO()
    ctx = InvocationContext(invocation_id="inv")
    LoggingPlugin("log", stream).callback("after_run")(ctx)
    assert messages(stream.getvalue())[2] == "   Final Agent: Unknown"
