# SPDX-License-Identifier: Apache-2.0
"""The function-call modifier (FCM-001 to FCM-010)."""

import pytest

from adkref.agents import LlmAgent
from adkref.content import Content, FunctionCall, LlmResponse, Part
from adkref.contexts import InvocationContext, callback_context
from adkref.errors import AdkError, ProgrammingError
from adkref.events import EventActions
from adkref.models import (
    FunctionDeclaration,
    GenerateContentConfig,
    LlmRequest,
    ScriptedModel,
    ToolDeclarations,
)
from adkref.plugins import HOOKS, FunctionCallModifier, Plugin
from adkref.runner import Runner
from adkref.sessions import InMemorySessionService

WHY = {"type": "STRING", "description": "Why?"}
HOW = {"type": "STRING"}


def modifier(*names, args=None, override_description=None):
    """A plugin for the named tools that asks why."""
    return FunctionCallModifier(
        names.__contains__, {"why": WHY} if args is None else args, override_description
    )


def request_of(*declarations, local=("f",)):
    """A request that declares these functions; *local* ones have a tool behind them."""
    config = GenerateContentConfig(
        tools=[ToolDeclarations(), ToolDeclarations(list(declarations)), ToolDeclarations([])]
    )
    return LlmRequest("m", config=config, tools=dict.fromkeys(local))


def response_of(*calls, **fields):
    """A response with these calls, a text in front of them."""
    parts = [Part(text="calling"), *(Part(function_call=call) for call in calls)]
    return LlmResponse(content=Content("model", parts), **fields)


def before_model(plugin, request):
    """Call the hook before the model."""
    return plugin.callback("before_model")(None, request)


def after_model(plugin, ctx, response, error=None):
    """Call the hook after the model."""
    return plugin.callback("after_model")(ctx, response, error)


@pytest.fixture
def actions():
    """The actions that the hook's context writes to."""
    return EventActions.fresh()


@pytest.fixture
def ctx(invocation, actions):
    """A model hook's context over those actions."""
    return callback_context(invocation, actions)


# --- the plugin --------------------------------------------------------------------------


def test_only_the_two_model_hooks_are_set():
    """The plugin has its name, the hooks around the model and nothing else (FCM-001)."""
    plugin = modifier("f")
    assert plugin.name == "FunctionCallModifierPlugin"
    hooks = [hook.name for hook in HOOKS if plugin.callback(hook.name) is not None]
    assert hooks == ["before_model", "after_model"]


def test_a_missing_predicate_fails_at_its_first_use(ctx):
    """Nothing is checked before, and what needs no predicate works (FCM-001)."""
    plugin = FunctionCallModifier(None)
    unknown = request_of(FunctionDeclaration("g"))
    assert before_model(plugin, unknown) is None
    text = r"^FunctionCallModifierPlugin has no predicate$"
    with pytest.raises(ProgrammingError, match=text):
        before_model(plugin, request_of(FunctionDeclaration("f")))
    assert after_model(plugin, ctx, response_of()) is None
    with pytest.raises(ProgrammingError, match=text):
        after_model(plugin, ctx, response_of(FunctionCall("c", "f")))


# --- before the model --------------------------------------------------------------------


@pytest.mark.parametrize(
    "request_",
    [LlmRequest("m"), LlmRequest("m", config=GenerateContentConfig()), request_of()],
    ids=["no config", "no tools", "no declarations"],
)
def test_a_request_without_declarations_is_left_alone(request_):
    """There is nothing to do, and nobody is asked (FCM-002)."""
    asked = []
    assert before_model(FunctionCallModifier(asked.append, {"why": WHY}), request_) is None
    assert asked == []


def test_the_predicate_hears_of_local_tools_only():
    """A declaration without a tool behind it is not asked about, nor changed (FCM-003)."""
    asked = []

    def predicate(name):
        asked.append(name)
        return name == "f"

    declarations = [FunctionDeclaration(name) for name in ("remote", "f", "g")]
    plugin = FunctionCallModifier(predicate, {"why": WHY})
    assert before_model(plugin, request_of(*declarations, local=("g", "f"))) is None
    assert asked == ["f", "g"]
    assert declarations == [
        FunctionDeclaration("remote"),
        FunctionDeclaration("f", parameters={"type": "OBJECT", "properties": {"why": WHY}}),
        FunctionDeclaration("g"),
    ]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        (None, {"type": "OBJECT", "properties": {"why": WHY, "how": HOW}}),
        ({"type": "OBJECT"}, {"type": "OBJECT", "properties": {"why": WHY, "how": HOW}}),
        ({"properties": None}, {"properties": {"why": WHY, "how": HOW}}),
        (
            {
                "type": "OBJECT",
                "properties": {"a": {}, "how": {"type": "INTEGER"}},
                "required": ["a"],
            },
            {"type": "OBJECT", "properties": {"a": {}, "how": HOW, "why": WHY}, "required": ["a"]},
        ),
    ],
)
def test_arguments_are_added_to_the_parameters(parameters, expected):
    """What is missing is made, equal names are overwritten, the rest stays (FCM-004)."""
    json_schema = {"type": "object", "properties": {"a": {}}}
    declaration = FunctionDeclaration("f", "does f", parameters, dict(json_schema))
    before_model(modifier("f", args={"why": WHY, "how": HOW}), request_of(declaration))
    assert declaration == FunctionDeclaration("f", "does f", expected, json_schema)
    if parameters is not None:
        assert declaration.parameters is parameters  # in place
    # The schemas are the caller's own objects.
    assert declaration.parameters["properties"]["why"] is WHY


def test_the_description_is_overridden_each_time():
    """The new description is made from the old one, so it compounds (FCM-004, FCM-005)."""
    declaration = FunctionDeclaration("f", "do f")
    plugin = modifier("f", override_description=lambda old: f"Please {old}")
    for expected in ("Please do f", "Please Please do f"):
        before_model(plugin, request_of(declaration))
        assert declaration.description == expected
    before_model(modifier("f"), request_of(declaration))
    assert declaration.description == "Please Please do f"


# --- after the model ---------------------------------------------------------------------


def test_an_error_is_passed_on(ctx):
    """The hook fails with the error that it was given (FCM-006)."""
    error = AdkError("down")
    with pytest.raises(AdkError) as caught:
        after_model(modifier("f"), ctx, response_of(FunctionCall("c", "f", {"why": "x"})), error)
    assert caught.value is error


@pytest.mark.parametrize("response", [LlmResponse(), LlmResponse(content=Content("model", []))])
def test_an_empty_response_ends_the_round(ctx, response):
    """The same object is the answer, so nobody else is asked (FCM-007)."""
    assert after_model(modifier("f"), ctx, response) is response


def test_no_response_is_no_answer(ctx):
    """Without a response there is nothing to return (FCM-007)."""
    assert after_model(modifier("f"), ctx, None) is None


def test_configured_arguments_move_into_the_state(ctx, invocation, actions):
    """They leave the call in place; each is kept under call id and name (FCM-008)."""
    value = ["because"]
    call = FunctionCall("c", "f", {"a": 1, "why": value, "how": None})
    args = call.args
    response = response_of(call, FunctionCall("d", "f", {"a": 2}), FunctionCall("e", "f"))
    plugin = modifier("f", args={"why": WHY, "how": HOW, "absent": {}})
    assert after_model(plugin, ctx, response) is None
    assert response == response_of(
        FunctionCall("c", "f", {"a": 1}), FunctionCall("d", "f", {"a": 2}), FunctionCall("e", "f")
    )
    assert call.args is args
    assert actions.state_delta == {"c/why": ["because"], "c/how": None}
    assert actions.state_delta["c/why"] is value
    assert dict(invocation.session.state) == {"c/why": ["because"], "c/how": None}


def test_stripping_depends_on_the_predicate_alone(ctx, actions):
    """Calls of tools that are not local and partial responses count too (FCM-009)."""
    response = response_of(
        FunctionCall("c", "remote", {"why": "x"}),
        FunctionCall("d", "g", {"why": "y"}),
        partial=True,
    )
    assert after_model(modifier("remote"), ctx, response) is None
    assert [call.args for call in response.content.calls()] == [{}, {"why": "y"}]
    assert actions.state_delta == {"c/why": "x"}


def test_without_arguments_nothing_is_stripped(ctx, actions):
    """A configuration without arguments changes no call (FCM-008)."""
    response = response_of(FunctionCall("c", "f", {"why": "x"}))
    assert after_model(FunctionCallModifier(lambda name: True), ctx, response) is None
    assert response.content.calls()[0].args == {"why": "x"}
    assert actions.state_delta == {}


def test_a_state_that_refuses_ends_the_hook():
    """The argument has left the call by then; the cause can be found (FCM-010)."""
    ctx = callback_context(InvocationContext(invocation_id="inv"))
    call = FunctionCall("c", "f", {"why": "x", "how": "y"})
    with pytest.raises(AdkError) as caught:
        after_model(modifier("f", args={"why": WHY, "how": HOW}), ctx, response_of(call))
    text = 'cannot set key "c/why" to state: session is nil'
    assert str(caught.value) == f"failed to set state: {text}"
    assert str(caught.value.__cause__) == text
    assert call.args == {"how": "y"}


def test_a_panic_of_the_state_is_no_error_value():
    """A programming error travels up unwrapped (FCM-010, PLG-017)."""

    class Panicking:
        @property
        def state(self):
            raise ProgrammingError("boom")

    with pytest.raises(ProgrammingError, match=r"^boom$"):
        after_model(modifier("f"), Panicking(), response_of(FunctionCall("c", "f", {"why": 1})))


# --- a whole run -------------------------------------------------------------------------


def test_the_tool_never_sees_the_additional_argument():
    """Model, tool and state each see their own part of the call (FCM-004, FCM-008)."""
    seen = []

    def look(city: str) -> str:
        """Look at a city."""
        seen.append(city)
        return "sunny"

    call = response_of(FunctionCall("c", "look", {"city": "Oslo", "why": "curious"}))
    model = ScriptedModel([call, "done", "done again"])
    service = InMemorySessionService()
    runner = Runner(
        "a",
        LlmAgent("root", model=model, tools=[look]),
        service,
        plugins=[modifier("look", override_description=lambda old: f"{old} Say why.")],
        auto_create_session=True,
    )
    for _ in range(2):
        events = list(runner.run("u", "s", "hi"))
    assert [event.content.parts[-1].text for event in events] == ["done again"]
    assert seen == ["Oslo"]
    assert dict(service.get("a", "u", "s").state) == {"c/why": "curious"}
    # The function tool makes a declaration for each request, so nothing compounds.
    for request in model.requests:
        (declaration,) = request.config.tools[0].function_declarations
        assert declaration.description == "Look at a city. Say why."
        assert declaration.parameters == {"type": "OBJECT", "properties": {"why": WHY}}
    stored = service.get("a", "u", "s").events[1]
    assert stored.calls() == [FunctionCall("c", "look", {"city": "Oslo"})]


def test_an_empty_response_silences_later_plugins():
    """For such a response no later hook after the model is asked (FCM-007, PLG-014)."""
    seen = []
    later = Plugin(
        "later", after_model_callback=lambda ctx, response, error: seen.append(response)
    )
    runner = Runner(
        "a",
        LlmAgent("root", model=ScriptedModel([[LlmResponse(turn_complete=True), "text"]])),
        InMemorySessionService(),
        plugins=[modifier("f"), later],
        auto_create_session=True,
    )
    assert len(list(runner.run("u", "s", "hi"))) == 1
    assert [response.content.parts[0].text for response in seen] == ["text"]
