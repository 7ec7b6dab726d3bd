# SPDX-License-Identifier: Apache-2.0
"""Rules of chapters 02 and 04 that no case and no test of tests/flow shows."""

from __future__ import annotations

from kit import declared, run, system_of

from adkref.agents import LlmAgent
from adkref.models import ScriptedModel
from adkref.tools import FunctionTool


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


class Ending:
    """A tool that ends the invocation while the request is built."""

    name, description, is_long_running = "t", "", False

    def process_request(self, ctx, request):
        """End it."""
        ctx.unwrapped().end_invocation()


def test_a_context_that_ends_while_the_request_is_built():
    """No model hook and no model is reached after that (PLG-078)."""
    heard = []
    agent = LlmAgent("a", model=ScriptedModel(["never"]), tools=[Ending()])
    agent.before_model_callbacks.append(lambda ctx, request: heard.append("model"))
    assert run(agent) == []
    assert (heard, agent.model.requests) == ([], [])
