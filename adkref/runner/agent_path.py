# SPDX-License-Identifier: Apache-2.0
"""The agent path: a root that is no LLM agent (chapter 03, 3.7)."""

from __future__ import annotations

from adkref.agents.base import Agent
from adkref.errors import AdkError
from adkref.runner.invocation import Invocation
from adkref.streams import Stream


def agent_path(run: Invocation, root: Agent) -> Stream:
    """Store the message, run *root*, store and yield what it yields.

    Per event: OnEvent, append, yield (RUN-066).  An error of the agent is yielded as it
    came, and the agent goes on if the consumer does (RUN-060).
    """
    # MESSAGE
    try:
        run.take_message()
    except AdkError as error:
        yield None, error
        return

    try:
        # BEFORE RUN
        item = run.early_exit()
        if item is not None:
            yield item
            return

        # EVENTS
        accept = run.accept
        items = root.run(run.context)
        try:
            for item in items:
                event, failure = item
                if failure is not None:
                    yield item
                    continue
                if event is None:  # RUN-067
                    yield None, AdkError(f'adk: agent "{root.name}" yielded a nil event')
                    return
                stored, refusal, fatal = accept(event)
                yield stored, refusal
                if fatal:
                    return
        finally:
            items.close()
    finally:
        # AFTER RUN: however the run ends (RUN-051)
        run.after_run()
