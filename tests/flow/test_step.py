# SPDX-License-Identifier: Apache-2.0
"""One step of the flow (chapter 02, section 4)."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from kit import (
    START,
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
    shown,
    thought,
)

from adkref.agents import Agent, LlmAgent
from adkref.artifacts import Artifacts, InMemoryArtifactService
from adkref.content import LlmResponse, Part
from adkref.contexts import Context
from adkref.errors import ModelNotConfigured, ProgrammingError
from adkref.events import Event, EventActions
from adkref.flow import Flow
from adkref.flow.step import run_step
from adkref.models import ScriptedModel
from adkref.tools import FunctionTool

ANY = {"type": "object"}


def tool(name="t", handler=lambda ctx, args: {"ok": 1}, **options):
    """A function tool."""
    return FunctionTool(handler, name=name, description="", parameters=ANY, **options)


def agent(*script, **options):
    """An agent with a script."""
    return LlmAgent("a", model=ScriptedModel(script), **options)


class Watched:
    """A model that notes how far it was read."""

    name = "watched"

    def __init__(self, *responses):
        self.responses = responses
        self.log = []

    def generate(self, ctx, request, stream):
        """Yield the responses of the first call, then a text."""
        self.log.append("call")
        try:
            for response in self.responses if self.log == ["call"] else [reply("end")]:
                yield response
                self.log.append("read on")
        finally:
            self.log.append("closed")


# --- before the model ----------------------------------------------------------------------------


def test_an_agent_without_model():
    """The error names the agent and is of a kind of its own; nothing else happened (FLOW-010)."""
    seen = []
    bare = LlmAgent('a"', instruction_provider=lambda ctx: seen.append(1) or "x")
    scene = Scene()
    ((found, error),) = scene.events_of(bare)
    assert found is None
    assert isinstance(error, ModelNotConfigured)
    assert str(error) == (
        'agent "a\\"": model not configured; ensure Model is set in llmagent.Config'
    )
    assert seen == []


def test_the_request_starts_with_the_models_name():
    """Model name, then what preprocessing makes of it (FLOW-011)."""
    given = agent("x")
    given.model.name = "m"
    run(given, events=[event("user", "hi")])
    (request,) = given.model.requests
    assert (request.model, contents_of(request)) == ("m", [content("hi").to_json()])


def test_an_error_of_preprocessing_ends_the_step():
    """It is the only item, and the model is not called (FLOW-011, FLOW-002)."""

    def boom(ctx):
        raise ValueError("boom")

    given = agent("x", instruction_provider=boom)
    text = "failed to append instructions: failed to evaluate global instruction provider: boom"
    assert run(given) == [text]
    assert given.model.requests == []


def test_a_panic_of_preprocessing_passes():
    """Misuse is no error of the step."""

    def misuse(ctx):
        raise ProgrammingError("misuse")

    with pytest.raises(ProgrammingError, match=r"^misuse$"):
        run(agent("x", instruction_provider=misuse))


def test_an_ended_context_stops_before_the_model():
    """The flag is looked at once, behind preprocessing (FLOW-012)."""

    class Ending:
        """A tool that ends the invocation while it is asked for the request."""

        name, description, is_long_running = "t", "", False

        def process_request(self, ctx, request):
            ctx.unwrapped().end_invocation()

    given = agent("x", tools=[Ending()], after_agent_callbacks=[lambda ctx: content("after")])
    # The flow's own flag: the agent around it is not ended, so its after phase runs (CTX-003).
    assert run(given) == [said("a", "after", role="user")]
    assert given.model.requests == []


# --- the model event --------------------------------------------------------------------------------


def test_the_model_event():
    """All its fields (FLOW-016)."""
    response = LlmResponse(
        content=content(
            "x",
            call("slow", "c1"),
            call("t", "c2"),
            call("slow", "c1"),
            call("no", "c3"),
            role="model",
        ),
        usage_metadata={"n": 1},
        custom_metadata={"m": 1},
        model_version="v",
        turn_complete=True,
        finish_reason="STOP",
        error_code="E",
        avg_logprobs=-1.0,
    )
    given = agent(response, tools=[tool("slow", is_long_running=True), tool()])
    scene = Scene(host=counting_host(), branch="b", isolation_scope="s")
    found, error = scene.events_of(given, stop_after=1)[0]
    assert error is None
    assert found == Event(
        content=response.content,
        usage_metadata={"n": 1},
        custom_metadata={"m": 1},
        model_version="v",
        turn_complete=True,
        finish_reason="STOP",
        error_code="E",
        avg_logprobs=-1.0,
        id="id-3",  # behind the two tools' contexts
        timestamp=START + timedelta(seconds=1),
        invocation_id="inv",
        branch="b",
        author="a",
        actions=EventActions(state_delta={}, artifact_delta={}),
        long_running_tool_ids=["c1"],
    )
    assert found.content is response.content
    assert found.timestamp == datetime(2026, 8, 1, 12, 0, 1, tzinfo=UTC)


def test_call_ids_are_filled_before_the_event():
    """Also where AfterModel brought calls in (FLOW-017)."""
    cached = reply(call("slow", ""), call("slow", ""))
    given = agent(
        "x",
        tools=[tool("slow", lambda *_: None, is_long_running=True)],
        after_model_callbacks=[lambda ctx, response, error: cached],
    )
    ((found, _),) = Scene(host=counting_host()).events_of(given)
    assert found.long_running_tool_ids == ["adk-id-3", "adk-id-4"]
    assert [it.id for it in cached.content.calls()] == ["adk-id-3", "adk-id-4"]


def test_responses_of_a_step_share_their_delta():
    """One map per step: later writes show on earlier events (FLOW-013, FLOW-018)."""

    def after(ctx, response, error):
        ctx.state["n"] = ctx.state.get("n", 0) + 1

    given = agent(
        [reply("a", partial=True), reply("b", partial=True), "c"], after_model_callbacks=[after]
    )
    (one, two, three) = [found for found, _ in Scene().events_of(given)]
    assert one.actions.state_delta is two.actions.state_delta is three.actions.state_delta
    assert one.actions is not two.actions
    assert three.actions.state_delta == {"n": 3}


def test_each_step_has_its_own_delta():
    """The next step starts with an empty map (FLOW-013)."""

    def before(ctx, request):
        ctx.state[f"k{len(request.contents)}"] = 1

    given = agent(reply(call("t")), "x", tools=[tool()], before_model_callbacks=[before])
    assert run(given, events=[event("user", "hi")]) == [
        said("a", call("t"), actions={"stateDelta": {"k1": 1}}),
        said("a", answer("t", ok=1), role="user"),
        said("a", "x", actions={"stateDelta": {"k3": 1}}),
    ]


def test_artifacts_of_model_callbacks_reach_no_event():
    """They are saved, and the event's delta stays empty (FLOW-019)."""
    service = InMemoryArtifactService()

    def before(ctx, request):
        ctx.artifacts.save("f", Part(text="x"))

    scene = Scene(artifacts=Artifacts(service, "app", "user", "s"))
    ((found, _),) = scene.events_of(agent("x", before_model_callbacks=[before]))
    assert found.actions == EventActions(state_delta={}, artifact_delta={})
    assert service.load("app", "user", "s", "f") == Part(text="x")


# --- responses ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("response", "shown_as"),
    [
        (LlmResponse(), None),
        (LlmResponse(turn_complete=True, usage_metadata={"n": 1}), None),
        (LlmResponse(partial=True), None),
        (LlmResponse(error_message="m"), None),
        (LlmResponse(error_code="E"), {"author": "a", "errorCode": "E"}),
        (LlmResponse(interrupted=True), {"author": "a", "interrupted": True}),
        (reply(), {"author": "a", "content": {"role": "model"}}),
    ],
)
def test_empty_responses_are_skipped(response, shown_as):
    """Without content, code and interruption there is no event (FLOW-014)."""
    assert run(agent([response])) == ([] if shown_as is None else [shown_as])


def test_a_skipped_response_is_not_the_end():
    """The next response of the same call is read (FLOW-014)."""
    assert run(agent([LlmResponse(), "x"])) == [said("a", "x")]


def test_a_model_that_says_nothing():
    """The run ends silently (FLOW-014, FLOW-003)."""
    given = agent([])
    assert run(given) == []
    assert len(given.model.requests) == 1


@pytest.mark.parametrize(("value", "name"), [("x", "string"), (5, "int"), (None, "<nil>")])
def test_what_is_no_tool_fails_the_step(value, name):
    """An entry of request.tools that is none fails before the event (FLOW-015)."""

    def before(ctx, request):
        request.tools["bad"] = value

    given = agent("x", before_model_callbacks=[before])
    assert run(given) == [f"unexpected tool type {name} for tool bad"]
    skipped = agent([LlmResponse()], before_model_callbacks=[before])
    assert run(skipped) == []


def test_a_partial_response_runs_nothing():
    """Its calls are not executed, whatever the streaming mode (FLOW-020)."""
    ran = []
    given = agent(
        [reply(call("t"), partial=True), reply("x")],
        tools=[tool(handler=lambda ctx, args: ran.append(1))],
    )
    assert run(given) == [said("a", call("t"), partial=True), said("a", "x")]
    assert ran == []


def test_half_a_call_and_then_nothing():
    """A model that streams half a call and stops: a partial event, no tool, nothing stored (V24-002)."""
    half = reply(Part(function_call=call("t").function_call), partial=True)
    half.content.parts[0].function_call.will_continue = True
    scene = Scene(events=[event("user", "hi")], streaming="sse")
    ran = []
    given = agent([half], tools=[tool(handler=lambda ctx, args: ran.append(1))])
    (got,) = scene.run(given)
    assert got["partial"] is True
    assert got["content"]["parts"][0]["functionCall"]["willContinue"] is True
    assert len(scene.session.events) == 1
    assert (ran, len(given.model.requests)) == ([], 1)


def test_without_an_answer_the_model_is_read_on():
    """No calls, or no response event: the next response of the same call (FLOW-021)."""
    slow = tool("slow", lambda *_: None, is_long_running=True)
    assert run(agent(["a", reply(call("slow")), "b"], tools=[slow])) == [
        said("a", "a"),
        said("a", call("slow"), longRunningToolIds=["c1"]),
        said("a", "b"),
    ]


def test_with_an_answer_it_is_closed():
    """The rest of the model's stream is not read (FLOW-023)."""
    model = Watched(reply("a"), reply(call("t")), reply("never"))
    got = run(LlmAgent("a", model=model, tools=[tool()]))
    assert got == [
        said("a", "a"),
        said("a", call("t")),
        said("a", answer("t", ok=1), role="user"),
        said("a", "end"),
    ]
    assert model.log == ["call", "read on", "closed", "call", "read on", "closed"]


# --- the order of events -----------------------------------------------------------------------------

CITY = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}


def test_the_order_of_events():
    """Model, responses, question, structured output, the target's events (FLOW-022)."""

    def asking(ctx, args):
        ctx.request_confirmation("sure?")
        ctx.actions.transfer_to_agent = "b"
        return {"asked": True}

    model = ScriptedModel(
        [reply(call("t", "c1"), call("set_model_response", "c2", city="Oslo"))], name="gemini-2"
    )
    root = LlmAgent(
        "a",
        model=model,
        tools=[tool(handler=asking)],
        output_schema=CITY,
        sub_agents=[LlmAgent("b", model=ScriptedModel(["from b"]))],
    )
    got = run(root, host=counting_host())
    question = got[2]["content"]["parts"][0]["functionCall"]
    assert got == [
        said("a", call("t", "c1"), call("set_model_response", "c2", city="Oslo")),
        said(
            "a",
            answer("t", "c1", asked=True),
            answer("set_model_response", "c2", city="Oslo"),
            role="user",
            actions={
                "requestedToolConfirmations": {
                    "c1": {"hint": "sure?", "confirmed": False, "payload": None}
                },
                "skipSummarization": True,
                "transferToAgent": "b",
            },
        ),
        {
            "author": "a",
            "content": {"role": "model", "parts": [{"functionCall": question}]},
            "longRunningToolIds": [question["id"]],
        },
        said("a", '{"city":"Oslo"}'),
        said("b", "from b"),
    ]
    assert question["name"] == "adk_request_confirmation"


def test_a_structured_output_that_cannot_be_written():
    """The error follows the response event (OUT-004)."""

    def after(ctx, tool, args, result, error):
        return {"x": {1}}

    model = ScriptedModel([reply(call("set_model_response", city="Oslo"))], name="gemini-2")
    given = LlmAgent(
        "a", model=model, tools=[tool()], output_schema=CITY, after_tool_callbacks=[after]
    )
    items = Scene(given).events_of(given)
    assert [error and str(error) for _, error in items] == [
        None,
        None,
        "failed to marshal set_model_response: json: unsupported type: set",
    ]


# --- transfer ----------------------------------------------------------------------------------------


def transferring(target="b"):
    """A response that transfers."""
    return reply(call("transfer_to_agent", agent_name=target))


def tree(*script, sub=None, **options):
    """Agent a over b."""
    b = sub if sub is not None else LlmAgent("b", model=ScriptedModel(["from b"]))
    return LlmAgent("a", model=ScriptedModel(script), sub_agents=[b], **options)


TO_B = [
    said("a", call("transfer_to_agent", agent_name="b")),
    said("a", answer("transfer_to_agent"), role="user", actions={"transferToAgent": "b"}),
]


def test_a_transfer_runs_the_target_inline():
    """Its events follow; its final answer ends the caller's run, too (XFER-009, XFER-010)."""
    root = tree(transferring())
    assert run(root) == [*TO_B, said("b", "from b")]
    assert len(root.model.requests) == 1


def test_behind_a_transfer_the_model_is_read_on():
    """The same call's next response comes after the target (FLOW-023)."""
    assert run(tree([transferring(), "still a"])) == [
        *TO_B,
        said("b", "from b"),
        said("a", "still a"),
    ]


@pytest.mark.parametrize(
    ("sub", "events"),
    [
        (LlmAgent("b", model=ScriptedModel([[]])), []),
        (Agent("b", run=lambda ctx: [event("b", call("x"))]), [said("b", call("x"))]),
    ],
)
def test_a_target_without_a_final_event(sub, events):
    """The caller's model is called again (FLOW-008)."""
    root = tree(transferring(), "again a", sub=sub)
    assert run(root) == [*TO_B, *events, said("a", "again a")]


def test_a_target_of_another_kind_runs_plainly():
    """A custom agent has no node entry (XFER-009)."""
    seen = []

    def body(ctx):
        seen.append((ctx.agent.name, ctx.branch, ctx.invocation_id, ctx.user_content))
        yield event("", "from b")

    assert run(tree(transferring(), sub=Agent("b", run=body))) == [*TO_B, said("b", "from b")]
    assert seen == [("b", "", "inv", content("hi"))]


def test_an_error_of_the_target_ends_the_step():
    """It is forwarded, without its event; the target is closed (XFER-009, FLOW-002)."""
    closed = []

    def body(ctx):
        try:
            yield event("b", "x"), ValueError("boom")
            yield event("b", "never")
        finally:
            closed.append(1)

    root = tree([transferring(), "never"], "never", sub=Agent("b", run=body))
    assert run(root) == [*TO_B, "boom"]
    assert closed == [1]


def test_a_transfer_to_nobody():
    """The error follows the response event, which stands (XFER-008)."""
    scene = Scene()
    root = tree(transferring("zed"), "never")
    assert scene.run(root)[2:] == ["failed to find agent: zed"]
    assert len(scene.session.events) == 2


def test_any_tool_may_transfer():
    """Whoever set it on the actions; the name is looked up among the targets (XFER-008)."""

    def after(ctx, tool, args, result, error):
        ctx.actions.transfer_to_agent = "b"

    root = tree(reply(call("t")), tools=[tool()], after_tool_callbacks=[after])
    assert run(root) == [
        said("a", call("t")),
        said("a", answer("t", ok=1), role="user", actions={"transferToAgent": "b"}),
        said("b", "from b"),
    ]


# --- stopping ------------------------------------------------------------------------------------------


def test_stopping_at_the_model_event():
    """Its tools never run, the model is closed, no further step (FLOW-024)."""
    ran = []
    model = Watched(reply(call("t")), reply("never"))
    given = LlmAgent("a", model=model, tools=[tool(handler=lambda ctx, args: ran.append(1))])
    assert run(given, stop_after=1) == [said("a", call("t"))]
    assert (ran, model.log) == ([], ["call", "closed"])


def test_stopping_at_the_response_event():
    """The tool has run; the model is not called again (FLOW-024)."""
    model = Watched(reply(call("t")))
    assert len(run(LlmAgent("a", model=model, tools=[tool()]), stop_after=2)) == 2
    assert model.log == ["call", "closed"]


def test_stopping_inside_a_transfer():
    """The target is closed first, then the caller's model (FLOW-024)."""
    log = []

    def body(ctx):
        try:
            yield event("b", "x")
            log.append("went on")
        finally:
            log.append("target closed")

    model = Watched(transferring(), reply("never"))
    root = LlmAgent("a", model=model, sub_agents=[Agent("b", run=body)])
    assert len(run(root, stop_after=3)) == 3
    assert log == ["target closed"]
    assert model.log == ["call", "closed"]


def test_stopping_at_a_resumed_response():
    """Nothing more is processed, the model is not called (FLOW-025)."""
    question = call(
        "adk_request_confirmation",
        "adk-q",
        originalFunctionCall={"id": "c1", "name": "t", "args": {}},
        toolConfirmation={"hint": "", "confirmed": False, "payload": None},
    )
    events = [
        event("a", call("t")),
        event("a", question),
        event("user", answer("adk_request_confirmation", "adk-q", confirmed=True)),
    ]
    asked = []
    given = agent("never", tools=[tool()], instruction_provider=lambda ctx: asked.append(1) or "")
    assert run(given, stop_after=1, events=events) == [said("a", answer("t", ok=1), role="user")]
    assert (asked, given.model.requests) == ([], [])


# --- odds ------------------------------------------------------------------------------------------------


def test_a_thoughts_call_is_executed():
    """A call beside a code, or inside a thought, is run (MDL-013, TOOL-015)."""
    response = reply(thought("hm"), call("t"), error_code="E")
    got = run(agent(response, "x", tools=[tool()]))
    assert got == [
        said("a", thought("hm"), call("t"), errorCode="E"),
        said("a", answer("t", ok=1), role="user"),
        said("a", "x"),
    ]


def test_a_foreign_tool_object_is_enough():
    """A tool needs a name and a request processor; unknown ones are not long-running (FLOW-016)."""
    other = SimpleNamespace(
        name="o", description="", is_long_running=False, process_request=lambda ctx, request: None
    )
    assert shown(Scene().events_of(agent("x", tools=[other]))[0]) == said("a", "x")


def raising(text):
    """A callback that raises."""

    def boom(*_):
        raise ValueError(text)

    return boom


def bad_tools(ctx, request):
    """Put in the request what is no tool."""
    request.tools["bad"] = 5


def no_json(ctx, tool, args, result, error):
    """Make a result that is no JSON."""
    return {"x": {1}}


@pytest.mark.parametrize(
    ("given", "last"),
    [
        (
            LlmAgent("a"),
            'agent "a": model not configured; ensure Model is set in llmagent.Config',
        ),
        (
            agent("x", instruction_provider=raising("boom")),
            "failed to append instructions: failed to evaluate global instruction provider: boom",
        ),
        (agent("x", before_model_callbacks=[raising("boom")]), "boom"),
        (agent("x", before_model_callbacks=[bad_tools]), "unexpected tool type int for tool bad"),
        (
            LlmAgent(
                "a",
                model=ScriptedModel([reply(call("set_model_response"))], name="gemini-2"),
                tools=[tool()],
                output_schema=CITY,
                after_tool_callbacks=[no_json],
            ),
            "failed to marshal set_model_response: json: unsupported type: set",
        ),
        (tree([transferring("zed"), "never"]), "failed to find agent: zed"),
        (
            tree([transferring(), "never"], sub=Agent("b", run=lambda ctx: raising("boom")())),
            "boom",
        ),
    ],
)
def test_an_error_is_the_last_item_of_a_step(given, last):
    """Whoever reads on behind it gets nothing more (FLOW-002)."""
    scene = Scene(given)
    scene.ctx.agent = given
    items = list(run_step(Flow(given), Context.promote(scene.ctx)))
    assert [str(error) for _, error in items if error is not None] == [last]
    assert items[-1][0] is None
