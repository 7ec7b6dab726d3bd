# SPDX-License-Identifier: Apache-2.0
"""Rules of chapters 01 and 02 on agents that neither cases nor tests/agents show in full."""

from __future__ import annotations

from kit import Scene, declared, event, run, system_of

from adkref.agents import Agent, LlmAgent
from adkref.models import ScriptedModel
from adkref.tools import FunctionTool


def test_the_author_is_filled_on_the_very_event():
    """The consumer gets the object that the body produced, and its author is there (AGT-053)."""
    made = event("", "hello")
    agent = Agent("a", run=lambda ctx: [made])
    ((taken, _),) = Scene(agent).events_of(agent)
    assert taken is made
    assert made.author == "a"


def test_what_an_agent_is_made_of_is_read_when_it_runs():
    """Callbacks, instruction and tools that change after construction count (LLM-003)."""
    agent = LlmAgent("a", model=ScriptedModel(["one", "two"]), instruction="First.")
    run(agent)
    heard = []
    agent.instruction = "Second."
    agent.tools.append(
        FunctionTool(lambda ctx, args: None, name="late", parameters={"type": "object"})
    )
    agent.before_model_callbacks.append(lambda ctx, request: heard.append("model"))
    agent.before_agent_callbacks.append(lambda ctx: heard.append("agent"))
    run(agent)
    first, second = agent.model.requests
    assert (declared(first), declared(second)) == ([], ["late"])
    assert system_of(second)[0].startswith("Second.")
    assert heard == ["agent", "model"]
