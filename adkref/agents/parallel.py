# SPDX-License-Identifier: Apache-2.0
"""The parallel agent: one lane per sub-agent, one consumer (chapter 01, section 10).

The rules of this file.  A lane hands over an item and sleeps until the consumer is done
with *that* item (PAR-023).  The first lane that fails cancels the others; its error is
the last item, after every lane has cleaned up (PAR-043).  Whatever way the body ends,
no lane outlives it (PAR-061).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from attrs import define

from adkref.agents.base import Agent
from adkref.agents.composite import Composite
from adkref.contexts import Context, HostContext, InvocationContext
from adkref.errors import AdkError, wrap
from adkref.gotext import quote
from adkref.lanes import Finished, Hand, LaneGroup, Liberty
from adkref.streams import Stream


@define(eq=False, slots=False, repr=False)
class ParallelAgent(Composite):
    """Runs all sub-agents at the same time, each on a branch of its own.

    Yields their items as they come, each acknowledged before its lane goes on; an error
    is one last item ``failed to run sub-agent "<name>": <cause>`` (PAR-041, PAR-043).
    Neither an ended sub-agent nor escalation touches the others (PAR-070, PAR-071).
    """

    agent_type: ClassVar[str] = "ParallelAgent"
    refuses_body: ClassVar[str] = "ParallelAgent doesn't allow custom Run implementations"
    wraps_errors: ClassVar[str] = ""

    def _items(self, node: Context) -> Stream:
        host, cancel = node.host.with_cancel()
        lanes = host.lanes.group(host.error)
        failure = _FirstError(cancel)
        try:
            for sub in list(self.sub_agents):  # PAR-020: all at once
                context = self._context_of(sub, node, host)
                lanes.spawn(sub.name, partial(_lane, sub, context, lanes, failure))
            while (message := lanes.take()) is not None:
                if isinstance(message, Finished):
                    if message.fault is not None:
                        raise message.fault  # PAR-048: not an error item
                elif host.error() is not None and not lanes.takes(Liberty.TAKE_AFTER_CANCEL):
                    lanes.answer(message.lane, go_on=False)
                else:
                    delivered = False
                    try:
                        yield message.item
                        delivered = True
                    finally:  # PAR-023 on return, PAR-060 and PAR-063 on a stop
                        go_on = delivered or lanes.takes(Liberty.GO_ON_AT_STOP)
                        lanes.answer(message.lane, go_on=go_on)
        finally:
            cancel()  # PAR-029, PAR-060
            lanes.close()  # PAR-061
        if failure.error is not None:
            yield None, failure.error  # PAR-043

    def _context_of(self, sub: Agent, node: Context, host: HostContext) -> InvocationContext:
        """Return the sub-agent's context: nothing of the node's own fields (PAR-001, PAR-005)."""
        own = f"{self.name}.{sub.name}"
        return InvocationContext(
            host=host,
            session=node.session,
            agent=sub,
            artifacts=node.artifacts,  # type: ignore[arg-type]
            memory=node.memory,
            branch=f"{node.branch}.{own}" if node.branch else own,  # PAR-002
            user_content=node.user_content,
            run_config=node.run_config,
            invocation_id=node.invocation_id,  # PAR-006: drawn anew when empty
        )


class _FirstError:
    """The first error in time, which cancels the others; later ones are discarded (PAR-042)."""

    def __init__(self, cancel: Callable[[], None]) -> None:
        self.error: AdkError | None = None
        self._cancel = cancel
        self._lock = threading.Lock()

    def record(self, error: AdkError) -> None:
        with self._lock:
            if self.error is None:
                self.error = error
        self._cancel()


def _lane(
    sub: Agent,
    context: InvocationContext,
    lanes: LaneGroup,
    failure: _FirstError,
    hand: Hand,
) -> None:
    """Run one sub-agent to its end, its first error, or a stop; then report the error."""
    error = _run_to_error(sub, context, lanes, hand)
    if error is not None:  # the sub-agent has cleaned up by now
        failure.record(wrap(f"failed to run sub-agent {quote(sub.name)}", error))  # PAR-041


def _run_to_error(
    sub: Agent, context: InvocationContext, lanes: LaneGroup, hand: Hand
) -> Exception | None:
    host = context.host
    items = sub.run(context)
    try:
        for item in items:
            if item[1] is not None:
                return item[1]  # PAR-040: an event beside it is dropped
            # PAR-051: a lane that waits in the cancelled state ends with that error.
            dead = host.error()
            if dead is not None and not lanes.takes(Liberty.OFFER_AFTER_CANCEL):
                return dead
            go_on = hand(item)
            dead = host.error()
            if dead is not None and not (go_on and lanes.takes(Liberty.OFFER_AFTER_CANCEL)):
                return dead
            if not go_on:
                return None
        return None
    finally:
        items.close()
