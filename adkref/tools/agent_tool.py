# SPDX-License-Identifier: Apache-2.0
"""An agent as a tool: a run of its own, of which only the answer comes back (chapter 02, 9.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adkref.content import ROLE_USER, Content, texts
from adkref.contexts import Key, RunConfig, ToolContext
from adkref.errors import AdkError, ProgrammingError, text_of, wrap
from adkref.gotext import quote, text, to_json, type_name
from adkref.models.request import FunctionDeclaration, LlmRequest
from adkref.sessions import InMemorySessionService
from adkref.tools.schema import INPUT, Schema, check_object, parse_output
from adkref.tools.tool import pack_tool

if TYPE_CHECKING:
    from adkref.agents.base import Agent
    from adkref.events import Event


#: Set inside an agent tool's run.  Nobody reads that run's events, so no result is put on
#: display there; the golden traces settle this (V24-003).
UNSEEN: Key[bool] = Key("unseen")


class AgentTool:
    """Lets a model call *agent*.

    The agent runs in a new runner with stores of its own and without the caller's plugins;
    it starts with a copy of the caller's state, and nothing but its last text comes back
    (TOOL-062, TOOL-063).  With *skip_summarization* the caller's run ends after the call.
    """

    is_long_running = False
    displays_result = True  # V24-003

    def __init__(self, agent: Agent, *, skip_summarization: bool = False) -> None:
        self.agent = agent
        self.name = agent.name
        self.description = agent.description
        self._skip_summarization = skip_summarization

    def declaration(self) -> FunctionDeclaration:
        """Return name, description and the agent's input schema (TOOL-060)."""
        request = {"request": {"type": "STRING"}}
        default = {"type": "OBJECT", "properties": request, "required": ["request"]}
        return FunctionDeclaration(
            self.name, self.description, parameters=_input_schema(self.agent) or default
        )

    def process_request(self, ctx: ToolContext, request: LlmRequest) -> None:
        """Declare the tool."""
        del ctx
        pack_tool(request, self)

    def run(self, ctx: ToolContext, args: Any) -> dict[str, Any]:
        """Run the agent and return ``{"result": text}``, its structured output, or ``{}``."""
        if not isinstance(args, dict):
            raise AdkError(f"agentTool expects map[string]any arguments, got {type_name(args)}")
        if self._skip_summarization:
            ctx.actions.skip_summarization = True  # even if the run fails
        message = Content.of_text(self._input(args), ROLE_USER)
        last = self._last_content(ctx, message)
        output = "\n".join(texts(last))  # thoughts included
        if not output:
            return {}
        schema: Schema | None = getattr(self.agent, "output_schema", None)
        if schema is None:
            return {"result": output}
        try:
            return parse_output(output, schema)
        except AdkError as error:
            raise wrap(f"output validation failed for sub-agent {self.name}", error) from error

    def _input(self, args: dict[str, Any]) -> str:
        """Return the text that the agent is asked (TOOL-061)."""
        schema: Schema | None = getattr(self.agent, "input_schema", None)
        if schema is not None:
            try:
                check_object(args, schema, INPUT)
            except AdkError as error:
                raise wrap(f"argument validation failed for agent {self.name}", error) from error
            return to_json(args)
        if "request" not in args:
            raise AdkError(f"missing required argument 'request' for agent {self.name}")
        return text(args["request"])

    def _last_content(self, ctx: ToolContext, message: Content) -> Content | None:
        """Run the agent on *message*; return the last content that it yielded."""
        from adkref.runner import Runner

        sessions = InMemorySessionService()
        try:
            runner = Runner.in_memory(self.agent.name, self.agent, session_service=sessions)
        except AdkError as error:
            raise AdkError("failed to create runner") from error
        state = {k: v for k, v in ctx.readonly_state.items() if not k.startswith("_adk")}
        try:
            session = sessions.create(
                self.agent.name, ctx.user_id, state=state, platform=ctx.host.platform
            )
        except AdkError as error:
            raise wrap(f"failed to create session for sub-agent {self.name}", error) from error
        last: Content | None = None
        items = runner.stream(
            ctx.user_id,
            session.id,
            message,
            config=RunConfig("sse"),
            host=ctx.host.with_value(UNSEEN, True),
        )
        try:
            for event, failure in items:
                if failure is not None:
                    raise wrap(f"error during execution of sub-agent {self.name}", failure)
                assert event is not None
                self._refuse_error_event(event)
                if event.content is not None:
                    last = event.content
        finally:
            items.close()
        return last

    def _refuse_error_event(self, event: Event) -> None:
        if event.error_code or event.error_message:
            raise AdkError(
                f"error from sub-agent {quote(self.name)} "
                f"(code: {quote(event.error_code)}, message: {quote(event.error_message)})"
            )


def _input_schema(agent: Agent) -> Schema | None:
    """Return the input schema of the first LLM agent on the way down (TOOL-060)."""
    seen: set[int] = set()
    while agent.agent_type != "LLMAgent":
        if not agent.sub_agents or id(agent) in seen:
            return None
        seen.add(id(agent))
        agent = agent.sub_agents[0]
    schema: Schema | None = getattr(agent, "input_schema", None)
    return schema


def displayable(result: dict[str, Any] | None) -> str | None:
    """Return the text that shows a result when its summary is skipped, or None (V24-003)."""
    if not result or "error" in result:
        return None
    if len(result) == 1 and "result" in result:
        value = result["result"]
        if isinstance(value, str):
            return value or None
        if value is None:
            return None
    try:
        return to_json(result, html=False)
    except TypeError as error:
        raise ProgrammingError(f"the result is no JSON: {text_of(error)}") from error
