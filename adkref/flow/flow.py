# SPDX-License-Identifier: Apache-2.0
"""The flow: steps until an answer is final (chapter 02, FLOW-001 to FLOW-008)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from attrs import define, field

from adkref.contexts import Context
from adkref.events import Event
from adkref.flow.step import run_step
from adkref.streams import Emitted, Stream

if TYPE_CHECKING:
    from adkref.agents.llm import LlmAgent
    from adkref.tools import Tool

log = logging.getLogger("adkref")

#: How many thought-only answers in a row are put up with (V24-001).
MAX_THOUGHT_ONLY = 10


@define
class Flow:
    """One agent run's steps; made anew for each run (LLM-020).

    ``tools`` is filled by the tools processor and private to the run (REQ-021).
    """

    agent: LlmAgent
    tools: list[Tool] = field(factory=list)

    def run(self, ctx: Context) -> Stream:
        """Run steps until the last event of one is final.

        A step without events ends the run silently; an error ends it as the last item
        (FLOW-002, FLOW-003).
        """
        thought_only = 0
        while True:
            last: Event | None = None
            step = run_step(self, ctx)
            try:
                for item in step:
                    if type(item) is Emitted:
                        yield item
                        continue
                    event, error = item
                    if error is not None:
                        yield None, error
                        return
                    yield item
                    last = event  # FLOW-001: after the consumer is done with it
            finally:
                step.close()
            if last is None:
                return
            if last.is_final_response():
                if not last.is_thought_only():
                    return
                thought_only += 1  # FLOW-006
                if thought_only == MAX_THOUGHT_ONLY:
                    log.warning("agent %r answered with thoughts only, giving up", self.agent.name)
                    return
                continue
            thought_only = 0
            if last.partial:  # V24-002
                log.warning("the last event of agent %r is partial, giving up", self.agent.name)
                return
