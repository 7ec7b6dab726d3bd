# SPDX-License-Identifier: Apache-2.0
"""The sequential agent: sub-agents one after the other (chapter 01, section 8)."""

from __future__ import annotations

from typing import ClassVar

from attrs import define, field

from adkref.agents.base import Agent
from adkref.agents.composite import Composite
from adkref.contexts import AnyInvocation, Context
from adkref.streams import Stream


@define(eq=False, slots=False, repr=False)
class SequentialAgent(Composite):
    """Runs each sub-agent once, in order, on its own context (SEQ-001).

    Nothing that a child does ends the sequence: errors, escalation, transfer and an
    ended child are forwarded or ignored (SEQ-002, SEQ-004, SEQ-005).

    Looking the agent up by name finds an inner object that cannot run live, and inside
    a run that object is ``ctx.agent`` (AGT-014, AGT-024, AGT-025).
    """

    _inner: _SequentialBase = field(init=False)

    agent_type: ClassVar[str] = "SequentialAgent"
    refuses_body: ClassVar[str] = "LoopAgent doesn't allow custom Run implementations"

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        # AGT-014: two objects over one state, so a later change to one is seen by the other.
        self._inner = object.__new__(_SequentialBase)
        self._inner.__dict__ = self.__dict__

    def find_agent(self, name: str) -> Agent | None:
        """Find by name; this agent's own name finds the inner object (AGT-024)."""
        return self._inner.find_agent(name)

    def run(self, ctx: AnyInvocation) -> Stream:
        """Run the sub-agents in order."""
        return self._inner.run(ctx)


@define(eq=False, slots=False, repr=False)
class _SequentialBase(Agent):
    agent_type: ClassVar[str] = "SequentialAgent"

    def _items(self, node: Context) -> Stream:
        # SEQ-009: the list is read once.
        for sub in list(self.sub_agents):
            items = sub.run(node)
            try:
                yield from items
            finally:
                items.close()
