# SPDX-License-Identifier: Apache-2.0
"""Child nodes of a chat agent: task and single-turn agents (chapter 03, 4.9).

A child's events go straight to the runner, so they travel as
:class:`~adkref.streams.Emitted` items through the streams in between.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from attrs import define, field

from adkref.content import ROLE_MODEL
from adkref.contexts import Context, ContextDelta, InvocationDelta
from adkref.errors import AdkError, NodeInterrupted, wrap
from adkref.events import Event, NodeInfo
from adkref.flow.placement import TASK
from adkref.gotext import quote
from adkref.streams import Emitted, Pair

if TYPE_CHECKING:
    from adkref.agents.llm import LlmAgent
    from adkref.sessions import Session


@define
class SubScheduler:
    """What lets an agent run children; one per activation of a node (NODE-075)."""

    parent_path: str
    cached: dict[str, Any] = field(factory=dict)
    _counts: dict[str, int] = field(factory=dict)
    _lock: threading.Lock = field(factory=threading.Lock, repr=False)

    @classmethod
    def for_node(cls, path: str, session: Session | None, invocation_id: str) -> SubScheduler:
        """Return a scheduler that knows what children of this invocation put out (NODE-076)."""
        cached = {}
        for event in session.events if session is not None else ():
            info = event.node_info
            if (
                event.output is not None
                and info is not None
                and event.invocation_id == invocation_id
                and info.path.startswith(path + "/")
            ):
                cached[info.path] = event.output
        return cls(path, cached)

    def run_id(self, child: str, custom: str) -> str:
        """Return the explicit run id, checked, or the next number for *child* (NODE-070)."""
        if not custom:
            with self._lock:
                self._counts[child] = self._counts.get(child, 0) + 1
                return str(self._counts[child])
        # NODE-071
        fault = ""
        if custom.isascii() and custom.isdigit():
            fault = "is purely numeric (reserved for auto-counter)"
        elif "/" in custom or "@" in custom:
            fault = "contains reserved separator (/ or @)"
        if fault:
            raise AdkError(
                f"workflow: dynamic child {child}: "
                f"workflow: invalid run id: {quote(custom)} {fault}"
            )
        return custom


def run_child(
    ctx: Context,
    agent: LlmAgent,
    node_input: Any,
    *,
    mode: str,
    run_id: str = "",
    scope: str = "",
    sub_branch: bool = False,
    raise_on_wait: bool = False,
) -> Generator[Pair, None, Any]:
    """Run *agent* as a child node of the node that *ctx* belongs to.

    Yields the child's events, marked as emitted, and returns its last output.  Raises
    NodeInterrupted when the child waits for the user and *raise_on_wait* is set, and
    AdkError ``workflow: dynamic child <path>: workflow: dynamic child failed: <cause>``
    for its error (NODE-074).
    """
    from adkref.flow.node_entry import agent_node_items

    scheduler: SubScheduler | None = ctx.sub_scheduler
    if scheduler is None:  # NODE-075
        raise AdkError("workflow: RunNode called outside a dynamic node")
    number = scheduler.run_id(agent.name, run_id)
    path = f"{scheduler.parent_path}/{agent.name}@{number}"
    if path in scheduler.cached:  # NODE-076
        return scheduler.cached[path]

    own = f"{agent.name}@{number}"
    branch = ctx.branch
    if sub_branch:  # NODE-073
        branch = f"{branch}.{own}" if branch else own
    child_scope = scope or ctx.isolation_scope
    child = Context.fresh(ctx).with_delta(
        ContextDelta(
            invocation=InvocationDelta(branch=branch, isolation_scope=child_scope),
            path=path,
            run_id=number,
            sub_scheduler=None,
        )
    )
    output: Any = None
    waiting: set[str] = set()
    interrupted = False
    items = agent_node_items(agent, child, node_input, mode)
    try:
        for event, error in items:
            if error is not None:
                raise wrap(
                    f"workflow: dynamic child {path}: workflow: dynamic child failed", error
                )
            if event is None:
                continue
            put_out = _stamp(event, path, child_scope)
            if put_out is not None:
                output = put_out
            interrupted = interrupted or event.requested_input is not None
            waiting.update(event.long_running_tool_ids or ())
            waiting.difference_update(response.id for response in event.responses())
            yield Emitted((event, None))
    finally:
        items.close()
    if interrupted or (raise_on_wait and waiting):
        raise NodeInterrupted(f"workflow: dynamic child {path} is interrupted")
    return output


def _stamp(event: Event, path: str, scope: str) -> Any:
    """Mark a child's event as its own, in place; return the output it carries (NODE-072)."""
    info = event.node_info
    if info is None:
        info = event.node_info = NodeInfo()
    if not info.path:
        info.path = path
    if scope and not event.isolation_scope:
        event.isolation_scope = scope
    put_out = output_of(event)
    if put_out is not None and not info.output_for:
        info.output_for = [path]
    return put_out


def output_of(event: Event) -> Any:
    """Return the output that an event carries, or None (NODE-006)."""
    if event.output is not None:
        return event.output
    info = event.node_info
    if info is not None and info.message_as_output and event.content is not None:
        if event.content.role == ROLE_MODEL:
            return event.content.spoken_text()
    return None


def finishes_by_itself(event: Event, agent_name: str, mode: str) -> bool:
    """Tell whether an agent node takes the text of this event as output (NODE-077)."""
    return (
        mode != TASK
        and event.author in ("", agent_name)
        and event.output is None
        and event.is_final_response()
        and not event.long_running_tool_ids
        and event.content is not None
        and event.content.role == ROLE_MODEL
    )
