# SPDX-License-Identifier: Apache-2.0
"""The LLM agent (chapter 02, sections 2 and 3)."""

import pytest
from kit import Scene, answer, call, content, event, reply, run, said

from adkref.agents import Agent, LlmAgent, SequentialAgent
from adkref.errors import AdkError
from adkref.models import GenerateContentConfig, ScriptedModel
from adkref.plugins import Plugin
from adkref.tools import FunctionTool


def test_construction_accepts_anything():
    """No model, an empty name, no tools: all fine (LLM-001)."""
    bare = LlmAgent("")
    assert (bare.name, bare.model, bare.tools, bare.toolsets, bare.mode) == ("", None, [], [], "")
    assert (bare.include_contents, bare.output_key, bare.agent_type) == ("", "", "LLMAgent")
    assert LlmAgent("a", mode="nonsense").mode == "nonsense"


def test_the_same_sub_agent_twice():
    """The base constructor's error is wrapped (LLM-002)."""
    sub = LlmAgent('s"')
    with pytest.raises(AdkError) as caught:
        LlmAgent("a", sub_agents=[sub, Agent("x"), sub])
    assert str(caught.value) == (
        "failed to create agent: error creating agent: "
        'subagent "s\\"" appears multiple times in subAgents'
    )


def test_a_body_is_refused():
    """An LLM agent has its own (AGT-010)."""
    with pytest.raises(AdkError, match=r"^LlmAgent doesn't allow custom Run implementations$"):
        LlmAgent("a", run=lambda ctx: ())


def test_given_lists_stay_the_callers():
    """What construction appends is not in the given lists (LLM-003)."""
    tools, toolsets, callbacks = [], [], []
    config = GenerateContentConfig()
    agent = LlmAgent(
        "a",
        mode="task",
        tools=tools,
        toolsets=toolsets,
        before_model_callbacks=callbacks,
        generate_content_config=config,
        sub_agents=[LlmAgent("b", mode="task")],
    )
    assert (tools, toolsets, callbacks, config) == ([], [], [], GenerateContentConfig())
    assert [tool.name for tool in agent.tools] == ["finish_task", "b"]
    assert agent.generate_content_config is config


def test_functions_among_tools():
    """A plain function becomes a function tool; delegation tools come behind (LLM-004)."""

    def lookup(city: str) -> str:
        """Look up."""
        return city

    given = FunctionTool(lookup, name="given")
    agent = LlmAgent("a", tools=[lookup, given], sub_agents=[LlmAgent("b", mode="single_turn")])
    assert [tool.name for tool in agent.tools] == ["lookup", "given", "b"]
    assert isinstance(agent.tools[0], FunctionTool)
    assert agent.tools[1] is given


def test_finding_agents():
    """Itself, then descendants depth-first; the LLM agent itself is returned (LLM-006)."""
    deep = LlmAgent("deep")
    other_deep = LlmAgent("x", sub_agents=[LlmAgent("deep2")])
    root = LlmAgent("a", sub_agents=[SequentialAgent("s", sub_agents=[deep]), other_deep])
    assert root.find_agent("a") is root
    assert root.find_agent("deep") is deep
    assert root.find_agent("deep2") is other_deep.sub_agents[0]
    assert root.find_agent("zed") is None
    assert root.find_sub_agent("a") is None


def test_a_run_between_callbacks():
    """Before, body, after; their events do not pass through the output key (LLM-021)."""
    agent = LlmAgent(
        "a",
        model=ScriptedModel(["x"]),
        output_key="k",
        before_agent_callbacks=[lambda ctx: ctx.state.__setitem__("b", 1)],
        after_agent_callbacks=[lambda ctx: content("after", role="model")],
    )
    assert run(agent) == [
        {"author": "a", "actions": {"stateDelta": {"b": 1}}},
        said("a", "x", actions={"stateDelta": {"k": "x"}}),
        said("a", "after"),
    ]


def test_a_before_answer_takes_the_flows_place():
    """The model is not called (CB-010)."""
    agent = LlmAgent(
        "a",
        model=ScriptedModel(["never"]),
        before_agent_callbacks=[lambda ctx: content("short", role="model")],
    )
    assert run(agent) == [said("a", "short")]
    assert agent.model.requests == []


def test_the_agent_is_bound():
    """Callbacks and tools see the LLM agent's name, whoever runs it (LLM-020)."""
    seen = []

    def handler(ctx, args):
        seen.append(("tool", ctx.agent_name))

    inner = LlmAgent(
        "inner",
        model=ScriptedModel([reply(call("t")), "x"]),
        tools=[FunctionTool(handler, name="t", parameters={"type": "object"})],
        before_model_callbacks=[lambda ctx, request: seen.append(("model", ctx.agent_name))],
    )
    plugin = Plugin("p", before_agent_callback=lambda ctx: seen.append(("agent", ctx.agent_name)))
    run(SequentialAgent("s", sub_agents=[inner]), plugins=[plugin])
    assert seen == [
        ("agent", "s"),
        ("agent", "inner"),
        ("model", "inner"),
        ("tool", "inner"),
        ("model", "inner"),
    ]


def test_errors_do_not_prevent_the_after_phase():
    """A consumer that goes on sees the after phase's item behind the error (LLM-035)."""
    agent = LlmAgent(
        "a",
        model=ScriptedModel([ValueError("boom")]),
        after_agent_callbacks=[lambda ctx: content("after", role="model")],
    )
    assert run(agent) == ["boom", said("a", "after")]


def test_stopping_closes_the_flow():
    """On consumer stop the body returns at once, the after phase does not run (LLM-021)."""
    log = []

    class Model:
        """A model that notes its end."""

        name = "m"

        def generate(self, ctx, request, stream):
            """Yield two texts."""
            try:
                yield reply("x", partial=True)
                yield reply("y")
            finally:
                log.append("closed")

    agent = LlmAgent("a", model=Model(), after_agent_callbacks=[lambda ctx: log.append("after")])
    assert run(agent, stop_after=1) == [said("a", "x", partial=True)]
    assert log == ["closed"]


def test_ending_the_invocation_in_the_flow():
    """It concerns the flow's own flag; the next agent still runs (CTX-003)."""

    class Ending:
        """A tool that ends the invocation while the request is built."""

        name, description, is_long_running = "t", "", False

        def process_request(self, ctx, request):
            """End."""
            ctx.unwrapped().end_invocation()

    first = LlmAgent("first", model=ScriptedModel(["never"]), tools=[Ending()])
    second = LlmAgent("second", model=ScriptedModel(["x"]))
    assert run(SequentialAgent("s", sub_agents=[first, second])) == [said("second", "x")]


def test_runs_share_nothing():
    """Two runs of one agent, one after the other, are as the first (LLM-020)."""
    agent = LlmAgent(
        "a",
        model=ScriptedModel([reply(call("t")), "x"] * 2),
        tools=[FunctionTool(lambda ctx, args: {"ok": 1}, name="t", parameters={"type": "object"})],
    )
    first, second = (Scene(agent, events=[event("user", "hi")]).run(agent) for _ in range(2))
    assert (
        first
        == second
        == [
            said("a", call("t")),
            said("a", answer("t", ok=1), role="user"),
            said("a", "x"),
        ]
    )
    assert [len(request.contents) for request in agent.model.requests] == [1, 3, 1, 3]


def test_repr():
    """An agent shows its kind and name."""
    assert repr(LlmAgent("a")) == "<LlmAgent 'a'>"
