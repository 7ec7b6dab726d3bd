# SPDX-License-Identifier: Apache-2.0
"""The request processors, in their order (REQ-001)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from adkref.contexts import Context, ReadonlyContext, tool_context
from adkref.errors import AdkError, ProgrammingError, describe, wrap
from adkref.flow.confirmation import resume_confirmed
from adkref.flow.history import Viewer, build_contents
from adkref.flow.instructions import add_instructions
from adkref.flow.output import add_output_tool, needs_tool
from adkref.flow.placement import SINGLE_TURN, TASK, current_turn_only, mode_of
from adkref.flow.transfer import add_transfer
from adkref.gotext import quote
from adkref.models.request import GenerateContentConfig, LlmRequest
from adkref.streams import Stream

if TYPE_CHECKING:
    from adkref.flow.flow import Flow

#: Changes the request in place; may yield events, and raises to end the step.
Processor = Callable[["Flow", Context, LlmRequest], Stream | None]


def _basic(flow: Flow, ctx: Context, request: LlmRequest) -> None:
    agent = flow.agent
    given = agent.generate_content_config
    if given is not None and not isinstance(given, GenerateContentConfig):
        raise ProgrammingError(
            f"generate_content_config is {describe(given)}, expected a GenerateContentConfig"
        )
    request.config = given.copy() if given is not None else GenerateContentConfig()  # REQ-010
    if (
        agent.output_schema is not None
        and mode_of(agent, ctx) != TASK
        and not needs_tool(agent, ctx)
    ):  # REQ-011
        request.config.response_schema = agent.output_schema
        request.config.response_mime_type = "application/json"


def _tools(flow: Flow, ctx: Context, request: LlmRequest) -> None:
    # REQ-020, REQ-021: once per run, again only while there is nothing.
    del request
    if flow.tools:
        return
    flow.tools = list(flow.agent.tools)
    for toolset in flow.agent.toolsets:
        try:
            flow.tools.extend(toolset.tools(ReadonlyContext(ctx)))
        except ProgrammingError:
            raise
        except Exception as error:
            raise wrap(
                f"failed to extract tools from the tool set {quote(toolset.name)}", error
            ) from error


def _confirmations(flow: Flow, ctx: Context, request: LlmRequest) -> Stream:
    del request
    return resume_confirmed(flow.agent, ctx, flow.tools)


def _instructions(flow: Flow, ctx: Context, request: LlmRequest) -> None:
    del flow
    add_instructions(ctx, request)


def _identity(flow: Flow, ctx: Context, request: LlmRequest) -> None:
    # REQ-045
    agent = flow.agent
    if mode_of(agent, ctx) == SINGLE_TURN:
        return
    text = f"You are an agent. Your internal name is {quote(agent.name)}."
    if agent.description:
        text += f" The description about you is {quote(agent.description)}."
    request.append_instruction(text)


def _contents(flow: Flow, ctx: Context, request: LlmRequest) -> None:
    agent = flow.agent
    viewer = Viewer(
        agent_name=agent.name,
        branch=ctx.branch,
        scope=ctx.isolation_scope,
        current_turn_only=current_turn_only(agent, ctx),
        single_turn=mode_of(agent, ctx) == SINGLE_TURN,
        user_content=ctx.user_content,
    )
    events = ctx.session.events if ctx.session is not None else ()
    request.contents.extend(build_contents(events, viewer))


def _output_schema(flow: Flow, ctx: Context, request: LlmRequest) -> None:
    add_output_tool(flow.agent, ctx, request)


def _transfer(flow: Flow, ctx: Context, request: LlmRequest) -> None:
    add_transfer(flow.agent, ctx, request)


def _display_names(flow: Flow, ctx: Context, request: LlmRequest) -> None:
    # REQ-055: the Gemini API knows no display names.
    del ctx
    if getattr(flow.agent.model, "backend", "") != "gemini":
        return
    for content in request.contents:
        for part in content.parts:
            for data in (part.inline_data, part.file_data):
                if data is not None:
                    data.display_name = ""


#: Name -> processor.  Compaction comes with the compaction room; auth, planning and code
#: execution do nothing in ADK-Go.
REQUEST_PROCESSORS: Final[tuple[tuple[str, Processor | None], ...]] = (
    ("basic config", _basic),
    ("tools", _tools),
    ("auth", None),
    ("confirmation resume", _confirmations),
    ("instructions", _instructions),
    ("identity", _identity),
    ("compaction", None),
    ("contents", _contents),
    ("planning", None),
    ("code execution", None),
    ("output schema", _output_schema),
    ("agent transfer", _transfer),
    ("display names", _display_names),
)


def preprocess(flow: Flow, ctx: Context, request: LlmRequest) -> Stream:
    """Build the request: every processor, then every tool, then every toolset.

    Yields what a resumed confirmation yields; raises what ends the step.
    """
    for _, processor in REQUEST_PROCESSORS:
        if processor is not None and (events := processor(flow, ctx, request)) is not None:
            yield from events
    _ask_tools(flow.tools, ctx, request)
    for toolset in flow.agent.toolsets:  # REQ-062
        process = getattr(toolset, "process_request", None)
        if process is None:
            continue
        try:
            process(tool_context(ctx), request)
        except ProgrammingError:
            raise
        except Exception as error:
            raise wrap(f"process request by toolset {quote(toolset.name)}", error) from error


def _ask_tools(tools: Iterable[object], ctx: Context, request: LlmRequest) -> None:
    for tool in tools:  # REQ-060: actions that nobody will read, a call id of its own
        process = getattr(tool, "process_request", None)
        if process is None:  # REQ-061
            name = getattr(tool, "name", type(tool).__name__)
            raise AdkError(f"tool {quote(name)} does not implement RequestProcessor() method")
        process(tool_context(ctx), request)
