# SPDX-License-Identifier: Apache-2.0
"""Scripted agents, models and tools."""

from __future__ import annotations

import copy
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

import pydantic
from google.adk.agents import BaseAgent, LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
from google.adk.events import Event, EventActions
from google.adk.models import BaseLlm, LlmResponse
from google.adk.tools import BaseTool, FunctionTool, exit_loop
from google.adk.tools.agent_tool import AgentTool
from google.genai import types

from hooks import Hooks
from script import Rules, Script, ScriptedError, Skip, Spec, content_of, response_of
from snapshots import request_json

Events = AsyncGenerator[Event, None]


class Build:
    """Builds what a scenario asks for; agents are remembered by name."""

    def __init__(self) -> None:
        self.script = Script()
        self.hooks = Hooks(self.script)
        self.named: dict[str, BaseAgent] = {}

    def agent(self, spec: Spec) -> BaseAgent:
        """Build an agent and all below it."""
        if "ref" in spec:
            return self.named[spec["ref"]]
        kind = spec["kind"]
        if kind in ("workflow", "remote_a2a"):
            raise Skip(kind)
        own = f"agent:{spec['name']}/"
        common = {
            "name": spec["name"],
            "description": spec.get("description") or "",
            "sub_agents": [self.agent(sub) for sub in spec.get("sub_agents") or ()],
            "before_agent_callback": [
                _of_agent(self.hooks.agent("before_agent", own + each["id"], each.get("rules")))
                for each in spec.get("before") or ()
            ],
            "after_agent_callback": [
                _of_agent(self.hooks.agent("after_agent", own + each["id"], each.get("rules")))
                for each in spec.get("after") or ()
            ],
        }
        agent: BaseAgent
        match kind:
            case "custom":
                agent = Custom(build=self, spec=spec, **common)
            case "sequential":
                agent = SequentialAgent(**common)
            case "loop":
                agent = LoopAgent(max_iterations=spec.get("max_iterations") or None, **common)
            case "parallel":
                agent = ParallelAgent(**common)
            case "llm":
                agent = self._llm(spec, own, common)
            case _:
                raise ValueError(f"bad scenario: unknown agent kind {kind!r}")
        self.named[spec["name"]] = agent
        return agent

    def _llm(self, spec: Spec, own: str, common: Spec) -> LlmAgent:
        model = spec.get("model") or {}
        if model.get("kind") in ("gemini", "live"):
            raise Skip(model["kind"])

        def callbacks(hook: str) -> list[Callable[..., Any]]:
            make, adapt = _LLM_HOOKS[hook]
            return [
                adapt(make(self.hooks, hook, own + each["id"], each.get("rules")))
                for each in spec.get(hook) or ()
            ]

        schema = spec.get("output_schema")
        return Llm(
            model=Scripted(
                model=model.get("name") or "mock", build=self, spec=model, owner=spec["name"]
            ),
            instruction=spec.get("instruction") or "",
            global_instruction=spec.get("global_instruction") or "",
            output_key=spec.get("output_key") or None,
            output_schema=types.Schema.model_validate(schema) if schema else None,
            input_schema=_record_type("Input", spec["input_schema"])
            if spec.get("input_schema")
            else None,
            include_contents=spec.get("include_contents") or "default",
            mode=spec.get("mode") or None,
            disallow_transfer_to_parent=bool(spec.get("disallow_transfer_to_parent")),
            disallow_transfer_to_peers=bool(spec.get("disallow_transfer_to_peers")),
            tools=[self.tool(tool) for tool in spec.get("tools") or ()],
            **{f"{hook}_callback": callbacks(hook) for hook in _LLM_HOOKS},
            **common,
        )

    def tool(self, spec: Spec) -> BaseTool:
        """Build a tool."""
        match spec.get("kind") or "function":
            case "function":
                return Function(self.script, spec)
            case "exit_loop":
                return FunctionTool(exit_loop)
            case "agent":
                skip = bool(spec.get("skip_summarization"))
                return AgentTool(self.agent(spec["agent"]), skip_summarization=skip)
            case "streaming":
                raise Skip("streaming")
            case kind:
                raise ValueError(f"bad scenario: unknown tool kind {kind!r}")


class Custom(BaseAgent):
    """An agent whose body is a list of ops."""

    build: Any = None
    spec: Spec = {}

    async def _run_async_impl(self, ctx: Any) -> Events:
        script = self.build.script
        where = {"agent": ctx.agent.name, "branch": ctx.branch}
        script.add("body", **where, step="start")
        done = False
        try:
            for op in self.spec.get("body") or ():
                ((name, arg),) = op.items()
                match name:
                    case "yield":
                        yield self._event(ctx, arg)
                        script.add("body", **where, step="resumed")
                    case "yield_error":
                        # The port has no items that carry an error: the body raises it.
                        raise ScriptedError(arg)
                    case "run":
                        async with aclosing(self.build.named[arg].run_async(ctx)) as events:
                            async for event in events:
                                yield event
                    case "own_history":
                        own = sum(event.author == self.name for event in ctx.session.events)
                        script.add("history", **where, own=own)
                    case _:
                        await script.run(script.invocation_place(ctx), [op])
            done = True
            script.add("body", **where, step="end")
        finally:
            if not done:
                script.add("body", **where, step="stopped")

    def _event(self, ctx: Any, spec: Spec) -> Event:
        fields = copy.deepcopy(spec)
        fields.setdefault("invocationId", ctx.invocation_id)
        if "content" in fields:
            fields["content"] = content_of(fields["content"])
        if fields.get("branch") == "$ctx":
            fields["branch"] = ctx.branch
        fields["actions"] = EventActions.model_validate(fields.get("actions", {}))
        return Event.model_validate(fields)


class Scripted(BaseLlm):
    """A model whose nth call plays the nth turn of its script."""

    build: Any = None
    spec: Spec = {}
    owner: str = ""
    #: The port does not tell a model who asks; the agent leaves its branch here.
    branch: str | None = None
    calls: int = 0

    async def generate_content_async(
        self, llm_request: Any, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Play the next turn."""
        script = self.build.script
        turns = self.spec.get("script") or ()
        where = {"agent": self.owner, "branch": self.branch}
        script.add("model", **where, request=request_json(llm_request), stream=stream or None)
        self.calls += 1
        if self.calls > len(turns):
            yield response_of("[end of script]")
            return
        turn = turns[self.calls - 1]
        done = False
        try:
            for response in turn.get("responses") or ():
                yield response_of(response)
            done = True
        finally:
            if not done:
                script.add("model_stopped", **where)
        if turn.get("error"):
            raise ScriptedError(turn["error"])


class Llm(LlmAgent):
    """The port's own, which tells its model the branch that it runs on."""

    async def _run_async_impl(self, ctx: Any) -> Events:
        self.model.branch = ctx.branch
        async with aclosing(super()._run_async_impl(ctx)) as events:
            async for event in events:
                yield event


class Function(FunctionTool):
    """A function tool whose handler takes whatever arguments the model gives.

    The port reads names and types of parameters off a function's signature, where a scenario
    has a JSON schema, so those steps are answered from the schema; all else is the port's.
    """

    def __init__(self, script: Script, spec: Spec) -> None:
        rules = Rules(spec.get("rules"))

        async def handler(**args: Any) -> Any:
            context = args.pop("tool_context")
            agent = context.agent_name
            script.add(
                "tool",
                tool=spec["name"],
                agent=agent,
                branch=context.get_invocation_context().branch,
                call_id=context.function_call_id,
                args=copy.deepcopy(args),
            )
            place = script.tool_place(context, spec["name"], args)
            result = await script.run(place, rules.next(agent, spec["name"]))
            return copy.deepcopy(result.value) if result.given else {"status": "ok"}

        super().__init__(handler, require_confirmation=bool(spec.get("require_confirmation")))
        self.name = spec["name"]
        self.description = spec.get("description") or ""
        self.is_long_running = bool(spec.get("long_running"))
        self._parameters = spec.get("parameters")

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name,
            description=self.description,
            parameters_json_schema=self._parameters,
        )

    def _get_mandatory_args(self) -> list[str]:
        return list((self._parameters or {}).get("required", ()))

    def _preprocess_args_with_validation(self, args: Spec) -> tuple[Spec, list[str]]:
        return dict(args), []

    def _prepare_invocation_args(self, args: Spec, tool_context: Any) -> Spec:
        return {**args, "tool_context": tool_context}


_TYPES: dict[str, Any] = {
    "STRING": str,
    "INTEGER": int,
    "NUMBER": float,
    "BOOLEAN": bool,
    "OBJECT": dict[str, Any],
}


def _record_type(name: str, schema: Spec) -> type[pydantic.BaseModel]:
    """Return the record class that says what an OBJECT schema says: the port wants a class."""
    required = schema.get("required") or ()
    fields: dict[str, Any] = {
        key: (_type_of(key, each), ...) if key in required else (_type_of(key, each) | None, None)
        for key, each in (schema.get("properties") or {}).items()
    }
    record: type[pydantic.BaseModel] = pydantic.create_model(name, **fields)
    return record


def _type_of(name: str, schema: Spec) -> Any:
    kind = str(schema.get("type", "")).upper()
    if kind == "ARRAY":
        return list[_type_of(name, schema["items"])] if schema.get("items") else list[Any]
    if kind == "OBJECT" and schema.get("properties"):
        return _record_type(name.title(), schema)
    return _TYPES.get(kind, Any)


# An agent's callbacks are called by keyword, by names that differ from the plugins'.


def _of_agent(call: Callable[..., Any]) -> Callable[..., Any]:
    async def callback(callback_context: Any) -> Any:
        return await call(callback_context)

    return callback


def _before_model(call: Callable[..., Any]) -> Callable[..., Any]:
    async def callback(callback_context: Any, llm_request: Any) -> Any:
        return await call(callback_context, llm_request)

    return callback


def _after_model(call: Callable[..., Any]) -> Callable[..., Any]:
    async def callback(callback_context: Any, llm_response: Any) -> Any:
        return await call(callback_context, response=llm_response)

    return callback


def _on_model_error(call: Callable[..., Any]) -> Callable[..., Any]:
    async def callback(callback_context: Any, llm_request: Any, error: Exception) -> Any:
        return await call(callback_context, llm_request, error=error)

    return callback


def _before_tool(call: Callable[..., Any]) -> Callable[..., Any]:
    async def callback(tool: Any, args: Spec, tool_context: Any) -> Any:
        return await call(tool_context, tool, args)

    return callback


def _after_tool(call: Callable[..., Any]) -> Callable[..., Any]:
    async def callback(tool: Any, args: Spec, tool_context: Any, tool_response: Any) -> Any:
        return await call(tool_context, tool, args, result=tool_response)

    return callback


def _on_tool_error(call: Callable[..., Any]) -> Callable[..., Any]:
    async def callback(tool: Any, args: Spec, tool_context: Any, error: Exception) -> Any:
        return await call(tool_context, tool, args, error=error)

    return callback


_LLM_HOOKS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "before_model": (Hooks.model, _before_model),
    "after_model": (Hooks.model, _after_model),
    "on_model_error": (Hooks.model, _on_model_error),
    "before_tool": (Hooks.tool, _before_tool),
    "after_tool": (Hooks.tool, _after_tool),
    "on_tool_error": (Hooks.tool, _on_tool_error),
}
