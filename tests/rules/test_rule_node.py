# SPDX-License-Identifier: Apache-2.0
"""Rules of chapter 03 on the node path that no case shows."""

from __future__ import annotations

from kit import World, answer, call, content, event, reply

from adkref.agents import LlmAgent
from adkref.events import NodeInfo
from adkref.models import ScriptedModel


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
