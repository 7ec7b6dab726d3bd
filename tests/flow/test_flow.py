# SPDX-License-Identifier: Apache-2.0
"""The loop of steps (chapter 02, FLOW-001 to FLOW-008; V24-001, V24-002)."""

import logging

import pytest
from kit import (
    Scene,
    answer,
    call,
    content,
    contents_of,
    counting_host,
    event,
    reply,
    run,
    said,
    thought,
)

from adkref.agents import LlmAgent
from adkref.content import Part
from adkref.contexts import Context
from adkref.flow import REQUEST_PROCESSORS, Flow
from adkref.flow.flow import MAX_THOUGHT_ONLY
from adkref.flow.history import CONTINUE
from adkref.models import ScriptedModel
from adkref.tools import FunctionTool, exit_loop_tool

ANY = {"type": "object"}


def tool(name="t", handler=lambda ctx, args: {"ok": 1}, **options):
    """A function tool."""
    return FunctionTool(handler, name=name, description="", parameters=ANY, **options)


def agent(*script, **options):
    """An agent with a script."""
    return LlmAgent("a", model=ScriptedModel(script), **options)


def test_a_final_answer_ends_the_run():
    """One step, one model call (FLOW-003)."""
    given = agent("x", "never")
    assert run(given) == [said("a", "x")]
    assert len(given.model.requests) == 1


def test_steps_until_an_answer_is_final():
    """Each step shows the model what the last one stored (FLOW-001, FLOW-003)."""
    given = agent(reply(call("t", "c1")), reply("hm", call("t", "c2")), "done", tools=[tool()])
    assert run(given, events=[event("user", "hi")]) == [
        said("a", call("t", "c1")),
        said("a", answer("t", "c1", ok=1), role="user"),
        said("a", "hm", call("t", "c2")),
        said("a", answer("t", "c2", ok=1), role="user"),
        said("a", "done"),
    ]
    user = [content("hi"), content(answer("t", "c1", ok=1)), content(answer("t", "c2", ok=1))]
    model = [
        content(call("t", "c1"), role="model"),
        content("hm", call("t", "c2"), role="model"),
    ]
    shown = [user[0], model[0], user[1], model[1], user[2]]
    assert [request.contents for request in given.model.requests] == [shown[:1], shown[:3], shown]


@pytest.mark.parametrize(
    "final",
    [
        reply("x"),
        reply(),
        reply("x", Part(code_execution_result={"output": "1"}), "y"),
        reply("x", error_code="E"),
        reply("x", interrupted=True),
    ],
)
def test_final_responses(final):
    """No calls, no responses, whole, and no code result at the end (FLOW-004)."""
    given = agent(final, "never")
    assert len(run(given)) == len(given.model.requests) == 1


def test_a_code_result_is_not_final():
    """The model is called again behind it (FLOW-004)."""
    given = agent(reply("x", Part(code_execution_result={"output": "1"})), "y")
    assert [got["content"]["parts"][-1] for got in run(given)] == [
        {"codeExecutionResult": {"output": "1"}},
        {"text": "y"},
    ]


def test_skipping_the_summary_ends_the_run():
    """Escalate alone has no effect inside the flow, skipping makes the event final (TOOL-032)."""

    def escalating(ctx, args):
        ctx.actions.escalate = True
        return {}

    given = agent(reply(call("t")), "go on", tools=[tool(handler=escalating)])
    assert run(given) == [
        said("a", call("t")),
        said("a", answer("t"), role="user", actions={"escalate": True}),
        said("a", "go on"),
    ]
    leaving = agent(reply(call("exit_loop")), "never", tools=[exit_loop_tool()])
    assert run(leaving) == [
        said("a", call("exit_loop")),
        said(
            "a",
            answer("exit_loop"),
            role="user",
            actions={"escalate": True, "skipSummarization": True},
        ),
    ]


def test_an_error_ends_the_run():
    """It is the last item even for a consumer that goes on (FLOW-002)."""
    given = agent(reply(call("t")), ValueError("boom"), "never", tools=[tool()])
    items = list(Flow(given).run(Context.promote(Scene(given).ctx)))
    assert [error and str(error) for _, error in items] == [None, None, "boom"]


# --- thoughts ------------------------------------------------------------------------------------


def test_a_thought_is_no_answer():
    """The model is called again, and told to go on (FLOW-006, CNT-060)."""
    given = agent(reply(thought("hm")), "x")
    assert run(given) == [said("a", thought("hm")), said("a", "x")]
    assert contents_of(given.model.requests[1]) == [
        content(thought("hm"), role="model").to_json(),
        content(CONTINUE).to_json(),
    ]


def test_ten_thoughts_in_a_row_end_the_run(caplog):
    """The model is called ten times, the last thought stands, no error (V24-001)."""
    given = agent(*[reply(thought(str(n))) for n in range(20)])
    with caplog.at_level(logging.WARNING, "adkref"):
        got = run(given)
    assert got == [said("a", thought(str(n))) for n in range(10)]
    assert len(given.model.requests) == MAX_THOUGHT_ONLY == 10
    assert caplog.messages == ["agent 'a' answered with thoughts only, giving up"]


def test_another_answer_resets_the_count():
    """A step whose last event is not final starts the row anew (V24-001)."""
    nine = [reply(thought("hm"))] * 9
    given = agent(*nine, reply(call("t")), *nine, "x", tools=[tool()])
    got = run(given)
    assert got[-1] == said("a", "x")
    assert len(given.model.requests) == 20


def test_thoughts_with_an_answer_are_final():
    """One part that is no thought is enough (FLOW-005)."""
    assert len(run(agent(reply(thought("hm"), "x"), "never"))) == 1


def test_a_thought_with_a_code_is_no_answer_either():
    """An error code does not change it (MDL-013)."""
    given = agent(reply(thought("hm"), error_code="E"), "x")
    assert run(given) == [said("a", thought("hm"), errorCode="E"), said("a", "x")]


# --- partial ends -----------------------------------------------------------------------------------


def test_a_partial_end_ends_the_run(caplog):
    """Silently, with a line in the log; nothing is stored (V24-002)."""
    scene = Scene()
    given = agent([reply("he", partial=True), reply("llo", partial=True)], "never")
    with caplog.at_level(logging.WARNING, "adkref"):
        assert scene.run(given) == [
            said("a", "he", partial=True),
            said("a", "llo", partial=True),
        ]
    assert (len(scene.session.events), len(given.model.requests)) == (0, 1)
    assert caplog.messages == ["the last event of agent 'a' is partial, giving up"]


def test_a_partial_long_running_call_is_final():
    """Long-running ids make even a partial event final (FLOW-004)."""
    slow = tool(is_long_running=True)
    given = agent([reply(call("t"), partial=True)], "never", tools=[slow])
    assert run(given) == [said("a", call("t"), partial=True, longRunningToolIds=["c1"])]


# --- the last event -----------------------------------------------------------------------------------


def confirmed():
    """A history in which the user has just approved call c1 of tool t."""
    question = call(
        "adk_request_confirmation",
        "adk-q",
        originalFunctionCall={"id": "c1", "name": "t", "args": {}},
        toolConfirmation={"hint": "", "confirmed": False, "payload": None},
    )
    return [
        event("user", "go"),
        event("a", call("t")),
        event("a", question),
        event("user", answer("adk_request_confirmation", "adk-q", confirmed=True)),
    ]


def test_a_resumed_response_may_be_the_last_event():
    """When the model says nothing behind it, there is another step (FLOW-008)."""
    given = agent([], "x", tools=[tool()])
    # The second step finds the answer in the history and does not run the call again.
    assert run(given, events=confirmed()) == [
        said("a", answer("t", ok=1), role="user"),
        said("a", "x"),
    ]


def test_a_resumed_response_that_skips_is_final():
    """Then the run ends when the model says nothing (FLOW-008)."""

    def skipping(ctx, args):
        ctx.actions.skip_summarization = True
        return {"ok": 1}

    given = agent([], "never", tools=[tool(handler=skipping)])
    assert run(given, events=confirmed()) == [
        said("a", answer("t", ok=1), role="user", actions={"skipSummarization": True})
    ]


def test_no_event_at_all_ends_the_run():
    """Silently (FLOW-003)."""
    assert run(agent([])) == []


# --- bounds -------------------------------------------------------------------------------------------


def test_a_model_that_always_calls_is_bounded_by_the_consumer():
    """There is no limit of rounds; closing ends them (FLOW-007)."""
    given = agent(*[reply(call("t", f"c{n}")) for n in range(500)], tools=[tool()])
    assert len(run(given, stop_after=300)) == 300
    assert len(given.model.requests) == 150


def test_cancellation_is_not_looked_at():
    """A cancelled host context does not stop the flow by itself (FLOW-007)."""
    host, cancel = counting_host().with_cancel()
    cancel()
    given = agent(reply(call("t")), "x", tools=[tool()])
    assert run(given, host=host)[-1] == said("a", "x")


def test_the_order_of_the_processors():
    """Thirteen, four of which do nothing here (REQ-001)."""
    assert [name for name, _ in REQUEST_PROCESSORS] == [
        "basic config",
        "tools",
        "auth",
        "confirmation resume",
        "instructions",
        "identity",
        "compaction",
        "contents",
        "planning",
        "code execution",
        "output schema",
        "agent transfer",
        "display names",
    ]
    idle = {name for name, processor in REQUEST_PROCESSORS if processor is None}
    assert {"auth", "planning", "code execution"} <= idle


def test_a_flow_per_run():
    """Each run of the agent starts with a fresh flow: toolsets are asked anew (LLM-020)."""
    asked = []

    class Toolset:
        """A toolset that counts."""

        name = "s"

        def tools(self, ctx):
            """Return one tool."""
            asked.append(ctx.agent_name)
            return [tool()]

    given = agent(reply(call("t")), "x", "y", toolsets=[Toolset()])
    scene = Scene()
    assert len(scene.run(given)) == 3
    assert len(scene.run(given)) == 1
    assert asked == ["a", "a"]
