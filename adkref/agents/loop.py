# SPDX-License-Identifier: Apache-2.0
"""The loop agent: sub-agents in order, again and again (chapter 01, section 9)."""

from __future__ import annotations

from typing import ClassVar

from attrs import define, field

from adkref.agents.composite import Composite
from adkref.contexts import Context
from adkref.errors import ProgrammingError
from adkref.streams import Emitted, Stream


@define(eq=False, slots=False, repr=False)
class LoopAgent(Composite):
    """Repeats its sub-agents until one escalates or ``max_iterations`` are done (LOOP-002).

    ``max_iterations`` 0 means no limit.  An escalating child is heard out first
    (LOOP-003), and the same event ends every enclosing loop (LOOP-006).
    """

    max_iterations: int = field(default=0, kw_only=True)

    agent_type: ClassVar[str] = "LoopAgent"
    refuses_body: ClassVar[str] = "LoopAgent doesn't allow custom Run implementations"

    def __attrs_post_init__(self) -> None:
        limit = self.max_iterations
        if not isinstance(limit, int) or limit < 0:
            raise ProgrammingError(f"max_iterations is {limit!r}, expected an int of at least 0")
        super().__attrs_post_init__()

    def _items(self, node: Context) -> Stream:
        done = 0
        while True:
            for sub in list(self.sub_agents):  # LOOP-016: read anew in each iteration
                escalated = False
                items = sub.run(node)
                try:
                    for item in items:
                        yield item
                        # LOOP-004: read after the yield, on the producer's own object.
                        event = item[0]
                        if event is not None and event.actions.escalate:
                            # NODE-072: an event that a child node emits is not our child's.
                            escalated = escalated or type(item) is not Emitted
                finally:
                    items.close()
                if escalated:
                    return
            done += 1
            if done == self.max_iterations:  # LOOP-008; never equal when 0
                return
