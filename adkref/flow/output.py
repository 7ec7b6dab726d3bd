# SPDX-License-Identifier: Apache-2.0
"""Structured output and the output key (chapter 02, 5.5 and section 12)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from adkref.content import ROLE_MODEL, Content
from adkref.errors import AdkError, wrap
from adkref.events import Event, EventActions, new_event
from adkref.flow.placement import TASK, mode_of
from adkref.gotext import to_json, type_name
from adkref.models.request import FunctionDeclaration
from adkref.tools.schema import OUTPUT, Schema, check_object
from adkref.tools.tool import pack_tool

if TYPE_CHECKING:
    from adkref.agents.llm import LlmAgent
    from adkref.contexts import Context, ToolContext
    from adkref.models import LlmRequest

SET_MODEL_RESPONSE = "set_model_response"
DESCRIPTION = (
    "Set your final response using the required output schema. Use this tool to provide your "
    "final structured answer instead of outputting text directly."
)
INSTRUCTION = (
    "IMPORTANT: You have access to other tools, but you must provide your final response using "
    "the set_model_response tool with the required structured format. After using any other "
    "tools needed to complete the task, always call set_model_response with your final answer "
    "in the specified schema format."
)
_GEMINI_VERSION = re.compile(r"gemini-(\d+(?:\.\d+)?)")


class SetModelResponseTool:
    """Takes the final answer as its arguments (OUT-001)."""

    name = SET_MODEL_RESPONSE
    description = DESCRIPTION
    is_long_running = False

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def declaration(self) -> FunctionDeclaration:
        """Return the declaration; its parameters are the output schema (REQ-051)."""
        return FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self._schema
        )

    def run(self, ctx: ToolContext, args: Any) -> dict[str, Any]:
        """Return the arguments themselves if they fit the schema."""
        del ctx
        if not isinstance(args, dict):
            raise AdkError(f"unexpected args type for set_model_response: {type_name(args)}")
        try:
            check_object(args, self._schema, OUTPUT)
        except AdkError as error:
            raise wrap("invalid output schema", error) from error
        return args


def needs_tool(agent: LlmAgent, ctx: Context) -> bool:
    """Tell whether the schema must be reached through a tool (REQ-050)."""
    if agent.output_schema is None or agent.model is None or mode_of(agent, ctx) == TASK:
        return False
    if not agent.tools and not agent.toolsets:
        return False
    name = agent.model.name.rsplit("/", 1)[-1].lower()
    if not name.startswith("gemini-"):
        return False
    version = _GEMINI_VERSION.match(name)
    second = version is not None and float(version[1]) >= 2
    return not (getattr(agent.model, "backend", "") == "vertex" and second)


def add_output_tool(agent: LlmAgent, ctx: Context, request: LlmRequest) -> None:
    """Pack the tool and its instruction where needed (REQ-051)."""
    if not needs_tool(agent, ctx):
        return
    assert agent.output_schema is not None
    try:
        pack_tool(request, SetModelResponseTool(agent.output_schema))
    except AdkError as error:
        raise wrap("failed to pack set_model_response tool", error) from error
    request.append_instruction(INSTRUCTION)


def structured_event(ctx: Context, agent_name: str, response: Event) -> Event | None:
    """Return the final event that spells the structured answer, or None (OUT-002, OUT-004).

    It is made by name only, so an error response becomes the final text, too.
    """
    for answer in response.responses():
        if answer.name == SET_MODEL_RESPONSE:
            break
    else:
        return None
    try:
        text = to_json(answer.response)
    except TypeError as error:
        raise wrap("failed to marshal set_model_response", error) from error
    event = new_event(ctx.invocation_id, ctx.host.platform)
    event.branch = ctx.branch
    event.author = agent_name
    event.content = Content.of_text(text, ROLE_MODEL)
    event.actions = EventActions.fresh()
    return event


def save_output(agent: LlmAgent, event: Event | None) -> None:
    """Write the text of a final event of the agent under its output key (OUT-010)."""
    key = agent.output_key
    if not key or event is None or event.author != agent.name or not event.is_final_response():
        return
    texts = [p.text for p in (event.content.parts if event.content else []) if not p.thought]
    value = "".join(texts)
    if not value or (agent.output_schema is not None and not value.strip()):
        return
    if event.actions.state_delta is None:
        event.actions.state_delta = {}
    event.actions.state_delta[key] = value
