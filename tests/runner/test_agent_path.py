# SPDX-License-Identifier: Apache-2.0
"""The agent path: a root that is no LLM agent (chapter 03, 3.7, RUN-080)."""

import pytest
from kit import World, event, said

from adkref.agents import Agent, LlmAgent, LoopAgent, SequentialAgent
from adkref.errors import ProgrammingError
from adkref.models import ScriptedModel
from adkref.plugins import Plugin


def watched(*items):
    """A world around a root that yields items and notes what happens to it."""
    log = []

    def body(ctx):
        try:
            for item in items:
                yield item
                log.append("resumed")
            log.append("done")
        finally:
            log.append("closed")

    plugin = Plugin("p", after_run_callback=lambda ctx: log.append("after run"))
    return World(Agent("a", run=body), plugins=[plugin]), log


BOOM = ValueError("boom")


def test_events_in_order():
    """Each is stored and yielded as it came; the agent resumes behind it (RUN-066)."""
    world, log = watched(event("a", "1"), event("b", "2"), event("", "3"))
    assert world.turn() == [said("a", "1"), said("b", "2"), said("a", "3")]
    assert world.stored == [
        said("user", "hi", role="user"),
        said("a", "1"),
        said("b", "2"),
        said("a", "3"),
    ]
    assert log == ["resumed", "resumed", "resumed", "done", "closed", "after run"]


def test_an_error_does_not_end_the_run():
    """It is yielded as it came, with its event; the agent decides what follows (RUN-060)."""
    half = event("a", "half")
    world, log = watched(event("a", "1"), (half, BOOM), (None, BOOM), event("a", "2"))
    assert world.turn() == [said("a", "1"), (said("a", "half"), "boom"), "boom", said("a", "2")]
    # Items with an error are not stored.
    assert world.stored[1:] == [said("a", "1"), said("a", "2")]
    assert log == ["resumed"] * 4 + ["done", "closed", "after run"]


def test_errors_are_not_offered_to_plugins():
    """OnEvent sees events without an error alone (RUN-060)."""
    seen = []
    root = Agent("a", run=lambda ctx: iter([(event("a", "half"), BOOM), event("a", "1")]))
    plugin = Plugin("p", on_event_callback=lambda ctx, it: seen.append(it.content.parts[0].text))
    World(root, plugins=[plugin]).turn()
    assert seen == ["1"]


@pytest.mark.parametrize("stop_after", [1, 2, 3])
def test_a_stop_reaches_the_agent(stop_after):
    """At once, in its own yield; AfterRun runs behind it (RUN-080, RUN-081)."""
    world, log = watched(event("a", "1"), (None, BOOM), event("a", "2"), event("a", "3"))
    assert len(world.turn(stop_after=stop_after)) == stop_after
    assert log == ["resumed"] * (stop_after - 1) + ["closed", "after run"]
    assert len(world.stored) == (2 if stop_after < 3 else 3)


def test_a_nil_event_is_an_error():
    """With the root's name; the run ends, no plugin sees it, nothing is stored (RUN-067)."""
    world, log = watched(event("a", "1"), None, event("a", "2"))
    assert world.turn() == [said("a", "1"), 'adk: agent "a" yielded a nil event']
    assert log == ["resumed", "closed", "after run"]
    assert len(world.stored) == 2


@pytest.mark.parametrize("item", ["x", 5, {"author": "a"}])
def test_a_body_of_the_wrong_kind(item):
    """Misuse passes up; what is owed still happens (RUN-069)."""
    world, log = watched(event("a", "1"), item)
    with pytest.raises(ProgrammingError, match="expected an Event or a pair"):
        world.turn()
    assert log == ["resumed", "closed", "after run"]
    assert len(world.stored) == 2


def test_a_panic_is_not_caught():
    """AfterRun still runs while it passes (RUN-069)."""
    log = []

    def body(ctx):
        yield event("a", "1")
        raise ProgrammingError("misuse")

    plugin = Plugin("p", after_run_callback=lambda ctx: log.append("after run"))
    world = World(Agent("a", run=body), plugins=[plugin])
    with pytest.raises(ProgrammingError, match=r"^misuse$"):
        world.turn()
    assert log == ["after run"]


def test_cancellation_is_not_looked_at():
    """The runner goes on as long as the agent yields (RUN-082)."""
    world, _ = watched(event("a", "1"), event("a", "2"))
    host, cancel = world.host.with_cancel()
    items = world.stream(host=host)
    assert next(items)[1] is None
    cancel()
    assert [error for _, error in items] == [None]
    assert len(world.stored) == 3


def test_trees_of_agents():
    """Sequential and loop roots run their agents against the growing session (RUN-014)."""
    first = LlmAgent("first", model=ScriptedModel(["1", "2"]))
    second = LlmAgent("second", model=ScriptedModel(["3", "4"]))
    root = LoopAgent(
        "l", sub_agents=[SequentialAgent("s", sub_agents=[first, second])], max_iterations=2
    )
    world = World(root)
    assert [it["content"]["parts"][0]["text"] for it in world.turn()] == ["1", "3", "2", "4"]
    assert len(second.model.requests[1].contents) == 4
