# SPDX-License-Identifier: Apache-2.0
"""An agent as a tool (chapter 02, 9.6; V24-003)."""

import pytest
from kit import (
    Scene,
    World,
    answer,
    call,
    content,
    contents_of,
    counting_host,
    declared,
    event,
    reply,
    run,
    said,
    system_of,
    thought,
)

from adkref.agents import Agent, LlmAgent, LoopAgent, SequentialAgent
from adkref.content import Blob, Content, NilMap, Part
from adkref.contexts import RunConfig, tool_context
from adkref.errors import AdkError, ProgrammingError
from adkref.events import EventActions
from adkref.models import FunctionDeclaration, LlmRequest, ScriptedModel
from adkref.plugins import Plugin
from adkref.tools import AgentTool, FunctionTool
from adkref.tools.agent_tool import displayable

REQUEST = {
    "type": "OBJECT",
    "properties": {"request": {"type": "STRING"}},
    "required": ["request"],
}
CITY = {
    "type": "OBJECT",
    "properties": {"city": {"type": "STRING"}, "days": {"type": "INTEGER"}},
    "required": ["city"],
}


def helper(*script, **options):
    """An LLM agent with a script."""
    return LlmAgent("helper", description="helps", model=ScriptedModel(script), **options)


def yielding(*events):
    """An agent that yields events."""
    return Agent("helper", run=lambda ctx: iter(events))


def context(**scene):
    """The context of call c1 of agent a."""
    return tool_context(Scene(Agent("a"), **scene).ctx, "c1", EventActions.fresh())


def answered(agent, ctx=None, **args):
    """Call an agent as a tool and return its result."""
    return AgentTool(agent).run(ctx or context(), args or {"request": "q"})


# --- declaration ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "parameters"),
    [
        (helper(), REQUEST),
        (helper(input_schema=CITY), CITY),
        (Agent("helper", description="helps"), REQUEST),
        (
            SequentialAgent(
                "helper",
                description="helps",
                sub_agents=[
                    LoopAgent("l", sub_agents=[LlmAgent("x", input_schema=CITY), LlmAgent("y")])
                ],
            ),
            CITY,
        ),
        (
            SequentialAgent("helper", description="helps", sub_agents=[Agent("x"), LlmAgent("y")]),
            REQUEST,
        ),
    ],
)
def test_declaration(agent, parameters):
    """Name, description, and the schema of the first LLM agent on the way down (TOOL-060)."""
    tool = AgentTool(agent)
    request = LlmRequest()
    tool.process_request(None, request)
    assert tool.is_long_running is False
    assert request.tools == {"helper": tool}
    assert request.config.tools[0].function_declarations == [
        FunctionDeclaration("helper", "helps", parameters=parameters)
    ]


def test_a_tree_that_bites_its_tail_has_no_schema():
    """A cycle of agents ends the search; the runner refuses it later (TOOL-060, TOOL-062)."""
    outer = SequentialAgent("helper")
    outer.sub_agents.append(SequentialAgent("inner", sub_agents=[outer]))
    assert AgentTool(outer).declaration().parameters == REQUEST
    with pytest.raises(AdkError, match=r"^failed to create runner$") as caught:
        answered(outer)
    assert str(caught.value.__cause__).startswith("failed to create agent tree: ")


# --- input ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("q", "q"),
        ("", ""),
        (5.0, "5"),
        (None, "<nil>"),
        ({"b": 1, "a": [True]}, "map[a:[true] b:1]"),
    ],
)
def test_the_request_is_the_message(value, text):
    """The argument request in its default text form is what the agent is asked (TOOL-061)."""
    model = ScriptedModel(["ok"])
    assert answered(LlmAgent("helper", model=model), request=value) == {"result": "ok"}
    parts = [{"text": text}] if text else None
    asked = contents_of(model.requests[0])
    assert asked == ([{"role": "user", "parts": parts}] if parts else [])


def test_arguments_that_fit_the_schema_are_the_message():
    """With an input schema the agent is asked the JSON of the arguments (TOOL-061)."""
    model = ScriptedModel(["ok"])
    agent = LlmAgent("helper", model=model, input_schema=CITY)
    assert answered(agent, days=2.0, city="<Oslo>") == {"result": "ok"}
    assert contents_of(model.requests[0]) == [
        {"role": "user", "parts": [{"text": '{"city":"\\u003cOslo\\u003e","days":2}'}]}
    ]


@pytest.mark.parametrize(
    ("agent", "args", "text"),
    [
        (helper(), [], "agentTool expects map[string]any arguments, got []interface {}"),
        (helper(), None, "agentTool expects map[string]any arguments, got <nil>"),
        (helper(), {}, "missing required argument 'request' for agent helper"),
        (helper(), NilMap(), "missing required argument 'request' for agent helper"),
        (
            helper(input_schema=CITY),
            {"request": "q"},
            (
                "argument validation failed for agent helper: "
                "input arg: '\"request\"' does not exist in schema properties"
            ),
        ),
        (
            SequentialAgent("helper", sub_agents=[LlmAgent("x", input_schema=CITY)]),
            {"city": "Oslo"},
            "missing required argument 'request' for agent helper",
        ),
        (helper(mode="task"), {"request": "q"}, None),
    ],
)
def test_bad_arguments(agent, args, text):
    """What cannot be asked is an error with its literal text; nothing runs (TOOL-061)."""
    with pytest.raises(AdkError) as caught:
        AgentTool(agent).run(context(), args)
    if text is not None:
        assert str(caught.value) == text


@pytest.mark.parametrize("mode", ["task", "single_turn"])
def test_modes_that_cannot_be_wrapped(mode):
    """The inner runner rejects an agent that is no chat agent (TOOL-064)."""
    with pytest.raises(AdkError) as caught:
        answered(helper(mode=mode))
    assert str(caught.value) == (
        "error during execution of sub-agent helper: "
        f"root agent helper must be a chat LlmAgent, but has mode {mode}"
    )


# --- the run ---------------------------------------------------------------------------------------


def test_the_run_is_its_own():
    """Own session, state without ``_adk`` keys, sse, no plugins, same user (TOOL-062)."""
    seen = []

    def body(ctx):
        seen.append(
            (
                ctx.app_name,
                ctx.user_id,
                ctx.session_id,
                dict(ctx.readonly_state),
                len(ctx.session.events),
                ctx.run_config,
                ctx.branch,
                ctx.artifacts.list(),
            )
        )
        ctx.session.state["inner"] = 1
        ctx.artifacts.save("f", Part(text="x"))
        yield event("helper", "done", actions=EventActions(state_delta={"app:x": 1}))

    scene = Scene(
        Agent("a"),
        state={"k": {"n": 1}, "user:u": 2, "_adk_x": 3, "_adkref": 4},
        events=[event("user", "earlier")],
        plugins=[Plugin("p", on_event_callback=lambda ctx, event: 1 / 0)],
        branch="b",
    )
    ctx = tool_context(scene.ctx, "c1", EventActions.fresh())
    assert answered(Agent("helper", run=body), ctx) == {"result": "done"}
    state = {"k": {"n": 1}, "user:u": 2}
    assert seen == [("helper", "user", "id-1", state, 1, RunConfig("sse"), "", None)]
    # Nothing comes back.
    assert ctx.actions == EventActions.fresh()
    assert scene.session.state.copy() == {"k": {"n": 1}, "user:u": 2, "_adk_x": 3, "_adkref": 4}
    assert len(scene.session.events) == 1


def test_a_session_that_cannot_be_made():
    """A failure to create the session names the agent (TOOL-062)."""
    scene = Scene(Agent("a"))
    scene.session.user_id = ""
    with pytest.raises(AdkError) as caught:
        answered(helper("x"), tool_context(scene.ctx, "c1"))
    assert str(caught.value) == (
        "failed to create session for sub-agent helper: app_name and user_id are required, "
        'got app_name: "helper", user_id: ""'
    )


@pytest.mark.parametrize("skip", [False, True])
def test_skipping_the_summary(skip):
    """The flag is set on the caller's actions, also when the run fails (TOOL-061)."""
    for agent, args in ((helper("x"), {"request": "q"}), (helper("x"), {})):
        ctx = context()
        try:
            AgentTool(agent, skip_summarization=skip).run(ctx, args)
        except AdkError:
            assert args == {}
        assert ctx.actions.skip_summarization is skip
    ctx = context()
    with pytest.raises(AdkError):
        AgentTool(helper("x"), skip_summarization=True).run(ctx, [])
    assert ctx.actions.skip_summarization is False


# --- the answer ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "result"),
    [
        (helper("x"), {"result": "x"}),
        (helper(reply("a", thought("b"), "", "c")), {"result": "a\nb\nc"}),
        (helper(reply(Part(inline_data=Blob("a/b", b"x")))), {}),
        (helper([]), {}),
        (yielding(), {}),
        (yielding(event("helper", "one"), event("helper", "two")), {"result": "two"}),
        (yielding(event("helper", "one"), event("helper")), {"result": "one"}),
        (yielding(event("helper", "one"), event("helper", content=None)), {"result": "one"}),
        (yielding(event("helper", "one"), event("helper", Part())), {}),
        (
            yielding(event("helper", "whole"), event("helper", "pa", partial=True)),
            {"result": "pa"},
        ),
    ],
)
def test_the_last_content_is_the_answer(agent, result):
    """Its texts joined by newlines, thoughts and partial ones too; none is ``{}`` (TOOL-063)."""
    assert answered(agent) == result


def test_an_empty_content_is_a_content():
    """A last content without parts means no answer (TOOL-063)."""
    last = event("helper")
    last.content = Content("model")
    assert answered(yielding(event("helper", "one"), last)) == {}


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('{"city": "Oslo", "days": 2}', {"city": "Oslo", "days": 2.0}),
        ("", {}),
        (
            "Oslo",
            (
                "output validation failed for sub-agent helper: failed to parse output JSON: "
                "invalid character 'O' looking for beginning of value"
            ),
        ),
        (
            "{}",
            (
                "output validation failed for sub-agent helper: "
                '"output" args does not contain required key: \'"city"\''
            ),
        ),
    ],
)
def test_structured_output(text, result):
    """With an output schema the answer is the parsed and checked map (TOOL-063)."""
    agent = helper(reply(text), output_schema=CITY)
    if isinstance(result, dict):
        assert answered(agent) == result
        return
    with pytest.raises(AdkError) as caught:
        answered(agent)
    assert str(caught.value) == result


def test_an_error_of_the_agent_stops_it():
    """The first error ends the run; the agent is closed (TOOL-063)."""
    seen = []

    def body(ctx):
        try:
            yield None, ValueError("boom")
            seen.append("went on")
        finally:
            seen.append("closed")

    with pytest.raises(AdkError) as caught:
        answered(Agent("helper", run=body))
    assert str(caught.value) == "error during execution of sub-agent helper: boom"
    assert isinstance(caught.value.__cause__, ValueError)
    assert seen == ["closed"]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"error_code": "E", "error_message": 'm"'}, '(code: "E", message: "m\\"")'),
        ({"error_message": "m"}, '(code: "", message: "m")'),
        ({"error_code": "E"}, '(code: "E", message: "")'),
    ],
)
def test_an_error_event_stops_it(fields, text):
    """An event with an error code or message is an error (TOOL-063)."""
    with pytest.raises(AdkError) as caught:
        answered(yielding(event("helper", "x", **fields), event("helper", "y")))
    assert str(caught.value) == f'error from sub-agent "helper" {text}'


# --- display (V24-003) ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (None, None),
        ({}, None),
        ({"error": "x"}, None),
        ({"error": None, "result": "x"}, None),
        ({"result": "x"}, "x"),
        ({"result": ""}, None),
        ({"result": None}, None),
        ({"result": 0}, '{"result":0}'),
        ({"result": False}, '{"result":false}'),
        ({"result": {}}, '{"result":{}}'),
        ({"result": "", "more": 1}, '{"more":1,"result":""}'),
        ({"b": "<&>", "a": [1.0, None]}, '{"a":[1,null],"b":"<&>"}'),
    ],
)
def test_displayable_results(result, text):
    """A lone text itself, otherwise sorted JSON without HTML escapes (V24-003)."""
    assert displayable(result) == text


@pytest.mark.parametrize("value", [{1}, float("nan")])
def test_a_result_that_is_no_json_cannot_be_shown(value):
    """What a callback made of the result must be JSON (V24-003)."""
    with pytest.raises(ProgrammingError, match=r"^the result is no JSON: json: unsupported "):
        displayable({"x": value})


def calling(tool, *script, **options):
    """An agent whose model calls helper once."""
    model = ScriptedModel([reply(call("helper", request="q")), *script])
    return LlmAgent("a", model=model, tools=[tool], **options)


ASKED = said("a", call("helper", request="q"))


def test_a_skipped_summary_shows_the_result():
    """The text stands behind the response, in the same event, and the run ends (V24-003)."""
    agent = calling(AgentTool(helper("sunny"), skip_summarization=True), output_key="out")
    assert run(agent) == [
        ASKED,
        said(
            "a",
            answer("helper", result="sunny"),
            "sunny",
            role="user",
            actions={"skipSummarization": True, "stateDelta": {"out": "sunny"}},
        ),
    ]


def test_structured_output_is_shown_as_json():
    """A structured answer is shown as its JSON (V24-003)."""
    inner = helper(reply('{"days": 1, "city": "<O>"}'), output_schema=CITY)
    (_, got) = run(calling(AgentTool(inner, skip_summarization=True)))
    assert got["content"]["parts"] == [
        {
            "functionResponse": {
                "id": "c1",
                "name": "helper",
                "response": {"city": "<O>", "days": 1.0},
            }
        },
        {"text": '{"city":"<O>","days":1}'},
    ]


@pytest.mark.parametrize(
    ("tool", "options", "response", "actions"),
    [
        # An empty answer.
        (AgentTool(helper([]), skip_summarization=True), {}, {}, {"skipSummarization": True}),
        # An error.
        (
            AgentTool(helper(ValueError("boom")), skip_summarization=True),
            {},
            {"error": "error during execution of sub-agent helper: boom"},
            {"skipSummarization": True},
        ),
        # Other tools never show, whoever skips.
        (
            FunctionTool(lambda ctx, args: "x", name="helper", parameters={"type": "object"}),
            {
                "after_tool_callbacks": [
                    lambda ctx, *_: setattr(ctx.actions, "skip_summarization", True)
                ]
            },
            {"result": "x"},
            {"skipSummarization": True},
        ),
        # A callback asks the user.
        (
            AgentTool(helper("x"), skip_summarization=True),
            {"after_tool_callbacks": [lambda ctx, *_: ctx.request_confirmation("h")]},
            {"result": "x"},
            {
                "requestedToolConfirmations": {
                    "c1": {"hint": "h", "confirmed": False, "payload": None}
                },
                "skipSummarization": True,
            },
        ),
    ],
)
def test_what_is_not_shown(tool, options, response, actions):
    """Empty answers, errors, other tools, and calls that wait for the user (V24-003)."""
    got = run(calling(tool, **options))
    assert got[:2] == [
        ASKED,
        said("a", answer("helper", **response), role="user", actions=actions),
    ]


def test_without_skipping_nothing_is_shown():
    """The model gets the result and answers (V24-003)."""
    agent = calling(AgentTool(helper("sunny")), "it is sunny")
    assert run(agent) == [
        ASKED,
        said("a", answer("helper", result="sunny"), role="user"),
        said("a", "it is sunny"),
    ]


def test_whoever_skips_the_result_is_shown():
    """A callback's flag counts like the tool's own, and its result is what is shown (V24-003)."""

    def after(ctx, tool, args, result, error):
        ctx.actions.skip_summarization = True
        return {"result": result["result"].upper()}

    agent = calling(AgentTool(helper("sunny")), after_tool_callbacks=[after])
    assert run(agent) == [
        ASKED,
        said(
            "a",
            answer("helper", result="SUNNY"),
            "SUNNY",
            role="user",
            actions={"skipSummarization": True},
        ),
    ]


def test_several_calls_show_theirs():
    """In a merged event each text stands behind its own response (V24-003, TOOL-030)."""
    other = LlmAgent("other", model=ScriptedModel(["cold"]))
    model = ScriptedModel(
        [reply(call("helper", "c1", request="q"), call("other", "c2", request="r"))]
    )
    agent = LlmAgent(
        "a",
        model=model,
        tools=[
            AgentTool(helper("sunny"), skip_summarization=True),
            AgentTool(other, skip_summarization=True),
        ],
    )
    got = run(agent)
    assert (
        got[1]["content"]
        == content(
            answer("helper", "c1", result="sunny"),
            "sunny",
            answer("other", "c2", result="cold"),
            "cold",
        ).to_json()
    )


def test_nested_agent_tools_do_not_show():
    """Inside an agent tool's run nothing is put on display (V24-003)."""
    leaf = LlmAgent("leaf", model=ScriptedModel(["deep"]))
    seen = []
    inner = LlmAgent(
        "helper",
        model=ScriptedModel([reply(call("leaf", request="r"))]),
        tools=[AgentTool(leaf, skip_summarization=True)],
    )
    # The inner run ends with a response event without text, so there is no answer.
    inner.after_tool_callbacks.append(lambda ctx, tool, args, result, error: seen.append(result))
    agent = calling(AgentTool(inner, skip_summarization=True))
    assert run(agent) == [
        ASKED,
        said("a", answer("helper"), role="user", actions={"skipSummarization": True}),
    ]
    assert seen == [{"result": "deep"}]


def test_the_request_that_an_inner_agent_makes():
    """The inner agent sees the message alone, its own tools and its own name (TOOL-062)."""
    model = ScriptedModel(["x"])
    inner = LlmAgent("helper", model=model, tools=[AgentTool(LlmAgent("leaf"))])
    world = World(
        LlmAgent(
            "root",
            global_instruction="g",
            sub_agents=[LlmAgent("peer")],
            model=ScriptedModel([reply(call("helper", request="q")), "done"]),
            tools=[AgentTool(inner)],
        )
    )
    world.turn()
    (request,) = model.requests
    assert contents_of(request) == [{"role": "user", "parts": [{"text": "q"}]}]
    assert declared(request) == ["leaf"]
    assert system_of(request) == ['You are an agent. Your internal name is "helper".']


def test_ids_come_from_the_hosts_platform():
    """Session and invocation of the inner run are drawn from the caller's providers."""
    seen = []
    agent = Agent("helper", run=lambda ctx: seen.append((ctx.session_id, ctx.invocation_id)) or ())
    answered(agent, context(host=counting_host()))
    assert seen == [("id-1", "e-id-2")]
