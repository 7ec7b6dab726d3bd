# SPDX-License-Identifier: Apache-2.0
"""Child nodes of a chat agent (chapter 03, 4.9)."""

import pytest
from kit import (
    Scene,
    World,
    answer,
    call,
    contents_of,
    counting_host,
    event,
    plain,
    reply,
    said,
    thought,
)

from adkref.agents import LlmAgent
from adkref.content import Content
from adkref.contexts import Context, ContextDelta
from adkref.errors import AdkError, NodeInterrupted
from adkref.events import EventActions, NodeInfo, RequestedInput
from adkref.flow.children import SubScheduler, finishes_by_itself, output_of, run_child
from adkref.models import ScriptedModel
from adkref.streams import Emitted
from adkref.tools import FunctionTool


class Body(LlmAgent):
    """An LLM agent whose items are given."""

    def __init__(self, name, *items, **options):
        super().__init__(name, **options)
        self.given = items
        self.contexts = []

    def run(self, ctx):
        """Yield the items; an exception is raised, a callable is called."""
        self.contexts.append(ctx)
        for item in self.given:
            if isinstance(item, Exception):
                yield None, item
            else:
                yield item, None


def scheduled(scene=None, path="root", **scheduler):
    """A context inside a node."""
    scene = scene or Scene(host=counting_host())
    return Context.promote(scene.ctx).with_delta(
        ContextDelta(sub_scheduler=SubScheduler(path, **scheduler))
    )


def child(agent, ctx=None, node_input="in", **options):
    """Run a child; return the events that it emits, and its output or error."""
    options.setdefault("mode", "single_turn")
    items = run_child(ctx or scheduled(), agent, node_input, **options)
    seen = []
    while True:
        try:
            item = next(items)
        except StopIteration as end:
            return seen, end.value
        except AdkError as error:
            return seen, error
        assert type(item) is Emitted
        assert item[1] is None
        seen.append(plain(item[0]))


# --- run ids (NODE-070, NODE-071) ---------------------------------------------------------------------


def test_run_ids_count_per_child():
    """From one for each name; explicit ones do not count (NODE-070)."""
    scheduler = SubScheduler("root")
    assert [scheduler.run_id(name, "") for name in ("x", "y", "x")] == ["1", "1", "2"]
    assert scheduler.run_id("x", "fc-1") == "fc-1"
    assert scheduler.run_id("x", "") == "3"


@pytest.mark.parametrize(
    ("custom", "fault"),
    [
        ("1", "is purely numeric (reserved for auto-counter)"),
        ("007", "is purely numeric (reserved for auto-counter)"),
        ("a/b", "contains reserved separator (/ or @)"),
        ("a@1", "contains reserved separator (/ or @)"),
        ("1@", "contains reserved separator (/ or @)"),
    ],
)
def test_bad_run_ids(custom, fault):
    """A model that numbers its calls cannot delegate (NODE-071)."""
    with pytest.raises(AdkError) as caught:
        SubScheduler("root").run_id("job", custom)
    assert str(caught.value) == (
        f'workflow: dynamic child job: workflow: invalid run id: "{custom}" {fault}'
    )


@pytest.mark.parametrize("custom", ["1a", "-1", "1.5", "١", "call_1"])
def test_good_run_ids(custom):
    """Only ASCII digits alone are reserved (NODE-071)."""
    assert SubScheduler("root").run_id("job", custom) == custom


# --- marks (NODE-072, NODE-073) ------------------------------------------------------------------------


def test_a_childs_events_are_marked():
    """Path, scope and output are the child's, where they are not set (NODE-072)."""
    agent = Body(
        "x",
        event("x", "hm", partial=True),
        event("x", call("t"), node_info=NodeInfo("own"), isolation_scope="s0"),
        event("x", "out"),
    )
    seen, output = child(agent, scope="s1")
    assert seen == [
        said("x", "hm", partial=True, isolationScope="s1", nodeInfo={"path": "root/x@1"}),
        said("x", call("t"), isolationScope="s0", nodeInfo={"path": "own"}),
        said(
            "x",
            "out",
            isolationScope="s1",
            output="out",
            nodeInfo={
                "path": "root/x@1",
                "messageAsOutput": True,
                "outputFor": ["root/x@1"],
            },
        ),
    ]
    assert output == "out"


def test_an_output_for_somebody_stays():
    """OutputFor is set only when it is empty (NODE-072)."""
    agent = Body("x", event("x", output=1, node_info=NodeInfo(output_for=["other"])))
    ((got,), output) = child(agent, mode="task")
    assert (got["nodeInfo"], output) == ({"path": "root/x@1", "outputFor": ["other"]}, 1)


@pytest.mark.parametrize(
    ("branch", "sub_branch", "child_branch"),
    [("", True, "x@1"), ("b", True, "b.x@1"), ("b", False, "b"), ("", False, "")],
)
def test_branch_and_scope(branch, sub_branch, child_branch):
    """A single-turn child has a branch of its own; without a scope the coordinator's (NODE-073)."""
    agent = Body("x", event("x", "out"))
    scene = Scene(host=counting_host(), branch=branch, isolation_scope="outer")
    child(agent, scheduled(scene), sub_branch=sub_branch)
    (ctx,) = agent.contexts
    assert (ctx.branch, ctx.isolation_scope, ctx.agent) == (child_branch, "outer", agent)
    # Its own context has no scheduler, so it cannot run children (NODE-034, NODE-075).
    assert Context.promote(ctx).sub_scheduler is None


# --- results (NODE-074) ---------------------------------------------------------------------------------


def test_the_last_output_counts():
    """Of several outputs the last is the child's (NODE-074)."""
    agent = Body("x", event("x", "one"), event("x", "two"))
    assert child(agent)[1] == "two"
    assert child(Body("x"))[1] is None


def test_an_error_of_a_child():
    """It is wrapped with the child's path; what came before was emitted (NODE-074)."""
    boom = ValueError("boom")
    seen, error = child(Body("x", event("x", "one"), boom, event("x", "never")))
    assert len(seen) == 1
    assert str(error) == ("workflow: dynamic child root/x@1: workflow: dynamic child failed: boom")
    assert error.__cause__ is boom


def test_nil_items_are_skipped():
    """An item without event and error is none (NODE-074)."""
    assert child(Body("x", None, event("x", "out")))[1] == "out"


def waiting(*cids):
    """An event with long-running calls."""
    parts = [call("t", cid) for cid in cids]
    return event("x", *parts, long_running_tool_ids=list(cids))


@pytest.mark.parametrize(
    ("items", "raise_on_wait", "interrupted"),
    [
        ([event("x", requested_input=RequestedInput("q"))], False, True),
        ([event("x", requested_input=RequestedInput("q")), event("x", "out")], True, True),
        ([waiting("c1")], True, True),
        ([waiting("c1")], False, False),
        ([waiting("c1"), event("x", "hm")], True, True),
        ([waiting("c1"), event("x", answer("t", "c1"))], True, False),
        ([waiting("c1", "c2"), event("x", answer("t", "c1"))], True, True),
        ([event("x", "out")], True, False),
    ],
)
def test_interruptions(items, raise_on_wait, interrupted):
    """A question to the user, or for who waits a long-running call without answer (NODE-074)."""
    seen, result = child(Body("x", *items), mode="task", raise_on_wait=raise_on_wait)
    assert len(seen) == len(items)
    assert isinstance(result, NodeInterrupted) is interrupted
    if interrupted:
        assert str(result) == "workflow: dynamic child root/x@1 is interrupted"


def test_outside_a_node_there_are_no_children():
    """Without a scheduler the child cannot run (NODE-075)."""
    with pytest.raises(AdkError) as caught:
        next(run_child(Context.promote(Scene().ctx), Body("x"), None, mode="task"))
    assert str(caught.value) == "workflow: RunNode called outside a dynamic node"


def test_a_consumer_that_stops_closes_the_child():
    """Closing reaches the child's run (NODE-064)."""
    closed = []

    class Endless(Body):
        """Never ends by itself."""

        def run(self, ctx):
            """Yield until closed."""
            try:
                while True:
                    yield event("x", "tick", partial=True), None
            finally:
                closed.append(1)

    items = run_child(scheduled(), Endless("x"), None, mode="task")
    for _ in range(3):
        next(items)
    items.close()
    assert closed == [1]


# --- the cache (NODE-076) ----------------------------------------------------------------------------------


def stored(path, output, invocation_id="inv"):
    """A stored event of a child."""
    info = NodeInfo(path) if path is not None else None
    return event("x", output=output, node_info=info, invocation_id=invocation_id)


def test_what_children_put_out_is_remembered():
    """Of this invocation, below the node's path, the last one (NODE-076)."""
    scene = Scene(
        events=[
            stored("root/x@1", "old"),
            stored("root/x@1", "new"),
            stored("root/y@fc", {"n": 1}),
            stored("root/z@1", "other", "inv-2"),
            stored("root", "own"),
            stored("rooter/x@1", "elsewhere"),
            stored(None, "nobody's"),
            stored("root/x@1", None),
        ]
    )
    scheduler = SubScheduler.for_node("root", scene.session, "inv")
    assert scheduler.parent_path == "root"
    assert scheduler.cached == {"root/x@1": "new", "root/y@fc": {"n": 1}}
    assert SubScheduler.for_node("root", None, "inv").cached == {}


def test_a_remembered_child_is_not_run():
    """Its output is returned at once (NODE-076)."""
    agent = Body("x", event("x", "never"))
    ctx = scheduled(cached={"root/x@fc": {"n": 1}})
    assert child(agent, ctx, run_id="fc") == ([], {"n": 1})
    assert agent.contexts == []
    assert child(agent, ctx)[1] == "never"


# --- outputs (NODE-006, NODE-077) ---------------------------------------------------------------------------


MESSAGE = NodeInfo(message_as_output=True)


@pytest.mark.parametrize(
    ("given", "output"),
    [
        (event("x", output=0), 0),
        (event("x", "text", output={"n": 1}, node_info=MESSAGE), {"n": 1}),
        (event("x", "text", thought("hm"), node_info=MESSAGE), "text"),
        (event("x", "", node_info=MESSAGE), ""),
        (event("x", "text", role="user", node_info=MESSAGE), None),
        (event("x", node_info=MESSAGE), None),
        (event("x", "text", node_info=NodeInfo("p")), None),
        (event("x", "text"), None),
    ],
)
def test_what_an_event_puts_out(given, output):
    """Its output, or its text when it stands for one and is the model's (NODE-006)."""
    assert output_of(given) == output


@pytest.mark.parametrize(
    ("given", "finishes"),
    [
        (event("x", "text"), True),
        (event("", "text"), True),
        (event("x", ""), True),
        (event("x", "text", actions=EventActions(skip_summarization=True)), True),
        (event("y", "text"), False),
        (event("x", "text", output=""), False),
        (event("x", "text", partial=True), False),
        (event("x", call("t")), False),
        (event("x", "text", long_running_tool_ids=["c1"]), False),
        (event("x", "text", role="user"), False),
        (event("x"), False),
        (event("x", content=Content("model")), True),
    ],
)
def test_what_finishes_by_itself(given, finishes):
    """An own final model event without output, unless the agent has a task (NODE-077)."""
    assert finishes_by_itself(given, "x", "single_turn") is finishes
    assert finishes_by_itself(given, "x", "chat") is finishes
    assert finishes_by_itself(given, "x", "task") is False


def test_a_blank_reply_of_an_agent_with_a_schema():
    """Its text is the output, not nil; an existing node info is kept (NODE-077)."""
    schema = {"type": "OBJECT", "properties": {}}
    ((got,), output) = child(Body("x", event("x", " \n"), output_schema=schema))
    assert output == " \n"
    assert got["nodeInfo"] == {
        "path": "root/x@1",
        "messageAsOutput": True,
        "outputFor": ["root/x@1"],
    }
    for info, path in ((None, "root/x@1"), (NodeInfo("own"), "own")):
        ((got,), output) = child(Body("x", event("x", "hi", node_info=info)), mode="chat")
        assert (output, got["nodeInfo"]["path"]) == ("hi", path)


# --- in a whole run -----------------------------------------------------------------------------------------


def once(name, *script, **options):
    """A single-turn agent."""
    return LlmAgent(name, mode="single_turn", model=ScriptedModel(script), **options)


def test_a_single_turn_tool_in_a_run():
    """The child's event is emitted on its own path and branch, the output is the answer (NODE-058)."""
    root = LlmAgent(
        "root",
        model=ScriptedModel([reply(call("once", request="q")), "done"]),
        sub_agents=[once("once", "out")],
    )
    world = World(root)
    path = {"nodeInfo": {"path": "root"}}
    assert world.turn() == [
        said("root", call("once", request="q"), **path),
        said(
            "once",
            "out",
            branch="once@1",
            nodeInfo={
                "path": "root/once@1",
                "messageAsOutput": True,
                "outputFor": ["root/once@1"],
            },
        ),
        said("root", answer("once", result="out"), role="user", **path),
        said("root", "done", **path),
    ]
    # It sees its seed, the JSON of the arguments, and nothing else (NODE-058, NODE-082).
    (request,) = root.sub_agents[0].model.requests
    assert contents_of(request) == [{"role": "user", "parts": [{"text": '{"request":"q"}'}]}]


def test_single_turn_tools_side_by_side():
    """Each child has a run of its own; answers come in call order (NODE-063, TOOL-030)."""
    root = LlmAgent(
        "root",
        model=ScriptedModel(
            [
                reply(
                    call("x", "c1", request="1"),
                    call("y", "c2", request="2"),
                    call("x", "c3", request="3"),
                ),
                "done",
            ]
        ),
        sub_agents=[once("x", "x1", "x2"), once("y", "y1")],
    )
    got = World(root).turn()
    children = got[1:-2]
    assert sorted((it["nodeInfo"]["path"], it["branch"]) for it in children) == [
        ("root/x@1", "x@1"),
        ("root/x@2", "x@2"),
        ("root/y@1", "y@1"),
    ]
    answers = [part["functionResponse"] for part in got[-2]["content"]["parts"]]
    assert [it["id"] for it in answers] == ["c1", "c2", "c3"]
    assert {answers[0]["response"]["result"], answers[2]["response"]["result"]} == {"x1", "x2"}


def test_a_failing_single_turn_tool_is_told():
    """The node's error is the tool's, and the coordinator goes on (NODE-058, TOOL-026)."""
    root = LlmAgent(
        "root",
        model=ScriptedModel([reply(call("once", request="q")), "sorry"]),
        sub_agents=[once("once", ValueError("boom"))],
    )
    got = World(root).turn()
    assert got[1]["content"]["parts"][0]["functionResponse"]["response"] == {
        "error": "failed to run agent node: workflow: dynamic child root/once@1: "
        "workflow: dynamic child failed: boom"
    }
    assert got[-1]["content"]["parts"] == [{"text": "sorry"}]


def test_children_of_children_cannot_run():
    """A single-turn agent has no scheduler for its own single-turn tools (NODE-075)."""
    middle = once(
        "middle", reply(call("leaf", request="r")), "gave up", sub_agents=[once("leaf", "never")]
    )
    root = LlmAgent(
        "root",
        model=ScriptedModel([reply(call("middle", request="q")), "done"]),
        sub_agents=[middle],
    )
    got = World(root).turn()
    assert got[2]["content"]["parts"][0]["functionResponse"]["response"] == {
        "error": "failed to run agent node: workflow: RunNode called outside a dynamic node"
    }
    assert [it["author"] for it in got] == ["root", "middle", "middle", "middle", "root", "root"]


def test_a_plain_tool_beside_a_child():
    """Both are answered in one event (TOOL-030)."""
    plain_tool = FunctionTool(lambda ctx, args: {"ok": 1}, name="t", parameters={"type": "object"})
    root = LlmAgent(
        "root",
        model=ScriptedModel([reply(call("t", "c1"), call("once", "c2", request="q")), "done"]),
        tools=[plain_tool],
        sub_agents=[once("once", "out")],
    )
    got = World(root).turn()
    assert got[2] == said(
        "root",
        answer("t", "c1", ok=1),
        answer("once", "c2", result="out"),
        role="user",
        nodeInfo={"path": "root"},
    )
