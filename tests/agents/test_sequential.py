# SPDX-License-Identifier: Apache-2.0
"""The sequential agent (AGT-014, AGT-024, AGT-025, SEQ-001 to SEQ-009).

Its live run (SEQ-020 to SEQ-033) belongs to the live room.
"""

import pytest
from agent_scripts import context, noting, says, shown, speaker, stated, texts, told

from adkref.agents import Agent, LoopAgent, ParallelAgent, SequentialAgent
from adkref.agents.sequential import _SequentialBase
from adkref.content import Content
from adkref.errors import AdkError
from adkref.events import EventActions
from adkref.runner import Runner

HELLO = Content.of_text("hello")


# --- the object and its inner one -----------------------------------------------------------


def test_looking_it_up_finds_an_inner_object():
    """Same name, same children, another identity, also through an ancestor (AGT-014, AGT-024)."""
    agent = SequentialAgent("s", sub_agents=[Agent("a"), Agent("b")])
    root = Agent("root", sub_agents=[agent])
    found = agent.find_agent("s")
    assert found is not agent
    assert type(found) is _SequentialBase
    assert root.find_agent("s") is found
    assert found.find_agent("s") is found
    assert found.agent_type == "SequentialAgent"
    assert (found.name, found.sub_agents) == ("s", agent.sub_agents)
    assert [found.find_agent(name) for name in "ab"] == agent.sub_agents
    assert [agent.find_agent(name) for name in "ab"] == agent.sub_agents
    assert agent.find_agent("none") is None
    assert agent.find_sub_agent("s") is None


def test_both_objects_share_their_state():
    """What is changed on one after construction counts for the other (AGT-014)."""
    agent = SequentialAgent("s")
    inner = agent.find_agent("s")
    agent.sub_agents.append(speaker([], "a", "m"))
    agent.after_agent_callbacks = [lambda ctx: HELLO]
    inner.description = "d"
    assert texts(agent.run(context())) == texts(inner.run(context())) == ["m", "hello"]
    assert agent.description == "d"
    agent.name = "t"
    assert agent.find_agent("t") is inner
    assert agent.find_agent("s") is None


def test_the_inner_object_runs_alike():
    """Callbacks, children and authors are the same (AGT-024)."""
    log = []
    agent = SequentialAgent(
        "s",
        sub_agents=[speaker(log, "a", "m")],
        before_agent_callbacks=[noting(log, "before", state={"k": 1})],
        after_agent_callbacks=[noting(log, "after", HELLO)],
    )
    whole = [
        (stated(1, "s", state={"k": 1}), None),
        (says("m", author="a"), None),
        (stated(2, "s", HELLO), None),
    ]
    assert told(agent.run(context())) == whole
    assert told(agent.find_agent("s").run(context())) == whole
    assert log == ["before", "a starts", "a resumed", "a ends", "after"] * 2


def test_inside_a_run_the_inner_object_is_bound():
    """Its callbacks and its children's starting point see that one (AGT-025)."""
    seen = []
    agent = SequentialAgent(
        "s",
        before_agent_callbacks=[lambda ctx: seen.append(ctx.with_delta(None).agent)],
        after_agent_callbacks=[lambda ctx: seen.append(ctx.with_delta(None).agent)],
    )
    assert told(agent.run(context())) == []
    assert seen == [agent.find_agent("s")] * 2


# --- the run ---------------------------------------------------------------------------------


def test_each_sub_agent_runs_once_in_order():
    """One starts only when the one before it is exhausted (SEQ-001)."""
    log = []
    agent = SequentialAgent(
        "s", sub_agents=[speaker(log, "a", "a1", "a2"), speaker(log, "b"), speaker(log, "c", "c1")]
    )
    for event, error in agent.run(context()):
        log.append((event, error))
    assert log == [
        "a starts",
        (says("a1", author="a"), None),
        "a resumed",
        (says("a2", author="a"), None),
        "a resumed",
        "a ends",
        "b starts",
        "b ends",
        "c starts",
        (says("c1", author="c"), None),
        "c resumed",
        "c ends",
    ]


def test_nothing_is_run_before_the_stream_is_iterated():
    """The sequence is as lazy as any run (AGT-040)."""
    log = []
    SequentialAgent("s", sub_agents=[speaker(log, "a", "m")]).run(context()).close()
    assert log == []


def test_items_are_forwarded_unchanged():
    """Every shape passes as the very pair, errors included, and nobody is skipped (SEQ-002)."""
    event = says("m", author="x")
    pairs = [(event, None), (None, AdkError("e")), (event, AdkError("f")), (None, None)]
    log = []
    agent = SequentialAgent(
        "s",
        sub_agents=[
            Agent("a", run=lambda ctx: pairs),
            speaker(log, "b", "n", error=AdkError("g")),
        ],
    )
    items = list(agent.run(context()))
    assert [id(item) for item in items[:4]] == [id(pair) for pair in pairs]
    assert [shown(item) for item in items[4:]] == [(says("n", author="b"), None), (None, "g")]


@pytest.mark.parametrize(
    ("taken", "log"),
    [
        (1, ["a starts", "a stopped", "a ends"]),
        (2, ["a starts", "a resumed", "a ends", "b starts", "b stopped", "b ends"]),
    ],
)
def test_a_stop_ends_the_sequence(taken, log):
    """The current sub-agent unwinds, no further one starts, no after phase follows (SEQ-003)."""
    found = []
    agent = SequentialAgent(
        "s",
        sub_agents=[speaker(found, name, f"{name}1") for name in "abc"],
        after_agent_callbacks=[noting(found, "after", HELLO)],
    )
    stream = agent.run(context())
    for _ in range(taken):
        next(stream)
    stream.close()
    assert found == log


@pytest.mark.parametrize(
    "event",
    [
        says("m", actions=EventActions(escalate=True)),
        says("m", actions=EventActions(transfer_to_agent="c")),
        says("m", actions=EventActions(skip_summarization=True)),
        says("m", turn_complete=True),
        says("m", error_code="E", interrupted=True),
    ],
    ids=["escalate", "transfer", "skip", "final", "error code"],
)
def test_no_event_ends_the_sequence(event):
    """Escalation, transfer and final responses are forwarded and nothing more (SEQ-004)."""
    agent = SequentialAgent(
        "s",
        sub_agents=[Agent("a", run=lambda ctx: [event, says("n")]), speaker([], "b", "o")],
    )
    assert texts(agent.run(context())) == ["m", "n", "o"]


def test_cancellation_does_not_end_the_sequence():
    """Reacting to it is the children's business (SEQ-004)."""
    ctx = context()
    dead, cancel = ctx.host.with_cancel()
    agent = SequentialAgent("s", sub_agents=[speaker([], "a", "m"), speaker([], "b", "n")])
    stream = agent.run(ctx.with_host(dead))
    first = next(stream)
    cancel()
    assert [shown(item) for item in [first, *stream]] == [
        (says("m", author="a"), None),
        (says("n", author="b"), None),
    ]


def test_a_child_that_ends_ends_only_itself():
    """By its body or by its before callback: the next child and the after phase run (SEQ-004, SEQ-005)."""
    log = []

    def run(ctx):
        ctx.end_invocation()
        yield says("a")

    agent = SequentialAgent(
        "s",
        sub_agents=[
            Agent("a", run=run, after_agent_callbacks=[noting(log, "never")]),
            speaker(log, "b", "never", before_agent_callbacks=[lambda ctx: HELLO]),
            speaker(log, "c", "c1"),
        ],
        after_agent_callbacks=[lambda ctx: Content.of_text("after")],
    )
    assert told(agent.run(context())) == [
        (says("a", author="a"), None),
        (stated(1, "b", HELLO), None),
        (says("c1", author="c"), None),
        (stated(2, "s", Content.of_text("after")), None),
    ]
    assert log == ["c starts", "c resumed", "c ends"]


def test_children_share_the_sequences_place():
    """Branch, scope, invocation, message, session and configuration are the same for all (SEQ-006)."""
    seen = []
    agent = SequentialAgent(
        "s", sub_agents=[Agent(name, run=lambda ctx: seen.append(ctx) or []) for name in "ab"]
    )
    ctx = context(branch="P.s", isolation_scope="scope", user_content=HELLO)
    assert told(agent.run(ctx)) == []
    place = ("P.s", "scope", "inv", HELLO, ctx.session, ctx.run_config)
    found = [
        (
            it.branch,
            it.isolation_scope,
            it.invocation_id,
            it.user_content,
            it.session,
            it.run_config,
        )
        for it in seen
    ]
    assert found == [place, place]
    assert [it.agent_name for it in seen] == ["a", "b"]


def test_a_child_sees_what_was_stored_for_earlier_ones():
    """A yield returns when the consumer is done, so the session is up to date (SEQ-007)."""
    seen = []

    def looking(name):
        def run(ctx):
            seen.append((name, [event.author for event in ctx.session.events]))
            yield says(name)
            seen.append((name, [event.author for event in ctx.session.events]))

        return Agent(name, run=run)

    runner = Runner.in_memory("app", SequentialAgent("s", sub_agents=[looking("a"), looking("b")]))
    assert texts(runner.stream("u", "s", Content.of_text("hi", "user"))) == ["a", "b"]
    assert seen == [
        ("a", ["user"]),
        ("a", ["user", "a"]),
        ("b", ["user", "a"]),
        ("b", ["user", "a", "b"]),
    ]


def test_an_empty_sequence_has_phases():
    """The body yields nothing, before and after callbacks run (SEQ-008)."""
    log = []
    agent = SequentialAgent(
        "s",
        before_agent_callbacks=[noting(log, "before")],
        after_agent_callbacks=[noting(log, "after", HELLO)],
    )
    assert told(agent.run(context())) == [(stated(1, "s", HELLO), None)]
    assert log == ["before", "after"]


def test_the_list_is_read_once_when_the_body_starts():
    """A before callback may still change it, a child may not (SEQ-009)."""
    agent = SequentialAgent("s")
    extra = speaker([], "extra", "x")

    def run(ctx):
        agent.sub_agents.append(extra)
        yield says("m")

    agent.before_agent_callbacks.append(
        lambda ctx: agent.sub_agents.append(Agent("a", run=run)) if not agent.sub_agents else None
    )
    assert texts(agent.run(context())) == ["m"]
    assert texts(agent.run(context())) == ["m", "x"]


@pytest.mark.parametrize("kind", [SequentialAgent, LoopAgent, ParallelAgent])
def test_nested_in_other_composites(kind):
    """Its items pass through, whoever runs it (SEQ-002)."""
    inner = SequentialAgent("s", sub_agents=[speaker([], "a", "m"), speaker([], "b", "n")])
    options = {"max_iterations": 1} if kind is LoopAgent else {}
    outer = kind("outer", sub_agents=[inner], **options)
    assert told(outer.run(context())) == [
        (says("m", author="a"), None),
        (says("n", author="b"), None),
    ]
