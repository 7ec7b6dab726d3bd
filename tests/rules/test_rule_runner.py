# SPDX-License-Identifier: Apache-2.0
"""Rules of chapter 03 on the runner that no case shows."""

from __future__ import annotations

import pytest
from kit import World, call, content, event, reply, said, shown

from adkref.agents import Agent, LlmAgent
from adkref.artifacts import InMemoryArtifactService
from adkref.content import Blob, Part
from adkref.contexts import HostContext, RunConfig
from adkref.errors import AdkError, NodeCancelled, ProgrammingError
from adkref.models import ScriptedModel
from adkref.plugins import Plugin
from adkref.runner import Runner


def talker(*texts, name="root"):
    """A custom agent that says those texts."""
    return Agent(name, run=lambda ctx: (event(name, text) for text in texts))


def asked(*script, **fields):
    """An LLM agent with a scripted model."""
    return LlmAgent("root", model=ScriptedModel(list(script)), **fields)


# --- construction and entry -------------------------------------------------------------------


def test_a_runner_in_memory():
    """It has fresh services, makes sessions by itself, and knows no plugin (RUN-005)."""
    seen = []

    def body(ctx):
        seen.append((ctx.artifacts.list(), ctx.search_memory("x")))
        yield event("root", "hello")

    runner = Runner.in_memory("app", Agent("root", run=body))
    (item,) = runner.run("user", "new", "hi")
    assert item.content.parts[0].text == "hello"
    assert len(runner.session_service.get("app", "user", "new").events) == 2
    assert seen == [(None, [])]
    assert runner.plugins.plugins == []
    assert Runner.in_memory("app", talker()).session_service is not runner.session_service


def test_no_run_closes_plugins():
    """Neither the end of a run nor its failure closes a plugin (RUN-006)."""
    closed = []
    plugin = Plugin("p", close=lambda: closed.append("p"))
    world = World(talker("one"), plugins=[plugin])
    world.turn()
    world.turn(stop_after=1)
    assert closed == []


def test_nothing_happens_before_iteration():
    """A stream that nobody iterates stores nothing, and each call is a run of its own (RUN-010)."""
    world = World(talker("one"))
    stream = world.stream()
    assert world.stored == []
    assert [shown(item) for item in stream] == [said("root", "one")]
    world.turn()
    assert [each["author"] for each in world.stored] == ["user", "root"] * 2
    first, second = world.session.events[0:4:2]
    assert first.invocation_id != second.invocation_id


class FailingSecond(InMemoryArtifactService):
    """Refuses the second save."""

    def save(self, app, user, session, name, part, version=0):
        """Save what is not the third part."""
        if name.endswith("_2"):
            raise AdkError("disk full")
        return super().save(app, user, session, name, part, version)


def test_a_blob_that_cannot_be_saved():
    """The error ends the run with nothing stored, and what was saved stays (RUN-044)."""
    service = FailingSecond()
    world = World(talker("one"), artifact_service=service)
    blob = Blob(data=b"x", mime_type="text/plain")
    message = content(Part(inline_data=blob), "text", Part(inline_data=blob))
    config = RunConfig(save_input_blobs_as_artifacts=True)
    (error,) = world.turn(message, config=config)
    (name,) = service.list("app", "user", "s")
    assert error == f"failed to save artifact {name[:-1]}2: disk full"
    assert name.endswith("_0")
    assert world.stored == []
    assert [part.text for part in message.parts] == [
        f"Uploaded file: {name}. It has been saved to the artifacts",
        "text",
        "",
    ]


# --- the event loop ---------------------------------------------------------------------------


def test_an_item_without_event_and_error():
    """The run ends with the text of a nil event, which no plugin sees (RUN-067, PLG-054)."""
    heard = []
    plugin = Plugin("p", on_event_callback=lambda ctx, each: heard.append(each))

    def body(ctx):
        yield event("root", "one")
        yield None
        yield event("root", "two")

    world = World(Agent("root", run=body), plugins=[plugin])
    assert world.turn() == [
        said("root", "one"),
        'adk: agent "root" yielded a nil event',
    ]
    assert len(heard) == 1
    assert len(world.stored) == 2


def test_a_panic_on_the_agent_path():
    """A programming error of an agent reaches the consumer, and after_run still runs (RUN-069)."""
    told = []

    def body(ctx):
        yield event("root", "one")
        raise ProgrammingError("nil map")

    plugin = Plugin("p", after_run_callback=lambda ctx: told.append("after"))
    items = World(Agent("root", run=body), plugins=[plugin]).stream()
    next(items)
    with pytest.raises(ProgrammingError, match="nil map"):
        next(items)
    assert told == ["after"]


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


# --- the node path ----------------------------------------------------------------------------


def test_a_cancelled_node_ends_in_silence():
    """An error that says the node was cancelled is swallowed while the run lives (RUN-074)."""
    world = World(asked(NodeCancelled("node cancelled")))
    assert world.turn() == []


def test_a_panic_on_the_node_path():
    """A programming error of an LLM root becomes an error item that names the node (RUN-075)."""

    def broken(ctx, request):
        raise ProgrammingError("nil map")

    world = World(asked("never", before_model_callbacks=[broken]))
    assert world.turn() == ['node "root" panicked: nil map']


def test_cancellation_on_the_node_path():
    """After it nothing is stored or yielded but the cause, once (RUN-083)."""
    host, cancel = HostContext.background().with_cancel()
    done = []

    def cancelling(ctx, response, error):
        done.append("model")
        cancel()

    world = World(
        asked(reply(call("t")), "never", after_model_callbacks=[cancelling]),
    )
    assert world.turn(host=host) == ["context canceled"]
    assert done == ["model"]
    assert [each["author"] for each in world.stored] == ["user"]


def test_the_agents_own_error_outweighs_the_cancellation():
    """An error that is no echo of the cancellation is the one that is yielded (RUN-083)."""
    host, cancel = HostContext.background().with_cancel()

    def failing(ctx, response, error):
        cancel()
        raise AdkError("of my own")

    world = World(asked("hello", after_model_callbacks=[failing]))
    assert world.turn(host=host) == ["of my own"]
