# SPDX-License-Identifier: Apache-2.0
"""Structured output and the output key (chapter 02, 5.5 and section 12)."""

import pytest
from kit import (
    Scene,
    answer,
    call,
    content,
    counting_host,
    event,
    nil_call,
    reply,
    run,
    said,
    system_of,
    thought,
)

from adkref.agents import LlmAgent, LoopAgent
from adkref.content import Content, FunctionResponse, NilMap, Part
from adkref.contexts import Context
from adkref.errors import AdkError
from adkref.events import Event, EventActions
from adkref.flow.output import (
    DESCRIPTION,
    INSTRUCTION,
    SetModelResponseTool,
    add_output_tool,
    needs_tool,
    save_output,
    structured_event,
)
from adkref.flow.placement import PLACEMENT, Placement
from adkref.models import FunctionDeclaration, LlmRequest, ScriptedModel
from adkref.tools import FunctionTool, StaticToolset

CITY = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}


def tool(name="t"):
    """A function tool."""
    return FunctionTool(lambda ctx, args: {"ok": 1}, name=name, parameters={"type": "object"})


def agent(name="gemini-1.5-pro", backend=None, script=(), **options):
    """An agent with an output schema and a tool."""
    model = ScriptedModel(script, name=name)
    if backend is not None:
        model.backend = backend
    options.setdefault("output_schema", CITY)
    options.setdefault("tools", [tool()])
    return LlmAgent("a", model=model, **options)


# --- when the work-around applies (REQ-050) ---------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "needs"),
    [
        (agent(), True),
        (agent("models/GEMINI-1.0"), True),
        (agent("projects/p/publishers/google/models/gemini-2.5-flash"), True),
        (agent("gemini-pro"), True),
        (agent("gpt-4"), False),
        (agent("my-gemini-1.5"), False),
        (agent("gemini-1.5/custom"), False),
        (agent("gemini"), False),
        # Vertex knows schemas beside tools from Gemini 2.0 on.
        (agent("gemini-2.0-flash", "vertex"), False),
        (agent("gemini-2", "vertex"), False),
        (agent("gemini-3.1-pro", "vertex"), False),
        (agent("gemini-10", "vertex"), False),
        (agent("gemini-1.9", "vertex"), True),
        (agent("gemini-pro-2.0", "vertex"), True),
        (agent("gemini-flash", "vertex"), True),
        (agent("gemini-2.0", "gemini"), True),
        # No schema, no tools, another mode.
        (agent(output_schema=None), False),
        (agent(tools=[]), False),
        (agent(tools=[], toolsets=[StaticToolset("s", [])]), True),
        (agent(tools=[], sub_agents=[LlmAgent("b")]), False),
        (agent(tools=[], sub_agents=[LlmAgent("b", mode="task")]), True),
        (agent(tools=[], sub_agents=[LlmAgent("b", mode="single_turn")]), True),
        (agent(mode="task"), False),
        (agent(mode="single_turn"), True),
        (LlmAgent("a", output_schema=CITY, tools=[tool()]), False),
    ],
)
def test_when_a_tool_is_needed(given, needs):
    """A Gemini model beside tools, but not Vertex from 2.0 on, and no task agent (REQ-050)."""
    assert needs_tool(given, Context.promote(Scene(given).ctx)) is needs


def test_the_bound_mode_counts():
    """An agent that was placed as a task needs no tool (REQ-050, V24-006)."""
    given = agent()
    scene = Scene(given)
    scene.ctx.host = scene.ctx.host.with_value(PLACEMENT, Placement(given, "task"))
    assert not needs_tool(given, Context.promote(scene.ctx))


# --- the tool ----------------------------------------------------------------------------------------


def test_the_tool_is_declared_with_its_instruction():
    """Literal description and instruction, the schema as JSON schema, no response schema (REQ-051)."""
    given = agent(script=["x"])
    Scene(given).run(given)
    (request,) = given.model.requests
    first = request.config.tools[0].function_declarations[0]
    assert first == FunctionDeclaration(
        "set_model_response",
        "Set your final response using the required output schema. Use this tool to provide your "
        "final structured answer instead of outputting text directly.",
        parameters_json_schema=CITY,
    )
    assert first.parameters_json_schema is CITY
    assert system_of(request) == [
        (
            'You are an agent. Your internal name is "a".\n\n'
            "IMPORTANT: You have access to other tools, but you must provide your final response "
            "using the set_model_response tool with the required structured format. After using any "
            "other tools needed to complete the task, always call set_model_response with your final "
            "answer in the specified schema format."
        )
    ]
    assert request.config.response_schema is None
    assert (
        first.description,
        system_of(request)[0].split("\n\n")[1],
    ) == (DESCRIPTION, INSTRUCTION)


def test_a_name_that_is_taken():
    """A request that has such a tool already fails with its own text (REQ-051)."""
    given = agent()
    request = LlmRequest(tools={"set_model_response": tool("set_model_response")})
    with pytest.raises(AdkError) as caught:
        add_output_tool(given, Context.promote(Scene(given).ctx), request)
    assert str(caught.value) == (
        'failed to pack set_model_response tool: duplicate tool: "set_model_response"'
    )
    assert request.config is None


def test_running_the_tool():
    """Arguments that fit are the result themselves (OUT-001)."""
    args = {"city": "Oslo"}
    assert SetModelResponseTool(CITY).run(None, args) is args


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (None, "unexpected args type for set_model_response: <nil>"),
        ([], "unexpected args type for set_model_response: []interface {}"),
        (
            NilMap(),
            'invalid output schema: "output" args does not contain required key: \'"city"\'',
        ),
        (
            {"city": 5.0},
            (
                "invalid output schema: output arg: '\"city\"' type mismatch, expected schema type "
                "STRING, got value 5 of type float64"
            ),
        ),
    ],
)
def test_arguments_that_do_not_fit(args, text):
    """The literal texts (OUT-001)."""
    with pytest.raises(AdkError) as caught:
        SetModelResponseTool(CITY).run(None, args)
    assert str(caught.value) == text


# --- the structured event ------------------------------------------------------------------------------


def test_the_structured_event():
    """Author, role, branch, one text of JSON, fresh id, empty deltas (OUT-002)."""
    ctx = Context.promote(Scene(host=counting_host(), branch="b").ctx)
    response = event(
        "a",
        answer("t"),
        answer("set_model_response", "c2", b="<x>", a=[1.0]),
        answer("set_model_response", "c3", late=1),
        role="user",
    )
    got = structured_event(ctx, "a", response)
    assert got == Event(
        id="id-1",
        timestamp=got.timestamp,
        invocation_id="inv",
        branch="b",
        author="a",
        content=content('{"a":[1],"b":"\\u003cx\\u003e"}', role="model"),
        actions=EventActions(state_delta={}, artifact_delta={}),
    )
    assert structured_event(ctx, "a", event("a", answer("t"), "x")) is None
    assert structured_event(ctx, "a", event("a")) is None


def test_a_nil_response_is_null():
    """The text is then ``null`` (OUT-004)."""
    ctx = Context.promote(Scene().ctx)
    for nil in (None, NilMap()):
        part = Part(function_response=FunctionResponse("c", "set_model_response", nil))
        got = structured_event(ctx, "a", event("a", part))
        assert got.content == content("null", role="model")


def test_a_structured_answer_ends_the_run():
    """Call, response, the answer as text; it is final and saved under the key (OUT-003, OUT-013)."""
    given = agent(script=[reply(call("set_model_response", city="Oslo")), "never"], output_key="k")
    text = '{"city":"Oslo"}'
    assert run(given) == [
        said("a", call("set_model_response", city="Oslo")),
        said("a", answer("set_model_response", city="Oslo"), role="user"),
        said("a", text, actions={"stateDelta": {"k": text}}),
    ]


def test_a_wrong_answer_is_the_final_answer():
    """The check is by name alone: an error response becomes the text, and the run ends (OUT-002)."""
    given = agent(script=[reply(nil_call("set_model_response")), "never"])
    error = 'invalid output schema: "output" args does not contain required key: \'"city"\''
    text = (
        '{"error":"invalid output schema: \\"output\\" args does not contain required key: '
        '\'\\"city\\"\'"}'
    )
    assert run(given) == [
        said("a", nil_call("set_model_response")),
        said("a", answer("set_model_response", error=error), role="user"),
        said("a", text),
    ]


# --- the output key (OUT-010) ----------------------------------------------------------------------------


def saved(found, **options):
    """The delta of an event after saving."""
    options.setdefault("output_key", "k")
    save_output(LlmAgent("a", **options), found)
    return found.actions.state_delta


SKIP = EventActions(skip_summarization=True)


@pytest.mark.parametrize(
    ("found", "value"),
    [
        (event("a", "x"), "x"),
        (event("a", "x", thought("hm"), "", "y"), "xy"),
        (event("a", " "), " "),
        (event("a", "x", role="user"), "x"),
        (event("a", answer("t"), "shown", actions=SKIP), "shown"),
        (event("a", call("t"), "x", long_running_tool_ids=["c1"]), "x"),
        # Not final, another author, no text.
        (event("a", "x", partial=True), None),
        (event("a", "x", call("t")), None),
        (event("b", "x"), None),
        (event("user", "x"), None),
        (event("a"), None),
        (event("a", content=Content("model")), None),
        (event("a", ""), None),
        (event("a", thought("hm")), None),
        (event("a", Part(executable_code={"code": "1"})), None),
        (
            event("a", answer("t"), role="user", actions=EventActions(skip_summarization=True)),
            None,
        ),
    ],
)
def test_what_is_saved(found, value):
    """The texts of the agent's final events, thoughts left out (OUT-010, V24-007)."""
    assert saved(found) == (None if value is None else {"k": value})


def test_blank_text_with_a_schema():
    """With an output schema white space is not saved; nothing is parsed (OUT-010)."""
    assert saved(event("a", " \n"), output_schema=CITY) is None
    assert saved(event("a", ' {"city"'), output_schema=CITY) == {"k": ' {"city"'}


def test_without_a_key_nothing_is_saved():
    """An empty key means no saving, and an absent event is no event (OUT-010)."""
    assert saved(event("a", "x"), output_key="") is None
    save_output(LlmAgent("a", output_key="k"), None)


def test_the_delta_is_made_or_kept():
    """A missing map is made, other keys stay (OUT-010)."""
    kept = event("a", "x", actions=EventActions(state_delta={"j": 1}))
    assert saved(kept) == {"j": 1, "k": "x"}


def test_the_runner_writes_the_state():
    """The value is on the event's delta; the session changes when it is stored (OUT-012)."""
    seen = []
    given = LlmAgent("a", model=ScriptedModel(["x"]), output_key="k")
    scene = Scene(given)
    for found, _ in given.run(scene.ctx):
        seen.append((dict(found.actions.state_delta), scene.session.state.get("k")))
        scene.session.apply(found)
    assert seen == [({"k": "x"}, None)]
    assert scene.session.state["k"] == "x"


def test_callback_events_do_not_set_the_key():
    """Nor do events of a transfer's target (OUT-013, LLM-021)."""
    before = LlmAgent(
        "a",
        output_key="k",
        model=ScriptedModel(["x"]),
        before_agent_callbacks=[lambda ctx: content("b")],
    )
    assert run(before) == [said("a", "b", role="user")]
    sub = LlmAgent("b", model=ScriptedModel(["from b"]))
    root = LlmAgent(
        "a",
        output_key="k",
        model=ScriptedModel([reply(call("transfer_to_agent", agent_name="b"))]),
        sub_agents=[sub],
    )
    assert run(root)[-1] == said("b", "from b")


def test_the_next_agent_reads_it():
    """In a loop the value is in the next round's instruction (OUT-012)."""
    model = ScriptedModel(["one", "two"])
    inner = LlmAgent("a", model=model, output_key="k", instruction="before: {k?}")
    scene = Scene(LoopAgent("l", sub_agents=[inner], max_iterations=2))
    scene.run(scene.ctx.agent)
    assert [system_of(request)[0].split("\n")[0] for request in model.requests] == [
        "before: ",
        "before: one",
    ]
