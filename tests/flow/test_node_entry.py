# SPDX-License-Identifier: Apache-2.0
"""An LLM agent as a node: chat, single_turn and task (chapter 03, 4.4 to 4.7)."""

import pytest
from kit import (
    Scene,
    World,
    answer,
    call,
    content,
    contents_of,
    counting_host,
    event,
    nil_call,
    plain,
    reply,
    said,
    shown,
    system_of,
    thought,
)

from adkref.agents import Agent, LlmAgent, SequentialAgent
from adkref.content import Content, FunctionResponse, Part
from adkref.contexts import Context, ContextDelta
from adkref.events import EventActions, NodeInfo
from adkref.flow.children import SubScheduler
from adkref.flow.node_entry import content_of_input, run_as_node
from adkref.flow.placement import PLACEMENT
from adkref.flow.seeded import SeededSession
from adkref.models import ScriptedModel
from adkref.tools import FunctionTool

CITY = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}
NUMBERS = {"type": "ARRAY", "items": {"type": "NUMBER"}}
DONE = {"result": "Task completed."}


def llm(name, *script, **options):
    """An LLM agent with a script."""
    return LlmAgent(name, model=ScriptedModel(script), **options)


def entered(agent, node_input=None, mode="", scene=None, **options):
    """Run an agent as a node; return what it yields."""
    scene = scene or Scene(agent, host=counting_host(), **options)
    return [shown(item) for item in scene.take(run_as_node(agent, scene.ctx, node_input, mode))]


class Spy(LlmAgent):
    """An LLM agent whose items are given and whose context is kept."""

    def __init__(self, name="a", *items, **options):
        super().__init__(name, **options)
        self.given, self.contexts, self.closed = items, [], 0

    def run(self, ctx):
        """Yield the items; an exception is an error."""
        self.contexts.append(ctx)
        try:
            for item in self.given:
                yield (None, item) if isinstance(item, Exception) else (item, None)
        finally:
            self.closed += 1


# --- dispatch (NODE-030, NODE-031) ------------------------------------------------------------------


@pytest.mark.parametrize("agent", [Agent('x"'), SequentialAgent('x"')])
def test_only_llm_agents_are_nodes(agent):
    """Another kind is one error (NODE-030)."""
    assert entered(agent) == ['RunLLMAgentAsNode: "x\\"" is not an LlmAgent']


@pytest.mark.parametrize(
    ("declared", "given", "shown_as"), [("batch", "", "batch"), ("", "live", "live")]
)
def test_unknown_modes(declared, given, shown_as):
    """Another mode is one error (NODE-031)."""
    assert entered(llm("a", "x", mode=declared), mode=given) == [
        (
            'RunLLMAgentAsNode: LlmAgent "a" only supports task, single_turn, and chat mode, '
            f'got "{shown_as}"'
        )
    ]


@pytest.mark.parametrize(
    ("declared", "given", "bound"),
    [
        ("", "", "chat"),
        ("chat", "", "chat"),
        ("task", "", "task"),
        ("single_turn", "", "single_turn"),
        ("chat", "task", "task"),
        ("single_turn", "chat", "chat"),
        ("", "single_turn", "single_turn"),
    ],
)
def test_the_mode_is_bound(declared, given, bound):
    """The placement's mode, else the declared one, else chat; nothing is written (V24-006)."""
    agent = Spy("a", mode=declared)
    entered(agent, mode=given)
    placement = agent.contexts[0].host.value(PLACEMENT)
    assert (placement.agent, placement.mode) == (agent, bound)
    assert agent.mode == declared


def test_an_outer_binding_counts():
    """Entered again without a mode, the bound one stays (V24-006)."""
    agent = Spy("a")
    scene = Scene(agent)
    entered(agent, mode="task", scene=scene)
    again = [shown(item) for item in run_as_node(agent, agent.contexts[0], None)]
    assert again == []
    assert agent.contexts[1].host.value(PLACEMENT).mode == "task"


# --- the context (NODE-033, NODE-034) -----------------------------------------------------------------


def test_chat_uses_the_given_context():
    """Its input is ignored, its ended flag is shared, its scheduler stays (NODE-033)."""
    agent = Spy("a")
    scene = Scene(agent)
    scheduler = SubScheduler("a")
    ctx = Context.promote(scene.ctx).with_delta(ContextDelta(sub_scheduler=scheduler))
    assert list(run_as_node(agent, ctx, "input", "chat")) == []
    (got,) = agent.contexts
    assert got.inner is scene.ctx
    assert (got.user_content, got.session, got.sub_scheduler) == (
        content("hi"),
        scene.session,
        scheduler,
    )
    got.end_invocation()
    assert scene.ctx.ended


@pytest.mark.parametrize("mode", ["single_turn", "task"])
def test_other_modes_have_a_context_of_their_own(mode):
    """Branch, scope and ids are copied, the flag starts anew, there is no scheduler (NODE-034)."""
    agent = Spy("a")
    scene = Scene(agent, branch="b", isolation_scope="s", streaming="sse", memory=None)
    ctx = Context.promote(scene.ctx).with_delta(ContextDelta(sub_scheduler=SubScheduler("a")))
    ctx.end_invocation()
    list(run_as_node(agent, ctx, None, mode))
    (got,) = agent.contexts
    assert got.inner is not scene.ctx
    assert (got.branch, got.isolation_scope, got.invocation_id) == ("b", "s", "inv")
    assert (got.run_config, got.session, got.agent) == (scene.ctx.run_config, scene.session, agent)
    assert (got.ended, got.sub_scheduler, got.user_content) == (False, None, content("hi"))


@pytest.mark.parametrize("mode", ["single_turn", "task"])
def test_the_input_is_the_user_content(mode):
    """Converted; only a single-turn agent is shown it as an event (NODE-034, LLM-027)."""
    agent = Spy("a")
    scene = Scene(agent, host=counting_host(), isolation_scope="s", events=[event("user", "old")])
    list(run_as_node(agent, scene.ctx, {"n": 1}, mode))
    (got,) = agent.contexts
    assert got.user_content == content('{"n":1}')
    if mode == "task":
        assert got.session is scene.session
        return
    assert isinstance(got.session, SeededSession)
    old, seed = got.session.events
    assert old == event("user", "old")
    assert seed.to_json() == {
        "id": "id-1",
        "timestamp": "2026-08-01T12:00:01Z",
        "invocationId": "inv",
        "isolationScope": "s",
        "author": "user",
        "content": content('{"n":1}').to_json(),
        "actions": {"stateDelta": {}, "artifactDelta": {}},
    }
    assert len(scene.session.events) == 1


def test_without_a_session_nothing_is_seeded():
    """A context without session stays without one (NODE-036)."""
    agent = Spy("a")
    scene = Scene(agent)
    scene.ctx.session = None
    list(run_as_node(agent, scene.ctx, "input", "single_turn"))
    assert agent.contexts[0].session is None


# --- input (NODE-035) ------------------------------------------------------------------------------------


class Opaque:
    """No JSON."""

    def __str__(self):
        return "an opaque one"


@pytest.mark.parametrize(
    ("node_input", "text"),
    [
        ("", ""),
        ("hi", "hi"),
        ({"b": "<x>", "a": [1.0, None]}, '{"a":[1,null],"b":"\\u003cx\\u003e"}'),
        ([], "[]"),
        (5, "5"),
        (0.5, "0.5"),
        (False, "false"),
        (Opaque(), "an opaque one"),
        ({"x": Opaque()}, None),
        (float("nan"), "nan"),
    ],
)
def test_input_as_content(node_input, text):
    """A string is a text, other values their JSON, else their plain form (NODE-035)."""
    got = content_of_input(node_input)
    if text is None:
        assert got.parts[0].text.startswith("{'x': <")
    else:
        assert got == content(text)


def test_a_content_as_input():
    """Its parts are shared, its role is the user's; nil is none (NODE-035)."""
    given = Content("model", [Part(text="x")])
    got = content_of_input(given)
    assert got == content("x")
    assert got.parts is given.parts
    assert given.role == "model"
    assert content_of_input(None) is None


# --- single_turn (NODE-047, NODE-048) -----------------------------------------------------------------------

OUT = {"nodeInfo": {"messageAsOutput": True}}


@pytest.mark.parametrize(
    ("given", "options", "expected"),
    [
        (event("a", "x"), {}, said("a", "x", output="x", **OUT)),
        (
            event("b", "x", thought("hm"), "y"),
            {},
            said("b", "x", thought("hm"), "y", output="xy", **OUT),
        ),
        (event("a", ""), {}, said("a", "", output="", **OUT)),
        (event("a", thought("hm")), {}, said("a", thought("hm"), output="", **OUT)),
        (
            event("a", "x", node_info=NodeInfo("p", output_for=["q"])),
            {},
            said(
                "a",
                "x",
                output="x",
                nodeInfo={"path": "p", "messageAsOutput": True, "outputFor": ["q"]},
            ),
        ),
        (
            event("a", "x"),
            {"output_key": "k"},
            said("a", "x", output="x", actions={"stateDelta": {"k": "x"}}, **OUT),
        ),
        (
            event("a", thought("hm"), actions=EventActions(state_delta={"k": 1, "j": 2})),
            {"output_key": "k"},
            said("a", thought("hm"), output="", actions={"stateDelta": {"k": "", "j": 2}}, **OUT),
        ),
        (
            event("a", ' {"city": "Oslo"}'),
            {"output_key": "k", "output_schema": CITY},
            said(
                "a",
                ' {"city": "Oslo"}',
                output={"city": "Oslo"},
                actions={"stateDelta": {"k": {"city": "Oslo"}}},
                **OUT,
            ),
        ),
        # A blank text has no output, but the mark.
        (
            event("a", " \n"),
            {"output_key": "k", "output_schema": CITY},
            said("a", " \n", **OUT),
        ),
        # Left alone: partial, calls, other roles, no content.
        (event("a", "x", partial=True), {}, said("a", "x", partial=True)),
        (event("a", "x", call("t")), {}, said("a", "x", call("t"))),
        (event("a", answer("t"), role="user"), {}, said("a", answer("t"), role="user")),
        (event("a", "x", role=""), {}, {"author": "a", "content": {"parts": [{"text": "x"}]}}),
        (event("a"), {}, {"author": "a"}),
    ],
)
def test_the_output_of_a_single_turn(given, options, expected):
    """Whole model events put out their text, or the parsed map (NODE-048, OUT-014)."""
    assert entered(Spy("a", given, **options), mode="single_turn") == [expected]


def test_output_that_does_not_fit():
    """The error comes instead of the event and ends the run (NODE-047)."""
    agent = Spy(
        "a", event("a", "x", partial=True), event("a", "{}"), event("a", "n"), output_schema=CITY
    )
    assert entered(agent, mode="single_turn") == [
        said("a", "x", partial=True),
        (
            'LlmAgent "a" output validation failed: '
            '"output" args does not contain required key: \'"city"\''
        ),
    ]
    assert agent.closed == 1


@pytest.mark.parametrize("mode", ["single_turn", "task", "chat"])
def test_an_error_ends_the_node(mode):
    """It is the last item, and the agent is closed (NODE-047, NODE-050, NODE-042)."""
    agent = Spy("a", event("a", call("t")), ValueError("boom"), event("a", "n"))
    assert entered(agent, mode=mode) == [said("a", call("t")), "boom"]
    assert agent.closed == 1


def test_nil_items_pass():
    """An item without event and error is passed on (NODE-047, NODE-050)."""
    for mode in ("single_turn", "task", "chat"):
        assert entered(Spy("a", None), mode=mode) == [None]


def test_what_a_single_turn_sees():
    """The current turn alone, its input as the newest user event; no identity (NODE-082, REQ-045)."""
    agent = llm("a", "out")
    entered(agent, "question", "single_turn", events=[event("user", "old"), event("a", "answer")])
    (request,) = agent.model.requests
    assert contents_of(request) == [content("question").to_json()]
    assert system_of(request) == []


def test_default_contents_are_kept():
    """An explicit default shows the whole history, the seed at its place (V24-006)."""
    agent = llm("a", reply(call("t")), "out", include_contents="default", tools=[echo()])
    entered(agent, "question", "single_turn", events=[event("user", "old"), event("a", "answer")])
    assert contents_of(agent.model.requests[1]) == [
        content("old").to_json(),
        content("answer", role="model").to_json(),
        content("question").to_json(),
        content(call("t"), role="model").to_json(),
        content(answer("t", ok=1)).to_json(),
    ]


def echo():
    """A plain tool."""
    return FunctionTool(lambda ctx, args: {"ok": 1}, name="t", parameters={"type": "object"})


# --- task (NODE-050 to NODE-054) -------------------------------------------------------------------------------


def finish(cid="f", **args):
    """The event that calls finish_task."""
    return event("a", call("finish_task", cid, **args))


def finished(**response):
    """The event that answers it."""
    return event("a", answer("finish_task", "f", **(response or DONE)), role="user")


@pytest.mark.parametrize(
    ("schema", "args", "output"),
    [
        (None, {"result": "did it"}, {"result": "did it"}),
        (CITY, {"city": "Oslo"}, {"city": "Oslo"}),
        (NUMBERS, {"result": [1.0]}, [1.0]),
        (NUMBERS, {"other": 1}, {"other": 1}),
    ],
)
def test_the_output_of_a_task(schema, args, output):
    """The remembered arguments, or the one under the wrapper key; then it stops (NODE-052, NODE-053)."""
    agent = Spy(
        "a", finish(**args), finished(), event("a", "never"), mode="task", output_schema=schema
    )
    got = entered(agent)
    assert [it.get("output") for it in got] == [None, output]
    assert agent.closed == 1


@pytest.mark.parametrize(
    "items",
    [
        # No success.
        [finish(result="x"), finished(error="bad"), event("a", "n")],
        [finish(result="x"), finished(result="task completed."), event("a", "n")],
        [finish(result="x"), event("a", answer("t"), role="user"), event("a", "n")],
        # The first response decides.
        [
            finish(result="x"),
            event("a", answer("finish_task", "f", error="e"), answer("finish_task", "g", **DONE)),
            event("a", "n"),
        ],
        # Nothing remembered.
        [finished(), event("a", "n")],
        [event("a", nil_call("finish_task")), finished(), event("a", "n")],
        [finish(result="x"), event("a", nil_call("finish_task")), finished(), event("a", "n")],
    ],
)
def test_a_task_that_is_not_finished(items):
    """All its events pass, none has an output (NODE-050, NODE-051, NODE-054)."""
    agent = Spy("a", *items, mode="task")
    assert entered(agent) == [plain(it) for it in items]


def test_a_partial_call_is_remembered():
    """Also from a partial event; the newest call counts, its first finish (NODE-050)."""
    items = [
        event("a", call("finish_task", n=1), partial=True),
        event("a", call("finish_task", n=2), call("finish_task", n=3)),
        finished(),
    ]
    assert entered(Spy("a", *items, mode="task"))[-1]["output"] == {"n": 2}


def test_the_arguments_are_copied():
    """What happens to the call later does not change the output (NODE-050)."""
    asked = finish(n=1)
    agent = Spy("a", asked, finished(), mode="task")
    items = run_as_node(agent, Scene(agent).ctx, None)
    next(items)
    asked.calls()[0].args["n"] = 2
    last, _ = next(items)
    assert last.output == {"n": 1}
    items.close()


def test_a_nil_response_is_no_success():
    """A finish_task response without map does not finish (NODE-051)."""
    nil = event("a", Part(function_response=FunctionResponse("f", "finish_task")), role="user")
    assert "output" not in entered(Spy("a", finish(n=1), nil, mode="task"))[-1]


def test_a_task_in_full():
    """Wrong arguments are told, right ones finish; after callbacks do not run (NODE-053, NODE-057)."""
    agent = llm(
        "a",
        reply(call("finish_task", "f1", result=5.0)),
        reply(call("finish_task", "f2", result="ok")),
        "never",
        mode="task",
        after_agent_callbacks=[lambda ctx: content("never")],
    )
    got = entered(agent, {"request": "do"})
    assert [it["content"]["parts"][0] for it in got][::2] == [
        {"functionCall": {"id": "f1", "name": "finish_task", "args": {"result": 5.0}}},
        {"functionCall": {"id": "f2", "name": "finish_task", "args": {"result": "ok"}}},
    ]
    assert got[1]["content"]["parts"][0]["functionResponse"]["response"]["error"].startswith(
        "Invoking `finish_task()` failed due to validation errors:\n"
    )
    assert got[3] == said(
        "a", answer("finish_task", "f2", **DONE), role="user", output={"result": "ok"}
    )
    assert len(got) == 4


# --- chat (NODE-040 to NODE-046) ---------------------------------------------------------------------------------


def job(*script, **options):
    """A task agent."""
    return llm("job", *script, mode="task", description="does jobs", **options)


def finishing(cid="f", **args):
    """A response that finishes a task."""
    return reply(call("finish_task", cid, **(args or {"result": "did it"})))


def coordinator(*script, sub, **options):
    """A chat agent over a task agent."""
    return llm("root", *script, sub_agents=[sub], **options)


def brief(items):
    """Author and first part of each item."""
    out = []
    for it in items:
        if isinstance(it, str):
            out.append(it)
            continue
        (part, *_) = it["content"]["parts"]
        function = part.get("functionCall") or part.get("functionResponse")
        word = part.get("text") or ("+" if "functionCall" in part else "-") + function["name"]
        out.append(f"{it['author']}: {word}")
    return out


def test_a_delegation():
    """Call, the task's events in its scope, the synthetic response, the coordinator again (NODE-042 to 046)."""
    root = coordinator(reply(call("job", "t1", request="do")), "all done", sub=job(finishing()))
    world = World(root)
    got = world.turn()
    path = {"nodeInfo": {"path": "root"}}
    scoped = {"isolationScope": "t1", "nodeInfo": {"path": "root/job@t1"}}
    assert got == [
        said("root", call("job", "t1", request="do"), **path),
        said("job", call("finish_task", "f", result="did it"), **scoped),
        said(
            "job",
            answer("finish_task", "f", **DONE),
            role="user",
            isolationScope="t1",
            output={"result": "did it"},
            nodeInfo={"path": "root/job@t1", "outputFor": ["root/job@t1"]},
        ),
        said("user", answer("job", "t1", result="did it"), role="user", **path),
        said("root", "all done", **path),
    ]
    assert world.stored[1:] == got
    # The task sees its arguments; the coordinator the response, and nothing of the task (NODE-083).
    assert contents_of(root.sub_agents[0].model.requests[0]) == [
        content('{"request":"do"}').to_json()
    ]
    assert contents_of(root.model.requests[1]) == [
        content("hi").to_json(),
        content(call("job", "t1", request="do"), role="model").to_json(),
        content(answer("job", "t1", result="did it")).to_json(),
    ]


def test_an_output_that_is_no_map():
    """It is put under output (NODE-046)."""
    root = coordinator(
        reply(call("job", "t1")),
        "ok",
        sub=job(reply(call("finish_task", "f", result=[1.0])), output_schema=NUMBERS),
    )
    got = World(root).turn()
    assert got[3]["content"] == content(answer("job", "t1", output=[1.0])).to_json()


def test_a_task_call_without_arguments():
    """A nil map is an input, too: the task reads null (NODE-044)."""
    root = coordinator(reply(nil_call("job", "t1")), "ok", sub=job(finishing()))
    World(root).turn()
    assert contents_of(root.sub_agents[0].model.requests[0]) == [content("null").to_json()]


def test_nothing_else_of_that_turn_is_run():
    """Ordinary tools beside a task call are not executed (LLM-034, NODE-043)."""
    ran = []
    tool = FunctionTool(lambda ctx, args: ran.append(1), name="t", parameters={"type": "object"})
    root = coordinator(
        reply(call("t", "c1"), call("job", "t1", request="a"), call("job", "t2", request="b")),
        "ok",
        sub=job(finishing(), finishing(result="again")),
        tools=[tool],
    )
    got = World(root).turn()
    assert brief(got) == [
        "root: +t",
        "job: +finish_task",
        "job: -finish_task",
        "user: -job",
        "job: +finish_task",
        "job: -finish_task",
        "user: -job",
        "root: ok",
    ]
    assert ran == []
    assert [it["content"]["parts"][0]["functionResponse"]["id"] for it in (got[3], got[6])] == [
        "t1",
        "t2",
    ]


def test_callbacks_around_a_delegation():
    """Before callbacks run at each re-entry, after callbacks for the last run alone (LLM-034)."""
    log = []
    root = coordinator(
        reply(call("job", "t1")),
        reply(call("job", "t2")),
        "ok",
        sub=job(finishing(), finishing()),
        before_agent_callbacks=[lambda ctx: log.append("before")],
        after_agent_callbacks=[lambda ctx: log.append("after")],
    )
    World(root).turn()
    assert log == ["before", "before", "before", "after"]


def test_a_partial_task_call_is_not_dispatched():
    """Only whole events delegate, and only calls with an id (NODE-042)."""
    root = coordinator([reply(call("job", "t1"), partial=True), reply("hm")], sub=job("never"))
    assert brief(World(root).turn()) == ["root: +job", "root: hm"]


def test_a_task_that_asks_the_user():
    """The turn ends silently; the next one goes on with the task (NODE-045, NODE-041, RUN-047)."""
    sub = job("which city?", finishing())
    root = coordinator(reply(call("job", "t1", request="do")), "all done", sub=sub)
    world = World(root)
    assert brief(world.turn("go")) == ["root: +job", "job: which city?"]
    second = world.turn("Oslo")
    assert brief(second) == [
        "job: +finish_task",
        "job: -finish_task",
        "user: -job",
        "root: all done",
    ]
    # The user's answer belongs to the task (RUN-047).
    assert [it.get("isolationScope") for it in world.stored] == [
        None,
        None,
        "t1",
        "t1",
        "t1",
        "t1",
        None,
        None,
    ]
    assert contents_of(sub.model.requests[1]) == [
        content('{"request":"do"}').to_json(),
        content("which city?", role="model").to_json(),
        content("Oslo").to_json(),
    ]


def test_a_task_that_waits_for_a_tool():
    """An open long-running call interrupts it: no response, the call stays open (NODE-045)."""
    slow = FunctionTool(
        lambda ctx, args: None, name="slow", parameters={"type": "object"}, is_long_running=True
    )
    root = coordinator(
        reply(call("job", "t1")), "never", sub=job(reply(call("slow", "s1")), "hm", tools=[slow])
    )
    world = World(root)
    assert brief(world.turn()) == ["root: +job", "job: +slow"]
    assert len(root.model.requests) == 1


def test_a_task_that_fails():
    """The error is wrapped and ends the turn; the call stays unresolved (NODE-045)."""
    root = coordinator(reply(call("job", "t1")), "later", sub=job(ValueError("boom"), finishing()))
    world = World(root)
    text = "workflow: dynamic child root/job@t1: workflow: dynamic child failed: boom"
    assert brief(world.turn()) == ["root: +job", text]
    assert brief(world.turn("again"))[-2:] == ["user: -job", "root: later"]


def test_a_failed_dispatch_ends_the_activation():
    """Also for a consumer that goes on behind the error (NODE-045)."""
    root = coordinator(reply(call("job", "t1")), "never", sub=job(ValueError("boom"), finishing()))
    got = entered(root, scene=node_scene(root))
    assert brief(got) == [
        "root: +job",
        "workflow: dynamic child root/job@t1: workflow: dynamic child failed: boom",
    ]


def test_a_numeric_call_id():
    """It cannot name a run (NODE-071)."""
    root = coordinator(reply(call("job", "1")), sub=job("never"))
    assert World(root).turn()[1] == (
        'workflow: dynamic child job: workflow: invalid run id: "1" is purely numeric '
        "(reserved for auto-counter)"
    )


def test_a_target_that_is_gone():
    """A task tool whose agent is not in the tree any more (NODE-044)."""
    root = coordinator(reply(call("job", "t1")), sub=job("never"))
    root.sub_agents.clear()
    assert entered(root, scene=node_scene(root)) == [
        said("root", call("job", "t1")),
        'dispatchTaskFC: task target agent "job" not found',
    ]


def node_scene(root, **options):
    """A scene inside the root's node."""
    scene = Scene(root, host=counting_host(), **options)
    scene.ctx = Context.promote(scene.ctx).with_delta(
        ContextDelta(sub_scheduler=SubScheduler(root.name))
    )
    return scene


def test_what_was_left_open_comes_first():
    """Calls of this agent without an answer by it or the user, each id once, in order (NODE-041)."""
    sub = job(*[finishing(result=str(n)) for n in range(3)])
    root = coordinator("ok", sub=sub)
    events = [
        event("root", call("job", "t1"), call("job", "t2"), call("other", "t0")),
        event("root", call("job", "t1")),
        event("root", call("job", ""), call("job", "t3")),
        event("b", call("job", "t4")),
        event("user", answer("job", "t2")),
        event("b", answer("job", "t3")),
    ]
    got = entered(root, scene=node_scene(root, events=events))
    assert [it["content"]["parts"][0] for it in got if it["author"] == "user"] == [
        {"functionResponse": {"id": "t1", "name": "job", "response": {"result": "0"}}},
        {"functionResponse": {"id": "t3", "name": "job", "response": {"result": "1"}}},
    ]
    assert brief(got)[-1] == "root: ok"


def test_an_open_call_that_does_not_end():
    """The activation ends without running the agent (NODE-041)."""
    root = coordinator("never", sub=job("which city?"))
    scene = node_scene(root, events=[event("root", call("job", "t1"))])
    assert brief(entered(root, scene=scene)) == ["job: which city?"]
    assert root.model.requests == []


def test_without_a_session_nothing_is_open():
    """A context without session has no history (NODE-041)."""
    root = coordinator("ok", sub=job("never"))
    scene = node_scene(root)
    scene.ctx.inner.session = None
    items = run_as_node(root, scene.ctx, None)
    assert [shown(item) for item in items] == [said("root", "ok")]


def test_a_task_that_never_finishes():
    """There is no limit of rounds; the consumer bounds it, and all is closed (NODE-042, RUN-081)."""
    closed = []

    class Endless:
        """A model that always calls a tool."""

        name = "endless"

        def generate(self, ctx, request, stream):
            """Call t."""
            try:
                yield reply(call("t", f"c{len(request.contents)}"))
            finally:
                closed.append(1)

    sub = LlmAgent("job", model=Endless(), mode="task", tools=[echo()])
    root = coordinator(reply(call("job", "t1")), "never", sub=sub)
    world = World(root)
    got = world.turn(stop_after=200)
    assert len(got) == 200
    assert {it["author"] for it in got[1:]} == {"job"}
    assert len(world.stored) == 201
    assert len(closed) in (100, 99)
    assert len(root.model.requests) == 1


def test_stopping_at_a_task_call():
    """Nothing is dispatched (NODE-042)."""
    sub = job("never")
    root = coordinator(reply(call("job", "t1")), sub=sub)
    World(root).turn(stop_after=1)
    assert sub.model.requests == []


def test_a_task_agent_cannot_delegate():
    """Its own task call is a call of a tool that defers: no dispatch, no answer (NODE-075)."""
    inner = llm("inner", "never", mode="task")
    sub = job(reply(call("inner", "t2")), finishing(), sub_agents=[inner])
    root = coordinator(reply(call("job", "t1")), "ok", sub=sub)
    got = brief(World(root).turn())
    assert got[:2] == ["root: +job", "job: +inner"]
    assert inner.model.requests == []
