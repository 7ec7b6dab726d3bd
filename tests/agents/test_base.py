# SPDX-License-Identifier: Apache-2.0
"""The base agent: construction, look-up, the run, its two phases (AGT, CB, CTX-003, CTX-004, CTX-082).

What Python spells otherwise:

* a callback or a body signals an error by raising, so what it raises becomes an error value
  and only programming errors and interruptions go through (AGT-057); a content and an error
  at once do not exist (CB-004);
* a stream is iterated once, and ``run`` is called again for another run (AGT-041);
* no list is nil, and lists are copied at construction (AGT-006); there is no internal
  configuration beside the agent's own fields (AGT-007);
* a search in a cyclic tree does not end (AGT-023): the runner refuses such trees
  (test_tree.py).
"""

import pytest
from agent_scripts import at, context, host, noting, says, shown, speaker, stated, texts, told

from adkref.agents import Agent, LlmAgent, LoopAgent, ParallelAgent
from adkref.artifacts import Artifacts, InMemoryArtifactService
from adkref.content import Content, LlmResponse, Part
from adkref.contexts import (
    Context,
    ContextDelta,
    HostContext,
    InvocationContext,
    ReadonlyContext,
    RunConfig,
    callback_context,
    tool_context,
)
from adkref.errors import AdkError, ProgrammingError
from adkref.events import Event, EventActions, EventCompaction, NodeInfo, ToolConfirmation
from adkref.models import Model
from adkref.plugins import Plugin
from adkref.runner import Runner
from adkref.sessions import InMemorySessionService
from adkref.streams import Emitted
from adkref.tools import FunctionTool

BOOM = ValueError("boom")
HELLO = Content.of_text("hello")


# --- construction ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a", "", "user", "START", 'with "quotes"', "名"])
def test_any_name_is_accepted(name):
    """No name is checked, normalised or compared with another (AGT-001)."""
    twin = Agent(name)
    agent = Agent(name, sub_agents=[Agent("x", sub_agents=[twin])])
    assert (agent.name, agent.description, agent.sub_agents[0].sub_agents) == (name, "", [twin])


def test_a_body_is_not_needed():
    """An agent without one is constructed like any other (AGT-002)."""
    agent = Agent("a", description="does nothing")
    assert (agent.body, agent.description, agent.sub_agents) == (None, "does nothing", [])


@pytest.mark.parametrize("name", ["same_agent", ""])
def test_one_object_twice_is_refused(name):
    """The first repetition in list order is named (AGT-003)."""
    one, two = Agent(name), Agent("two")
    with pytest.raises(AdkError) as caught:
        Agent("a", sub_agents=[Agent("x"), one, two, one, two])
    text = f'error creating agent: subagent "{name}" appears multiple times in subAgents'
    assert str(caught.value) == text


def test_two_objects_of_one_name_are_accepted():
    """The check is by identity, also for agents that are alike in all (AGT-004)."""
    subs = [Agent("same"), Agent("same")]
    assert Agent("a", sub_agents=subs).sub_agents == subs


def test_only_the_direct_list_is_checked():
    """The same object on a deeper level is not noticed here (AGT-005)."""
    one = Agent("one")
    middle = Agent("middle", sub_agents=[one])
    assert Agent("a", sub_agents=[middle, one]).sub_agents == [middle, one]


def test_sub_agents_keep_their_order():
    """The list shows the very objects; any iterable will do (AGT-006)."""
    subs = [Agent(name) for name in "cab"]
    agent = Agent("a", sub_agents=(sub for sub in subs))
    assert [id(sub) for sub in agent.sub_agents] == [id(sub) for sub in subs]


def test_a_custom_agent_says_so():
    """Its type is CustomAgent (AGT-007)."""
    assert Agent("a").agent_type == "CustomAgent"
    assert repr(Agent("a")) == "<Agent 'a'>"


def test_sub_agents_are_not_touched():
    """No parent is recorded: one object may have two (AGT-008)."""
    sub = Agent("sub")
    before = dict(vars(sub))
    first, second = Agent("p", sub_agents=[sub]), Agent("q", sub_agents=[sub])
    assert vars(sub) == before
    assert first.sub_agents == second.sub_agents == [sub]


def test_a_missing_sub_agent_fails_when_it_is_met():
    """One None is accepted and breaks a search that reaches it; two break the constructor (AGT-009)."""
    agent = Agent("a", sub_agents=[Agent("b"), None])
    assert agent.find_agent("b") is agent.sub_agents[0]
    with pytest.raises(AttributeError):
        agent.find_agent("c")
    with pytest.raises(ProgrammingError, match="sub_agents holds None twice"):
        Agent("a", sub_agents=[None, None])


# --- look-up ---------------------------------------------------------------------------------


def tree():
    """root(a(b, x1), c(x2, ""), x3) with three agents named x."""
    x1, x2, x3 = Agent("x"), Agent("x"), Agent("x")
    b, nameless = Agent("b"), Agent("")
    a, c = Agent("a", sub_agents=[b, x1]), Agent("c", sub_agents=[x2, nameless])
    root = Agent("root", sub_agents=[a, c, x3])
    return root, a, b, c, x1, x2, x3, nameless


def test_an_agent_finds_itself_then_its_descendants():
    """Names are compared exactly, the search is pre-order, the first match wins (AGT-020, AGT-021)."""
    root, a, b, c, x1, x2, _, _ = tree()
    found = [root.find_agent(name) for name in ("root", "a", "b", "c", "x", "X", "A", "none")]
    assert found == [root, a, b, c, x1, None, None, None]
    assert c.find_agent("x") is x2
    assert c.find_agent("b") is None


def test_looking_among_descendants_skips_the_agent_itself():
    """The receiver never matches, an equally named descendant does (AGT-021)."""
    root, a, *_ = tree()
    assert root.find_sub_agent("root") is None
    assert a.find_sub_agent("b") is a.sub_agents[0]
    inner = Agent("same")
    outer = Agent("same", sub_agents=[inner])
    assert outer.find_agent("same") is outer
    assert outer.find_sub_agent("same") is inner


def test_the_empty_name_is_a_name():
    """It finds the first agent without a name (AGT-022)."""
    root, *_, nameless = tree()
    assert root.find_agent("") is nameless
    assert Agent("", sub_agents=[nameless]).find_agent("") is not nameless


@pytest.mark.parametrize("kind", [Agent, LoopAgent, ParallelAgent, LlmAgent])
def test_an_agent_found_by_name_is_the_object_that_was_made(kind):
    """Directly and through an ancestor (AGT-024)."""
    agent = kind("a")
    assert agent.find_agent("a") is agent
    assert Agent("root", sub_agents=[agent]).find_agent("a") is agent


# --- the run: contexts -------------------------------------------------------------------------


def test_nothing_happens_before_the_stream_is_iterated():
    """No callback, no body, no derivation, and no use of the context (AGT-040)."""
    log = []
    agent = speaker(log, "a", "m", before_agent_callbacks=[noting(log, "before")])
    stream = agent.run(None)
    assert log == []
    stream.close()
    assert log == []
    with pytest.raises(AttributeError):
        next(agent.run(None))


def test_every_run_is_complete_and_independent():
    """Each has fresh actions, fresh ids and a new call of the body (AGT-041)."""
    log, ctx = [], context()
    agent = speaker(log, "a", "m", before_agent_callbacks=[noting(log, "before", state={"k": 1})])
    for number in (1, 2):
        assert told(agent.run(ctx)) == [
            (stated(number, "a", state={"k": 1}), None),
            (says("m", author="a"), None),
        ]
    assert log == ["before", "a starts", "a resumed", "a ends"] * 2


def test_the_run_works_on_a_context_of_its_own():
    """The agent is bound in it, all else is inherited, the caller's stays as it is (AGT-042)."""
    seen = []
    agent = Agent("a", run=lambda ctx: seen.append(ctx) or [])
    caller = Context.promote(
        context(branch="P.a", isolation_scope="scope", agent=Agent("caller"))
    ).with_delta(ContextDelta(path="root", run_id="1", resume_inputs={"q": 1}))
    inner = caller.inner
    before = dict(vars(caller)), {name: getattr(inner, name) for name in inner.__slots__[:12]}
    assert told(agent.run(caller)) == []
    (node,) = seen
    assert type(node) is Context
    assert node is not caller
    assert node.agent is agent
    assert (node.host, node.session, node.invocation_id) == (caller.host, caller.session, "inv")
    assert (node.branch, node.isolation_scope) == ("P.a", "scope")
    assert (node.path, node.run_id, node.resume_inputs) == ("root", "1", {"q": 1})
    after = dict(vars(caller)), {name: getattr(inner, name) for name in inner.__slots__[:12]}
    assert after == before


def test_the_ended_flag_is_a_copy():
    """Ending the run's context is not seen by the caller, nor the reverse (AGT-043)."""
    log, ctx = [], context()
    after = noting(log, "after")
    ends = Agent("a", run=lambda node: node.end_invocation() or [], after_agent_callbacks=[after])
    assert told(ends.run(ctx)) == []
    assert (ctx.ended, log) == (False, [])

    stream = speaker(log, "b", "m", after_agent_callbacks=[after]).run(ctx)
    next(stream)
    ctx.end_invocation()
    assert told(stream) == []
    assert log == ["b starts", "b resumed", "b ends", "after"]


def test_an_agent_cannot_run_with_a_restricted_context():
    """A callback's or a tool's context is refused before any callback is asked (AGT-059)."""
    log = []
    agent = speaker(log, "a", "m", before_agent_callbacks=[noting(log, "before")])
    for make, kind in ((callback_context, "CallbackContext"), (tool_context, "ToolContext")):
        stream = agent.run(make(context()))
        with pytest.raises(ProgrammingError, match=f"an agent cannot run with a {kind}"):
            next(stream)
    with pytest.raises(AttributeError):
        next(agent.run(ReadonlyContext(context())))
    assert log == []


def test_a_child_derives_from_its_parents_context():
    """What the body passes on is where the child starts: agent and flag nest (AGT-060)."""
    log, seen = [], []
    child = speaker(log, "child", "m", before_agent_callbacks=[seen.append])

    def run(ctx):
        seen.append(ctx)
        yield from child.run(ctx)
        ctx.end_invocation()
        yield from child.run(ctx)

    parent = Agent("parent", run=run)
    assert texts(parent.run(context())) == ["m"]
    assert log == ["child starts", "child resumed", "child ends"]
    assert seen[0].agent is parent
    assert [ctx.agent_name for ctx in seen] == ["parent", "child", "child"]


def test_a_body_writes_state_to_the_session_only():
    """Its context is a full one, but has no actions record (AGT-061)."""
    ctx = context()

    def run(node):
        node.state["k"] = 1
        assert node.actions is None
        yield says("m")

    assert told(Agent("a", run=run).run(ctx)) == [(says("m", author="a"), None)]
    assert dict(ctx.session.state) == {"k": 1}


def test_runs_of_one_agent_do_not_meet():
    """An agent holds nothing of a run, so two may be interleaved (AGT-062)."""
    log = []
    agent = speaker(
        log,
        "a",
        "m",
        "n",
        before_agent_callbacks=[noting(log, "before", state={"k": 1})],
        after_agent_callbacks=[noting(log, "after", HELLO)],
    )
    first, second = agent.run(context()), agent.run(context())
    pairs = list(zip(first, second, strict=True))
    whole = [
        (stated(1, "a", state={"k": 1}), None),
        (says("m", author="a"), None),
        (says("n", author="a"), None),
        (stated(2, "a", HELLO), None),
    ]
    assert pairs == [(item, item) for item in whole]


# --- the run: order, ended checks, items ---------------------------------------------------------


def test_the_order_of_a_run():
    """Before phase, its item, body, after phase, its item (AGT-044)."""
    log = []
    agent = speaker(
        log,
        "a",
        "m",
        before_agent_callbacks=[noting(log, "before", state={"k": 1})],
        after_agent_callbacks=[noting(log, "after", HELLO)],
    )
    for event, error in agent.run(context()):
        log.append((event.content and event.content.spoken_text(), error))
    assert log == [
        "before",
        (None, None),
        "a starts",
        ("m", None),
        "a resumed",
        "a ends",
        "after",
        ("hello", None),
    ]


@pytest.mark.parametrize(
    ("callback", "item"),
    [
        ({}, []),
        ({"state": {"k": 1}}, [(stated(1, "a", state={"k": 1}), None)]),
        ({"answer": HELLO}, [(stated(1, "a", HELLO), None)]),
        ({"answer": BOOM}, [(None, "failed to run before agent callback: boom")]),
    ],
)
def test_an_ended_context_still_runs_the_before_phase(callback, item):
    """It is the only thing that happens then (AGT-045, AGT-046, CB-010)."""
    log = []
    agent = speaker(
        log,
        "a",
        "m",
        before_agent_callbacks=[noting(log, "before", **callback)],
        after_agent_callbacks=[noting(log, "after", HELLO)],
    )
    ctx = context(ended=True)
    assert told(agent.run(ctx)) == item
    assert log == ["before"]


def test_ending_in_the_body_suppresses_the_after_phase_only():
    """The body's further items are forwarded (AGT-045, AGT-050)."""
    log = []

    def run(ctx):
        yield says("m")
        ctx.end_invocation()
        assert ctx.ended
        yield says("n")
        yield None, BOOM
        yield says("o")

    agent = Agent("a", run=run, after_agent_callbacks=[noting(log, "after", HELLO)])
    assert texts(agent.run(context())) == ["m", "n", "!boom", "o"]
    assert log == []


def test_every_kind_of_item_is_forwarded_as_it_is():
    """Event, error, both and neither, in order and number, as the very pairs (AGT-047)."""
    event = says("m", author="x")
    pairs = [(event, None), (None, BOOM), (event, BOOM), (None, None), (None, BOOM)]
    items = list(Agent("a", run=lambda ctx: pairs).run(context()))
    assert [id(item) for item in items] == [id(pair) for pair in pairs]


def test_a_body_may_yield_events_alone():
    """An event is a pair without error, None is an item of nothing (AGT-047)."""
    event = says("m", author="x")
    assert list(Agent("a", run=lambda ctx: [event, None]).run(context())) == [
        (event, None),
        (None, None),
    ]


def test_errors_do_not_end_a_run():
    """The body goes on after an error item, and the after phase follows (AGT-047, AGT-048)."""

    def run(ctx):
        yield None, BOOM
        yield says("m")
        yield None, AdkError("again")

    agent = Agent("a", run=run, after_agent_callbacks=[lambda ctx: HELLO])
    assert texts(agent.run(context())) == ["!boom", "m", "!again", "hello"]


def test_what_a_body_raises_is_its_last_item():
    """The exception itself is the error, and the after phase follows (AGT-048)."""
    log = []
    agent = speaker(log, "a", "m", error=BOOM, after_agent_callbacks=[lambda ctx: HELLO])
    items = list(agent.run(context()))
    assert [shown(item) for item in items] == [
        (says("m", author="a"), None),
        (None, "boom"),
        (stated(1, "a", HELLO), None),
    ]
    assert items[1][1] is BOOM
    assert log == ["a starts", "a resumed", "a ends"]


def test_a_body_may_raise_before_there_is_a_stream():
    """A function that is no generator signals errors the same way."""

    def run(ctx):
        raise BOOM

    agent = Agent("a", run=run, after_agent_callbacks=[lambda ctx: HELLO])
    assert told(agent.run(context())) == [(None, "boom"), (stated(1, "a", HELLO), None)]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (None, "agent 'a' has no body"),
        (lambda ctx: None, "the body of agent 'a' returned NoneType, expected a generator"),
        (lambda ctx: 7, "the body of agent 'a' returned int, expected a generator"),
    ],
)
def test_a_missing_body_fails_when_it_is_reached(body, text):
    """The before phase has been yielded by then; its content hides the fault (AGT-049)."""
    log = []
    agent = Agent("a", run=body, before_agent_callbacks=[noting(log, "b", state={"k": 1})])
    stream = agent.run(context())
    assert shown(next(stream)) == (stated(1, "a", state={"k": 1}), None)
    with pytest.raises(ProgrammingError) as caught:
        next(stream)
    assert str(caught.value) == text
    hidden = Agent("a", run=body, before_agent_callbacks=[lambda ctx: HELLO])
    assert told(hidden.run(context())) == [(stated(1, "a", HELLO), None)]


def test_a_body_that_yields_anything_else_is_misused():
    """The message names the agent and what came."""
    with pytest.raises(ProgrammingError) as caught:
        list(Agent("a", run=lambda ctx: ["text"]).run(context()))
    assert str(caught.value) == (
        "the body of agent 'a' yielded str, expected an Event or a pair of an event and an error"
    )


def test_what_a_child_node_emits_stays_marked():
    """A body that runs another agent hands such items on as they are (NODE-072)."""
    emitted = Emitted((says("m", author="x"), None))
    assert [item is emitted for item in Agent("a", run=lambda ctx: [emitted]).run(context())] == [
        True
    ]


# --- the run: authors ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "author"),
    [
        ({"content": Content("user", [Part(text="m")])}, "user"),
        ({"content": Content("user")}, "user"),
        ({"content": Content("model")}, "a"),
        ({"content": Content("")}, "a"),
        ({"content": Content("User")}, "a"),
        ({}, "a"),
        ({"partial": True}, "a"),
        ({"partial": True, "content": Content("user")}, "user"),
        ({"author": "x"}, "x"),
        ({"author": "x", "content": Content("user")}, "x"),
        ({"author": "user", "content": Content("model")}, "user"),
    ],
)
@pytest.mark.parametrize("error", [None, BOOM])
def test_authors_are_filled(fields, author, error):
    """User for a user's content, else the agent's name, if there is none yet; in place (AGT-051 to AGT-053)."""
    event = Event(**fields)
    items = list(Agent("a", run=lambda ctx: [(event, error)]).run(context()))
    assert items == [(Event(**{**fields, "author": author}), error)]
    assert items[0][0] is event  # AGT-053


def test_the_innermost_agent_fills_the_author():
    """Outer agents see it filled (AGT-052)."""
    inner = speaker([], "inner", "m")

    def run(ctx):
        yield from inner.run(ctx)
        yield says("n")

    assert told(Agent("outer", run=run).run(context())) == [
        (says("m", author="inner"), None),
        (says("n", author="outer"), None),
    ]


def test_nothing_but_the_author_is_filled():
    """Id, time, invocation, branch, scope, node and actions stay as produced (AGT-054)."""
    ctx = context(branch="P.a", isolation_scope="scope")
    empty, actions = Event(), EventActions(escalate=True)
    full = Event(
        id="mine",
        timestamp=at(99),
        invocation_id="other",
        branch="Q",
        isolation_scope="there",
        actions=actions,
        node_info=NodeInfo("root"),
        output=1,
        routes=["r"],
        long_running_tool_ids=["l"],
        turn_complete=True,
    )
    before = dict(vars(full))
    items = told(Agent("a", run=lambda ctx: [empty, full]).run(ctx))
    assert items == [(Event(author="a"), None), (full, None)]
    assert vars(full) == before | {"author": "a"}
    assert full.actions is actions


# --- the run: stops ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        (1, ["before"]),
        (2, ["before", "a starts", "a stopped", "a ends"]),
        (3, ["before", "a starts", "a resumed", "a stopped", "a ends"]),
        (4, ["before", "a starts", "a resumed", "a resumed", "a ends", "after"]),
    ],
    ids=["at the before item", "at the first body item", "at the second", "at the after item"],
)
def test_stopping(taken, expected):
    """What has not begun never runs, the body sees the stop at its yield (AGT-055)."""
    log = []
    agent = speaker(
        log,
        "a",
        "m",
        "n",
        before_agent_callbacks=[noting(log, "before", state={"k": 1})],
        after_agent_callbacks=[noting(log, "after", HELLO)],
    )
    stream = agent.run(context())
    for _ in range(taken):
        next(stream)
    stream.close()
    assert log == expected
    assert list(stream) == []


def test_a_stop_unwinds_from_the_inside():
    """Cleanup of the innermost producer is complete before the outer one's begins (section 0)."""
    log = []
    inner = speaker(log, "inner", "m")

    def run(ctx):
        try:
            yield from inner.run(ctx)
        finally:
            log.append("outer ends")

    stream = Agent("outer", run=run).run(context())
    next(stream)
    stream.close()
    assert log == ["inner starts", "inner stopped", "inner ends", "outer ends"]


def test_going_on_after_a_stop_is_a_fault():
    """A body that yields again is told so by Python (section 0)."""

    def run(ctx):
        try:
            yield says("m")
        except GeneratorExit:
            yield says("n")

    stream = Agent("a", run=run).run(context())
    next(stream)
    with pytest.raises(RuntimeError, match="generator ignored GeneratorExit"):
        stream.close()


def test_whatever_can_be_closed_is_closed():
    """A body may hand out the run of another runner: it ends with this one (AGT-055)."""
    log = []
    other = Runner.in_memory("app", speaker(log, "other", "m", "n"))
    agent = Agent("a", run=lambda ctx: other.run("u", "s", "hi"))
    stream = agent.run(context())
    assert next(stream)[0].author == "other"
    stream.close()
    assert log == ["other starts", "other stopped", "other ends"]


def test_cancellation_is_not_looked_at():
    """A run in a dead context is a run like any other (AGT-056)."""
    dead, cancel = host().with_cancel()
    cancel()
    log = []
    agent = speaker(log, "a", "m", after_agent_callbacks=[noting(log, "after", HELLO)])
    assert texts(agent.run(context(host=dead))) == ["m", "hello"]
    assert dead.error() is not None


@pytest.mark.parametrize("panic", [ProgrammingError("misuse"), KeyboardInterrupt()])
def test_panics_go_through(panic):
    """Neither callbacks nor bodies are caught when they break rather than fail (AGT-057)."""
    log = []
    after = noting(log, "after")
    for agent in (
        speaker(log, "a", "m", before_agent_callbacks=[noting(log, "before", panic)]),
        speaker(log, "b", error=panic, after_agent_callbacks=[after]),
        speaker(log, "c", after_agent_callbacks=[noting(log, "broken", panic)]),
    ):
        with pytest.raises(type(panic)) as caught:
            list(agent.run(context()))
        assert caught.value is panic
    assert log == ["before", "b starts", "b ends", "c starts", "c ends", "broken"]


def test_a_final_response_ends_nothing():
    """The stream goes on after it (AGT-058)."""
    first = says("m", author="a", turn_complete=True)
    assert first.is_final_response()
    agent = Agent("a", run=lambda ctx: [first, says("n")])
    assert texts(agent.run(context())) == ["m", "n"]


# --- phases: who is asked ------------------------------------------------------------------------------

PHASES = ["before", "after"]


def agent_with(phase, *callbacks, log=None, **config):
    """An agent that says "m" and has these callbacks in one phase."""
    config[f"{phase}_agent_callbacks"] = list(callbacks)
    return speaker([] if log is None else log, "a", "m", **config)


def plugin_with(name, phase, callback):
    """A plugin with one callback in one phase."""
    return Plugin(name, **{f"{phase}_agent_callback": callback})


def in_order(phase, item):
    """The run of an agent that says "m", with the item of one phase."""
    spoken = (says("m", author="a"), None)
    return [item, spoken] if phase == "before" else [spoken, item]


@pytest.mark.parametrize("phase", PHASES)
def test_all_of_a_phase_share_one_context(phase):
    """Plugins and callbacks get the same object over one fresh record (CB-001)."""
    seen = []

    def callback(ctx):
        seen.append(ctx)
        ctx.state[f"k{len(seen)}"] = len(seen)
        record = ctx.with_delta(None).actions
        assert record == EventActions({f"k{n}": n for n in range(1, len(seen) + 1)}, {})

    plugins = [plugin_with("p", phase, callback), plugin_with("q", phase, callback)]
    items = told(agent_with(phase, callback, callback).run(context(*plugins)))
    event = stated(1, "a", state={"k1": 1, "k2": 2, "k3": 3, "k4": 4})
    assert items == in_order(phase, (event, None))
    assert len(seen) == 4
    assert {id(ctx) for ctx in seen} == {id(seen[0])}


def test_nothing_carries_over_to_the_after_phase():
    """It has a context and a record of its own (CB-001)."""
    seen = []

    def callback(ctx):
        seen.append(ctx)
        ctx.state[f"k{len(seen)}"] = 1

    agent = agent_with("before", callback, after_agent_callbacks=[callback])
    assert told(agent.run(context())) == [
        (stated(1, "a", state={"k1": 1}), None),
        (says("m", author="a"), None),
        (stated(2, "a", state={"k2": 1}), None),
    ]
    assert seen[0] is not seen[1]


@pytest.mark.parametrize("phase", PHASES)
def test_plugins_come_first_in_order(phase):
    """Then the agent's own callbacks in list order; a plugin without the callback is skipped (CB-002, CB-007)."""
    log = []
    plugins = [
        plugin_with("p", phase, noting(log, "p")),
        Plugin("idle"),
        plugin_with("q", phase, noting(log, "q")),
    ]
    agent = agent_with(phase, noting(log, "b1"), noting(log, "b2"))
    assert told(agent.run(context(*plugins))) == [(says("m", author="a"), None)]
    assert log == ["p", "q", "b1", "b2"]


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("answer", [HELLO, Content(), BOOM], ids=["content", "empty", "error"])
@pytest.mark.parametrize("who", ["p", "q", "b1", "b2"])
def test_the_first_answer_ends_the_phase(phase, answer, who):
    """Content, even without parts and role, or an error: nobody later is asked (CB-003, CB-005)."""
    log = []
    calls = {
        name: noting(log, name, answer if name == who else None) for name in ("p", "q", "b1", "b2")
    }
    plugins = [plugin_with(name, phase, calls[name]) for name in "pq"]
    agent = agent_with(phase, calls["b1"], calls["b2"])
    items = told(agent.run(context(*plugins)))
    everybody = ["p", "q", "b1", "b2"]
    assert log == everybody[: everybody.index(who) + 1]
    if answer is BOOM:
        part = "plugin " if who in "pq" else ""
        text = f"failed to run {part}{phase} agent callback: boom"
        assert items == in_order(phase, (None, text))
    elif phase == "before":
        assert items == [(stated(1, "a", answer), None)]
    else:
        assert items == in_order(phase, (stated(1, "a", answer), None))


@pytest.mark.parametrize("phase", PHASES)
def test_without_a_manager_only_the_agent_is_asked(phase):
    """A context that carries no plugins is no error (CB-006)."""
    log = []
    bare = InvocationContext(host=HostContext.background(), session=context().session)
    assert texts(agent_with(phase, noting(log, "own")).run(bare)) == ["m"]
    assert log == ["own"]


@pytest.mark.parametrize("phase", PHASES)
def test_a_missing_callback_fails_when_it_is_reached(phase):
    """An earlier answer hides it (CB-007)."""
    log = []
    with pytest.raises(ProgrammingError, match=f"a {phase}_agent callback is None"):
        list(agent_with(phase, noting(log, "first"), None).run(context()))
    assert log == ["first"]
    assert told(agent_with(phase, noting(log, "first", HELLO), None).run(context()))


# --- phases: outcomes ------------------------------------------------------------------------------------


def other_actions(ctx):
    """Set every action but state through the unwrapped context."""
    record = ctx.with_delta(None).actions
    record.artifact_delta["f"] = 1
    record.escalate = record.skip_summarization = True
    record.transfer_to_agent = "b"
    record.requested_tool_confirmations = {"c": ToolConfirmation("sure?")}
    record.compaction = EventCompaction()


def after_others(answer=None, state=None):
    """A callback that sets those actions, then does as it is told."""
    then = noting([], "", answer, state)

    def callback(ctx):
        other_actions(ctx)
        return then(ctx)

    return callback


CARRIED = EventActions(
    {},
    {"f": 1},
    requested_tool_confirmations={"c": ToolConfirmation("sure?")},
    skip_summarization=True,
    transfer_to_agent="b",
    escalate=True,
)


def carried(content=None, state=None):
    """The event of a phase with all actions but the compaction (CB-021, CB-023, CB-026)."""
    event = stated(1, "a", content)
    event.actions = EventActions(**{**vars(CARRIED), "state_delta": state or {}})
    return event


def failure(phase, by="", cause="boom"):
    """The item of a failed phase (CB-013)."""
    return None, f"failed to run {by}{phase} agent callback: {cause}"


#: case -> (callback, item of the phase or None); the body is skipped only for content before.
OUTCOMES = {
    "nothing": (lambda: noting([], ""), lambda phase: None),
    "state": (
        lambda: noting([], "", state={"k": 1}),
        lambda phase: (stated(1, "a", state={"k": 1}), None),
    ),
    "state None": (
        lambda: noting([], "", state={"k": None}),
        lambda phase: (stated(1, "a", state={"k": None}), None),
    ),
    "only other actions": (after_others, lambda phase: None),
    "other actions and state": (
        lambda: after_others(state={"k": 1}),
        lambda phase: (carried(state={"k": 1}), None),
    ),
    "content": (lambda: noting([], "", HELLO), lambda phase: (stated(1, "a", HELLO), None)),
    "content and state": (
        lambda: noting([], "", HELLO, {"k": 1}),
        lambda phase: (stated(1, "a", HELLO, {"k": 1}), None),
    ),
    "content and other actions": (
        lambda: after_others(HELLO),
        lambda phase: (carried(HELLO), None),
    ),
    "error": (lambda: noting([], "", BOOM), failure),
    "error and state": (lambda: noting([], "", BOOM, {"k": 1}), failure),
}


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("by", ["plugin ", ""], ids=["plugin", "own"])
@pytest.mark.parametrize("case", OUTCOMES)
def test_outcomes(case, by, phase):
    """Each case of the outcome tables, by a plugin and by an own callback (CB-010 to CB-014, CB-021, CB-023, CB-026)."""
    make, expected = OUTCOMES[case]
    log, callback = [], make()
    ctx = context(plugin_with("p", phase, callback)) if by else context()
    agent = agent_with(phase, *([] if by else [callback]), log=log)
    item = failure(phase, by) if expected is failure else expected(phase)
    content = "content" in case
    if item is None:
        whole = [(says("m", author="a"), None)]
    elif phase == "before" and content:
        whole = [item]
    else:
        whole = in_order(phase, item)
    assert told(agent.run(ctx)) == whole
    assert bool(log) is not (phase == "before" and content)
    assert not ctx.ended


def test_content_ends_the_run_before_it_is_yielded():
    """The flag is set when the consumer gets the event; after content sets none (CB-010, CB-011)."""
    nodes = []
    for phase in PHASES:
        agent = agent_with(phase, lambda ctx: nodes.append(ctx.with_delta(None)) or HELLO)
        ended = [nodes[-1].ended for event, _ in agent.run(context()) if event.content is HELLO]
        assert ended == [phase == "before"]


def test_a_failed_before_phase_runs_the_rest():
    """Error, body, after phase: a consumer that goes on gets them all (CB-010)."""
    agent = agent_with("before", noting([], "", BOOM), after_agent_callbacks=[lambda ctx: HELLO])
    assert texts(agent.run(context())) == [
        "!failed to run before agent callback: boom",
        "m",
        "hello",
    ]


@pytest.mark.parametrize("phase", PHASES)
def test_an_error_keeps_its_cause(phase):
    """What was raised is the cause of the item's error (CB-013)."""
    for ctx, callbacks in (
        (context(), [noting([], "", BOOM)]),
        (context(plugin_with("p", phase, noting([], "", BOOM))), []),
    ):
        errors = [error for _, error in agent_with(phase, *callbacks).run(ctx) if error]
        assert [type(error) for error in errors] == [AdkError]
        assert errors[0].__cause__ is BOOM


@pytest.mark.parametrize("phase", PHASES)
def test_ending_in_a_callback_only_logs(phase, caplog):
    """The run goes on as if nothing had been called (CB-010)."""
    agent = agent_with(phase, lambda ctx: ctx.end_invocation())
    assert texts(agent.run(context())) == ["m"]
    assert caplog.messages == ["EndInvocation() is not supported for callback context"]


def test_ending_through_the_unwrapped_context_ends():
    """That is the node's own flag (CTX-042)."""
    log = []
    agent = agent_with("before", lambda ctx: ctx.with_delta(None).end_invocation(), log=log)
    ctx = context()
    assert told(agent.run(ctx)) == []
    assert (log, ctx.ended) == ([], False)


@pytest.mark.parametrize("phase", PHASES)
def test_state_written_before_an_error_is_in_no_event(phase):
    """The session of the run has it, whoever comes later sees it, no event carries it (CB-015)."""
    ctx = context()
    seen = []
    agent = agent_with(
        phase,
        noting([], "", BOOM, {"k": 1}),
        **(
            {"after_agent_callbacks": [lambda ctx: seen.append(ctx.state["k"])]}
            if phase == "before"
            else {}
        ),
    )
    items = told(agent.run(ctx))
    assert items == in_order(phase, failure(phase))
    assert dict(ctx.session.state) == {"k": 1}
    assert seen == ([1] if phase == "before" else [])


# --- phases: the event --------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("role", ["user", "model", ""])
def test_the_event_of_a_phase(phase, role):
    """Every field as CB-020 says: the agent's name even for a user's content, no scope (CB-020)."""
    content = Content(role, [Part(text="hi")])
    ctx = context(branch="P.a", isolation_scope="scope")
    items = told(agent_with(phase, lambda ctx: content).run(ctx))
    (event,) = [event for event, _ in items if event.content is content]
    assert event == Event(
        id="id-1",
        timestamp=at(1),
        invocation_id="inv",
        author="a",
        branch="P.a",
        isolation_scope="",
        content=Content(role, [Part(text="hi")]),
        actions=EventActions({}, {}),
    )


def test_the_time_is_taken_when_the_event_is_built():
    """After the callbacks ran, and the id before the time (CB-020, CB-024)."""
    log = []
    ctx = context()
    platform = ctx.host.platform

    def callback(ctx):
        log.append((platform.new_id(), platform.now()))
        return HELLO

    ((event, _),) = agent_with("before", callback).run(ctx)
    assert log == [("id-1", at(1))]
    assert (event.id, event.timestamp) == ("id-2", at(2))


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize(
    ("answer", "state", "drawn"),
    [(None, None, 0), (BOOM, {"k": 1}, 0), (None, {"k": 1}, 1), (HELLO, None, 1)],
)
def test_one_id_and_one_time_per_event(phase, answer, state, drawn):
    """Nothing is drawn when there is no event; the run draws no others (CB-024)."""
    ctx = context()
    list(agent_with(phase, noting([], "", answer, state)).run(ctx))
    platform = ctx.host.platform
    assert (platform.new_id(), platform.now()) == (f"id-{drawn + 1}", at(drawn + 1))


@pytest.mark.parametrize("phase", PHASES)
def test_the_maps_of_the_event_are_those_of_the_phase(phase):
    """A callback that writes later changes the event it belongs to; the record is a copy (CB-021, CB-022)."""
    kept = []
    agent = agent_with(phase, lambda ctx: kept.append(ctx) or HELLO)
    (event,) = [event for event, _ in agent.run(context()) if event.content is HELLO]
    kept[0].state["late"] = 1
    record = kept[0].with_delta(None).actions
    record.escalate = True
    assert event.actions == EventActions({"late": 1}, {})
    assert event.actions.state_delta is record.state_delta
    assert event.actions.artifact_delta is record.artifact_delta


@pytest.mark.parametrize("phase", PHASES)
def test_saved_artifacts_are_in_no_event(phase):
    """Agent callbacks use the run's own view, which records nothing (CB-010, CB-025)."""
    store = Artifacts(InMemoryArtifactService(), "app", "user", "s")
    agent = agent_with(phase, lambda ctx: ctx.artifacts.save("f", Part(text="x")) and None)
    assert told(agent.run(context(artifacts=store))) == [(says("m", author="a"), None)]
    answers = agent_with(phase, lambda ctx: ctx.artifacts.save("f", Part(text="x")) and HELLO)
    items = told(answers.run(context(artifacts=store)))
    assert (stated(1, "a", HELLO), None) in items
    assert store.load_version("f", 2) == Part(text="x")


# --- worked traces (chapter 01, 6.4) ----------------------------------------------------------------------------

M = (says("m", author="a"), None)


def ending(ctx):
    """A body that ends its invocation after its event."""
    yield says("m")
    ctx.end_invocation()


def failing(ctx):
    """A body that goes on after an event with an error."""
    yield says("m")
    yield None, AdkError("e")


@pytest.mark.parametrize(
    ("config", "plugin", "items"),
    [
        (
            {"before": noting([], "", state={"k": 1}), "after": noting([], "")},
            None,
            [(stated(1, "a", state={"k": 1}), None), M],
        ),
        ({"before": noting([], "", HELLO)}, None, [(stated(1, "a", HELLO), None)]),
        (
            {"before": noting([], "", BOOM), "after": noting([], "", HELLO)},
            None,
            [failure("before"), M, (stated(1, "a", HELLO), None)],
        ),
        ({"run": ending, "after": noting([], "", HELLO)}, None, [M]),
        (
            {"run": failing, "after": noting([], "", state={"k": 2})},
            None,
            [M, (None, "e"), (stated(1, "a", state={"k": 2}), None)],
        ),
        (
            {"before": noting([], "", ProgrammingError("never called"))},
            noting([], "", HELLO),
            [(stated(1, "a", HELLO), None)],
        ),
    ],
)
def test_worked_traces(config, plugin, items):
    """The rows of the table, with a consumer that always goes on (chapter 01, 6.4)."""
    agent = Agent(
        "a",
        run=config.get("run", lambda ctx: [says("m")]),
        before_agent_callbacks=[config["before"]] if "before" in config else [],
        after_agent_callbacks=[config["after"]] if "after" in config else [],
    )
    plugins = [Plugin("p", before_agent_callback=plugin)] if plugin else []
    assert told(agent.run(context(*plugins))) == items


# --- in a run of the runner -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hook", "spoken"),
    [
        ("on_user_message_callback", []),
        ("before_run_callback", []),
        ("on_event_callback", ["m", "n", "after"]),
    ],
)
def test_ending_in_a_hook_of_the_run(hook, spoken):
    """Before the agent derives its context it counts, in the event hook it comes too late (CTX-004)."""
    log = []
    agent = speaker(
        log,
        "a",
        "m",
        "n",
        before_agent_callbacks=[noting(log, "before")],
        after_agent_callbacks=[noting(log, "after", Content.of_text("after"))],
    )
    plugin = Plugin("p", **{hook: lambda ctx, *_: ctx.end_invocation()})
    runner = Runner(
        "app", agent, InMemorySessionService(), plugins=[plugin], auto_create_session=True
    )
    assert texts(runner.stream("u", "s", Content.of_text("hi", "user"))) == spoken
    assert log[0] == "before"
    assert (log[1:] == []) is (spoken == [])


def test_state_of_a_failed_phase_is_never_stored():
    """The service's session does not have it, the run's did (CB-015)."""
    seen = []
    agent = agent_with(
        "before",
        noting([], "", BOOM, {"k": 1}),
        after_agent_callbacks=[lambda ctx: seen.append(ctx.state["k"])],
    )
    runner = Runner.in_memory("app", agent)
    assert texts(runner.stream("u", "s", Content.of_text("hi", "user"))) == [
        "!failed to run before agent callback: boom",
        "m",
    ]
    assert seen == [1]
    assert dict(runner.session_service.get("app", "u", "s").state) == {}


class Scripted(Model):
    """A model that gives the next of these contents at each call."""

    name = "scripted"

    def __init__(self, *contents):
        self._contents = list(contents)
        self.streamed = []

    def generate(self, ctx, request, stream):
        """Answer with the next content."""
        self.streamed.append(stream)
        yield LlmResponse(content=self._contents.pop(0))


def test_ending_inside_a_flow_does_not_reach_the_agent():
    """A tool that ends the flow's invocation does not suppress the after phase (CTX-003)."""
    call = Content.from_json(
        {"role": "model", "parts": [{"functionCall": {"name": "end", "id": "1"}}]}
    )
    ended = []

    def end(ctx, args):
        inside = ctx.with_delta(None)
        inside.end_invocation()
        ended.append(inside.ended)
        return {}

    agent = LlmAgent(
        "a",
        model=Scripted(call, Content.of_text("done")),
        tools=[FunctionTool(end, name="end", parameters={"type": "object"})],
        after_agent_callbacks=[lambda ctx: HELLO],
    )
    items = list(agent.run(context()))
    assert ended == [True]
    assert [error for _, error in items] == [None] * len(items)
    assert items[-1][0].content is HELLO


@pytest.mark.parametrize(
    ("config", "streamed"),
    [(None, False), (RunConfig(), False), (RunConfig("none"), False), (RunConfig("sse"), True)],
)
def test_the_runs_configuration_decides_about_streaming(config, streamed):
    """Also without a runner: only the mode "sse" streams (CTX-082)."""
    model = Scripted(HELLO)
    assert texts(LlmAgent("a", model=model).run(context(run_config=config))) == ["hello"]
    assert model.streamed == [streamed]
