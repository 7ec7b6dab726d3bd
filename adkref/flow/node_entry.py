# SPDX-License-Identifier: Apache-2.0
"""An LLM agent as a node: chat, single_turn and task (chapter 03, 4.4 to 4.7)."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TYPE_CHECKING, Any

from adkref.content import ROLE_MODEL, ROLE_USER, Content, FunctionCall, FunctionResponse, Part
from adkref.contexts import AnyInvocation, Context, InvocationContext
from adkref.errors import AdkError, NodeInterrupted, wrap
from adkref.events import Event, NodeInfo, new_event
from adkref.flow.children import finishes_by_itself, run_child
from adkref.flow.delegation import (
    FINISH_TASK,
    TASK_COMPLETED,
    WRAPPER_KEY,
    FinishTaskTool,
    TaskTool,
)
from adkref.flow.placement import CHAT, MODES, PLACEMENT, SINGLE_TURN, TASK, Placement, mode_of
from adkref.flow.seeded import SeededSession
from adkref.gotext import quote, to_json
from adkref.streams import Emitted, Pair, Stream
from adkref.tools.schema import parse_output

if TYPE_CHECKING:
    from adkref.agents.base import Agent
    from adkref.agents.llm import LlmAgent


def run_as_node(agent: Agent, ctx: AnyInvocation, node_input: Any, mode: str = "") -> Stream:
    """Run an LLM agent as a node in its mode (NODE-030, NODE-031).

    *mode* is what the placement binds; without one the declared mode counts, and an
    unset one means chat (V24-006).
    """
    if agent.agent_type != "LLMAgent":
        yield None, AdkError(f"RunLLMAgentAsNode: {quote(agent.name)} is not an LlmAgent")
        return
    llm: LlmAgent = agent  # type: ignore[assignment]
    bound = mode or mode_of(llm, Context.promote(ctx)) or CHAT
    if bound not in MODES:
        yield (
            None,
            AdkError(
                f"RunLLMAgentAsNode: LlmAgent {quote(agent.name)} only supports task, "
                f"single_turn, and chat mode, got {quote(bound)}"
            ),
        )
        return
    node = _placed(llm, ctx, node_input, bound)
    match bound:
        case "chat":
            yield from _run_chat(llm, node)
        case "single_turn":
            yield from _run_single_turn(llm, node)
        case "task":
            yield from _run_task(llm, node)


def _placed(agent: LlmAgent, ctx: AnyInvocation, node_input: Any, mode: str) -> Context:
    """Return the context of the activation, with the mode bound to the agent."""
    given = Context.promote(ctx)
    host = given.host.with_value(PLACEMENT, Placement(agent, mode))
    if mode == CHAT:  # NODE-033: the context is used as it is, its ended flag shared
        return given.with_host(host)
    # NODE-034: a new invocation context without sub-scheduler; the ended flag starts anew.
    content = content_of_input(node_input)
    session = given.session
    if mode == SINGLE_TURN and content is not None and session is not None:
        seed = new_event(given.invocation_id, host.platform)
        seed.author = ROLE_USER
        seed.content = content
        seed.isolation_scope = given.isolation_scope
        session = SeededSession(session, seed)  # type: ignore[assignment]
    return Context.promote(
        InvocationContext(
            host=host,
            session=session,
            agent=agent,
            artifacts=given.artifacts,  # type: ignore[arg-type]
            memory=given.memory,
            branch=given.branch,
            isolation_scope=given.isolation_scope,
            user_content=content if node_input is not None else given.user_content,
            run_config=given.run_config,
            invocation_id=given.invocation_id,
        )
    )


def content_of_input(node_input: Any) -> Content | None:
    """Return a node's input as a user content (NODE-035)."""
    if node_input is None:
        return None
    if isinstance(node_input, Content):
        return Content(ROLE_USER, node_input.parts)
    if isinstance(node_input, str):
        return Content.of_text(node_input, ROLE_USER)
    try:
        return Content.of_text(to_json(node_input), ROLE_USER)
    except TypeError:
        return Content.of_text(str(node_input), ROLE_USER)


# --- chat (4.5) ------------------------------------------------------------------------------


def _run_chat(agent: LlmAgent, ctx: Context) -> Stream:
    """Dispatch open task calls, then run the agent, again after each delegation."""
    task_tools = {tool.name: tool for tool in agent.tools if isinstance(tool, TaskTool)}

    # NODE-041: what an earlier run left open comes first.
    for call in _unresolved(agent, ctx, task_tools):
        if not (yield from _dispatch(agent, ctx, call)):
            return

    # NODE-042
    while True:
        delegated = False
        items = agent.run(ctx)
        try:
            for item in items:
                if type(item) is Emitted:
                    yield item
                    continue
                event, error = item
                if error is not None:
                    yield None, error
                    return
                yield item
                if event is None or event.partial:
                    continue
                calls = [c for c in event.calls() if c.id and c.name in task_tools]
                for call in calls:
                    if not (yield from _dispatch(agent, ctx, call)):
                        return
                if calls:
                    delegated = True
                    break  # NODE-043: this run of the agent is abandoned
        finally:
            items.close()
        if not delegated:
            return


def _unresolved(
    agent: LlmAgent, ctx: Context, task_tools: dict[str, TaskTool]
) -> list[FunctionCall]:
    """Return the task calls of this agent that nobody answered, each id once."""
    if not task_tools or ctx.session is None:
        return []
    calls: dict[str, FunctionCall] = {}
    answered: set[str] = set()
    for event in ctx.session.events:
        if event.author not in (agent.name, ROLE_USER):
            continue
        for call in event.calls():
            if call.id and call.name in task_tools:
                calls.setdefault(call.id, call)
        answered.update(response.id for response in event.responses())
    return [call for call in calls.values() if call.id not in answered]


def _dispatch(agent: LlmAgent, ctx: Context, call: FunctionCall) -> Generator[Pair, None, bool]:
    """Run the task agent of one call; return whether to go on (NODE-044, NODE-045)."""
    target = agent.find_agent(call.name)
    if target is None:
        yield (
            None,
            AdkError(f"dispatchTaskFC: task target agent {quote(call.name)} not found"),
        )
        return False
    try:
        output = yield from run_child(
            ctx,
            target,  # type: ignore[arg-type]
            _Arguments(call.args),
            mode=TASK,
            run_id=call.id,
            scope=call.id,
            raise_on_wait=True,
        )
    except NodeInterrupted:
        return False
    except AdkError as error:
        yield None, error
        return False
    if output is None:
        return False
    # NODE-046
    event = new_event(ctx.invocation_id, ctx.host.platform)
    event.author = ROLE_USER
    response = FunctionResponse(
        id=call.id,
        name=call.name,
        response=output if isinstance(output, dict) else {"output": output},
    )
    event.content = Content(ROLE_USER, [Part(function_response=response)])
    yield event, None
    return True


class _Arguments:
    """A call's arguments as node input; a nil map is an input, too, and reads ``null``."""

    def __init__(self, args: dict[str, Any] | None) -> None:
        self.args = args

    def to_json(self) -> dict[str, Any] | None:
        return self.args


# --- single_turn (4.6) -----------------------------------------------------------------------


def _run_single_turn(agent: LlmAgent, ctx: Context) -> Stream:
    """Run once; the text of its answers is its output (NODE-047)."""
    items = agent.run(ctx)
    try:
        for item in items:
            event, error = item
            if error is not None:
                yield None, error
                return
            if event is not None and type(item) is not Emitted:
                try:
                    _take_output(agent, event)
                except AdkError as failure:
                    yield None, failure  # instead of the event
                    return
            yield item
    finally:
        items.close()


def _take_output(agent: LlmAgent, event: Event) -> None:
    """Set an event's output from its text, in place (NODE-048)."""
    content = event.content
    if event.partial or content is None or content.role != ROLE_MODEL or content.calls():
        return
    output: Any = content.spoken_text()
    if agent.output_schema is not None:
        if not output.strip():
            output = None
        else:
            try:
                output = parse_output(output, agent.output_schema)
            except AdkError as error:
                raise wrap(
                    f"LlmAgent {quote(agent.name)} output validation failed", error
                ) from error
    if agent.output_key and output is not None:  # OUT-014
        if event.actions.state_delta is None:
            event.actions.state_delta = {}
        event.actions.state_delta[agent.output_key] = output
    event.output = output
    if event.node_info is None:
        event.node_info = NodeInfo()
    event.node_info.message_as_output = True


# --- task (4.7) ------------------------------------------------------------------------------


def _run_task(agent: LlmAgent, ctx: Context) -> Stream:
    """Run until finish_task succeeds; its arguments are the output (NODE-050 to NODE-054)."""
    wrapped = any(isinstance(tool, FinishTaskTool) and tool.wrapped for tool in agent.tools)
    remembered: dict[str, Any] | None = None
    items = agent.run(ctx)
    try:
        for item in items:
            event, error = item
            if error is not None:
                yield None, error
                return
            if event is None or type(item) is Emitted:
                yield item
                continue
            finish = _first(event.calls())
            if finish is not None:
                remembered = dict(finish.args) if finish.args is not None else None
                yield item
                continue
            if remembered is not None and _succeeded(event):
                whole = wrapped and WRAPPER_KEY in remembered
                event.output = remembered[WRAPPER_KEY] if whole else remembered
                yield item
                return  # NODE-053
            yield item
    finally:
        items.close()


def _first(calls: Iterable[FunctionCall]) -> FunctionCall | None:
    return next((call for call in calls if call.name == FINISH_TASK), None)


def _succeeded(event: Event) -> bool:
    """Tell whether the first answer of finish_task is a success (NODE-051)."""
    for response in event.responses():
        if response.name == FINISH_TASK:
            return (response.response or {}).get("result") == TASK_COMPLETED
    return False


# --- the agent node --------------------------------------------------------------------------


def agent_node_items(agent: LlmAgent, ctx: Context, node_input: Any, mode: str) -> Stream:
    """Run an agent as a child node; its final text becomes its output (NODE-077)."""
    items = run_as_node(agent, ctx, node_input, mode)
    try:
        for item in items:
            event, error = item
            if error is None and event is not None and finishes_by_itself(event, agent.name, mode):
                assert event.content is not None
                event.output = event.content.spoken_text()
                if event.node_info is None:
                    event.node_info = NodeInfo()
                event.node_info.message_as_output = True
            yield item
    finally:
        items.close()
