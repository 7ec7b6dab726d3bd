# SPDX-License-Identifier: Apache-2.0
"""The node path: an LLM root, run as the only node of a workflow (chapter 03, 3.8 and 4).

In ADK-Go the node runs beside the consumer; here every emit is acknowledged before the
agent goes on, which satisfies all of NODE-060 to NODE-066 (RUN-072).
"""

from __future__ import annotations

from adkref.agents.base import Agent
from adkref.errors import AdkError, wrap
from adkref.runner.invocation import Invocation
from adkref.runner.node import node_items
from adkref.runner.resume import Fresh, NothingToDo, Plan, resume_plan
from adkref.streams import Stream


def node_path(run: Invocation, agent: Agent) -> Stream:
    """Store the message, run *agent* as a node, store and yield what it emits.

    The first error of the agent is the last item (RUN-073).
    """
    # THE WORKFLOW
    if agent.name == "START":  # RUN-071
        yield None, AdkError("failed to build node workflow: duplicate node name: START")
        return

    # MESSAGE
    try:
        user_event = run.take_message()
    except AdkError as error:
        yield None, error
        return
    if run.options.yield_user_message and user_event is not None:
        yield user_event, None  # RUN-050: after_run is not registered yet

    try:
        # BEFORE RUN
        item = run.early_exit()
        if item is not None:
            yield item
            return

        # PAUSED OR FRESH
        try:
            plan: Plan = resume_plan(agent.name, run)
        except AdkError as error:
            yield None, wrap("failed to reconstruct workflow run state", error)
            return
        if isinstance(plan, NothingToDo):  # NODE-013
            if plan.error is not None:
                yield None, plan.error
            return
        answers = None if isinstance(plan, Fresh) else plan.answers

        # EVENTS
        items = node_items(run, agent, answers)
        try:
            for event, failure in items:
                if failure is not None or event is None:
                    yield None, failure
                    continue
                if not event.author:  # RUN-070
                    event.author = agent.name
                stored, refusal, fatal = run.accept(event)
                yield stored, refusal
                if fatal:
                    return
        finally:
            items.close()
    finally:
        # AFTER RUN
        run.after_run()
