# SPDX-License-Identifier: Apache-2.0
"""The tools by which LLM agents delegate (LLM-004, LLM-007): finish, task, single turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from adkref.errors import AdkError, text_of, wrap
from adkref.flow.children import run_child
from adkref.flow.placement import SINGLE_TURN, TASK
from adkref.gotext import type_name
from adkref.models.request import FunctionDeclaration, LlmRequest
from adkref.tools.schema import INPUT, OUTPUT, Schema, check_object
from adkref.tools.tool import Tool, Upward, pack_tool

if TYPE_CHECKING:
    from adkref.agents.llm import LlmAgent
    from adkref.contexts import ToolContext

FINISH_TASK = "finish_task"
TASK_COMPLETED = "Task completed."
#: The one property under which an output schema that is no object is wrapped.
WRAPPER_KEY = "result"

_FINISH_DESCRIPTION = (
    "Signal that this agent has completed its delegated task. "
    "Call this when you have finished your delegated task."
)
_FINISH_INSTRUCTION = (
    "\nDo NOT call 'finish_task' prematurely. Use your available tools to\n"
    "fully complete every aspect of the delegated task first. If the\n"
    "task is unclear, ask the user for clarification before proceeding.\n"
    "Once the task is fully complete, call 'finish_task' by itself with\n"
    "no accompanying text output.\n"
)
_TASK_WARNING = (
    "IMPORTANT: This tool delegates execution to a specialized agent. "
    "Do NOT call this tool in parallel with any other tools."
)


def delegation_tools(agent: LlmAgent) -> Iterator[Tool]:
    """Yield the tools that construction appends to the agent's own (LLM-004)."""
    if agent.mode == TASK:
        yield FinishTaskTool(agent)
    for sub in agent.sub_agents:
        if sub is None or sub.agent_type != "LLMAgent":
            continue
        mode = getattr(sub, "mode", "")  # LLM-005: unset counts as chat
        if mode == SINGLE_TURN:
            yield SingleTurnTool(sub)  # type: ignore[arg-type]
        elif mode == TASK:
            yield TaskTool(sub)  # type: ignore[arg-type]


def object_of(name: str, schema: Schema) -> Schema:
    """Return an OBJECT schema with the one required property *name*."""
    return {"type": "OBJECT", "properties": {name: schema}, "required": [name]}


class FinishTaskTool:
    """By this a task agent says that it is done (NODE-055 to NODE-057)."""

    name = FINISH_TASK
    is_long_running = False

    def __init__(self, agent: LlmAgent) -> None:
        schema = agent.output_schema
        #: Set when the output stands under :data:`WRAPPER_KEY` in the arguments.
        self.wrapped = schema is not None and str(schema.get("type", "")).upper() != "OBJECT"
        self.description = _FINISH_DESCRIPTION
        if schema is None:
            summary = "A brief summary of what the agent accomplished."
            self._parameters = object_of(WRAPPER_KEY, {"type": "STRING", "description": summary})
        else:
            self.description += " Pass the required output data in the parameters."
            self._parameters = object_of(WRAPPER_KEY, schema) if self.wrapped else schema

    def declaration(self) -> FunctionDeclaration:
        """Return the declaration."""
        return FunctionDeclaration(self.name, self.description, parameters=self._parameters)

    def process_request(self, ctx: ToolContext, request: LlmRequest) -> None:
        """Append the instruction, then declare the tool."""
        del ctx
        request.append_instruction(_FINISH_INSTRUCTION)
        pack_tool(request, self)

    def run(self, ctx: ToolContext, args: Any) -> dict[str, Any]:
        """Check the output; what does not fit is a result, so the model may retry."""
        del ctx
        if args is None:
            raise AdkError("missing argument")
        if not isinstance(args, dict):
            raise AdkError(f"unexpected args type: {type_name(args)}, expected map[string]any")
        try:
            check_object(args, self._parameters, OUTPUT)
        except AdkError as error:
            return {
                "error": "Invoking `finish_task()` failed due to validation errors:\n"
                f"{text_of(error)}\n"
                "You could retry calling this tool, but it is IMPORTANT for you to provide all "
                "the mandatory parameters with correct types."
            }
        return {"result": TASK_COMPLETED}


class TaskTool:
    """Stands for a task agent; its call is dispatched by the node entry (NODE-059)."""

    is_long_running = False

    def __init__(self, agent: LlmAgent) -> None:
        self.agent = agent
        self.name = agent.name
        self.description = agent.description

    def declaration(self) -> FunctionDeclaration:
        """Return the declaration."""
        request = "Detailed instructions or context for the task sub-agent."
        declaration = FunctionDeclaration(
            self.name,
            f"{self.description}\n{_TASK_WARNING}".strip(),
            parameters=self.agent.input_schema
            or object_of("request", {"type": "STRING", "description": request}),
        )
        if getattr(self.agent.model, "backend", "") != "gemini":
            kind = "OBJECT" if self.agent.output_schema is not None else "STRING"
            declaration.response_json_schema = {"type": kind}
        return declaration

    def process_request(self, ctx: ToolContext, request: LlmRequest) -> None:
        """Declare the tool."""
        del ctx
        pack_tool(request, self)

    def run(self, ctx: ToolContext, args: Any) -> None:
        """Do nothing; the answer is the dispatch's response event."""

    def defers_response(self) -> bool:
        """Tell that a nil result is no answer."""
        return True


class SingleTurnTool:
    """Runs a single-turn agent as a child node and answers with its output (NODE-058)."""

    is_long_running = False

    def __init__(self, agent: LlmAgent) -> None:
        self.agent = agent
        self.name = agent.name
        self.description = agent.description

    def declaration(self) -> FunctionDeclaration:
        """Return the declaration."""
        return FunctionDeclaration(
            self.name,
            self.description,
            parameters=self.agent.input_schema or object_of("request", {"type": "STRING"}),
        )

    def process_request(self, ctx: ToolContext, request: LlmRequest) -> None:
        """Declare the tool."""
        del ctx
        pack_tool(request, self)

    def run(self, ctx: ToolContext, args: Any) -> Upward:
        """Run the agent on the whole argument map; its events go upward."""
        if not isinstance(args, dict):
            raise AdkError(
                f"single turn tool expects map[string]any arguments, got {type_name(args)}"
            )
        schema = self.agent.input_schema or object_of("request", {"type": "STRING"})
        try:
            check_object(args, schema, INPUT)
        except AdkError as error:
            raise wrap(f"argument validation failed for agent {self.name}", error) from error
        try:
            output = yield from run_child(
                ctx.unwrapped(), self.agent, args, mode=SINGLE_TURN, sub_branch=True
            )
        except AdkError as error:
            raise wrap("failed to run agent node", error) from error
        return {"result": output}
