# SPDX-License-Identifier: Apache-2.0
"""Rules of chapter 03 on the node path that no case shows."""

from __future__ import annotations

from kit import World, answer, call, content, event, reply

from adkref.agents import Agent, LlmAgent
from adkref.contexts import RunConfig
from adkref.events import NodeInfo
from adkref.models import ScriptedModel
from adkref.plugins import Plugin


def asked(*script, name="root", **fields):
    """An LLM agent with a scripted model."""
    return LlmAgent(name, model=ScriptedModel(list(script)), **fields)


def test_where_the_node_stands():
    """Its context has neither a branch nor a path, and its children's paths begin with it (NODE-004)."""
    seen = []

    def tool(ctx):
        seen.append((ctx.branch, ctx.path, ctx.sub_scheduler.parent_path))

    world = World(asked(reply(call("tool")), "done", tools=[tool]))
    # What the workflow's start would emit comes before the agent's first event: nothing does.
    assert world.turn()[0]["author"] == "root"
    assert seen == [("", "", "root")]


def test_two_routing_decisions():
    """A second event with routes is delivered, and the run ends with an error (NODE-007)."""
    guide = Agent(
        "guide",
        run=lambda ctx: [event("guide", text, routes=["on"]) for text in ("one", "two")],
    )
    root = asked(reply(call("transfer_to_agent", agent_name="guide")), sub_agents=[guide])
    *_, one, two, error = World(root).turn()
    assert [each["content"]["parts"][0]["text"] for each in (one, two)] == ["one", "two"]
    assert error == (
        "workflow: node produced multiple events with route tags; only one event per "
        'execution can specify routes: node "root"'
    )


def test_what_counts_as_an_answer():
    """A response answers a long-running call of any invocation, answered before or not (NODE-021)."""
    guide = Agent("guide", run=lambda ctx: [event("guide", ctx.user_content.parts[0].text or "—")])
    root = asked("never", sub_agents=[guide])
    asked_before = [
        event("guide", call("t", "c1"), long_running_tool_ids=["c1"], invocation_id="old"),
        event("user", answer("t", "c1"), invocation_id="old"),
        event("guide", call("t", "c2"), invocation_id="old"),
    ]
    world = World(root, events=asked_before)
    # The answer alone is handed on, the text beside it is not; the call was answered already.
    (shown,) = world.turn(content(answer("t", "c1"), "and more"))
    assert shown["content"]["parts"] == [{"text": "—"}]
    # A call that was not long-running is no question: the text is the input.
    (shown,) = world.turn(content(answer("t", "c2"), "and more"))
    assert shown["content"]["parts"] == [{"text": "and more"}]


def test_what_is_produced_after_a_stop_is_nowhere():
    """Events that the agent still makes after the consumer stopped reach no hook and no store (NODE-066)."""
    heard, closed = [], []

    class Model:
        name = "m"

        def generate(self, ctx, request, stream):
            try:
                yield reply("a", partial=True)
                yield reply("b", partial=True)
                yield reply("ab")
            finally:
                closed.append(True)

    plugin = Plugin("p", on_event_callback=lambda ctx, each: heard.append(each))
    world = World(LlmAgent("root", model=Model()), plugins=[plugin])
    assert len(world.turn(stop_after=1, config=RunConfig(streaming_mode="sse"))) == 1
    assert len(heard) == 1
    assert [each["author"] for each in world.stored] == ["user"]
    assert closed == [True]


def test_a_finished_task_is_not_done_again():
    """A child's stored output of the same invocation is taken in place of a run (NODE-076)."""
    worker_model = ScriptedModel([reply(call("finish_task", "f1", result="anew"))])
    worker = LlmAgent("worker", description="Works.", mode="task", model=worker_model)
    root = asked("done", sub_agents=[worker])
    history = [
        event("user", "do it", invocation_id="old"),
        event("root", call("worker", "task-1", request="x"), invocation_id="old"),
        event(
            "worker",
            answer("finish_task", "f1", result="Task completed."),
            role="user",
            invocation_id="old",
            isolation_scope="task-1",
            output={"result": "before"},
            node_info=NodeInfo(path="root/worker@task-1"),
        ),
        event("root", call("ask", "c9"), invocation_id="old", long_running_tool_ids=["c9"]),
    ]
    # Answering c9 continues the invocation "old", whose task has an output already.
    items = World(root, events=history).turn(content(answer("ask", "c9", ok=True)))
    assert worker_model.requests == []
    assert items[0]["content"]["parts"] == [
        {
            "functionResponse": {
                "id": "task-1",
                "name": "worker",
                "response": {"result": "before"},
            }
        }
    ]
    assert items[1]["author"] == "root"
