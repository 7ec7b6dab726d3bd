# SPDX-License-Identifier: Apache-2.0
"""The parallel agent (PAR-001 to PAR-071).

Threads race, so a test either forces one order with events, or checks what holds in every
order.  :class:`Watched` lets a consumer wait until so many items and ends are in the queue,
and takes liberties that the default group does not take (PAR-045, PAR-063).

A stop is always seen as a stop (PAR-063 leaves it open), and a fault in a sub-agent is raised
to the consumer after all lanes have ended (PAR-048).
"""

import threading
from contextlib import closing
from queue import SimpleQueue

import pytest
from agent_scripts import (
    SOON,
    context,
    host,
    noting,
    says,
    shown,
    speaker,
    stated,
    texts,
    told,
)

from adkref.agents import Agent, LoopAgent, ParallelAgent, SequentialAgent
from adkref.artifacts import Artifacts, InMemoryArtifactService
from adkref.content import Content
from adkref.contexts import LANES, Context, ContextDelta, HostContext, RunConfig
from adkref.errors import AdkError, Cancelled, ProgrammingError
from adkref.events import EventActions
from adkref.lanes import Liberty, ThreadGroup
from adkref.memory import InMemoryMemoryService, Memory
from adkref.plugins import Plugin
from adkref.runner import Runner

BOOM = AdkError("boom")
HELLO = Content.of_text("hello")


@pytest.fixture(autouse=True)
def _no_thread_is_left():
    """Whatever way a run ends, its lanes have ended with it (PAR-061)."""
    yield
    assert [it.name for it in threading.enumerate() if it.name.startswith("adkref-")] == []


class _Queue(SimpleQueue):
    """A queue that counts what is in it."""

    def __init__(self):
        super().__init__()
        self.pending = threading.Semaphore(0)

    def put(self, item):
        """Put *item* in, then count it."""
        super().put(item)
        self.pending.release()

    def get(self):
        """Take the next item."""
        assert self.pending.acquire(timeout=SOON)
        return super().get()

    def wait_for(self, items):
        """Wait until there are so many *items*."""
        for _ in range(items):
            assert self.pending.acquire(timeout=SOON)
        self.pending.release(items)


class _Group(ThreadGroup):
    """Threads over a queue that counts."""

    def __init__(self, liberties, *, patient):
        super().__init__()
        self.queue = _Queue()
        self._liberties, self._patient = liberties, patient

    def takes(self, liberty):
        """Take what was given."""
        return liberty in self._liberties

    def answer(self, lane, *, go_on):
        """Answer, and perhaps wait for what the lane makes of it."""
        super().answer(lane, go_on=go_on)
        if self._patient:
            self.queue.wait_for(1)


class Watched:
    """Starts lanes with these liberties, whose offers can be waited for.

    A *patient* consumer lets the lane that it has answered go on to its next item or end.
    """

    runs_nodes_beside = False

    def __init__(self, *liberties, patient=False):
        self._liberties, self._patient = liberties, patient
        self._group = None

    def group(self, dead):
        """Return a group of threads."""
        self._group = _Group(self._liberties, patient=self._patient)
        return self._group

    def host(self):
        """Return a host context that starts lanes here."""
        return host().with_value(LANES, self)

    def wait_for(self, messages):
        """Wait until so many items and ends are in the queue of the last group."""
        self._group.queue.wait_for(messages)


def waiting_for(gate, log, name, *words, **config):
    """A speaker that waits for *gate* before it begins."""
    agent = speaker(log, name, *words, **config)
    speak = agent.body

    def run(ctx):
        assert gate.wait(SOON)
        yield from speak(ctx)

    agent.body = run
    return agent


def until_dead(log, name, *words, **config):
    """A speaker that waits in its own code until its context is cancelled."""
    agent = speaker(log, name, *words, **config)
    speak = agent.body

    def run(ctx):
        dead = threading.Event()
        ctx.host.on_cancel(dead.set)
        assert dead.wait(SOON)
        yield from speak(ctx)

    agent.body = run
    return agent


def failure(name, cause="boom"):
    """The last item of a run in which a sub-agent failed (PAR-041)."""
    return None, f'failed to run sub-agent "{name}": {cause}'


def at_the_node(log, name):
    """A callback that notes the branch of the agent's own context."""
    return lambda ctx: log.append((name, ctx.branch))


# --- contexts (10.1) ---------------------------------------------------------------------------


def test_a_sub_agent_gets_a_context_of_its_own():
    """Services, session, message and ids are the same objects, all else is fresh (PAR-001, PAR-005)."""
    seen = []
    sub = Agent("a", run=lambda ctx: seen.append(ctx) or [])
    agent = ParallelAgent("p", sub_agents=[sub])
    base = context(
        artifacts=Artifacts(InMemoryArtifactService(), "app", "user", "s"),
        memory=Memory(InMemoryMemoryService(), "app", "user"),
        isolation_scope="scope",
        user_content=HELLO,
        run_config=RunConfig("sse"),
        resumption_handle="handle",
    )
    ctx = Context.promote(base).with_delta(
        ContextDelta(
            path="root",
            run_id="1",
            sub_scheduler=object(),
            resume_inputs={"q": 1},
            output_for_ancestors=["root"],
        )
    )
    ctx.actions, ctx.function_call_id = EventActions.fresh(), "call"
    assert told(agent.run(ctx)) == []
    (node,) = seen
    for name in ("artifacts", "memory", "session", "user_content", "run_config", "invocation_id"):
        assert getattr(node, name) is getattr(base, name)
    assert node.agent is sub
    assert (node.branch, node.isolation_scope, node.resumption_handle) == ("p.a", "", "")
    assert not node.ended
    assert (node.path, node.run_id, node.sub_scheduler, node.resume_inputs) == ("", "", None, None)
    assert (node.actions, node.function_call_id) == (None, "")
    assert node.output_for_ancestors is None


def test_a_sub_agent_starts_unended():
    """The flag is not inherited: a parent can only have ended after the check (PAR-001, CTX-002)."""
    log = []

    def run(ctx):
        log.append(ctx.ended)
        return []

    agent = ParallelAgent("p", sub_agents=[Agent("a", run=run)])
    node = Context.promote(context(ended=True))
    assert told(agent._items(node)) == []
    assert log == [False]


def test_values_of_the_host_are_inherited():
    """Plugins, providers and lanes reach every sub-agent (PAR-005, CTX-080)."""
    log = []
    plugin = Plugin("plugin", before_agent_callback=lambda ctx: log.append(ctx.agent_name))
    agent = ParallelAgent("p", sub_agents=[speaker([], "a"), speaker([], "b")])
    assert told(agent.run(context(plugin))) == []
    assert log[0] == "p"
    assert sorted(log) == ["a", "b", "p"]


@pytest.mark.parametrize(("branch", "expected"), [("", "p.a"), ("Q", "Q.p.a"), ("Q.R", "Q.R.p.a")])
def test_branches(branch, expected):
    """The parallel agent's own name is always part of it (PAR-002)."""
    log = []
    sub = Agent("a", run=lambda ctx: log.append(ctx.branch) or [])
    assert told(ParallelAgent("p", sub_agents=[sub]).run(context(branch=branch))) == []
    assert log == [expected]


def test_branches_of_nested_agents():
    """A nested parallel agent's name is repeated, a sequential or loop agent's is not (PAR-003, PAR-004)."""
    log = []
    callbacks = lambda name: {"before_agent_callbacks": [at_the_node(log, name)]}  # noqa: E731
    r, r2, r3 = (speaker([], name, **callbacks(name)) for name in ("R", "R2", "R3"))
    q = ParallelAgent("Q", sub_agents=[r], **callbacks("Q"))
    q2 = ParallelAgent("Q2", sub_agents=[r2], **callbacks("Q2"))
    s = SequentialAgent("S", sub_agents=[r3, q2], **callbacks("S"))
    p = ParallelAgent("P", sub_agents=[q, s], **callbacks("P"))
    assert told(LoopAgent("L", sub_agents=[p], max_iterations=1).run(context())) == []
    assert dict(log) == {
        "P": "",
        "Q": "P.Q",
        "R": "P.Q.Q.R",
        "S": "P.S",
        "R3": "P.S",
        "Q2": "P.S",
        "R2": "P.S.Q2.R2",
    }


def test_an_empty_invocation_id_is_drawn_by_each():
    """Sub-agents of a run without id get one of their own each (PAR-006)."""
    log = []
    subs = [Agent(name, run=lambda ctx: log.append(ctx.invocation_id) or []) for name in "ab"]
    ctx = context()
    ctx.invocation_id = ""
    assert told(ParallelAgent("p", sub_agents=subs).run(ctx)) == []
    assert sorted(log) == ["e-id-1", "e-id-2"]


def test_only_events_that_copy_the_branch_have_one():
    """A body's event stays as it is, a callback's event has its context's branch (PAR-004, PAR-007)."""
    agent = ParallelAgent(
        "p",
        sub_agents=[speaker([], "a", "m", after_agent_callbacks=[lambda ctx: HELLO])],
        after_agent_callbacks=[lambda ctx: HELLO],
    )
    assert told(agent.run(context(branch="Q"))) == [
        (says("m", author="a"), None),
        (stated(1, "a", HELLO, branch="Q.p.a"), None),
        (stated(2, "p", HELLO, branch="Q"), None),
    ]


def test_the_session_is_shared():
    """What one sub-agent writes, another sees; the last write wins (PAR-008)."""
    first, second = threading.Event(), threading.Event()
    seen = []

    def one(ctx):
        ctx.state["k"] = "one"
        first.set()
        assert second.wait(SOON)
        seen.append(ctx.state["k"])
        return []

    def two(ctx):
        assert first.wait(SOON)
        seen.append(ctx.state["k"])
        ctx.state["k"] = "two"
        second.set()
        return []

    ctx = context()
    agent = ParallelAgent("p", sub_agents=[Agent("a", run=one), Agent("b", run=two)])
    assert told(agent.run(ctx)) == []
    assert seen == ["one", "two"]
    assert dict(ctx.session.state) == {"k": "two"}


# --- execution (10.2) ----------------------------------------------------------------------------


def test_all_sub_agents_start_at_once():
    """After the before phase, without a limit, each before any other has offered (PAR-020)."""
    log, barrier = [], threading.Barrier(12)

    def run(ctx):
        barrier.wait(SOON)
        assert log == ["before"]
        yield says(ctx.agent_name)

    agent = ParallelAgent(
        "p",
        sub_agents=[Agent(f"a{n}", run=run) for n in range(12)],
        before_agent_callbacks=[noting(log, "before")],
    )
    assert sorted(texts(agent.run(context()))) == sorted(f"a{n}" for n in range(12))


def test_a_sub_agent_waits_for_its_ack():
    """It resumes when the consumer is done with its very item, and not before (PAR-022, PAR-023)."""
    log = []
    agent = ParallelAgent("p", sub_agents=[speaker(log, "a", "a1", "a2")])
    for event, _ in agent.run(context()):
        log.append(event.content.spoken_text())
        log.append("done")
    assert log == ["a starts", "a1", "done", "a resumed", "a2", "done", "a resumed", "a ends"]


def test_the_other_sub_agent_stays_where_it_is():
    """While the consumer handles an item, one with a pending item is suspended (PAR-022)."""
    log, watched = [], Watched()
    subs = [speaker(log, "a", "a1", "a2"), speaker(log, "b", "b1", "b2")]
    stream = ParallelAgent("p", sub_agents=subs).run(context(host=watched.host()))
    found = []
    for event, _ in stream:
        if not found:
            watched.wait_for(1)
            assert sorted(log) == ["a starts", "b starts"]
        found.append(event.content.spoken_text())
    assert sorted(found) == ["a1", "a2", "b1", "b2"]


@pytest.mark.parametrize("run", range(20))
def test_allowed_traces(run):
    """Offer, delivery, return, resume, next offer; deliveries never overlap; all end first (PAR-024, PAR-026)."""
    log = []

    def body(ctx):
        name = ctx.agent_name
        for k in range(3):
            log.append(("O", name, k))
            yield says(f"{name}{k}")
            log.append(("A", name, k))
        log.append(("F", name))

    agent = ParallelAgent("p", sub_agents=[Agent(name, run=body) for name in "abc"])
    deliveries = []
    for event, _ in agent.run(context()):
        name, k = event.author, int(event.content.spoken_text()[1:])
        log.append(("D", name, k))
        deliveries += ["D", "R"]
        log.append(("R", name, k))
    log.append("Z")
    for name in "abc":
        own = [entry for entry in log if entry[1:2] == (name,)]
        steps = [(step, name, k) for k in range(3) for step in "ODRA"]
        assert own == [*steps, ("F", name)]
    assert [entry[0] for entry in log if entry[0] in "DR"] == deliveries
    assert log[-1] == "Z"
    assert len(log) == 3 * 13 + 1


def test_a_sub_agent_sees_what_was_handled_before_its_ack():
    """Its own event and all that were stored before it, whoever made them (PAR-025)."""
    seen = []

    def body(ctx):
        for k in range(5):
            event = says(f"{ctx.agent_name}{k}")
            yield event
            stored = [it.id for it in ctx.session.events]
            seen.append((event.id, stored))

    agent = ParallelAgent("p", sub_agents=[Agent(name, run=body) for name in "abc"])
    runner = Runner.in_memory("app", agent)
    ids = [event.id for event in runner.run("u", "s", "hi")]
    assert len(ids) == 15
    whole = [event.id for event in runner.session_service.get("app", "u", "s").events]
    assert whole[1:] == ids
    for own, stored in seen:
        position = whole.index(own)
        assert stored[: position + 1] == whole[: position + 1]


def test_an_event_that_is_not_stored_is_acknowledged_too():
    """A partial event, and one whose event hook failed (PAR-023)."""
    log = []

    def body(ctx):
        yield says("partial", partial=True)
        yield says("refused")
        yield says("stored")
        log.append([event.content.spoken_text() for event in ctx.session.events])

    def refuse(ctx, event):
        if event.content.spoken_text() == "refused":
            raise BOOM

    agent = ParallelAgent("p", sub_agents=[Agent("a", run=body)])
    runner = Runner(
        "app",
        agent,
        Runner.in_memory("app", agent).session_service,
        plugins=[Plugin("p", on_event_callback=refuse)],
        auto_create_session=True,
    )
    assert texts(runner.stream("u", "s", HELLO)) == ["partial", "!boom", "stored"]
    assert log == [["hello", "stored"]]


def test_empty_items_are_forwarded():
    """With their ack, as every item (PAR-027)."""
    log = []

    def body(ctx):
        yield None
        log.append("resumed")
        yield None, None
        log.append("resumed")

    stream = ParallelAgent("p", sub_agents=[Agent("a", run=body)]).run(context())
    assert next(stream) == (None, None)
    assert log == []
    assert list(stream) == [(None, None)]
    assert log == ["resumed", "resumed"]


def test_without_sub_agents_there_are_only_phases():
    """The body yields nothing (PAR-028)."""
    agent = ParallelAgent("p", after_agent_callbacks=[lambda ctx: HELLO])
    assert told(agent.run(context())) == [(stated(1, "p", HELLO), None)]


def test_a_kept_context_is_dead_after_the_run():
    """Sub-agents share one host context, which ends with the body (PAR-001, PAR-029)."""
    kept = []

    def body(ctx):
        kept.append(ctx.host)
        yield says("m", partial=ctx.host.error() is not None)

    ctx = context()
    agent = ParallelAgent("p", sub_agents=[Agent("a", run=body), Agent("b", run=body)])
    items = told(agent.run(ctx))
    assert [event.partial for event, _ in items] == [False, False]
    assert kept[0] is kept[1]
    assert isinstance(kept[0].error(), Cancelled)
    assert ctx.host.error() is None


def test_a_sub_agent_that_waits_holds_nobody_up():
    """It may even wait for what the consumer does with another one's item (PAR-030)."""
    log, gate = [], threading.Event()
    agent = ParallelAgent(
        "p", sub_agents=[waiting_for(gate, log, "a", "a1"), speaker(log, "b", "b1", "b2")]
    )
    found = []
    for event, _ in agent.run(context()):
        found.append(event.content.spoken_text())
        if found[-1] == "b2":
            gate.set()
    assert found == ["b1", "b2", "a1"]


# --- errors (10.3) ---------------------------------------------------------------------------------


def test_an_error_ends_its_sub_agent_and_comes_last():
    """The sub-agent is stopped at that yield, an event beside the error is dropped (PAR-040, PAR-041, PAR-043)."""
    log = []

    def body(ctx):
        try:
            yield says("a1")
            yield says("dropped"), BOOM
            log.append("resumed")
        finally:
            log.append("clean")

    stream = ParallelAgent("p", sub_agents=[Agent("a", run=body)]).run(context())
    items = []
    for item in stream:
        if item[1] is not None:
            assert log == ["clean"]
        items.append(item)
    assert [shown(item) for item in items] == [(says("a1", author="a"), None), failure("a")]
    assert items[-1][1].__cause__ is BOOM
    assert log == ["clean"]


def test_a_failed_before_phase_keeps_the_body_from_running():
    """Another than in a sequence, where it would run (PAR-040)."""
    log = []
    sub = speaker(log, "a", "m", before_agent_callbacks=[noting(log, "before", BOOM)])
    assert told(ParallelAgent("p", sub_agents=[sub]).run(context())) == [
        failure("a", "failed to run before agent callback: boom")
    ]
    assert log == ["before"]


@pytest.mark.parametrize("first", ["a", "b"])
def test_the_first_error_in_time_is_the_error(first):
    """A later one, here provoked by the first, is discarded (PAR-042)."""
    log = []
    subs = [
        speaker(log, name, error=BOOM) if name == first else until_dead(log, name, error=BOOM)
        for name in "ab"
    ]
    assert told(ParallelAgent("p", sub_agents=subs).run(context())) == [failure(first)]
    assert sorted(log) == ["a ends", "a starts", "b ends", "b starts"]


def test_an_error_waits_for_every_sibling():
    """It comes once, last, after all cleanup; what was delivered stays delivered (PAR-042, PAR-043)."""
    log, gate = [], threading.Event()
    subs = [
        waiting_for(gate, log, "a", error=BOOM),
        *(speaker(log, n, f"{n}1", f"{n}2") for n in "bcd"),
    ]
    ctx = context()
    items = []
    for item in ParallelAgent("p", sub_agents=subs).run(ctx):
        items.append(shown(item))
        if len(items) == 3:
            gate.set()
        if item[1] is not None:
            assert sorted(it for it in log if it.endswith("ends")) == [f"{n} ends" for n in "abcd"]
    assert items[-1] == failure("a")
    assert [error for _, error in items[:-1]] == [None] * (len(items) - 1)
    assert len(items) >= 4
    assert ctx.host.error() is None


def test_a_sibling_in_its_own_code_runs_on():
    """Until its next item, at which it is stopped, or to its end (PAR-044)."""
    log = []
    subs = [speaker(log, "a", error=BOOM), until_dead(log, "b", "b1", "b2"), until_dead(log, "c")]
    assert told(ParallelAgent("p", sub_agents=subs).run(context())) == [failure("a")]
    assert [it for it in log if it[0] == "b"] == ["b starts", "b stopped", "b ends"]
    assert [it for it in log if it[0] == "c"] == ["c starts", "c ends"]


def test_a_sibling_with_a_pending_item_is_stopped():
    """It is released with a stop and its item is not delivered (PAR-044, PAR-045)."""
    log, watched, gate = [], Watched(), threading.Event()
    subs = [speaker(log, "a", "a1"), waiting_for(gate, log, "b", error=BOOM)]
    stream = ParallelAgent("p", sub_agents=subs).run(context(host=watched.host()))
    # While the consumer handles a1, b fails: its end is in the queue.
    first = next(stream)
    gate.set()
    watched.wait_for(1)
    assert [shown(item) for item in [first, *stream]] == [
        (says("a1", author="a"), None),
        failure("b"),
    ]
    assert [it for it in log if it[0] == "a"] == ["a starts", "a stopped", "a ends"]


OFFER, TAKE, GO_ON = (
    Liberty.OFFER_AFTER_CANCEL,
    Liberty.TAKE_AFTER_CANCEL,
    Liberty.GO_ON_AT_STOP,
)


@pytest.mark.parametrize(
    ("liberties", "delivered", "stopped"),
    [
        ((), [], True),
        ((OFFER,), [], True),
        ((TAKE,), [], True),
        ((OFFER, TAKE), ["b1", "b2"], False),
    ],
)
def test_liberties_of_a_sibling_after_an_error(liberties, delivered, stopped):
    """It may go on delivering, or not at all; the error stays the last item (PAR-045)."""
    log, watched = [], Watched(*liberties)
    subs = [speaker([], "a", error=BOOM), until_dead(log, "b", "b1", "b2")]
    items = told(ParallelAgent("p", sub_agents=subs).run(context(host=watched.host())))
    assert items == [*((says(word, author="b"), None) for word in delivered), failure("a")]
    assert ("b stopped" in log) is stopped


@pytest.mark.parametrize(("liberties", "delivered"), [((), []), ((TAKE,), ["other"])])
def test_liberties_with_a_pending_item(liberties, delivered):
    """An item that was offered when the host died may be delivered or not (PAR-045, PAR-053)."""
    watched = Watched(*liberties)
    dying, cancel = watched.host().with_cancel()
    subs = [speaker([], "a", "m"), speaker([], "b", "m")]
    stream = ParallelAgent("p", sub_agents=subs).run(context(host=dying))
    (first, _) = next(stream)
    watched.wait_for(1)
    cancel()
    rest = told(stream)
    other = "b" if first.author == "a" else "a"
    assert rest[:-1] == [(says("m", author=other), None) for _ in delivered]
    assert rest[-1] in [failure(name, "context canceled") for name in "ab"]


def test_after_the_error_the_run_goes_on():
    """The after phase follows, in a context that the error did not cancel (PAR-046)."""
    alive = []

    def after(ctx):
        alive.append(ctx.host.error())
        return HELLO

    agent = ParallelAgent(
        "p", sub_agents=[speaker([], "a", error=BOOM)], after_agent_callbacks=[after]
    )
    assert told(agent.run(context())) == [failure("a"), (stated(1, "p", HELLO), None)]
    assert alive == [None]


def test_nested_errors_nest_their_texts():
    """Each parallel agent names the sub-agent that failed (PAR-047)."""
    q = ParallelAgent("Q", sub_agents=[speaker([], "R", error=BOOM)])
    s = SequentialAgent("S", sub_agents=[q])
    text = 'failed to run sub-agent "R": boom'
    assert told(q.run(context())) == [(None, text)]
    assert told(ParallelAgent("P", sub_agents=[s]).run(context())) == [failure("S", text)]
    assert told(ParallelAgent("P", sub_agents=[q]).run(context())) == [failure("Q", text)]


def test_names_are_quoted():
    """As Go quotes them (PAR-041)."""
    sub = speaker([], 'a"b', error=BOOM)
    assert told(ParallelAgent("p", sub_agents=[sub]).run(context())) == [
        (None, 'failed to run sub-agent "a\\"b": boom')
    ]


@pytest.mark.parametrize("panic", [ProgrammingError("misuse"), SystemExit(3)])
def test_a_fault_is_no_error_item(panic):
    """The others are cancelled and waited for, then it is raised (PAR-048)."""
    log, watched = [], Watched()
    agent = ParallelAgent(
        "p",
        sub_agents=[speaker(log, "a", error=panic), speaker(log, "b", *("b" * 1000))],
        after_agent_callbacks=[noting(log, "never")],
    )
    with pytest.raises(type(panic)) as caught:
        list(agent.run(context(host=watched.host())))
    assert caught.value is panic
    assert "b ends" in log
    assert "never" not in log
    assert log.count("b resumed") < 1000


def test_a_fault_while_cleaning_up_is_not_swallowed():
    """Also when the consumer has stopped and nobody asks for items any more (PAR-048)."""
    log = []

    def body(ctx):
        try:
            yield says("m")
        finally:
            raise BOOM

    agent = ParallelAgent("p", sub_agents=[Agent("a", run=body), speaker(log, "b", "m")])
    stream = agent.run(context())
    next(stream)
    with pytest.raises(AdkError) as caught:
        stream.close()
    assert caught.value is BOOM


# --- cancellation from outside (10.4) -----------------------------------------------------------------


def test_a_dead_context_lets_sub_agents_start():
    """Each runs up to its first item or its end; who had to offer reports the cancellation (PAR-021, PAR-051)."""
    log = []
    dead, cancel = host().with_cancel()
    cancel()
    agent = ParallelAgent("p", sub_agents=[speaker(log, "a", "a1", "a2"), speaker(log, "b")])
    assert told(agent.run(context(host=dead))) == [failure("a", "context canceled")]
    assert [it for it in log if it[0] == "a"] == ["a starts", "a stopped", "a ends"]
    assert [it for it in log if it[0] == "b"] == ["b starts", "b ends"]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: host().with_cancel(), "context canceled"),
        (lambda: host().with_timeout(1000), "context canceled"),
        (lambda: host().with_timeout(0), "context deadline exceeded"),
    ],
    ids=["cancelled", "cancelled before the deadline", "deadline"],
)
def test_the_cancellations_own_text(make, text):
    """Who waits for an ack in the dead context ends with its error (PAR-051)."""
    log = []
    dying, cancel = make()
    stream = ParallelAgent("p", sub_agents=[speaker(log, "a", "a1", "a2")]).run(
        context(host=dying)
    )
    if text == "context canceled":
        assert shown(next(stream)) == (says("a1", author="a"), None)
    cancel()
    assert told(stream) == [failure("a", text)]
    assert log == ["a starts", "a stopped", "a ends"]


def test_one_of_those_who_wait_is_named():
    """After the item in hand comes one error, whoever reports first (PAR-042, PAR-051)."""
    log = []
    dying, cancel = host().with_cancel()
    agent = ParallelAgent(
        "p",
        sub_agents=[speaker(log, name, f"{name}1", f"{name}2") for name in "ab"],
        after_agent_callbacks=[lambda ctx: HELLO],
    )
    stream = agent.run(context(host=dying))
    assert next(stream)[1] is None
    cancel()
    first, last = told(stream)
    assert first in [failure(name, "context canceled") for name in "ab"]
    assert last == (stated(1, "p", HELLO), None)
    assert sorted(log) == ["a ends", "a starts", "a stopped", "b ends", "b starts", "b stopped"]


def test_the_body_does_not_react_by_itself():
    """It ends when all have ended; if none had to wait there is no error (PAR-050, PAR-052)."""
    log = []
    dying, cancel = host().with_cancel()
    subs = [until_dead(log, "a"), until_dead(log, "b")]
    agent = ParallelAgent("p", sub_agents=subs, before_agent_callbacks=[lambda ctx: cancel()])
    assert told(agent.run(context(host=dying))) == []
    assert sorted(log) == ["a ends", "a starts", "b ends", "b starts"]


# --- stops (10.5) --------------------------------------------------------------------------------------


def test_a_stop_ends_everybody():
    """Exactly the items so far; all have cleaned up when close returns; no after phase (PAR-060 to PAR-063)."""
    log = []
    agent = ParallelAgent(
        "p",
        sub_agents=[speaker(log, name, f"{name}1", f"{name}2") for name in "abc"],
        after_agent_callbacks=[noting(log, "never")],
    )
    stream = agent.run(context())
    next(stream)
    stream.close()
    assert list(stream) == []
    assert sorted(log) == [
        f"{name} {what}" for name in "abc" for what in ("ends", "starts", "stopped")
    ]


@pytest.mark.parametrize(
    ("liberties", "expected"),
    [((), ["a starts", "a stopped"]), ((GO_ON,), ["a starts", "a resumed", "a stopped"])],
)
def test_the_ack_comes_before_the_cancellation(liberties, expected):
    """The sub-agent that was stopped may be told to go on first: it runs up to its next item (PAR-060, PAR-063)."""
    log, alive = [], []
    agent = speaker(log, "a", "a1", "a2")
    speak = agent.body

    def run(ctx):
        items = speak(ctx)
        try:
            yield from items
        finally:
            alive.append(ctx.host.error() is None)

    agent.body = run
    watched = Watched(*liberties, patient=True)
    stream = ParallelAgent("p", sub_agents=[agent]).run(context(host=watched.host()))
    next(stream)
    stream.close()
    assert log == [*expected, "a ends"]
    assert alive == [not liberties]


def test_the_shared_context_dies_at_a_stop():
    """A sub-agent in its own code learns of it, offers once more and is refused (PAR-060, PAR-063)."""
    log = []
    subs = [speaker(log, "a", "a1"), until_dead(log, "b", "b1", "b2")]
    stream = ParallelAgent("p", sub_agents=subs).run(context())
    assert shown(next(stream)) == (says("a1", author="a"), None)
    stream.close()
    assert [it for it in log if it[0] == "b"] == ["b starts", "b stopped", "b ends"]


def test_a_stop_waits_for_cleanup():
    """However long it takes (PAR-061)."""
    cleaning, gate, log = threading.Event(), threading.Event(), []

    def body(ctx):
        try:
            yield says("m")
        finally:
            cleaning.set()
            assert gate.wait(SOON)
            log.append("clean")

    stream = ParallelAgent("p", sub_agents=[Agent("a", run=body)]).run(context())
    next(stream)

    def close():
        stream.close()
        log.append("closed")

    closer = threading.Thread(target=close)
    closer.start()
    assert cleaning.wait(SOON)
    assert log == []
    gate.set()
    closer.join(SOON)
    assert log == ["clean", "closed"]


def test_errors_after_a_stop_are_discarded():
    """Nobody is there to hear them (PAR-062)."""
    log = []
    subs = [speaker(log, "a", "a1"), until_dead(log, "b", error=BOOM)]
    stream = ParallelAgent("p", sub_agents=subs).run(context())
    next(stream)
    stream.close()
    assert list(stream) == []
    assert [it for it in log if it[0] == "b"] == ["b starts", "b ends"]


@pytest.mark.parametrize("way", ["closing", "throw"])
def test_a_consumer_that_breaks_leaves_nothing_behind(way):
    """Its exception goes on after the same cleanup (PAR-064)."""
    log = []
    subs = [speaker(log, name, f"{name}1") for name in "ab"]
    stream = ParallelAgent("p", sub_agents=subs).run(context())

    def consume():
        with closing(stream):
            next(stream)
            if way == "throw":
                stream.throw(KeyError("consumer"))
            raise KeyError("consumer")

    with pytest.raises(KeyError, match="consumer"):
        consume()
    assert sorted(log) == [
        f"{name} {what}" for name in "ab" for what in ("ends", "starts", "stopped")
    ]


def test_a_stop_at_the_error_item():
    """All have ended by then, and no after phase follows (PAR-065)."""
    log = []
    agent = ParallelAgent(
        "p",
        sub_agents=[speaker(log, "a", error=BOOM)],
        after_agent_callbacks=[noting(log, "never")],
    )
    stream = agent.run(context())
    assert shown(next(stream)) == failure("a")
    stream.close()
    assert log == ["a starts", "a ends"]


def test_a_machine_out_of_threads(monkeypatch):
    """A sub-agent that cannot be started is a fault, those that were started end (PAR-048, PAR-061)."""
    log, start, left = [], threading.Thread.start, [1]

    def exhausted(thread):
        if not left:
            raise RuntimeError("can't start new thread")
        left.pop()
        start(thread)

    subs = [speaker(log, name, f"{name}1") for name in "ab"]
    stream = ParallelAgent("p", sub_agents=subs).run(context())
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", exhausted)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            next(stream)
    assert log == ["a starts", "a stopped", "a ends"]


# --- ended flag and escalation (10.6) -------------------------------------------------------------------


def test_a_sub_agent_ends_only_itself():
    """Not its siblings, not the parallel agent (PAR-070)."""
    log, gate = [], threading.Event()

    def body(ctx):
        ctx.end_invocation()
        gate.set()
        yield says("a1")

    agent = ParallelAgent(
        "p",
        sub_agents=[
            Agent("a", run=body, after_agent_callbacks=[noting(log, "never")]),
            waiting_for(gate, log, "b", "b1", after_agent_callbacks=[noting(log, "b after")]),
        ],
        after_agent_callbacks=[noting(log, "p after", HELLO)],
    )
    assert sorted(texts(agent.run(context()))) == ["a1", "b1", "hello"]
    assert log == ["b starts", "b resumed", "b ends", "b after", "p after"]


def test_escalation_is_forwarded_and_nothing_more():
    """Siblings run to their ends (PAR-071)."""
    gate = threading.Event()

    def body(ctx):
        yield says("a1", actions=EventActions(escalate=True))
        gate.set()
        yield says("a2")

    agent = ParallelAgent(
        "p", sub_agents=[Agent("a", run=body), waiting_for(gate, [], "b", "b1", "b2")]
    )
    found = texts(agent.run(context()))
    assert sorted(found) == ["a1", "a2", "b1", "b2"]
    assert found[0] == "a1"


def test_nested_parallel_agents_deliver_one_by_one():
    """The ack of the outermost consumer reaches the innermost producer (PAR-022, PAR-023)."""
    log = []
    inner = ParallelAgent("q", sub_agents=[speaker(log, "a", "a1", "a2")])
    outer = ParallelAgent("p", sub_agents=[inner])
    for event, _ in outer.run(context()):
        log.append(event.content.spoken_text())
    assert log == ["a starts", "a1", "a resumed", "a2", "a resumed", "a ends"]


def test_a_stop_reaches_nested_parallel_agents():
    """All the way in, before close returns (PAR-060, PAR-061)."""
    log = []
    inner = ParallelAgent("q", sub_agents=[speaker(log, "a", "a1"), until_dead(log, "b", "b1")])
    stream = ParallelAgent("p", sub_agents=[inner, until_dead(log, "c")]).run(context())
    next(stream)
    stream.close()
    assert sorted(it for it in log if it.endswith("ends")) == ["a ends", "b ends", "c ends"]
    assert HostContext.background().error() is None
