# SPDX-License-Identifier: Apache-2.0
"""A plugin that tells on standard output what every hook sees (chapter 04, 15.1).

It answers nothing, so it never changes what a run does.  It is a tool for development:
arguments, results and instructions are shown as they are, and a cut is no redaction.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TextIO

from adkref.content import Content, LlmResponse, Part, texts
from adkref.errors import text_of
from adkref.gotext import text
from adkref.plugins.hooks import HOOKS
from adkref.plugins.plugin import Plugin

if TYPE_CHECKING:
    from adkref.agents import Agent
    from adkref.contexts import CallbackContext, Context, ToolContext
    from adkref.events import Event
    from adkref.models import LlmRequest
    from adkref.tools import Tool

DEFAULT_NAME: Final = "logging_plugin"
CONTENT_LIMIT: Final = 200
ARGUMENTS_LIMIT: Final = 300

_GREY, _PLAIN = "\x1b[90m", "\x1b[0m"
#: What Go's strings.TrimSpace takes away; str.strip also takes the separators 0x1c to 0x1f.
_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


class LoggingPlugin(Plugin):
    """Writes what each of the twelve hooks sees, one grey line after the other.

    An empty *name* is replaced by the default one (LOG-001).  Without *stream* the lines go
    to what ``sys.stdout`` is at that moment.
    """

    def __init__(self, name: str = DEFAULT_NAME, stream: TextIO | None = None) -> None:
        # LOG-005: all twelve hooks have a method here.
        callbacks: dict[str, Any] = {
            f"{hook.name}_callback": getattr(self, f"_{hook.name}") for hook in HOOKS
        }
        super().__init__(name or DEFAULT_NAME, **callbacks)  # LOG-001
        self._stream = stream

    # --- the run (LOG-005) ----------------------------------------------------------------

    def _on_user_message(self, ctx: Context, content: Content) -> None:
        session = ctx.session
        assert session is not None
        self._log(
            "🚀 USER MESSAGE RECEIVED",
            f"   Invocation ID: {ctx.invocation_id}",
            f"   Session ID: {session.id}",
            f"   User ID: {session.user_id}",
            f"   App Name: {session.app_name}",
            f"   Root Agent: {_name_of(ctx.agent)}",
            f"   User Content: {format_content(content)}",
            *_branch(ctx.branch),
        )

    def _before_run(self, ctx: Context) -> None:
        self._log(
            "🏃 INVOCATION STARTING",
            f"   Invocation ID: {ctx.invocation_id}",
            f"   Starting Agent: {_name_of(ctx.agent)}",
        )

    def _on_event(self, ctx: Context, event: Event) -> None:
        calls = [call.name for call in event.calls()]
        responses = [response.name for response in event.responses()]
        self._log(
            "📢 EVENT YIELDED",
            f"   Event ID: {event.id}",
            f"   Author: {event.author}",
            f"   Content: {format_content(event.content)}",
            f"   Final Response: {text(event.is_final_response())}",
            *_listed("Function Calls", calls),
            *_listed("Function Responses", responses),
            *_listed("Long Running Tools", event.long_running_tool_ids or ()),
        )

    def _after_run(self, ctx: Context) -> None:
        self._log(
            "✅ INVOCATION COMPLETED",
            f"   Invocation ID: {ctx.invocation_id}",
            f"   Final Agent: {_name_of(ctx.agent)}",
        )

    # --- one agent call -------------------------------------------------------------------

    def _before_agent(self, ctx: CallbackContext) -> None:
        self._log(
            "🤖 AGENT STARTING",
            f"   Agent Name: {ctx.agent_name}",
            f"   Invocation ID: {ctx.invocation_id}",
            *_branch(ctx.branch),
        )

    def _after_agent(self, ctx: CallbackContext) -> None:
        self._log(
            "🤖 AGENT COMPLETED",
            f"   Agent Name: {ctx.agent_name}",
            f"   Invocation ID: {ctx.invocation_id}",
        )

    # --- one model call -------------------------------------------------------------------

    def _before_model(self, ctx: CallbackContext, request: LlmRequest) -> None:
        lines = [
            "🧠 LLM REQUEST",
            f"   Model: {request.model or 'default'}",
            f"   Agent: {ctx.agent_name}",
        ]
        instruction = request.config.system_instruction if request.config is not None else None
        if instruction is not None and instruction.parts:
            shown = _cut("".join(texts(instruction)), CONTENT_LIMIT, "...")
            lines.append(f"   System Instruction: '{shown}'")
        self._log(*lines, *_listed("Available Tools", request.tools))

    def _after_model(
        self, ctx: CallbackContext, response: LlmResponse | None, error: Exception | None
    ) -> None:
        lines = ["🧠 LLM RESPONSE", f"   Agent: {ctx.agent_name}"]
        if error is not None:
            lines.append(f"   ❌ ERROR - {text_of(error)}")
        elif response is not None:
            lines += _response_lines(response)
        self._log(*lines)

    def _on_model_error(self, ctx: CallbackContext, request: LlmRequest, error: Exception) -> None:
        self._log("🧠 LLM ERROR", f"   Agent: {ctx.agent_name}", f"   Error: {text_of(error)}")

    # --- one tool call --------------------------------------------------------------------

    def _before_tool(self, ctx: ToolContext, tool: Tool, args: dict[str, Any]) -> None:
        self._log(
            "🔧 TOOL STARTING", *_call_lines(ctx, tool), f"   Arguments: {format_args(args)}"
        )

    def _after_tool(
        self,
        ctx: ToolContext,
        tool: Tool,
        args: dict[str, Any],
        result: dict[str, Any] | None,
        error: Exception | None,
    ) -> None:
        outcome = (
            f"   Result: {format_args(result)}" if error is None else f"   Error: {text_of(error)}"
        )
        self._log("🔧 TOOL COMPLETED", *_call_lines(ctx, tool), outcome)

    def _on_tool_error(
        self, ctx: ToolContext, tool: Tool, args: dict[str, Any], error: Exception
    ) -> None:
        self._log(
            "🔧 TOOL ERROR",
            *_call_lines(ctx, tool),
            f"   Arguments: {format_args(args)}",
            f"   Error: {text_of(error)}",
        )

    # --- writing --------------------------------------------------------------------------

    def _log(self, *messages: str) -> None:
        """Write each message as a line of its own (LOG-002).

        A stream that refuses is no failure: a plugin that only watches fails no run.
        """
        for message in messages:
            line = f"{_GREY}[{self.name}] {message}{_PLAIN}\n"  # LOG-002
            with contextlib.suppress(OSError, ValueError):
                _write(self._stream if self._stream is not None else sys.stdout, line)


def _write(stream: TextIO, line: str) -> None:
    """Write UTF-8 bytes where the stream has a layer for them, else characters.

    Only bytes can show a character that was cut in half (LOG-003), and standard output
    may have an encoding without the signs.
    """
    try:
        data = line.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a surrogate pair, from a careless JSON source
        data = line.encode("utf-8", "replace")
    layer = getattr(stream, "buffer", None)
    if layer is None:
        stream.write(data.decode("utf-8", "replace"))
        return
    stream.flush()  # what was printed before comes before
    layer.write(data)
    layer.flush()


# --- spellings ---------------------------------------------------------------------------


def format_content(content: Content | None) -> str:
    """Return one fragment per part, joined by bars; ``None`` without parts (LOG-003)."""
    if content is None or not content.parts:
        return "None"
    return " | ".join(map(_format_part, content.parts))


def _format_part(part: Part) -> str:
    # LOG-003: what is asked first wins.
    if part.text:
        return f"text: '{_cut(part.text.strip(_SPACE), CONTENT_LIMIT, '...')}'"
    if part.function_call is not None:
        return f"function_call: {part.function_call.name}"
    if part.function_response is not None:
        return f"function_response: {part.function_response.name}"
    if part.code_execution_result is not None:
        return "code_execution_result"
    return "other_part"


def format_args(args: Mapping[str, Any] | None) -> str:
    """Return a map in Go's form, its keys sorted; ``{}`` for an empty one (LOG-004)."""
    if not args:
        return "{}"
    return _cut(text(args), ARGUMENTS_LIMIT, "...}")


def _cut(whole: str, limit: int, end: str) -> str:
    """Return *whole*, or its first *limit* bytes and *end*; half a character is kept escaped."""
    data = whole.encode("utf-8", "surrogatepass")
    if len(data) <= limit:
        return whole
    return data[:limit].decode("utf-8", "surrogateescape") + end


def _response_lines(response: LlmResponse) -> list[str]:
    if response.error_code:
        lines = [
            f"   ❌ ERROR - Code: {response.error_code}",
            f"   Error Message: {response.error_message}",
        ]
    else:
        lines = [f"   Content: {format_content(response.content)}"]
        if response.partial:
            lines.append("   Partial: true")
        lines.append(f"   Turn Complete: {text(response.turn_complete)}")
    usage = response.usage_metadata
    if usage is not None:
        asked = int(usage.get("promptTokenCount") or 0)
        answered = int(usage.get("candidatesTokenCount") or 0)
        lines.append(f"   Token Usage - Input: {asked}, Output: {answered}")
    return lines


def _call_lines(ctx: ToolContext, tool: Tool) -> list[str]:
    return [
        f"   Tool Name: {tool.name}",
        f"   Agent: {ctx.agent_name}",
        f"   Function Call ID: {ctx.function_call_id}",
    ]


def _listed(what: str, names: Iterable[str]) -> list[str]:
    """Return the line of a list, none for an empty one."""
    listed = list(names)
    return [f"   {what}: {text(listed)}"] if listed else []


def _branch(branch: str) -> list[str]:
    return [f"   Branch: {branch}"] if branch else []


def _name_of(agent: Agent | None) -> str:
    return agent.name if agent is not None else "Unknown"
