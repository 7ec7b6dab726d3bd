# SPDX-License-Identifier: Apache-2.0
"""Running the calls of one model turn (chapter 02, 9.3; chapter 04, section 13).

The chain of one call is strictly ordered::

    before_tool -> tool -> (on error) on_tool_error -> after_tool -> response event

Several calls run in lanes of their own; one merged event comes out, in call order.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import define, frozen

from adkref.callbacks import Answer, first_answer
from adkref.content import ROLE_USER, Content, FunctionCall, FunctionResponse, NilMap, Part
from adkref.contexts import Context, ToolContext, tool_context
from adkref.errors import AdkError, ProgrammingError, text_of
from adkref.events import Event, EventActions, ToolConfirmation, new_event
from adkref.flow.merge import merge_responses
from adkref.lanes import Finished, Hand
from adkref.plugins import plugins_of
from adkref.streams import Pair
from adkref.tools.agent_tool import UNSEEN, displayable
from adkref.tools.tool import StreamingLike, defers_response, is_function, is_streaming

if TYPE_CHECKING:
    from adkref.agents.llm import LlmAgent
    from adkref.tools import Tool

#: Answered by the flow itself, whatever tools there are (TOOL-018).
STOP_STREAMING = "stop_streaming"

Result = dict[str, Any] | None
#: Yields what child agents emit, returns what the call came to.
CallRun = Generator[Pair, None, Event | None]


@frozen
class UnknownTool:
    """Stands for a tool that is not registered (TOOL-025)."""

    name: str
    description: str = "Tool not found"
    is_long_running: bool = False


@define
class ToolCalls:
    """The calls of one content, with what they can reach.

    ``confirmations`` maps a call's id to the user's answer, in a resumed batch.
    """

    agent: LlmAgent
    ctx: Context
    tools: Mapping[str, Tool]
    confirmations: Mapping[str, ToolConfirmation] = {}

    def run(self, calls: Sequence[FunctionCall]) -> CallRun:
        """Run *calls* and return the merged event, None when nothing was answered.

        The event exists only after every call has finished (TOOL-016).
        """
        if len(calls) == 1:
            return (yield from self._run_one(calls[0]))
        events: list[Event | None] = [None] * len(calls)
        lanes = self.ctx.host.lanes.group(self.ctx.host.error)
        try:
            for call in calls:
                lanes.spawn(call.id or call.name, partial(_run_lane, self._run_one, call))
            while (message := lanes.take()) is not None:
                if isinstance(message, Finished):
                    if message.fault is not None:
                        raise message.fault
                    events[message.lane] = message.result
                    continue
                delivered = False
                try:
                    yield message.item  # NODE-063: one at a time
                    delivered = True
                finally:
                    lanes.answer(message.lane, go_on=delivered)
        finally:
            lanes.close()
        return merge_responses(events)

    def _run_one(self, call: FunctionCall) -> CallRun:
        # TOOL-017: each call has actions of its own.
        ctx = tool_context(
            self.ctx, call.id, EventActions.fresh(), self.confirmations.get(call.id)
        )
        args = call.args if call.args is not None else NilMap()  # TOOL-015
        tool = self.tools.get(call.name)
        if call.name == STOP_STREAMING:
            name = args.get("function_name")
            wanted = name if isinstance(name, str) else ""
            status = f"No active streaming function named {wanted} found"
            result: Result = {"status": status}
        elif tool is not None and is_streaming(tool):
            result = _joined(tool, ctx, args)
        elif tool is not None and is_function(tool):
            result = yield from self._chain(ctx, tool, args)
        else:
            result = self._not_found(ctx, call.name, args)
        if result is None and tool is not None and (tool.is_long_running or defers_response(tool)):
            return None  # TOOL-020, TOOL-021: its actions are lost with it
        event = self._response_event(ctx, call, result)
        if getattr(tool, "displays_result", False) and not self.ctx.host.value(UNSEEN):
            _display(event, result)
        return event

    # --- the chain (TOOL-022, PLG-094) ---------------------------------------------------

    def _chain(
        self, ctx: ToolContext, tool: Tool, args: dict[str, Any]
    ) -> Generator[Pair, None, Result]:
        # BEFORE
        result, error = self._ask("before_tool", ctx, tool, args)

        # TOOL
        if result is None and error is None:
            result, error = yield from _run_tool(tool, ctx, args)

        # ON ERROR: whatever map came with the error is dropped.
        if error is not None:
            recovered, replaced = self._ask("on_tool_error", ctx, tool, args, error)
            result = recovered
            error = None if recovered is not None else replaced or error

        # AFTER: also after a short-cut and after an error (TOOL-023).
        changed, failure = self._ask("after_tool", ctx, tool, args, result, error)
        if changed is not None or failure is not None:
            result, error = changed, failure

        return {"error": text_of(error)} if error is not None else result

    def _not_found(self, ctx: ToolContext, name: str, args: dict[str, Any]) -> Result:
        error = AdkError(_not_found_text(name, self.tools))
        result, replaced = self._ask("on_tool_error", ctx, UnknownTool(name), args, error)
        return result if result is not None else {"error": text_of(replaced or error)}

    def _ask(self, hook: str, ctx: ToolContext, *arguments: Any) -> Answer[dict[str, Any]]:
        """Ask the plugins, then the agent's own callbacks, all with the call's context."""
        value, error = plugins_of(self.ctx.host).ask(hook, ctx, *arguments)
        if value is not None or error is not None:
            return value, error
        own: list[Callable[..., Any]] = getattr(self.agent, f"{hook}_callbacks")
        return first_answer(hook, dict, own, ctx, *arguments)

    # --- the answer -----------------------------------------------------------------------

    def _response_event(self, ctx: ToolContext, call: FunctionCall, result: Result) -> Event:
        # FLOW-026
        event = new_event(self.ctx.invocation_id, self.ctx.host.platform)
        event.branch = self.ctx.branch
        event.author = self.agent.name
        response = FunctionResponse(id=call.id, name=call.name, response=result)
        event.content = Content(ROLE_USER, [Part(function_response=response)])
        event.actions = ctx.actions
        event.actions.compaction = None  # TOOL-031
        return event


def _display(event: Event, result: Result) -> None:
    """Add the result as text where nobody will summarise it (V24-003)."""
    actions = event.actions
    if not actions.skip_summarization or actions.requested_tool_confirmations:
        return
    shown = displayable(result)
    if shown is not None and event.content is not None:
        event.content.parts.append(Part(text=shown))


def _run_tool(
    tool: Any, ctx: ToolContext, args: dict[str, Any]
) -> Generator[Pair, None, tuple[Result, Exception | None]]:
    """Run a tool; one that runs an agent yields that agent's items upward."""
    try:
        result = tool.run(ctx, args)
        if isinstance(result, Generator):
            result = yield from result
    except ProgrammingError:
        raise  # TOOL-006: panics of other tool kinds are not caught
    except Exception as error:
        return None, error
    if result is not None and not isinstance(result, dict):
        raise ProgrammingError(
            f"tool {tool.name!r} returned {type(result).__name__}, expected a dict or None"
        )
    return result, None


def _joined(tool: StreamingLike, ctx: ToolContext, args: dict[str, Any]) -> dict[str, Any]:
    """Concatenate what a streaming tool yields; its first error discards the text (TOOL-011)."""
    try:
        return {"result": "".join(tool.run_stream(ctx, args))}
    except ProgrammingError:
        raise
    except Exception as error:
        return {"error": text_of(error)}


def _run_lane(run: Callable[[FunctionCall], CallRun], call: FunctionCall, hand: Hand) -> Any:
    """Run one call in its lane; a refused item closes it."""
    items = run(call)
    try:
        while True:
            try:
                item = next(items)
            except StopIteration as end:
                return end.value
            if not hand(item):
                return None
    finally:
        items.close()


def _not_found_text(name: str, tools: Mapping[str, Tool]) -> str:
    """Return the text that helps a model out; Go lists the names in map order (TOOL-025)."""
    return (
        f"tool '{name}' not found.\n"
        f"Available tools: {', '.join(sorted(tools))}\n"
        "\n"
        "Possible causes:\n"
        "  1. LLM hallucinated the function name - review agent instruction clarity\n"
        "  2. Tool not registered - verify agent.tools list\n"
        "  3. Name mismatch - check for typos\n"
        "\n"
        "Suggested fixes:\n"
        "  - Review agent instruction to ensure tool usage is clear\n"
        "  - Verify tool is included in agent.tools list\n"
        "  - Check for typos in function name"
    )
