# SPDX-License-Identifier: Apache-2.0
"""The one node of a run: its input, its body, its events' marks (chapter 03, 4.1 and 4.3)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from adkref.agents.base import Agent
from adkref.agents.llm import LlmAgent
from adkref.content import ROLE_MODEL, ROLE_USER, Content, responses_of
from adkref.contexts import Context, ContextDelta, InvocationDelta
from adkref.errors import (
    AdkError,
    Cancelled,
    DeadlineExceeded,
    NodeCancelled,
    ProgrammingError,
    find,
)
from adkref.events import Event, NodeInfo, new_event
from adkref.flow.children import SubScheduler, output_of
from adkref.flow.node_entry import content_of_input, run_as_node
from adkref.flow.placement import CHAT
from adkref.gotext import quote
from adkref.runner.beside import beside
from adkref.runner.invocation import Invocation
from adkref.streams import Emitted, Pair, Stream

#: How many partial events may wait between an agent and its consumer (NODE-062).
QUEUE_LENGTH = 16

#: A body yields pairs and returns the node's result.
Body = Generator[Pair, None, Any]


def node_items(run: Invocation, agent: Agent, answers: dict[str, Any] | None) -> Stream:
    """Run *agent* as the node and yield its events as the runner sees them.

    An error is the last item: the agent's own, the cancellation's cause (RUN-083), or one
    about several outputs (NODE-006).
    """
    host = run.context.host
    node_host, cancel = host.with_cancel()
    ctx = run.context.with_host(node_host).with_delta(
        ContextDelta(
            path="",
            sub_scheduler=SubScheduler.for_node(
                agent.name, run.session, run.context.invocation_id
            ),
            resume_inputs=answers,
        )
    )
    marks = _Marks(agent.name)
    body = (
        _llm_body(run, agent, ctx) if isinstance(agent, LlmAgent) else _other_body(run, agent, ctx)
    )
    in_line = not host.lanes.runs_nodes_beside
    if not in_line:
        body = beside(agent.name, body, node_host)
    failure: Exception | None = None
    try:
        while host.error() is None:
            try:
                item = next(body)
            except StopIteration as end:
                if end.value is not None:  # NODE-023
                    event = new_event(ctx.invocation_id, host.platform)
                    event.output = end.value
                    event.node_info = NodeInfo(path=agent.name)
                    marks.stamp(event, child=False)
                    yield event, None
                break
            except ProgrammingError as panic:  # RUN-075
                failure = AdkError(f"node {quote(agent.name)} panicked: {panic}")
                failure.__cause__ = panic
                break
            event_or_none, failure = item
            if failure is not None:
                break
            if event_or_none is None:
                continue  # RUN-067: dropped silently on this path
            if host.error() is not None:
                break
            marks.stamp(event_or_none, child=type(item) is Emitted)
            try:
                yield event_or_none, None
            except GeneratorExit:  # RUN-081: the node's context dies first
                cancel()
                if event_or_none.partial and in_line:
                    _run_ahead(body)
                raise
    finally:
        cancel()
        body.close()

    dead = host.error()
    if dead is not None and (failure is None or _echoes_cancellation(failure)):
        yield None, dead  # RUN-083
    elif failure is not None:
        if find(failure, NodeCancelled) is None:  # RUN-074
            yield None, failure
    elif marks.fault is not None:
        yield None, marks.fault


def _run_ahead(body: Body) -> None:
    """Let the agent do what it had already done in ADK-Go when the consumer stopped.

    A partial event is not waited for there: its producer goes on to the next whole event, or
    until the queue is full (NODE-062).  The golden traces show it wherever a consumer stops
    at a partial event.  Nothing of it reaches the session (NODE-066).
    """
    for _ in range(QUEUE_LENGTH + 1):
        try:
            event, error = next(body)
        except (StopIteration, ProgrammingError):
            return
        if error is not None or (event is not None and not event.partial):
            return


def _echoes_cancellation(error: Exception) -> bool:
    return any(find(error, kind) for kind in (Cancelled, DeadlineExceeded, NodeCancelled))


class _Marks:
    """Marks the events of an activation, and minds that it has one output (NODE-005 to 007)."""

    def __init__(self, node: str) -> None:
        self._node = node
        self._has_output = self._has_routes = False
        self.fault: AdkError | None = None

    def stamp(self, event: Event, *, child: bool) -> None:
        """Change *event* in place: role of its content, its path, for whom its output is."""
        content = event.content
        if content is not None and not content.role:
            content.role = ROLE_USER if content.responses() else ROLE_MODEL
        info = event.node_info
        if info is None:
            info = event.node_info = NodeInfo()
        if not info.path:
            info.path = self._node
        if child:
            return
        if output_of(event) is not None:
            if self._has_output:
                self._blame("output values", "carry output")
            self._has_output = True
            info.output_for = [info.path]
        if event.routes is not None:
            if self._has_routes:
                self._blame("route tags", "specify routes")
            self._has_routes = True

    def _blame(self, several: str, only_one: str) -> None:
        if self.fault is None:
            self.fault = AdkError(
                f"workflow: node produced multiple events with {several}; only one event per "
                f"execution can {only_one}: node {quote(self._node)}"
            )


# --- bodies -----------------------------------------------------------------------------------


def _llm_body(run: Invocation, agent: Agent, ctx: Context) -> Body:
    """Run the node entry; return the last output unless something paused (NODE-020, NODE-022)."""
    node_input = None if _answered(run, ctx) else _input_text(ctx.user_content)
    mode = (agent.mode if isinstance(agent, LlmAgent) else "") or CHAT
    paused, output = False, None
    items = run_as_node(agent, ctx, node_input, mode)
    try:
        for item in items:
            event, error = item
            if error is not None:
                yield None, error
                return None
            if event is None:
                continue
            if type(item) is not Emitted:
                paused = paused or bool(event.long_running_tool_ids)
                if event.output is not None:
                    output = event.output
            yield item
    finally:
        items.close()
    return None if paused else output


def _input_text(content: Content | None) -> str | None:
    """Return the node's input on a fresh run (NODE-003)."""
    return None if content is None else "".join(part.text for part in content.parts)


def _answered(run: Invocation, ctx: Context) -> set[str]:
    """Return the long-running calls that this turn answers (NODE-021)."""
    answered = {response.id for response in responses_of(ctx.user_content) if response.id}
    if not answered:
        return answered
    asked: set[str] = set()
    for event in run.session.events:
        asked.update(event.long_running_tool_ids or ())
    return answered & asked


def _other_body(run: Invocation, agent: Agent, ctx: Context) -> Body:
    """Run an agent that is no LLM agent (NODE-025)."""
    answered = _answered(run, ctx)
    content: Content | None
    if answered:
        given = ctx.user_content
        assert given is not None
        parts = [
            part
            for part in given.parts
            if part.function_response is not None and part.function_response.id in answered
        ]
        content = Content(given.role, parts) if parts else None
    else:
        content = content_of_input(_input_text(ctx.user_content) or None)
    own = ctx.with_delta(
        ContextDelta(
            invocation=InvocationDelta(agent=agent, user_content=content),
            path="",
            run_id="",
            output_for_ancestors=None,
        )
    )
    paused = False
    items = agent.run(own)
    try:
        for item in items:
            event, error = item
            if error is not None:
                yield None, error
                return None
            if event is None:
                raise ProgrammingError(  # RUN-075: with Go's own words
                    "runtime error: invalid memory address or nil pointer dereference"
                )
            paused = paused or bool(event.long_running_tool_ids)
            yield item
    finally:
        items.close()
    return None
