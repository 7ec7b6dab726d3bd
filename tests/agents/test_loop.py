# SPDX-License-Identifier: Apache-2.0
"""The loop agent and the tool that leaves it (LOOP-001 to LOOP-017, LOOP-030 to LOOP-034).

A loop without limit whose children yield nothing never ends (LOOP-009): the test breaks it
from inside with a programming error.  Without children nothing could break it, so that case
has no test.  The constructor of the exit tool cannot fail (LOOP-033).
"""

import pytest
from agent_scripts import context, noting, says, shown, speaker, stated, texts, told

from adkref.agents import Agent, LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
from adkref.content import Content, FunctionCall, FunctionResponse, LlmResponse, Part, clone
from adkref.contexts import tool_context
from adkref.errors import AdkError, ProgrammingError
from adkref.events import EventActions
from adkref.models import Model
from adkref.plugins import Plugin
from adkref.runner import Runner
from adkref.streams import Emitted
from adkref.tools import FunctionTool, exit_loop_tool

HELLO = Content.of_text("hello")


def escalating(text, **fields):
    """An event that asks to leave the loop."""
    return says(text, actions=EventActions(escalate=True), **fields)


def agent_of(name, *items, **config):
    """An agent whose body gives these items anew in each run."""
    return Agent(name, run=lambda ctx: [clone_item(item) for item in items], **config)


def clone_item(item):
    """A copy of an event or of a pair's event, so that runs do not share objects."""
    if type(item) is not tuple:
        return clone(item)
    event, error = item
    return (clone(event) if event is not None else None), error


# --- iterations ------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_limit_counts_iterations(limit):
    """Each runs every sub-agent once in order, one after the other (LOOP-001, LOOP-002, LOOP-008)."""
    log = []
    agent = LoopAgent(
        "l", sub_agents=[speaker(log, "x", "x1"), speaker(log, "y", "y1")], max_iterations=limit
    )
    assert texts(agent.run(context())) == ["x1", "y1"] * limit
    one = ["x starts", "x resumed", "x ends", "y starts", "y resumed", "y ends"]
    assert log == one * limit


def test_the_limit_counts_per_run():
    """A nested loop starts again for each outer iteration (LOOP-008)."""
    inner = LoopAgent("inner", sub_agents=[speaker([], "x", "x")], max_iterations=2)
    outer = LoopAgent("outer", sub_agents=[inner, speaker([], "y", "y")], max_iterations=3)
    assert texts(outer.run(context())) == ["x", "x", "y"] * 3
    assert texts(inner.run(context())) == ["x", "x"]


def test_without_a_limit_it_goes_on():
    """Only the consumer or an escalation ends it (LOOP-009, LOOP-013)."""
    log = []
    stream = LoopAgent("l", sub_agents=[speaker(log, "x", "x")]).run(context())
    items = [next(stream) for _ in range(100)]
    stream.close()
    assert [shown(item) for item in items] == [(says("x", author="x"), None)] * 100
    assert log == ["x starts", "x resumed", "x ends"] * 99 + ["x starts", "x stopped", "x ends"]


def test_without_a_limit_and_items_it_spins():
    """The body neither returns nor yields (LOOP-009)."""
    runs = []

    def run(ctx):
        runs.append(ctx)
        if len(runs) == 1000:
            raise ProgrammingError("enough")
        return []

    stream = LoopAgent("l", sub_agents=[Agent("x", run=run)]).run(context())
    with pytest.raises(ProgrammingError, match="enough"):
        next(stream)
    assert len(runs) == 1000


def test_without_children_a_limit_ends_it():
    """The body ends without items, the phases run (LOOP-010)."""
    agent = LoopAgent("l", max_iterations=5, after_agent_callbacks=[lambda ctx: HELLO])
    assert told(agent.run(context())) == [(stated(1, "l", HELLO), None)]


def test_errors_end_nothing():
    """Not the sub-agent, not the iteration, not the loop (LOOP-011)."""
    failing = agent_of("x", (None, AdkError("e")), says("x1"))
    raising = speaker([], "y", error=AdkError("f"))
    agent = LoopAgent("l", sub_agents=[failing, raising], max_iterations=2)
    assert texts(agent.run(context())) == ["!e", "x1", "!f"] * 2
    endless = LoopAgent("l", sub_agents=[raising]).run(context())
    assert [shown(next(endless)) for _ in range(50)] == [(None, "f")] * 50
    endless.close()


# --- escalation --------------------------------------------------------------------------------


def test_the_worked_example():
    """The escalating child is heard out, then the loop ends (LOOP-002, LOOP-003, LOOP-017)."""
    calm, loud = says("x2"), escalating("x1")
    y = agent_of("y", says("y1"), says("y2"))
    agent = LoopAgent("l", sub_agents=[agent_of("x", loud, calm), y], max_iterations=2)
    assert texts(agent.run(context())) == ["x1", "x2"]
    x = agent_of("x", says("x1"), says("x2"))
    y = agent_of("y", escalating("y1"), says("y2"))
    agent = LoopAgent("l", sub_agents=[x, y], max_iterations=2)
    assert texts(agent.run(context())) == ["x1", "x2", "y1", "y2"]


def test_the_after_event_of_an_escalating_child_is_delivered():
    """All of its stream is, phases included (LOOP-003)."""
    x = agent_of("x", escalating("x1"), says("x2"), after_agent_callbacks=[lambda ctx: HELLO])
    agent = LoopAgent("l", sub_agents=[x, speaker([], "y", "y")])
    assert texts(agent.run(context())) == ["x1", "x2", "hello"]


@pytest.mark.parametrize("index", [0, 1, 2])
def test_any_event_of_a_child_may_escalate(index):
    """The first, the last or one between (LOOP-002)."""
    items = [says("x0"), says("x1"), says("x2")]
    items[index] = escalating(f"x{index}")
    agent = LoopAgent("l", sub_agents=[agent_of("x", *items), speaker([], "y", "y")])
    assert texts(agent.run(context())) == ["x0", "x1", "x2"]


def callback_that_escalates(ctx):
    """An answer whose event carries an escalation."""
    ctx.with_delta(None).actions.escalate = True
    return HELLO


@pytest.mark.parametrize(
    ("child", "spoken"),
    [
        (agent_of("x", escalating("x1", partial=True)), ["x1"]),
        (agent_of("x", (escalating("x1"), AdkError("e"))), ["x1 !e"]),
        (agent_of("x", escalating("x1", author="user")), ["x1"]),
        (Agent("x", before_agent_callbacks=[callback_that_escalates]), ["hello"]),
        (
            agent_of("x", says("m"), after_agent_callbacks=[callback_that_escalates]),
            ["m", "hello"],
        ),
        (Agent("p", run=lambda ctx: agent_of("x", escalating("x1")).run(ctx)), ["x1"]),
    ],
    ids=["partial", "with an error", "another author", "before", "after", "a descendant's"],
)
def test_every_event_counts(child, spoken):
    """Partial, beside an error, from a callback or a descendant (LOOP-005)."""
    agent = LoopAgent("l", sub_agents=[child, speaker([], "y", "y")])
    assert texts(agent.run(context())) == spoken


def test_items_without_event_do_not_count():
    """An error alone and an empty item leave the loop running (LOOP-005)."""
    agent = LoopAgent(
        "l", sub_agents=[agent_of("x", (None, AdkError("e")), (None, None))], max_iterations=2
    )
    assert told(agent.run(context())) == [(None, "e"), (None, None)] * 2


def test_what_a_child_node_emits_does_not_count():
    """Such an item only passes through on its way to the runner (NODE-072)."""
    emitted = Emitted((escalating("x1"), None))
    agent = LoopAgent("l", sub_agents=[Agent("x", run=lambda ctx: [emitted])], max_iterations=2)
    assert [item is emitted for item in agent.run(context())] == [True, True]


@pytest.mark.parametrize(
    ("before", "after", "spoken"),
    [(False, True, ["x1"]), (True, False, ["x1", "x1"]), (True, True, ["x1"])],
)
def test_the_consumer_decides(before, after, spoken):
    """Escalation is read after the yield, on the producer's object (LOOP-004)."""
    x = Agent("x", run=lambda ctx: [says("x1", actions=EventActions(escalate=before))])
    stream = LoopAgent("l", sub_agents=[x], max_iterations=2).run(context())
    found = []
    for event, _ in stream:
        found.append(event.content.spoken_text())
        event.actions.escalate = after
    assert found == spoken


@pytest.mark.parametrize("escalate", [False, True])
def test_a_copy_of_the_consumer_decides_nothing(escalate):
    """A plugin that replaces the event changes what is stored, not the loop (LOOP-004)."""

    def replace(ctx, event):
        copy = clone(event)
        copy.actions = clone(event.actions)
        copy.actions.escalate = not escalate
        return copy

    x = Agent("x", run=lambda ctx: [says("x1", actions=EventActions(escalate=escalate))])
    runner = Runner.in_memory("app", LoopAgent("l", sub_agents=[x], max_iterations=3))
    runner = Runner(
        "app",
        runner.agent,
        runner.session_service,
        plugins=[Plugin("p", on_event_callback=replace)],
        auto_create_session=True,
    )
    stream = runner.stream("u", "s", Content.of_text("hi", "user"))
    assert [event.actions.escalate for event, _ in stream] == [not escalate] * (
        1 if escalate else 3
    )


def test_escalation_ends_all_enclosing_loops():
    """The event passes on to them; each ends when its child is exhausted (LOOP-006)."""
    inner = LoopAgent(
        "inner",
        sub_agents=[agent_of("x", escalating("x1"), says("x2")), speaker([], "never", "n")],
        after_agent_callbacks=[lambda ctx: HELLO],
    )
    middle = LoopAgent("middle", sub_agents=[inner, speaker([], "never2", "n")])
    outer = LoopAgent(
        "outer",
        sub_agents=[middle, speaker([], "never3", "n")],
        after_agent_callbacks=[lambda ctx: Content.of_text("bye")],
    )
    assert texts(outer.run(context())) == ["x1", "x2", "hello", "bye"]


@pytest.mark.parametrize("kind", [SequentialAgent, ParallelAgent])
def test_composites_between_do_not_react(kind):
    """All their children run; then the loop ends (LOOP-007)."""
    between = kind("between", sub_agents=[agent_of("x", escalating("x1")), speaker([], "y", "y1")])
    loop = LoopAgent("l", sub_agents=[between, speaker([], "z", "never")])
    assert sorted(texts(loop.run(context()))) == ["x1", "y1"]


# --- what does not end a loop --------------------------------------------------------------------


def test_a_child_that_ends_runs_again():
    """Its flag is a copy, made anew in each iteration (LOOP-012)."""
    log = []

    def run(ctx):
        log.append(ctx.ended)
        ctx.end_invocation()
        yield says("x")

    x = Agent("x", run=run, after_agent_callbacks=[noting(log, "never")])
    y = speaker(log, "y", before_agent_callbacks=[lambda ctx: HELLO])
    agent = LoopAgent(
        "l", sub_agents=[x, y], max_iterations=2, after_agent_callbacks=[noting(log, "after")]
    )
    assert texts(agent.run(context())) == ["x", "hello"] * 2
    assert log == [False, False, "after"]


def test_the_loop_looks_neither_at_flag_nor_at_cancellation():
    """Both stay the children's business (LOOP-012)."""
    ctx = context()
    dead, cancel = ctx.host.with_cancel()
    cancel()
    loop = LoopAgent("l", sub_agents=[speaker([], "x", "x")], max_iterations=2)
    assert texts(loop.run(ctx.with_host(dead))) == ["x", "x"]
    assert dead.error() is not None


@pytest.mark.parametrize(
    "child", [agent_of("x", says("x1"), says("x2")), agent_of("x", escalating("x1"))]
)
def test_a_stop_ends_the_loop_at_once(child):
    """No further iteration, no after phase, escalating or not (LOOP-013)."""
    log = []
    agent = LoopAgent("l", sub_agents=[child], after_agent_callbacks=[noting(log, "after", HELLO)])
    stream = agent.run(context())
    assert next(stream)[0].content.spoken_text() == "x1"
    stream.close()
    assert (log, list(stream)) == ([], [])


@pytest.mark.parametrize("item", [says("x1"), escalating("x1")], ids=["limit", "escalation"])
def test_an_exit_is_a_normal_end(item):
    """The flag is not set, the after phase follows (LOOP-014)."""
    ended = []

    def after(ctx):
        ended.append(ctx.with_delta(None).ended)
        return HELLO

    agent = LoopAgent(
        "l", sub_agents=[agent_of("x", item)], max_iterations=1, after_agent_callbacks=[after]
    )
    ctx = context()
    assert texts(agent.run(ctx)) == ["x1", "hello"]
    assert (ended, ctx.ended) == ([False], False)


def test_iterations_change_no_place_and_see_what_was_stored():
    """Same branch, scope and session; earlier events are there; phases run as often as runs (LOOP-015)."""
    log = []

    def run(ctx):
        log.append((ctx.branch, ctx.isolation_scope, [e.author for e in ctx.session.events]))
        yield says("x")

    x = Agent("x", run=run, before_agent_callbacks=[noting(log, "x before")])
    agent = LoopAgent(
        "l",
        sub_agents=[x],
        max_iterations=2,
        before_agent_callbacks=[noting(log, "l before")],
        after_agent_callbacks=[noting(log, "l after")],
    )
    ctx = context(branch="P.l", isolation_scope="scope")
    for event, _ in agent.run(ctx):
        ctx.session.apply(event)
    assert log == [
        "l before",
        "x before",
        ("P.l", "scope", []),
        "x before",
        ("P.l", "scope", ["x"]),
        "l after",
    ]


def test_the_list_is_read_anew_in_each_iteration():
    """A child that is added in one iteration runs in the next (LOOP-016)."""
    agent = LoopAgent("l", max_iterations=2)
    extra = speaker([], "extra", "y")

    def run(ctx):
        if extra not in agent.sub_agents:
            agent.sub_agents.append(extra)
        yield says("x")

    agent.sub_agents.append(Agent("x", run=run))
    assert texts(agent.run(context())) == ["x", "x", "y"]


# --- the tool that leaves the loop ------------------------------------------------------------------


def test_the_exit_tool_declares_itself():
    """Name and description are literal, there are no parameters (LOOP-030)."""
    tool = exit_loop_tool()
    assert tool.name == "exit_loop"
    assert tool.description == (
        "Exits the loop.\n\nCall this function only when you are instructed to do so.\n"
    )
    assert not tool.is_long_running
    declaration = tool.declaration()
    assert (declaration.name, declaration.description) == (tool.name, tool.description)
    shape = declaration.to_json()
    assert not (shape.get("parametersJsonSchema") or shape.get("parameters") or {}).get(
        "properties"
    )


def test_the_exit_tool_sets_two_flags():
    """It works on the call's record and answers with an empty map (LOOP-031, LOOP-034)."""
    actions = EventActions.fresh()
    ctx = tool_context(context(agent=Agent("a")), "call", actions)
    assert exit_loop_tool().run(ctx, {}) == {}
    assert actions == EventActions({}, {}, escalate=True, skip_summarization=True)


class Calling(Model):
    """A model that calls a tool first and says "done" to its result."""

    name = "calling"

    def __init__(self, tool):
        self.requests = []
        self._tool = tool

    def generate(self, ctx, request, stream):
        """Answer by the number of the call."""
        self.requests.append(request)
        call = Content("model", [Part(function_call=FunctionCall("c1", self._tool, {}))])
        yield LlmResponse(content=call if len(self.requests) % 2 else Content.of_text("done"))


def brief(item):
    """What an item's event shows: its part and the flags it carries."""
    event, error = item
    assert error is None
    (part,) = event.content.parts
    actions = event.actions
    return (
        part.function_call or part.function_response or part.text,
        actions.escalate,
        actions.skip_summarization,
    )


def test_an_llm_agent_leaves_the_loop():
    """Call and empty response, no further model call, then the loop ends (LOOP-032)."""
    model = Calling("exit_loop")
    agent = LlmAgent("a", model=model, tools=[exit_loop_tool()])
    loop = LoopAgent("l", sub_agents=[agent, speaker([], "y", "never")])
    assert [brief(item) for item in loop.run(context())] == [
        (FunctionCall("c1", "exit_loop", {}), False, False),
        (FunctionResponse("c1", "exit_loop", {}), True, True),
    ]
    assert len(model.requests) == 1


def test_a_tool_that_only_escalates_is_summed_up():
    """One more model step comes before the loop ends (LOOP-032)."""

    def leave(ctx, args):
        ctx.actions.escalate = True
        return {"left": True}

    model = Calling("leave")
    tool = FunctionTool(leave, name="leave", parameters={"type": "object"})
    agent = LlmAgent("a", model=model, tools=[tool])
    loop = LoopAgent("l", sub_agents=[agent, speaker([], "y", "never")])
    assert [brief(item) for item in loop.run(context())] == [
        (FunctionCall("c1", "leave", {}), False, False),
        (FunctionResponse("c1", "leave", {"left": True}), True, False),
        ("done", False, False),
    ]


def test_outside_a_loop_the_exit_tool_only_sets_flags():
    """Other composites go on (LOOP-034)."""
    agent = LlmAgent("a", model=Calling("exit_loop"), tools=[exit_loop_tool()])
    sequence = SequentialAgent("s", sub_agents=[agent, speaker([], "y", "y")])
    found = [brief(item)[1:] for item in sequence.run(context())]
    assert found == [(False, False), (True, True), (False, False)]
