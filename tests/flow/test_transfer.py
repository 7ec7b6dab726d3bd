# SPDX-License-Identifier: Apache-2.0
"""Handing the conversation to another agent (chapter 02, section 11)."""

import pytest
from kit import Scene, answer, call, declared, reply, run, said, system_of

from adkref.agents import Agent, LlmAgent, SequentialAgent
from adkref.content import NilMap
from adkref.contexts import Context, tool_context
from adkref.errors import AdkError
from adkref.events import EventActions
from adkref.flow.placement import PLACEMENT, Placement
from adkref.flow.transfer import TransferTool, add_transfer, find_target, transfer_targets
from adkref.models import (
    FunctionDeclaration,
    GenerateContentConfig,
    LlmRequest,
    ScriptedModel,
    ToolDeclarations,
)
from adkref.tools import FunctionTool


def llm(name, *subs, **options):
    """An LLM agent."""
    return LlmAgent(name, sub_agents=list(subs), **options)


def context(root, placement=None):
    """A context of a run of this tree."""
    ctx = Context.promote(Scene(root).ctx)
    return ctx if placement is None else ctx.with_host(ctx.host.with_value(PLACEMENT, placement))


def tree(**options):
    """Root over p, which has agent a (with subs) among all kinds of peers."""
    a = llm(
        "a",
        llm("a1"),
        Agent("a2"),
        llm("a3", mode="task"),
        llm("a4", mode="single_turn"),
        llm("a5", mode="chat"),
        **options,
    )
    p = llm("p", llm("q1"), a, Agent("q2"), llm("q3", mode="task"), llm("q4", mode="single_turn"))
    return llm("root", p), a


# --- targets (XFER-001) --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({}, ["a1", "a2", "a5", "p", "q1", "q2"]),
        ({"disallow_transfer_to_parent": True}, ["a1", "a2", "a5", "q1", "q2"]),
        ({"disallow_transfer_to_peers": True}, ["a1", "a2", "a5", "p"]),
        (
            {"disallow_transfer_to_parent": True, "disallow_transfer_to_peers": True},
            ["a1", "a2", "a5"],
        ),
    ],
)
def test_targets(options, names):
    """Children, parent, peers, but no task or single-turn agents (XFER-001)."""
    root, a = tree(**options)
    assert [it.name for it in transfer_targets(a, context(root))] == names


def test_a_parent_of_another_kind_is_no_target():
    """Nor are its other children (XFER-001)."""
    a = llm("a", llm("a1"))
    root = SequentialAgent("root", sub_agents=[a, llm("b")])
    assert [it.name for it in transfer_targets(a, context(root))] == ["a1"]


def test_the_parents_mode_is_not_checked():
    """A task agent is its child's target (XFER-001)."""
    a = llm("a")
    root = llm("root", llm("p", a, mode="task"))
    assert [it.name for it in transfer_targets(a, context(root))] == ["p"]


def test_only_targets_are_found():
    """Other agents of the tree are not (XFER-008)."""
    root, a = tree()
    ctx = context(root)
    assert find_target(a, ctx, "q2").name == "q2"
    for name in ("root", "a", "a3", "zed", ""):
        with pytest.raises(AdkError) as caught:
            find_target(a, ctx, name)
        assert str(caught.value) == f"failed to find agent: {name}"


# --- the request (XFER-002 to XFER-006) ------------------------------------------------------------


def requested(root, agent, placement=None):
    """The request after the transfer processor."""
    request = LlmRequest()
    add_transfer(agent, context(root, placement), request)
    return request


@pytest.mark.parametrize(
    "agent",
    [
        llm("a"),
        llm("a", disallow_transfer_to_parent=True, disallow_transfer_to_peers=True),
        llm("a", llm("b", mode="task")),
    ],
)
def test_nobody_to_transfer_to(agent):
    """Without targets nothing is added (XFER-002)."""
    assert requested(agent, agent) == LlmRequest()


def test_a_lone_agent_that_disallows_both():
    """Without children and allowed ways there are no targets (XFER-002)."""
    a = llm("a", disallow_transfer_to_parent=True, disallow_transfer_to_peers=True)
    assert requested(llm("root", a, llm("b")), a) == LlmRequest()


def declaration(*names):
    """The declaration of the transfer tool."""
    return FunctionDeclaration(
        "transfer_to_agent",
        "Transfer the question to another agent.\n"
        "This tool hands off control to another agent when it's more suitable to answer the "
        "user's question according to the agent's description.",
        parameters={
            "type": "OBJECT",
            "properties": {
                "agent_name": {
                    "type": "STRING",
                    "description": "the agent name to transfer to",
                    "enum": list(names),
                }
            },
            "required": ["agent_name"],
        },
    )


PROMPT = """
You have a list of other agents to transfer to:


Agent name: z
Agent description: does z


Agent name: p
Agent description:{blank}


Agent name: b
Agent description: Bob&#39;s &lt;b&gt; &amp; &#34;co&#34;


If you are the best to answer the question according to your description,
you can answer it.

If another agent is better for answering the question according to its
description, call `transfer_to_agent` function to transfer the question to that
agent. When transferring, do not generate any text other than the function
call.

**NOTE**: the only available agents for `transfer_to_agent` function are
`b`, `p`, `z`.

If neither you nor the other agents are best for the question, transfer to your parent agent p.
""".format(blank=" ")


def test_the_instruction_and_the_tool():
    """The literal text, targets in order, names sorted; the enum in target order (XFER-003, XFER-005)."""
    a = llm("a", llm("z", description="does z"))
    root = llm("p", a, llm("b", description='Bob\'s <b> & "co"'))
    request = requested(root, a)
    assert system_of(request) == [PROMPT]
    assert request.config.tools == [ToolDeclarations([declaration("z", "p", "b")])]
    assert list(request.tools) == ["transfer_to_agent"]
    tool = request.tools["transfer_to_agent"]
    assert (tool.name, tool.description, tool.is_long_running) == (
        "transfer_to_agent",
        declaration().description,
        False,
    )


@pytest.mark.parametrize("kind", [llm, lambda name, *subs: SequentialAgent(name, sub_agents=subs)])
@pytest.mark.parametrize("disallow", [False, True])
def test_the_parents_paragraph(kind, disallow):
    """For any kind of parent, unless handing over to it is disallowed (XFER-005)."""
    a = llm("a", llm("z"), disallow_transfer_to_parent=disallow, disallow_transfer_to_peers=True)
    (text,) = system_of(requested(kind("p<", a), a))
    last = (
        "\nIf neither you nor the other agents are best for the question, "
        "transfer to your parent agent p&lt;.\n"
    )
    assert text.endswith(last) is not disallow
    if disallow:
        assert text.endswith("are\n`z`.\n")


@pytest.mark.parametrize(
    ("description", "escaped"),
    [
        ("plain ünïcode 😀", "plain ünïcode 😀"),
        ("&<>\"'", "&amp;&lt;&gt;&#34;&#39;"),
        ("&amp;", "&amp;amp;"),
        ("\t\n\f\r", "\t\n\f\r"),
        ("\x00\x0b\x1f\x7f\x80\x9f", "\ufffd" * 6),
        ("\xa0", "\xa0"),
        ("\ufdcf\ufdd0\ufdef\ufdf0", "\ufdcf\ufffd\ufffd\ufdf0"),
        ("\ufffd\ufffe\uffff\U0001fffe\U0010ffff", "\ufffd" * 5),
    ],
)
def test_escaping(description, escaped):
    """HTML signs become entities, controls and non-characters U+FFFD (XFER-006)."""
    a = llm("a", llm("z", description=description))
    (text,) = system_of(requested(a, a))
    assert f"\nAgent description: {escaped}\n\n" in text


@pytest.mark.parametrize("mode", ["task", "single_turn"])
def test_other_modes_get_the_tool_with_an_empty_text(mode):
    """The empty text is still appended (XFER-004, REQ-030)."""
    declared_so = llm("a", llm("z"), mode=mode)
    placed_so = llm("a", llm("z"))
    for a, placement in ((declared_so, None), (placed_so, Placement(placed_so, mode))):
        request = requested(a, a, placement)
        assert system_of(request) == [""]
        assert declared(request) == ["transfer_to_agent"]


def test_a_name_that_is_taken():
    """The literal text; it is the tool's place that is taken (REQ-004)."""
    a = llm("a", llm("z"))
    request = LlmRequest(
        config=GenerateContentConfig(),
        tools={"transfer_to_agent": FunctionTool(len, parameters={})},
    )
    with pytest.raises(AdkError) as caught:
        add_transfer(a, context(a), request)
    assert str(caught.value) == 'tools[0] duplicate tool: "transfer_to_agent"'
    assert request.config.tools == []


# --- the tool (XFER-007) -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["z", "nobody"])
def test_the_tool_names_the_target(name):
    """Whether it exists is not checked here (XFER-007)."""
    ctx = tool_context(Scene(llm("a")).ctx, "c1", EventActions.fresh())
    assert TransferTool([llm("z")]).run(ctx, {"agent_name": name, "more": 1}) == {}
    assert ctx.actions == EventActions(state_delta={}, artifact_delta={}, transfer_to_agent=name)


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (None, "missing argument"),
        ([], "unexpected args type: []interface {}"),
        ("z", "unexpected args type: string"),
        ({}, "empty agent_name: map[]"),
        (NilMap(), "empty agent_name: map[]"),
        ({"agent_name": ""}, "empty agent_name: map[agent_name:]"),
        ({"agent_name": 5.0, "a": None}, "empty agent_name: map[a:<nil> agent_name:5]"),
    ],
)
def test_bad_names(args, text):
    """The literal texts; nothing is set (XFER-007)."""
    ctx = tool_context(Scene(llm("a")).ctx, "c1", EventActions.fresh())
    with pytest.raises(AdkError) as caught:
        TransferTool([]).run(ctx, args)
    assert str(caught.value) == text
    assert ctx.actions == EventActions.fresh()


# --- through the flow ---------------------------------------------------------------------------------------


def to(name):
    """A response that transfers."""
    return reply(call("transfer_to_agent", agent_name=name))


def handed(author, name):
    """The two events of a transfer."""
    return [
        said(author, call("transfer_to_agent", agent_name=name)),
        said(author, answer("transfer_to_agent"), role="user", actions={"transferToAgent": name}),
    ]


def test_there_and_back():
    """A child may hand over to its parent, which runs again; there is no depth limit (XFER-010)."""
    b = LlmAgent("b", model=ScriptedModel([to("a"), "never"]))
    a = LlmAgent("a", model=ScriptedModel([to("b"), "back in a"]), sub_agents=[b])
    assert run(a) == [*handed("a", "b"), *handed("b", "a"), said("a", "back in a")]


def test_a_failed_transfer_call_is_told():
    """An empty name is a tool error: no transfer, the model goes on (XFER-007)."""
    a = LlmAgent("a", model=ScriptedModel([to(""), "sorry"]), sub_agents=[llm("b")])
    assert run(a) == [
        said("a", call("transfer_to_agent", agent_name="")),
        said(
            "a",
            answer("transfer_to_agent", error="empty agent_name: map[agent_name:]"),
            role="user",
        ),
        said("a", "sorry"),
    ]


def test_the_last_of_several_transfers_wins():
    """In call order (TOOL-030)."""
    both = reply(
        call("transfer_to_agent", "c1", agent_name="b"),
        call("transfer_to_agent", "c2", agent_name="c"),
    )
    subs = [LlmAgent(name, model=ScriptedModel([f"from {name}"])) for name in "bc"]
    a = LlmAgent("a", model=ScriptedModel([both]), sub_agents=subs)
    assert run(a)[-1] == said("c", "from c")
