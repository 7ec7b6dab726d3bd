# SPDX-License-Identifier: Apache-2.0
"""Rules of chapter 04 that no case and no test of the rooms shows."""

from __future__ import annotations

import pytest
from kit import World, event, run, said

from adkref.agents import Agent, LlmAgent
from adkref.models import ScriptedModel
from adkref.plugins import Plugin


def test_no_plugin_sees_an_item_without_event_and_error():
    """The run ends with the error of a nil event, and the event hook is not asked (PLG-054)."""
    heard = []
    plugin = Plugin("p", on_event_callback=lambda ctx, each: heard.append(each))
    root = Agent("root", run=lambda ctx: [event("root", "one"), None, event("root", "two")])
    assert World(root, plugins=[plugin]).turn() == [
        said("root", "one"),
        'adk: agent "root" yielded a nil event',
    ]
    assert len(heard) == 1


@pytest.mark.parametrize(("partial", "stored"), [(True, 1), (False, 2)])
def test_a_plugin_decides_whether_an_event_is_stored(partial, stored):
    """The partial flag counts as it is after the plugin, not before (PLG-057)."""

    def flip(ctx, each):
        each.partial = partial

    plugin = Plugin("p", on_event_callback=flip)
    root = Agent("root", run=lambda ctx: [event("root", "one", partial=not partial)])
    world = World(root, plugins=[plugin])
    world.turn()
    assert len(world.stored) == stored


class Ending:
    """A tool that ends the invocation while the request is built."""

    name, description, is_long_running = "t", "", False

    def process_request(self, ctx, request):
        """End it."""
        ctx.unwrapped().end_invocation()


def test_a_context_that_ends_while_the_request_is_built():
    """No model hook and no model is reached after that (PLG-078)."""
    heard = []
    plugin = Plugin("p", before_model_callback=lambda ctx, request: heard.append("model"))
    agent = LlmAgent("a", model=ScriptedModel(["never"]), tools=[Ending()])
    assert run(agent, plugins=[plugin]) == []
    assert (heard, agent.model.requests) == ([], [])
