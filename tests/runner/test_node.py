# SPDX-License-Identifier: Apache-2.0
"""The one node of a run: input, body, marks, cancellation (chapter 03, 3.8, 4.1 and 4.3)."""

import pytest
from kit import (
    World,
    answer,
    call,
    content,
    event,
    plain,
    reply,
    said,
    thought,
)

from adkref.agents import Agent, LlmAgent
from adkref.content import Content, Part
from adkref.errors import AdkError, NodeCancelled, ProgrammingError, wrap
from adkref.events import NodeInfo
from adkref.models import ScriptedModel
from adkref.plugins import Plugin
from adkref.tools import FunctionTool

PATH = {"nodeInfo": {"path": "a"}}
ANY = {"type": "object"}
SEVERAL = (
    "workflow: node produced multiple events with {}; only one event per execution can {}: "
    'node "a"'
)


class Spy(LlmAgent):
    """An LLM agent whose items are given, and that notes what happens to it."""

    def __init__(self, *items, name="a", **options):
        super().__init__(name, **options)
        self.given, self.contexts, self.log = items, [], []

    def run(self, ctx):
        """Yield the items; an exception is raised, an AdkError is yielded, a callable is called."""
        self.contexts.append(ctx)
        try:
            for item in self.given:
                if isinstance(item, ProgrammingError):
                    raise item
                if callable(item):
                    item()
                elif isinstance(item, Exception):
                    yield None, item
                else:
                    yield item, None
                self.log.append("resumed")
            self.log.append("done")
        finally:
            self.log.append("closed")


def llm(*script, name="a", **options):
    """An LLM agent with a script."""
    return LlmAgent(name, model=ScriptedModel(script or ["x"]), **options)


def tool(handler=lambda ctx, args: {"ok": 1}, name="t", **options):
    """A function tool."""
    return FunctionTool(handler, name=name, parameters=ANY, **options)


# --- marks (NODE-005 to NODE-007) ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (event("a", "x"), said("a", "x", **PATH)),
        (event("a", "x", role="system"), said("a", "x", role="system", **PATH)),
        (event("a", "x", role=""), said("a", "x", **PATH)),
        (event("a", answer("t"), "x", role=""), said("a", answer("t"), "x", role="user", **PATH)),
        (event("a", call("t"), role="", partial=True), said("a", call("t"), partial=True, **PATH)),
        (event("a"), {"author": "a", **PATH}),
        (event("b", "x"), said("b", "x", **PATH)),
        (event("", "x"), said("a", "x", **PATH)),
        (event("", "x", role="user"), said("a", "x", role="user", **PATH)),
        (event("a", "x", node_info=NodeInfo("own")), said("a", "x", nodeInfo={"path": "own"})),
        (
            event("a", "x", node_info=NodeInfo(output_for=["b"])),
            said("a", "x", nodeInfo={"path": "a", "outputFor": ["b"]}),
        ),
    ],
)
def test_events_are_marked(given, expected):
    """Role by content, path by node, author by agent, all in place (NODE-005, RUN-070)."""
    assert World(Spy(given)).turn() == [expected]
    assert plain(given) == expected


def test_an_output():
    """It is recorded for the node, and one more event carries the result (NODE-006, NODE-023, NODE-024)."""
    world = World(Spy(event("a", "x", output={"n": 1})))
    got = world.turn()
    output_for = {"nodeInfo": {"path": "a", "outputFor": ["a"]}}
    assert got == [
        said("a", "x", output={"n": 1}, **output_for),
        {"author": "a", "output": {"n": 1}, **output_for},
        SEVERAL.format("output values", "carry output"),
    ]
    assert world.stored[1:] == got[:2]


def test_a_message_as_output():
    """A model text that stands for the output counts; the stored one has none (NODE-006, RUN-061)."""
    info = NodeInfo(message_as_output=True)
    got = World(Spy(event("a", "x", node_info=info), event("a", "y"))).turn()
    assert got == [
        said("a", "x", nodeInfo={"path": "a", "messageAsOutput": True, "outputFor": ["a"]}),
        said("a", "y", **PATH),
    ]


@pytest.mark.parametrize(
    ("fields", "several", "only"),
    [
        (
            {"node_info": lambda: NodeInfo(message_as_output=True)},
            "output values",
            "carry output",
        ),
        ({"routes": lambda: ["r"]}, "route tags", "specify routes"),
        ({"routes": list}, "route tags", "specify routes"),
    ],
)
def test_only_one_output_and_one_decision(fields, several, only):
    """A second one is still stored and yielded; the error comes at the end (NODE-006, NODE-007)."""
    events = [
        event("a", text, **{name: make() for name, make in fields.items()}) for text in "123"
    ]
    got = World(Spy(*events, event("a", "4"))).turn()
    assert [it["content"]["parts"][0]["text"] for it in got[:-1]] == list("1234")
    assert got[-1] == SEVERAL.format(several, only)


def test_an_error_hides_that_of_several_outputs():
    """The agent's own error is the last item (RUN-073)."""
    events = [event("a", text, node_info=NodeInfo(message_as_output=True)) for text in "12"]
    assert World(Spy(*events, AdkError("boom"))).turn()[2:] == ["boom"]


def test_a_selected_single_turn_agent():
    """Its terminal event and the extra one both carry an output (NODE-024, RUN-024)."""
    once = llm("out", name="once", mode="single_turn")
    root = llm(name="root", sub_agents=[once])
    got = World(root, events=[event("once", "earlier")]).turn()
    path = {"path": "once"}
    assert got == [
        said("once", "out", nodeInfo={**path, "messageAsOutput": True, "outputFor": ["once"]}),
        {"author": "once", "output": "out", "nodeInfo": {**path, "outputFor": ["once"]}},
        SEVERAL.format("output values", "carry output").replace('"a"', '"once"'),
    ]


# --- input (NODE-003, NODE-020, NODE-021) ----------------------------------------------------------------


def inputs(message, events=(), mode="single_turn"):
    """The user content that a selected agent of a mode gets."""
    spy = Spy(name="once", mode=mode)
    root = llm(name="root", sub_agents=[spy])
    World(root, events=[*events, event("once", "earlier")]).turn(message)
    return spy.contexts[0].user_content


@pytest.mark.parametrize(
    ("message", "given"),
    [
        (content("a", thought("b"), "c"), content("abc")),
        (content(Part(executable_code={"code": "1"})), content("")),
        (Content("user"), content("")),
        (None, None),
        (content(answer("t", "other")), content("")),
    ],
)
def test_the_nodes_input(message, given):
    """All texts of the message, thoughts too; nil without a message (NODE-003)."""
    assert inputs(message) == given


def test_an_answer_to_a_waiting_call_is_no_input():
    """The node input is nil, so the message itself stays the user's content (NODE-020, NODE-021)."""
    waiting = event("once", call("t", "c1"), long_running_tool_ids=["c1"], invocation_id="old")
    message = content("text", answer("t", "c1"))
    assert inputs(message, [waiting]) is message
    # Answered before or not, whichever invocation.
    answered = event("user", answer("t", "c1"))
    assert inputs(message, [waiting, answered]) is message


def test_a_chat_agent_has_the_message():
    """Its input is ignored (NODE-033)."""
    spy = Spy()
    message = content("a", "b")
    World(spy).turn(message)
    assert spy.contexts[0].user_content is message


# --- the body's end (NODE-008, NODE-022) ------------------------------------------------------------------


def test_a_pause_is_silent():
    """A long-running call leaves the node waiting: no event marks it, no output (NODE-008, NODE-022)."""
    waiting = event("a", call("t", "c1"), long_running_tool_ids=["c1"], output="lost")
    got = World(Spy(waiting, event("a", "x"))).turn()
    assert len(got) == 2
    assert got[1] == said("a", "x", **PATH)


def test_an_error_is_the_last_item():
    """The agent is closed at it (RUN-073, NODE-020)."""
    spy = Spy(event("a", "x"), AdkError("boom"), event("a", "never"))
    log = []
    world = World(
        spy, plugins=[Plugin("p", after_run_callback=lambda ctx: log.append(list(spy.log)))]
    )
    assert world.turn() == [said("a", "x", **PATH), "boom"]
    assert spy.log == ["resumed", "closed"]
    assert log == [["resumed", "closed"]]


def test_an_errors_event_is_dropped():
    """The item is the error alone (RUN-070)."""

    class Half(Spy):
        """Yields an event with an error."""

        def run(self, ctx):
            """Yield both."""
            yield event("a", "half"), AdkError("boom")

    assert World(Half()).turn() == ["boom"]


def test_nil_items_are_dropped():
    """Silently on this path (RUN-067)."""
    assert World(Spy(None, event("a", "x"), None)).turn() == [said("a", "x", **PATH)]


def test_a_panic_is_an_error():
    """With the node's name, quoted (RUN-075)."""
    spy = Spy(event("a", "x"), ProgrammingError("misuse"), name='a"')
    got = World(spy).turn()
    assert got[1] == 'node "a\\"" panicked: misuse'
    assert spy.log[-1] == "closed"


def test_a_panic_of_a_callback():
    """A wrong answer of a model callback is an error item for the consumer (RUN-075)."""
    root = llm("x", before_model_callbacks=[lambda ctx, request: "text"])
    (got,) = World(root).turn()
    assert got.startswith('node "a" panicked: before_model callback ')
    assert got.endswith("returned str, expected LlmResponse or None")


def test_a_model_that_yields_nothing_useful():
    """None instead of a response is an error item, and nothing is stored (RUN-075)."""

    class Model:
        """Yields None."""

        name = "m"

        def generate(self, ctx, request, stream):
            """Yield None."""
            yield None

    world = World(LlmAgent("a", model=Model()))
    assert world.turn() == [
        "node \"a\" panicked: model 'm' yielded NoneType, expected an LlmResponse"
    ]
    assert len(world.stored) == 1


# --- stops (RUN-080, RUN-081, NODE-062 to NODE-066) --------------------------------------------------------


def test_a_stop_at_a_whole_event():
    """The agent is closed in its yield; AfterRun follows; nothing more is stored (RUN-081)."""
    spy = Spy(event("a", "1"), event("a", "2"))
    log = []
    world = World(
        spy, plugins=[Plugin("p", after_run_callback=lambda ctx: log.append(list(spy.log)))]
    )
    assert world.turn(stop_after=1) == [said("a", "1", **PATH)]
    assert spy.log == ["closed"]
    assert log == [["closed"]]
    assert len(world.stored) == 2


@pytest.mark.parametrize(
    ("following", "resumed"),
    [
        ([event("a", "whole"), event("a", "never")], 1),
        ([event("a", "p", partial=True), event("a", "whole"), event("a", "never")], 2),
        ([AdkError("boom"), event("a", "never")], 1),
        ([ProgrammingError("misuse")], 1),
        ([None, event("a", "whole"), event("a", "never")], 2),
        ([], 1),
        ([event("a", "p", partial=True) for _ in range(40)], 17),
    ],
)
def test_a_stop_at_a_partial_event(following, resumed):
    """The agent has run ahead to its next whole event, a queue's length at most (NODE-062, NODE-066)."""
    spy = Spy(event("a", "first", partial=True), *following)
    world = World(spy)
    assert len(world.turn(stop_after=1)) == 1
    assert spy.log.count("resumed") == resumed
    assert spy.log[-1] == "closed"
    assert len(world.stored) == 1


def test_the_nodes_context_dies_at_a_stop():
    """It is cancelled before the agent is closed, the caller's is not (RUN-081)."""
    seen = []

    class Looking(Spy):
        """Looks at its context while it is closed."""

        def run(self, ctx):
            """Yield until closed."""
            try:
                yield event("a", "x"), None
            finally:
                seen.append(str(ctx.host.error()))

    world = World(Looking())
    world.turn(stop_after=1)
    assert seen == ["context canceled"]
    assert world.host.error() is None


# --- cancellation (RUN-074, RUN-083) -------------------------------------------------------------------------


def cancelled(*items, plugin=None):
    """Play a turn whose host dies where an item says so."""
    spy = Spy(*items)
    world = World(spy, plugins=[plugin] if plugin else [])
    host, cancel = world.host.with_cancel()
    spy.given = [cancel if item == "cancel" else item for item in items]
    return world.turn(host=host), spy, world


def test_cancellation_stops_the_run():
    """What was not forwarded is neither stored nor yielded; the cause is the last item (RUN-083)."""
    got, spy, world = cancelled(event("a", "1"), "cancel", event("a", "2"), event("a", "3"))
    assert got == [said("a", "1", **PATH), "context canceled"]
    assert spy.log[-1] == "closed"
    assert world.stored[1:] == [said("a", "1", **PATH)]


def test_cancellation_while_an_event_is_taken():
    """Noticed before the agent is asked for more (RUN-083)."""
    world = World(Spy(event("a", "1"), event("a", "2")))
    host, cancel = world.host.with_cancel()
    items = world.stream(host=host)
    first, _ = next(items)
    cancel()
    assert first.content.parts[0].text == "1"
    assert [str(error) for _, error in items] == ["context canceled"]
    assert len(world.stored) == 2


def test_a_dead_host_runs_nothing():
    """The message is stored, the agent is not asked (RUN-083)."""
    spy = Spy(event("a", "1"))
    world = World(spy)
    host, cancel = world.host.with_cancel()
    cancel()
    assert world.turn(host=host) == ["context canceled"]
    assert spy.contexts == []
    assert len(world.stored) == 1


def test_a_deadline_is_a_cause():
    """It has its own text (RUN-083)."""
    world = World(Spy(event("a", "1")))
    host, cancel = world.host.with_timeout(-1)
    assert world.turn(host=host) == ["context deadline exceeded"]
    cancel()


def test_an_echo_of_the_cancellation():
    """The agent's error is taken for an echo when its chain holds one (RUN-083)."""
    for echo in (NodeCancelled("node cancelled"), wrap("model", NodeCancelled("node cancelled"))):
        got, _, _ = cancelled("cancel", echo)
        assert got == ["context canceled"]
    got, _, _ = cancelled("cancel", AdkError("own error"))
    assert got == ["own error"]


def test_a_cancelled_node_in_a_living_run():
    """The error is swallowed, the run ends as if it had succeeded (RUN-074)."""
    log = []
    plugin = Plugin("p", after_run_callback=lambda ctx: log.append("after"))
    for error in (NodeCancelled("node cancelled"), wrap("model", NodeCancelled("cancelled"))):
        world = World(Spy(event("a", "1"), error), plugins=[plugin])
        assert world.turn() == [said("a", "1", **PATH)]
    assert log == ["after", "after"]


# --- agents of other kinds (NODE-025) ---------------------------------------------------------------------------


def selected_custom(body, message, *events):
    """Play a turn that a custom agent answers, since it made the call c1."""
    asked = event("custom", call("t", "c1"), invocation_id="old", long_running_tool_ids=["c1"])
    root = llm(name="root", sub_agents=[Agent("custom", run=body)])
    world = World(root, events=[asked, *events])
    return world.turn(message), world


def test_another_kind_of_agent():
    """Its events are emitted unchanged under its own context (NODE-025, RUN-021)."""
    seen = []

    def body(ctx):
        seen.append((ctx.agent_name, ctx.path, ctx.run_id, ctx.invocation_id, ctx.user_content))
        yield event("", "x", branch="b")

    got, _ = selected_custom(body, content("more", answer("t", "c1", ok=1), answer("t", "c2")))
    assert got == [said("custom", "x", branch="b", nodeInfo={"path": "custom"})]
    # Of the message it sees the answers to what it waits for.
    assert seen == [("custom", "", "", "old", content(answer("t", "c1", ok=1)))]


@pytest.mark.parametrize(
    ("message", "given"),
    [
        (content("a", answer("t", "c9"), "b"), content("ab")),
        (content(answer("t", "c9")), None),
    ],
)
def test_its_input_without_an_answer(message, given):
    """The text as a user content; nil for an empty one (NODE-025)."""
    seen = []

    def body(ctx):
        seen.append(ctx.user_content)
        return iter(())

    asked = event("custom", call("t", "c9"))  # no long-running call
    assert selected_custom(body, message, asked)[0] == []
    assert seen == [given]


def test_its_pause_and_its_error():
    """The first error ends it, a pause is silent, a nil event is a fault (NODE-025)."""

    def failing(ctx):
        yield event("custom", call("t", "c2"), long_running_tool_ids=["c2"])
        yield None, AdkError("boom")
        yield event("custom", "never")

    message = content(answer("t", "c1"))
    got, _ = selected_custom(failing, message)
    assert [it if isinstance(it, str) else it["author"] for it in got] == ["custom", "boom"]
    got, _ = selected_custom(lambda ctx: iter([event("custom", "x"), None]), message)
    assert got[1] == (
        'node "custom" panicked: runtime error: invalid memory address or nil pointer dereference'
    )


def test_an_answer_that_was_given_before():
    """It counts as an answer of this turn all the same (NODE-021, NODE-025)."""
    seen = []

    def body(ctx):
        seen.append(ctx.user_content)
        return iter(())

    selected_custom(body, content(answer("t", "c1")), event("user", answer("t", "c1")))
    assert seen == [content(answer("t", "c1"))]


# --- whole turns --------------------------------------------------------------------------------------------------


def test_a_turn_with_a_tool():
    """The node path's events, stored as yielded (RUN-070)."""
    world = World(llm(reply(call("t")), "done", tools=[tool()]))
    got = world.turn()
    assert got == [
        said("a", call("t"), **PATH),
        said("a", answer("t", ok=1), role="user", **PATH),
        said("a", "done", **PATH),
    ]
    assert world.stored == [said("user", "hi", role="user"), *got]


def test_a_long_running_call_over_two_turns():
    """Open in one turn, answered in the next by the user, under one invocation (TOOL-041, RUN-030)."""
    slow = tool(lambda ctx, args: None, is_long_running=True)
    root = llm(reply(call("t")), "done", tools=[slow])
    world = World(root)
    assert world.turn() == [said("a", call("t"), longRunningToolIds=["c1"], **PATH)]
    assert world.turn(content(answer("t", status="ok"))) == [said("a", "done", **PATH)]
    assert [it.to_json() for it in root.model.requests[1].contents] == [
        content("hi").to_json(),
        content(call("t"), role="model").to_json(),
        content(answer("t", status="ok")).to_json(),
    ]
    assert len({it.invocation_id for it in world.session.events}) == 1


def test_answers_to_unknown_calls():
    """They are ordinary turns under a fresh invocation; the model does not see them (NODE-015, V24-004)."""
    root = llm("one", "two")
    world = World(root)
    world.turn("hi")
    assert world.turn(content("what?", answer("t", "c9"))) == [said("a", "two", **PATH)]
    assert [it.to_json() for it in root.model.requests[1].contents][-1] == content(
        "what?"
    ).to_json()
    assert len({it.invocation_id for it in world.session.events}) == 2


def test_a_transfer_in_a_node():
    """The target's events keep their author and get the root's path (NODE-079)."""
    sub = llm("from b", name="b")
    root = llm(reply(call("transfer_to_agent", agent_name="b")), sub_agents=[sub])
    got = World(root).turn()
    assert got[-1] == said("b", "from b", **PATH)
    # The next turn is b's (RUN-022).
    world = World(root, events=[event("b", "x")])
    sub.model._calls = 0
    assert world.turn() == [said("b", "from b", nodeInfo={"path": "b"})]


def test_a_transfer_to_nobody():
    """The response is stored, the error is the last item (XFER-008)."""
    root = llm(reply(call("transfer_to_agent", agent_name="zed")), sub_agents=[llm(name="b")])
    world = World(root)
    got = world.turn()
    assert got[2:] == ["failed to find agent: zed"]
    assert len(world.stored) == 3
