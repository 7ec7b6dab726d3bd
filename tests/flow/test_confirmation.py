# SPDX-License-Identifier: Apache-2.0
"""Asking the user about a call, and going on with the answer (chapter 02, section 10)."""

import pytest
from kit import (
    START,
    Scene,
    World,
    answer,
    call,
    content,
    contents_of,
    counting_host,
    event,
    nil_call,
    reply,
    run,
    said,
)

from adkref.agents import LlmAgent
from adkref.content import Content, FunctionCall, FunctionResponse, Part
from adkref.contexts import Context
from adkref.errors import AdkError
from adkref.events import Event, EventActions, ToolConfirmation
from adkref.flow.confirmation import answers_in, confirmation_event, original_call_of
from adkref.models import ScriptedModel
from adkref.tools import FunctionTool

ANY = {"type": "object"}
ASK = "adk_request_confirmation"
HINT = (
    "Please approve or reject the tool call t() by responding with a FunctionResponse with an "
    "expected ToolConfirmation payload."
)


class Counting:
    """A tool that counts how often it ran."""

    def __init__(self, name="t", **options):
        self.seen = []
        options.setdefault("require_confirmation", True)
        self.tool = FunctionTool(self.handle, name=name, description="", parameters=ANY, **options)

    def handle(self, ctx, args):
        """Note the call and its confirmation."""
        self.seen.append((ctx.function_call_id, dict(args), ctx.tool_confirmation))
        return {"ran": len(self.seen)}


def question(qid, cid="c1", name="t", hint=HINT, **args):
    """The part that asks about a call."""
    return call(
        ASK,
        qid,
        originalFunctionCall={"id": cid, "name": name, "args": args},
        toolConfirmation={"hint": hint, "confirmed": False, "payload": None},
    )


def verdict(qid, confirmed=True, **more):
    """The part that answers a question."""
    return answer(ASK, qid, confirmed=confirmed, **more)


def agent(*script, tools, **options):
    """Agent a with a script and tools."""
    return LlmAgent(
        "a", model=ScriptedModel(script or ["done"]), tools=[it.tool for it in tools], **options
    )


# --- asking ---------------------------------------------------------------------------------------


def context(**scene):
    """A common context."""
    return Context.promote(Scene(host=counting_host(), **scene).ctx)


def test_the_confirmation_event():
    """One question per requested call of the model event, in its order (TOOL-101, TOOL-102)."""
    signed = call("u", "c3", n=1)
    signed.thought_signature = b"sig"
    asked = content(call("t", "c1"), "text", call("t", "c2"), signed, role="model")
    one, other = ToolConfirmation("h1"), ToolConfirmation("h3", payload=[1])
    response = event(
        "a",
        answer("t", "c1"),
        actions=EventActions(requested_tool_confirmations={"c3": other, "c1": one, "gone": one}),
    )
    got = confirmation_event(context(branch="b"), "a", asked, response)
    assert got == Event(
        id="id-3",
        timestamp=got.timestamp,
        invocation_id="inv",
        branch="b",
        author="a",
        content=Content(
            "model",
            [
                Part(
                    function_call=FunctionCall(
                        "adk-id-1",
                        ASK,
                        {
                            "originalFunctionCall": asked.parts[0].function_call,
                            "toolConfirmation": one,
                        },
                    )
                ),
                Part(
                    function_call=FunctionCall(
                        "adk-id-2",
                        ASK,
                        {"originalFunctionCall": signed.function_call, "toolConfirmation": other},
                    ),
                    thought_signature=b"sig",
                ),
            ],
        ),
        actions=EventActions(state_delta={}, artifact_delta={}),
        long_running_tool_ids=["adk-id-1", "adk-id-2"],
    )
    assert got.timestamp > START
    assert (
        got.content.parts[0].function_call.args["originalFunctionCall"]
        is asked.parts[0].function_call
    )


@pytest.mark.parametrize("requested", [None, {}, {"other": ToolConfirmation()}])
@pytest.mark.parametrize("asked", [None, content(call("t")), content("x")])
def test_nothing_to_ask(requested, asked):
    """Without a request for one of the calls there is no event (TOOL-101)."""
    response = event("a", actions=EventActions(requested_tool_confirmations=requested))
    assert confirmation_event(context(), "a", asked, response) is None


def test_a_call_that_needs_approval():
    """Response with the error, then the question, which is final (TOOL-004, TOOL-102)."""
    counting = Counting()
    got = run(agent(reply(call("t", n=1)), "never", tools=[counting]), host=counting_host())
    asked = got[2]["content"]["parts"][0]["functionCall"]
    assert got == [
        said("a", call("t", n=1)),
        said(
            "a",
            answer("t", error='error tool "t" requires confirmation, please approve or reject'),
            role="user",
            actions={
                "requestedToolConfirmations": {
                    "c1": {"hint": HINT, "confirmed": False, "payload": None}
                },
                "skipSummarization": True,
            },
        ),
        {
            "author": "a",
            "content": {"role": "model", "parts": [{"functionCall": asked}]},
            "longRunningToolIds": [asked["id"]],
        },
    ]
    assert asked["id"].startswith("adk-id-")
    assert asked["args"] == {
        "originalFunctionCall": {"id": "c1", "name": "t", "args": {"n": 1}},
        "toolConfirmation": {"hint": HINT, "confirmed": False, "payload": None},
    }
    assert counting.seen == []


def test_a_silent_long_running_tool_asks_nobody():
    """Its nil answer takes the request with it (TOOL-021)."""
    silent = FunctionTool(
        lambda ctx, args: ctx.request_confirmation("h"),
        name="t",
        parameters=ANY,
        is_long_running=True,
    )
    given = LlmAgent("a", model=ScriptedModel([reply(call("t"))]), tools=[silent])
    assert run(given) == [said("a", call("t"), longRunningToolIds=["c1"])]


# --- reading the answer ------------------------------------------------------------------------------


def answered(*responses):
    """The confirmations of a user event e1."""
    parts = [Part(function_response=it) for it in responses]
    return answers_in(event("user", *parts, id='e"1') if parts else event("user", id="e"))


YES, NO = ToolConfirmation(confirmed=True), ToolConfirmation()


@pytest.mark.parametrize(
    ("response", "confirmation"),
    [
        (None, NO),
        ({}, NO),
        ({"confirmed": True}, YES),
        ({"Confirmed": True, "unknown": 1}, YES),
        (
            {"confirmed": False, "hint": "h", "payload": {"x": 1}},
            ToolConfirmation("h", False, {"x": 1}),
        ),
        ({"response": '{"confirmed": true, "payload": [1]}'}, ToolConfirmation("", True, [1])),
        ({"response": "{}"}, NO),
        ({"response": "null"}, NO),
        ({"response": '{"confirmed": true}', "confirmed": False}, NO),
        ({"response": 5, "confirmed": True}, YES),
    ],
)
def test_forms_of_an_answer(response, confirmation):
    """A lone key response with JSON text, or the fields directly; nil is a no (TOOL-103)."""
    assert answered(FunctionResponse("q", ASK, response)) == {"q": confirmation}


def test_only_answers_to_questions_count():
    """Other responses are none; of several to one question the last counts (TOOL-103)."""
    assert answered() == {}
    assert answered(
        FunctionResponse("q", ASK, {"confirmed": True}),
        FunctionResponse("c", "t", {"confirmed": True}),
        FunctionResponse("p", ASK, {"confirmed": True}),
        FunctionResponse("q", ASK, {"confirmed": False}),
    ) == {"q": NO, "p": YES}


WHERE = 'confirmation function response for event id "e\\"1"'


@pytest.mark.parametrize(
    ("response", "text"),
    [
        (
            {"response": "yes"},
            (
                f"error 'response' key found but failed unmarshalling {WHERE}: "
                "Expecting value: line 1 column 1 (char 0)"
            ),
        ),
        (
            {"response": "[]"},
            (
                f"error 'response' key found but failed unmarshalling {WHERE}: "
                "ToolConfirmation: expected an object, got list"
            ),
        ),
        (
            {"response": '{"confirmed": "yes"}'},
            (
                f"error 'response' key found but failed unmarshalling {WHERE}: "
                "invalid value for type, expected bool @ ToolConfirmation.confirmed"
            ),
        ),
        (
            {"response": {"confirmed": True}},
            f"error 'response' key found but value is not a string for {WHERE}",
        ),
        (
            {"confirmed": True, "payload": {1}},
            f"error failed marshalling {WHERE}: json: unsupported type: set",
        ),
        (
            {"confirmed": 1},
            (
                f"error failed unmarshalling {WHERE}: "
                "invalid value for type, expected bool @ ToolConfirmation.confirmed"
            ),
        ),
    ],
)
def test_malformed_answers(response, text):
    """The literal texts (TOOL-105)."""
    with pytest.raises(AdkError) as caught:
        answered(FunctionResponse("q", ASK, response))
    assert str(caught.value) == text


def test_a_malformed_answer_ends_the_step():
    """Before instructions and contents; the model is not called (TOOL-105)."""
    counting, asked = Counting(), []
    given = agent(tools=[counting], instruction_provider=lambda ctx: asked.append(1) or "")
    events = [event("a", question("q")), event("user", answer(ASK, "q", response="yes"), id="e1")]
    (got,) = run(given, events=events)
    assert got.startswith("error 'response' key found but failed unmarshalling confirmation")
    assert (counting.seen, asked, given.model.requests) == ([], [], [])


# --- the original call (TOOL-110) --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("original", "found"),
    [
        (FunctionCall("c", "t", {"a": 1}), FunctionCall("c", "t", {"a": 1})),
        ({"id": "c", "name": "t", "args": {"a": 1}}, FunctionCall("c", "t", {"a": 1})),
        ({"ID": "c", "Name": "t", "more": 1}, FunctionCall("c", "t")),
        ({}, FunctionCall()),
    ],
)
def test_original_calls(original, found):
    """A call object, or a map whose keys match in any case (TOOL-110)."""
    assert original_call_of(FunctionCall("q", ASK, {"originalFunctionCall": original})) == found


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (None, "functionCall or its arguments cannot be nil"),
        (FunctionCall("q", ASK), "functionCall or its arguments cannot be nil"),
        (
            FunctionCall("q", ASK, {"x": 1}),
            'required argument "originalFunctionCall" is missing from call with ID q',
        ),
        (
            FunctionCall("q", ASK, {"originalFunctionCall": "t"}),
            (
                'argument "originalFunctionCall" has invalid type: expected JSON object '
                "(map[string]any) or *genai.FunctionCall, got string"
            ),
        ),
        (
            FunctionCall("q", ASK, {"originalFunctionCall": None}),
            (
                'argument "originalFunctionCall" has invalid type: expected JSON object '
                "(map[string]any) or *genai.FunctionCall, got <nil>"
            ),
        ),
        (
            FunctionCall("q", ASK, {"originalFunctionCall": {"id": 5}}),
            (
                'failed to decode "originalFunctionCall" structure for call ID q: '
                "invalid value for type, expected str @ FunctionCall.id"
            ),
        ),
    ],
)
def test_questions_without_an_original_call(asked, text):
    """The literal texts (TOOL-110)."""
    with pytest.raises(AdkError) as caught:
        original_call_of(asked)
    assert str(caught.value) == text


# --- going on (TOOL-104 to TOOL-109) ---------------------------------------------------------------------------


def resumed(events, *tools, script=("done",), **options):
    """What agent a yields when it goes on, and the tools' counts."""
    return run(agent(*script, tools=tools, **options), events=events)


ASKED = [
    event("user", "go"),
    event("a", call("t", n=1)),
    event("a", answer("t", error="asks"), role="user"),
    event("a", question("q", n=1)),
]


def test_an_approved_call_is_run():
    """With the original arguments and the user's answer, before the model (TOOL-107, TOOL-109)."""
    counting = Counting()
    events = [*ASKED, event("user", verdict("q", payload="p"))]
    given = agent(tools=[counting])
    assert run(given, events=events) == [
        said("a", answer("t", ran=1), role="user"),
        said("a", "done"),
    ]
    assert counting.seen == [("c1", {"n": 1}, ToolConfirmation("", True, "p"))]
    assert contents_of(given.model.requests[0]) == [
        content("go").to_json(),
        content(call("t", n=1), role="model").to_json(),
        content(answer("t", ran=1)).to_json(),
    ]


def test_a_rejected_call_is_told():
    """The rejection is the response, and the model answers (TOOL-109)."""
    counting = Counting()
    assert resumed([*ASKED, event("user", verdict("q", confirmed=False))], counting) == [
        said("a", answer("t", error='error tool "t" call is rejected'), role="user"),
        said("a", "done"),
    ]
    assert counting.seen == []


@pytest.mark.parametrize(
    "events",
    [
        [],
        # The newest user event decides, even when it says something else.
        [*ASKED, event("user", verdict("q")), event("user", "never mind")],
        [*ASKED, event("user", verdict("q")), event("user", answer("t", "other"))],
        [*ASKED, event("user", answer("t", "q", confirmed=True))],
        # Nobody asked, or nobody was asked.
        [event("user", "go"), event("user", verdict("q"))],
        [*ASKED, event("user", verdict("r"))],
        # Another agent asked.
        [event("b", question("q")), event("user", verdict("q"))],
        # The question is the last event itself.
        [event("user", verdict("q")), event("a", question("q"))],
        # It does not decode.
        [event("a", call(ASK, "q")), event("user", verdict("q"))],
        [event("a", nil_call(ASK, "q")), event("user", verdict("q"))],
        [event("a", call(ASK, "q", originalFunctionCall=5)), event("user", verdict("q"))],
        # Answered already, behind the reply.
        [*ASKED, event("user", verdict("q")), event("a", answer("t"), role="user")],
        [*ASKED, event("user", verdict("q")), event("b", answer("x", "c1"), role="user")],
    ],
)
def test_nothing_to_go_on_with(events):
    """The step goes to the model at once (TOOL-104, TOOL-106, TOOL-107)."""
    counting = Counting(require_confirmation=False)
    assert resumed(events, counting) == [said("a", "done")]
    assert counting.seen == []


def test_without_a_session_there_is_nothing():
    """A context without session has no question (TOOL-104)."""
    given = agent(tools=[Counting()])
    scene = Scene(given)
    scene.ctx.session = None
    ((found, _),) = list(given.run(scene.ctx))
    assert found.content == content("done", role="model")


def test_a_confirmation_answered_twice():
    """In one message the last answer counts; one in a later message runs it again (TOOL-107)."""
    counting = Counting()
    events = [
        *ASKED,
        event("user", verdict("q")),
        event("a", answer("t", ran=1), role="user"),
        event("a", "done"),
        event("user", verdict("q")),
    ]
    # Only responses behind the newest reply are looked at.
    assert resumed(events, counting)[0] == said("a", answer("t", ran=1), role="user")
    assert len(counting.seen) == 1
    events = [*ASKED, event("user", verdict("q"), verdict("q", confirmed=False))]
    assert resumed(events, counting)[0] == said(
        "a", answer("t", error='error tool "t" call is rejected'), role="user"
    )


def test_the_questions_name_is_not_tested():
    """Any call whose id was answered and that decodes is a question (TOOL-106)."""
    counting = Counting()
    other = call("other", "q", originalFunctionCall={"id": "c1", "name": "t"})
    assert resumed([event("a", other), event("user", verdict("q"))], counting)[0] == said(
        "a", answer("t", ran=1), role="user"
    )


def test_disputed_questions_are_not_resumed():
    """One id asked about different calls, anywhere in this agent's events (TOOL-106)."""
    counting = Counting()
    for second in (question("q", "c2"), question("q", n=2), question("q", name="u")):
        events = [*ASKED, event("a", second), event("user", verdict("q"))]
        assert resumed(events, counting) == [said("a", "done")]
    assert counting.seen == []
    # Another agent's question of that id is no dispute.
    events = [*ASKED, event("b", question("q", "c2")), event("user", verdict("q"))]
    assert resumed(events, counting)[0] == said("a", answer("t", ran=1), role="user")


def test_one_question_stored_twice_is_run_twice():
    """The answered-check is a snapshot (TOOL-108)."""
    counting = Counting()
    events = [*ASKED, event("a", question("q", n=1)), event("user", verdict("q"))]
    assert resumed(events, counting) == [
        said("a", answer("t", ran=1), role="user"),
        said("a", answer("t", ran=2), role="user"),
        said("a", "done"),
    ]


def test_several_questions_of_one_event_are_one_batch():
    """In request order, each original call once, those left open by the user not (TOOL-107)."""
    counting = Counting()
    asked = event(
        "a", question("q1", "c1"), question("q2", "c2"), question("q3", "c3"), question("q4", "c1")
    )
    replies = event("user", verdict("q1"), verdict("q2"), verdict("q4", confirmed=False))
    assert resumed([asked, replies], counting) == [
        said(
            "a",
            answer("t", "c1", error='error tool "t" call is rejected'),
            answer("t", "c2", ran=1),
            role="user",
        ),
        said("a", "done"),
    ]
    assert [seen[0] for seen in counting.seen] == ["c2"]


def test_answered_calls_are_left_out_of_the_batch():
    """Of one event, the rest is still run (TOOL-107)."""
    counting = Counting()
    events = [
        event("a", question("q1", "c1"), question("q2", "c2")),
        event("user", verdict("q1"), verdict("q2")),
        event("b", answer("t", "c1"), role="user"),
    ]
    assert resumed(events, counting)[0] == said("a", answer("t", "c2", ran=1), role="user")


def test_newer_questions_come_first():
    """Several asking events yield several responses, the newest request first (TOOL-107)."""
    counting = Counting()
    events = [
        event("a", question("q1", "c1")),
        event("a", question("q2", "c2")),
        event("user", verdict("q1"), verdict("q2")),
    ]
    assert resumed(events, counting) == [
        said("a", answer("t", "c2", ran=1), role="user"),
        said("a", answer("t", "c1", ran=2), role="user"),
        said("a", "done"),
    ]


@pytest.mark.parametrize("name", ["gone", "transfer_to_agent", "set_model_response"])
def test_only_the_flows_tools_can_be_resumed(name):
    """The framework's own are not found, nor is a tool that went (TOOL-107)."""
    counting = Counting()
    model = ScriptedModel(["done"], name="gemini-1")
    given = LlmAgent(
        "a",
        model=model,
        tools=[counting.tool],
        output_schema={"type": "OBJECT"},
        sub_agents=[LlmAgent("b")],
    )
    got = run(given, events=[event("a", question("q", name=name)), event("user", verdict("q"))])
    error = got[0]["content"]["parts"][0]["functionResponse"]["response"]["error"]
    assert error.startswith(f"tool '{name}' not found.\nAvailable tools: t\n")


def test_callbacks_run_again_and_actions_are_ignored():
    """The chain runs as ever; no question, structured output or transfer follows (TOOL-109)."""
    log = []

    def before(ctx, tool, args):
        log.append(("before", ctx.function_call_id))

    def after(ctx, tool, args, result, error):
        log.append(("after", result))
        ctx.actions.transfer_to_agent = "b"
        ctx.request_confirmation("again?")

    counting = Counting()
    got = resumed(
        [*ASKED, event("user", verdict("q"))],
        counting,
        before_tool_callbacks=[before],
        after_tool_callbacks=[after],
        sub_agents=[LlmAgent("b", model=ScriptedModel(["never"]))],
    )
    assert log == [("before", "c1"), ("after", {"ran": 1})]
    assert got == [
        said(
            "a",
            answer("t", ran=1),
            role="user",
            actions={
                "requestedToolConfirmations": {
                    "c1": {"hint": "again?", "confirmed": False, "payload": None}
                },
                "skipSummarization": True,
                "transferToAgent": "b",
            },
        ),
        said("a", "done"),
    ]


def test_a_resumed_silent_tool_runs_in_each_step():
    """Nil leaves no answer behind, so every later step runs it again (TOOL-108)."""
    seen = []
    silent = FunctionTool(
        lambda ctx, args: seen.append(ctx.function_call_id),
        name="t",
        parameters=ANY,
        is_long_running=True,
    )
    other = Counting("u", require_confirmation=False)
    given = LlmAgent(
        "a", model=ScriptedModel([reply(call("u", "c2")), "done"]), tools=[silent, other.tool]
    )
    got = run(given, events=[*ASKED, event("user", verdict("q"))])
    assert [it["content"]["parts"] for it in got][-1] == [{"text": "done"}]
    assert seen == ["c1", "c1"]


def test_two_turns():
    """Through a runner: asked in one turn, approved in the next, under one invocation (RUN-030)."""
    counting = Counting()
    world = World(agent(reply(call("t", n=1)), "done", tools=[counting]))
    first = world.turn("go")
    qid = first[-1]["longRunningToolIds"][0]
    second = world.turn(content(verdict(qid)))
    path = {"nodeInfo": {"path": "a"}}
    assert second == [
        said("a", answer("t", ran=1), role="user", **path),
        said("a", "done", **path),
    ]
    assert len({it.invocation_id for it in world.session.events}) == 1
    assert counting.seen == [("c1", {"n": 1}, YES)]
