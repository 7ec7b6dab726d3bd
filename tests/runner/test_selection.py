# SPDX-License-Identifier: Apache-2.0
"""Which agent answers, and under which invocation id (chapter 03, 3.3 and 3.4)."""

import logging

import pytest
from kit import Scene, World, answer, call, content, event

from adkref.agents import Agent, LlmAgent, SequentialAgent
from adkref.agents.tree import parent_map
from adkref.models import ScriptedModel
from adkref.plugins import Plugin
from adkref.runner.selection import find_call_event, reused_invocation_id, select_agent


def llm(name, *subs, **options):
    """An LLM agent."""
    return LlmAgent(name, sub_agents=list(subs), **options)


def tree():
    """Root over all kinds of agents."""
    return llm(
        "root",
        llm("a", llm("a1"), llm("job", mode="task")),
        llm("closed", llm("below"), disallow_transfer_to_parent=True),
        SequentialAgent("seq", sub_agents=[llm("inside")]),
        Agent("custom"),
        llm("once", mode="single_turn"),
    )


def history(*events):
    """Stored events, as a session shows them."""
    return Scene(events=events).session.events


def selected(*events, message=None, root=None):
    """The name of the agent that answers."""
    root = root or tree()
    given = content(message) if isinstance(message, str) else message
    return select_agent(root, parent_map(root), history(*events), given).name


def by(*authors):
    """One text event of each author."""
    return [event(author, "x") for author in authors]


# --- by author (RUN-022, RUN-023) ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("authors", "name"),
    [
        ([], "root"),
        (["user"], "root"),
        (["a", "user"], "a"),
        (["a", "a1", "user"], "a1"),
        (["a1", "a"], "a"),
        # Not transferable: a closed way up, another kind of agent on it.
        (["a", "closed"], "a"),
        (["a", "below"], "a"),
        (["a", "seq"], "a"),
        (["a", "inside"], "a"),
        (["a", "custom"], "a"),
        (["closed", "below", "custom"], "root"),
        # Modes do not matter.
        (["a", "once"], "once"),
        (["a", "job"], "job"),
        # Unknown authors.
        (["a", "gone", ""], "a"),
        (["gone"], "root"),
        (["root", "user"], "root"),
    ],
)
def test_the_newest_transferable_author(authors, name):
    """Users are skipped, and whoever may not be handed over to (RUN-022 to RUN-024)."""
    assert selected(*by(*authors), message="hi") == name


def test_a_root_that_is_closed():
    """If the root disallows transfer to its parent, nobody is transferable (RUN-023)."""
    root = llm("root", llm("a"), disallow_transfer_to_parent=True)
    assert selected(*by("a"), root=root) == "root"


def test_unknown_authors_are_logged(caplog):
    """An author that is not in the tree leaves a line (RUN-022)."""
    with caplog.at_level(logging.WARNING, "adkref"):
        selected(*by("gone"))
    assert caplog.messages == ["event from an unknown agent: gone"]


@pytest.mark.parametrize(
    ("root", "name"),
    [
        (llm("root", llm("job", mode="task"), llm("a")), "root"),
        (llm("root", llm("a", llm("job", mode="task"))), "a"),
        (llm("root", SequentialAgent("seq", sub_agents=[llm("job", mode="task")]), llm("a")), "a"),
        (llm("root", llm("once", mode="single_turn"), llm("a")), "a"),
    ],
)
def test_a_direct_task_agent_keeps_the_root(root, name):
    """Selection is skipped; deeper task agents do not count (RUN-016)."""
    events = [event("a", call("t", "c1"))]
    assert selected(*events, root=root) == name
    assert selected(*events, root=root, message=content(answer("t", "c1"))) == name


# --- by function response (RUN-020, RUN-021) --------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "name"),
    [
        (content(answer("t", "c1")), "custom"),
        (content("x", answer("t", "c1"), answer("t", "c2")), "custom"),
        (content(answer("t", "c2"), answer("t", "c1")), "closed"),
        # The newest call with that id; any kind of agent; an empty id is an id.
        (content(answer("t", "c3")), "once"),
        (content(answer("t", "")), "a"),
        # The first response alone decides.
        (content(answer("t", "no"), answer("t", "c1")), "a1"),
        (content("x"), "a1"),
        (None, "a1"),
    ],
)
def test_whoever_made_the_call_answers(message, name):
    """Whatever it is, and whether or not it is transferable (RUN-020, RUN-021)."""
    events = [
        event("a", call("t", "")),
        event("custom", "x", call("t", "c1")),
        event("root", call("t", "c3")),
        event("closed", call("t", "c2")),
        event("once", call("t", "c3")),
        event("a1", "x"),
        event("user", answer("t", "c1")),
    ]
    assert selected(*events, message=message) == name


def test_a_caller_that_is_gone(caplog):
    """Selection goes on by author (RUN-021)."""
    events = [event("a", "x"), event("gone", call("t", "c1"))]
    with caplog.at_level(logging.WARNING, "adkref"):
        assert selected(*events, message=content(answer("t", "c1"))) == "a"
    assert caplog.messages == [
        "function call from an unknown agent: gone",
        "event from an unknown agent: gone",
    ]


def test_the_call_of_a_user_event():
    """A call by an author called user names no agent of the tree (RUN-020, RUN-021)."""
    events = [event("a", "x"), event("user", call("t", "c1"))]
    assert selected(*events, message=content(answer("t", "c1"))) == "a"


def test_finding_the_newest_call():
    """Events without content have no calls (RUN-020)."""
    first, second = event("a", call("t", "c1")), event("b", call("t", "c1"))
    events = history(first, event("a"), second, event("a", answer("t", "c1")))
    assert find_call_event(events, "c1") == second
    assert find_call_event(events, "c2") is None
    assert find_call_event(history(), "c1") is None


# --- the invocation id (RUN-030) ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "used"),
    [
        (None, ""),
        (content("x"), ""),
        (content(answer("t", "c1")), "inv-1"),
        (content(answer("t", "")), ""),
        (
            content(answer("t", ""), answer("t", "no"), answer("t", "c2"), answer("t", "c1")),
            "inv-3",
        ),
        (content(answer("t", "c3")), ""),
    ],
)
def test_the_invocation_of_the_call(message, used):
    """Of the first response with an id that anybody asked; the newest such event (RUN-030)."""
    events = history(
        event("a", call("t", "c1"), call("t", ""), invocation_id="inv-1"),
        event("a", call("t", "c2"), invocation_id="inv-2"),
        event("b", call("t", "c2"), invocation_id="inv-3"),
        event("a", call("t", "c3"), invocation_id=""),
    )
    assert reused_invocation_id(events, message) == used


# --- in a run ---------------------------------------------------------------------------------------------------


def test_the_history_before_the_message_counts():
    """Selection reads the handle as loaded, and the original message (RUN-025)."""
    root = llm(
        "root",
        LlmAgent("a", model=ScriptedModel(["from a"])),
        LlmAgent("b", model=ScriptedModel(["from b"])),
        model=ScriptedModel(["from root"]),
    )
    events = [event("a", call("t", "c1"), invocation_id="old"), event("b", "x")]
    swap = Plugin("p", on_user_message_callback=lambda ctx, given: content(answer("t", "c1")))
    world = World(root, events=events, plugins=[swap])
    assert [it["author"] for it in world.turn("hi")] == ["b"]
    assert world.session.events[-1].invocation_id == "e-id-1"


def test_another_kind_of_root_answers_itself():
    """The agent path never picks a sub-agent (RUN-014)."""
    root = SequentialAgent(
        "root",
        sub_agents=[
            LlmAgent("a", model=ScriptedModel(["from a"])),
            LlmAgent("b", model=ScriptedModel(["from b"])),
        ],
    )
    world = World(root, events=by("b"))
    assert [it["author"] for it in world.turn("hi")] == ["a", "b"]
