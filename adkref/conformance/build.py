# SPDX-License-Identifier: Apache-2.0
"""From specs to live objects: agents, models, tools and plugins that record themselves.

Everything here stands on the public API of the core, as a user's code would; the core
knows nothing of traces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from adkref.agents import Agent, LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
from adkref.conformance.faults import ScenarioError
from adkref.conformance.script import (
    AGENT_HOOKS,
    BODY,
    CONTENT,
    MAP,
    MODEL_HOOKS,
    OPS,
    RESPONSE,
    RETURNS,
    RUN_HOOKS,
    Call,
    CallCounter,
    Rules,
    ScriptedError,
    content_of,
    fill_event,
    pick,
    response_of,
    run_ops,
)
from adkref.conformance.trace import (
    Tracer,
    content_json,
    event_json,
    plain,
    request_json,
    response_json,
)
from adkref.content import ROLE_MODEL, ROLE_USER, Content, LlmResponse
from adkref.contexts import Context, ToolContext
from adkref.events import Event, new_event
from adkref.gotext import numbers_as_go
from adkref.models import LlmRequest
from adkref.plugins import FunctionCallModifier, Plugin, RetryAndReflect
from adkref.plugins.hooks import HOOKS
from adkref.streams import Pair
from adkref.tools import AgentTool, FunctionTool, exit_loop_tool

Spec = Mapping[str, Any]

#: The schema of a scripted tool that declares no parameters: any arguments will do.
_ANY_ARGUMENTS: Final = {"type": "object", "additionalProperties": {}}


class Build:
    """Builds what the specs of one scenario say; all of it reports to one tracer."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        #: Agents by name, the last one built counts.
        self.agents: dict[str, Agent] = {}

    # --- agents -------------------------------------------------------------------------

    def agent(self, spec: Spec) -> Agent:
        """Build an agent after the agents inside it; raises what its constructor raises."""
        if "ref" in spec:
            return self.agents[spec["ref"]]
        name = spec["name"]
        common = {
            "description": spec.get("description", ""),
            "sub_agents": [self.agent(sub) for sub in spec.get("sub_agents", ())],
            "before_agent_callbacks": self._callbacks(
                "before_agent", name, spec.get("before", ())
            ),
            "after_agent_callbacks": self._callbacks("after_agent", name, spec.get("after", ())),
        }
        agent = _AGENT_KINDS[spec["kind"]](self, spec, common)
        self.agents[name] = agent
        return agent

    def _custom(self, spec: Spec, common: dict[str, Any]) -> Agent:
        return Agent(spec["name"], run=self._body(spec.get("body", ())), **common)

    def _sequential(self, spec: Spec, common: dict[str, Any]) -> Agent:
        return SequentialAgent(spec["name"], **common)

    def _loop(self, spec: Spec, common: dict[str, Any]) -> Agent:
        return LoopAgent(spec["name"], max_iterations=spec.get("max_iterations", 0), **common)

    def _parallel(self, spec: Spec, common: dict[str, Any]) -> Agent:
        return ParallelAgent(spec["name"], **common)

    def _llm(self, spec: Spec, common: dict[str, Any]) -> Agent:
        name = spec["name"]
        if "model" in spec:
            common["model"] = ScriptedModel(self.tracer, name, spec["model"])
        for key in _LLM_TEXTS_AND_FLAGS:
            if key in spec:
                common[key] = spec[key]
        for key in ("output_schema", "input_schema"):
            if key in spec:
                common[key] = numbers_as_go(spec[key])
        for hook in _LLM_HOOKS:
            common[f"{hook}_callbacks"] = self._callbacks(hook, name, spec.get(hook, ()))
        common["tools"] = [self.tool(tool) for tool in spec.get("tools", ())]
        agent = LlmAgent(name, **common)
        # ADK-Go takes any text here, and a port may be asked to; our constructor is stricter.
        agent.include_contents = spec.get("include_contents", "")
        return agent

    def _callbacks(self, hook: str, owner: str, specs: Sequence[Spec]) -> list[Callable[..., Any]]:
        return [
            self._hook(hook, f"agent:{owner}/{spec.get('id', '')}", spec.get("rules", ()))
            for spec in specs
        ]

    def _body(self, ops: Sequence[Spec]) -> Callable[[Context], Iterator[Event | Pair]]:
        def run(ctx: Context) -> Iterator[Event | Pair]:
            assert ctx.agent is not None
            assert ctx.session is not None
            call = Call(
                self.tracer,
                ctx,
                agent=ctx.agent.name,
                branch=ctx.branch,
                state=ctx.session.state,
                artifacts=ctx.artifacts,
            )
            call.note(BODY, step="start")
            try:
                for op in ops:
                    ((name, argument),) = op.items()
                    if name == "yield":
                        yield self._event(ctx, argument)
                        call.note(BODY, step="resumed")
                    elif name == "yield_error":
                        yield None, ScriptedError(argument)
                        call.note(BODY, step="resumed")
                    elif name == "run":
                        # Closing this body closes what it runs first.
                        yield from self.agents[argument].run(ctx)
                    else:
                        OPS[name].do(call, argument)
            except GeneratorExit:
                call.note(BODY, step="stopped")
                raise
            call.note(BODY, step="end")

        return run

    def _event(self, ctx: Context, spec: Spec) -> Event:
        event = new_event(ctx.invocation_id, ctx.host.platform)
        with _noting_faults(self.tracer):
            fill_event(event, spec)
        if event.branch == "$ctx":
            event.branch = ctx.branch
        return event

    # --- tools --------------------------------------------------------------------------

    def tool(self, spec: Spec) -> Any:
        """Build a tool."""
        kind = spec.get("kind", "function")
        if kind == "exit_loop":
            return exit_loop_tool()
        if kind == "agent":
            skip = spec.get("skip_summarization", False)
            return AgentTool(self.agent(spec["agent"]), skip_summarization=skip)
        return FunctionTool(
            self._handler(spec),
            name=spec.get("name", ""),
            description=spec.get("description", ""),
            parameters=numbers_as_go(spec.get("parameters", _ANY_ARGUMENTS)),
            is_long_running=spec.get("long_running", False),
            require_confirmation=spec.get("require_confirmation", False),
        )

    def _handler(self, spec: Spec) -> Callable[[ToolContext, dict[str, Any]], Any]:
        name, rules, counter = spec.get("name", ""), spec.get("rules", ()), CallCounter()

        def handler(ctx: ToolContext, args: dict[str, Any]) -> dict[str, Any] | None:
            agent = ctx.agent_name
            call = self._tool_call(ctx, name, args)
            call.note("tool", args=plain(args))
            ops = pick(rules, agent, name, counter.next(agent))
            returned, value = self._run(call, ops, MAP)
            return value if returned else {"status": "ok"}

        return handler

    def _tool_call(self, ctx: ToolContext, tool: str, args: dict[str, Any]) -> Call:
        return Call(
            self.tracer,
            ctx,
            agent=ctx.agent_name,
            branch=ctx.branch,
            state=ctx.state,
            artifacts=ctx.artifacts,
            marks={"tool": tool, "call_id": ctx.function_call_id},
            args=args,
        )

    # --- plugins ------------------------------------------------------------------------

    def plugin(self, spec: Spec) -> Plugin:
        """Build a plugin; a hook key that is present registers the hook, even without rules."""
        if "builtin" in spec:
            return _BUILTINS[spec["builtin"]](spec)
        name = spec["name"]
        hooks = {
            f"{hook.name}_callback": self._hook(hook.name, f"plugin:{name}", spec[hook.name])
            for hook in HOOKS
            if hook.name in spec
        }
        return Plugin(name, **hooks)

    # --- hooks --------------------------------------------------------------------------

    def _hook(self, hook: str, by: str, rules: Rules) -> Callable[..., Any]:
        """Return the callback of one hook: it records its call, then runs its script."""
        if hook in RUN_HOOKS:
            return self._run_hook(hook, by, rules)
        if hook in AGENT_HOOKS or hook in MODEL_HOOKS:
            return self._agent_or_model_hook(hook, by, rules)
        return self._tool_hook(hook, by, rules)

    def _run_hook(self, hook: str, by: str, rules: Rules) -> Callable[..., Any]:
        counter, kind = CallCounter(), RETURNS[hook]
        role = ROLE_USER if hook == "on_user_message" else ROLE_MODEL

        def callback(ctx: Context, subject: Content | Event | None = None) -> Any:
            assert ctx.agent is not None
            assert ctx.session is not None
            agent = ctx.agent.name
            call = Call(
                self.tracer,
                ctx,
                agent=agent,
                branch=ctx.branch,
                state=ctx.session.state,
                artifacts=ctx.artifacts,
            )
            shown: dict[str, Any] = {}
            matched = agent
            if hook == "on_event":
                assert subject is None or isinstance(subject, Event)
                call.event = subject
                shown["event"] = event_json(subject)
                # The context names the agent that the runner started, so that rules go by
                # who wrote the event.
                matched = subject.author if subject is not None else ""
            elif hook == "on_user_message":
                assert subject is None or isinstance(subject, Content)
                shown["content"] = content_json(subject)
            self.tracer.add("hook", hook=hook, by=by, agent=agent, **shown)
            ops = pick(rules, matched, "", counter.next(matched))
            _, value = self._run(call, ops, kind, role)
            return call.replacement if hook == "on_event" else value

        return callback

    def _agent_or_model_hook(self, hook: str, by: str, rules: Rules) -> Callable[..., Any]:
        counter, kind = CallCounter(), RETURNS[hook]

        def callback(ctx: Any, *given: Any) -> Any:
            agent, branch = ctx.agent_name, ctx.branch
            call = Call(
                self.tracer,
                ctx,
                agent=agent,
                branch=branch,
                state=ctx.state,
                artifacts=ctx.artifacts,
            )
            shown: dict[str, Any] = {}
            if hook == "before_model":
                (call.request,) = given
                shown["request"] = request_json(call.request)
            elif hook == "after_model":
                call.response, error = given
                shown["response"] = response_json(call.response)
                shown["error"] = _error_text(error)
            elif hook == "on_model_error":
                call.request, error = given
                shown["error"] = _error_text(error)
            self.tracer.add("hook", hook=hook, by=by, agent=agent, branch=branch, **shown)
            _, value = self._run(call, pick(rules, agent, "", counter.next(agent)), kind)
            return value

        return callback

    def _tool_hook(self, hook: str, by: str, rules: Rules) -> Callable[..., Any]:
        counter = CallCounter()

        def callback(ctx: ToolContext, tool: Any, args: dict[str, Any], *outcome: Any) -> Any:
            call = self._tool_call(ctx, tool.name, args)
            shown: dict[str, Any] = {}
            if hook == "after_tool":
                result, error = outcome
                shown["result"] = plain(result)
                shown["error"] = _error_text(error)
            elif hook == "on_tool_error":
                (error,) = outcome
                shown["error"] = _error_text(error)
            call.note("hook", hook=hook, by=by, args=plain(args), **shown)
            number = counter.next((call.agent, tool.name))
            _, value = self._run(call, pick(rules, call.agent, tool.name, number), MAP)
            return value

        return callback

    def _run(
        self, call: Call, ops: Sequence[Spec], kind: str, role: str = ROLE_MODEL
    ) -> tuple[bool, Any]:
        """Run ops and decode what they return for the place."""
        if not ops:
            return False, None
        with _noting_faults(self.tracer):
            returned, value = run_ops(call, ops)
            if not returned or value is None:
                return returned, None
            if kind == CONTENT:
                return True, content_of(value, role)
            if kind == RESPONSE:
                return True, response_of(value)
            return True, numbers_as_go(value) if kind == MAP else None


_AGENT_KINDS: Final[Mapping[str, Callable[[Build, Spec, dict[str, Any]], Agent]]] = (
    MappingProxyType(
        {
            "custom": Build._custom,  # noqa: SLF001 - the table belongs to the class
            "sequential": Build._sequential,  # noqa: SLF001
            "loop": Build._loop,  # noqa: SLF001
            "parallel": Build._parallel,  # noqa: SLF001
            "llm": Build._llm,  # noqa: SLF001
        }
    )
)
_LLM_HOOKS: Final = (
    "before_model",
    "after_model",
    "on_model_error",
    "before_tool",
    "after_tool",
    "on_tool_error",
)
_LLM_TEXTS_AND_FLAGS: Final = (
    "instruction",
    "global_instruction",
    "output_key",
    "disallow_transfer_to_parent",
    "disallow_transfer_to_peers",
    "mode",
)


class ScriptedModel:
    """Plays the nth turn of its script at the nth call, and records that it was called."""

    def __init__(self, tracer: Tracer, owner: str, spec: Spec) -> None:
        self.name: str = spec.get("name", "")
        self._tracer = tracer
        self._owner = owner
        self._script: Sequence[Spec] = spec.get("script", ())
        self._calls = CallCounter()

    def generate(self, ctx: Context, request: LlmRequest, stream: bool) -> Iterator[LlmResponse]:
        """Yield the responses of this call's turn, then raise its error."""
        number = self._calls.next()
        where = {"agent": self._owner, "branch": ctx.branch}
        shown = request_json(request)
        self._tracer.add("model", **where, request=shown, stream=stream or None)
        if number > len(self._script):
            yield LlmResponse(content=Content.of_text("[end of script]"))
            return
        turn = self._script[number - 1]
        try:
            for spec in turn.get("responses", ()):
                with _noting_faults(self._tracer):
                    response = response_of(spec)
                yield response
        except GeneratorExit:
            self._tracer.add("model_stopped", **where)
            raise
        if turn.get("error"):
            raise ScriptedError(turn["error"])


class _noting_faults:  # noqa: N801 - used like a function
    """Keep a fault of the scenario, which user code's caller would take for an answer."""

    __slots__ = ("_tracer",)

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ScenarioError) and self._tracer.fault is None:
            self._tracer.fault = error


def _error_text(error: BaseException | None) -> str | None:
    return None if error is None else str(error)


# --- built-in plugins ------------------------------------------------------------------


def _retry_and_reflect(spec: Spec) -> Plugin:
    options = {key: spec[key] for key in ("max_retries", "error_if_retry_exceeded") if key in spec}
    if spec.get("scope"):
        options["scope"] = spec["scope"]
    return RetryAndReflect(**options)


def _function_call_modifier(spec: Spec) -> Plugin:
    names = frozenset(spec.get("tools", ()))
    prefix = spec.get("override_description", "")
    return FunctionCallModifier(
        names.__contains__,
        numbers_as_go(spec.get("args", {})),
        override_description=(lambda original: prefix + original) if prefix else None,
    )


_BUILTINS: Final[Mapping[str, Callable[[Spec], Plugin]]] = MappingProxyType(
    {
        "retry_and_reflect": _retry_and_reflect,
        "function_call_modifier": _function_call_modifier,
    }
)
