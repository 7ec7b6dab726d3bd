# SPDX-License-Identifier: Apache-2.0
"""The model call and the hooks around it (chapter 02, section 7)."""

import pytest
from kit import (
    Scene,
    answer,
    call,
    content,
    contents_of,
    counting_host,
    event,
    nil_call,
    plain,
    reply,
    run,
    said,
    thought,
)

from adkref.agents import LlmAgent
from adkref.content import FunctionCall, LlmResponse
from adkref.contexts import CallbackContext
from adkref.errors import ProgrammingError
from adkref.events import EventActions
from adkref.flow.model_call import call_model, fill_call_ids
from adkref.models import LlmRequest, ScriptedModel
from adkref.plugins import Plugin
from adkref.tools import FunctionTool

HOOKS = ("before_model", "after_model", "on_model_error")


class PairModel:
    """A model that yields what it is given, errors as pairs."""

    name = "pairs"

    def __init__(self, *items):
        self.items = items
        self.streams = []
        self.log = []

    def generate(self, ctx, request, stream):
        """Yield the items."""
        self.streams.append(stream)
        try:
            for item in self.items:
                self.log.append("next")
                yield item
        finally:
            self.log.append("closed")


class Recorder:
    """Callbacks that note who was asked, and answer what they are told."""

    def __init__(self, **answers):
        self.log = []
        self.answers = answers

    def hook(self, who):
        """A callback called *who*."""

        def asked(ctx, *arguments):
            assert isinstance(ctx, CallbackContext)
            self.log.append((who, *arguments[1:]))
            found = self.answers.get(who)
            if isinstance(found, Exception):
                raise found
            return found

        return asked

    def agent(self, model, hooks=HOOKS):
        """An agent with two callbacks of each kind."""
        return LlmAgent(
            "a",
            model=model,
            **{
                f"{hook}_callbacks": [self.hook(f"{hook} 1"), self.hook(f"{hook} 2")]
                for hook in hooks
            },
        )

    def plugins(self):
        """Two plugins with all three hooks."""
        return [
            Plugin(name, **{f"{hook}_callback": self.hook(f"{hook} {name}") for hook in HOOKS})
            for name in ("p", "q")
        ]


def asked(recorder):
    """Who was asked, in order."""
    return [entry[0] for entry in recorder.log]


# --- order -----------------------------------------------------------------------------------


def test_everybody_is_asked_in_order():
    """Plugins before the agent's own callbacks, before and after the model (MDL-001, MDL-008)."""
    recorder = Recorder()
    model = ScriptedModel(["x"])
    assert run(recorder.agent(model), plugins=recorder.plugins()) == [said("a", "x")]
    assert asked(recorder) == [
        *("before_model p", "before_model q", "before_model 1", "before_model 2"),
        *("after_model p", "after_model q", "after_model 1", "after_model 2"),
    ]


@pytest.mark.parametrize(
    ("answers", "who"),
    [
        ({"before_model q": reply("q")}, ["p", "q"]),
        ({"before_model 1": reply("1")}, ["p", "q", "1"]),
        ({"before_model 2": reply("2")}, ["p", "q", "1", "2"]),
        ({"before_model p": reply("p"), "before_model 1": reply("1")}, ["p"]),
    ],
)
def test_a_before_answer_takes_the_models_place(answers, who):
    """The first answer skips the other callbacks, the model and AfterModel (MDL-002, MDL-010)."""
    recorder = Recorder(**answers)
    model = ScriptedModel(["never"])
    got = run(recorder.agent(model), plugins=recorder.plugins())
    assert got == [said("a", who[-1])]
    assert asked(recorder) == [f"before_model {name}" for name in who]
    assert model.requests == []


@pytest.mark.parametrize("who", ["p", "1"])
def test_a_before_error_ends_the_step(who):
    """Nothing else is asked, the model is not called (MDL-002, MDL-007)."""
    recorder = Recorder(**{f"before_model {who}": ValueError("boom")})
    model = ScriptedModel(["never"])
    assert run(recorder.agent(model), plugins=recorder.plugins()) == ["boom"]
    assert asked(recorder)[-1] == f"before_model {who}"
    assert model.requests == []


def test_a_before_answer_is_a_response_like_any_other():
    """Its calls get ids and are run; the callback's own objects are changed (MDL-002, MDL-003)."""
    cached = reply(call("t", ""))
    before = [cached, reply("done")]
    agent = LlmAgent(
        "a",
        model=ScriptedModel(),
        tools=[lambda_tool()],
        before_model_callbacks=[lambda ctx, request: before.pop(0)],
    )
    got = run(agent)
    cid = cached.content.parts[0].function_call.id
    assert cid.startswith("adk-id-")
    assert got == [
        said("a", call("t", cid)),
        said("a", answer("t", cid, result="ran"), role="user"),
        said("a", "done"),
    ]


def lambda_tool():
    """A tool t."""
    return FunctionTool(lambda ctx, args: "ran", name="t", parameters={"type": "object"})


def test_all_callbacks_see_one_request():
    """They may change it in place; the model gets the same object (MDL-001, MDL-005)."""
    seen = []

    def first(ctx, request):
        seen.append(request)
        request.contents.append(content("more"))

    def second(ctx, request):
        seen.append(request)
        request.model = "other"

    model = ScriptedModel(["x"])
    run(
        LlmAgent("a", model=model, before_model_callbacks=[first, second]),
        events=[event("user", "hi")],
    )
    assert seen[0] is seen[1] is model.requests[0]
    assert model.requests[0].model == "other"
    assert contents_of(model.requests[0]) == [content("hi").to_json(), content("more").to_json()]


# --- streaming ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("streaming", "flag"),
    [(None, False), ("", False), ("none", False), ("sse", True)],
)
def test_the_streaming_flag(streaming, flag):
    """The model streams when the run's mode is sse (MDL-004)."""
    model = PairModel(reply("x"))
    run(LlmAgent("a", model=model), streaming=streaming)
    assert model.streams == [flag]


# --- errors --------------------------------------------------------------------------------------


def test_an_error_goes_to_everybody_until_somebody_answers():
    """OnModelError: plugins, then the agent's own; without an answer the error ends it (MDL-006)."""
    recorder = Recorder()
    boom = ValueError("boom")
    assert run(recorder.agent(ScriptedModel([boom])), plugins=recorder.plugins()) == ["boom"]
    assert recorder.log[4:] == [
        ("on_model_error p", boom),
        ("on_model_error q", boom),
        ("on_model_error 1", boom),
        ("on_model_error 2", boom),
    ]


@pytest.mark.parametrize("who", ["q", "2"])
def test_a_recovered_error_is_a_response(who):
    """It takes the error's place, AfterModel sees it, the agent goes on (MDL-006, MDL-008)."""
    recorder = Recorder(**{f"on_model_error {who}": reply("saved")})
    got = run(recorder.agent(ScriptedModel([ValueError("boom")])), plugins=recorder.plugins())
    assert got == [said("a", "saved")]
    assert [entry for entry in recorder.log if entry[0].startswith("after")] == [
        ("after_model p", None),
        ("after_model q", None),
        ("after_model 1", None),
        ("after_model 2", None),
    ]


def test_an_error_of_the_error_callback_ends_the_step():
    """It replaces the model's error, and AfterModel is not asked (MDL-006, MDL-007)."""
    recorder = Recorder(**{"on_model_error 1": KeyError("worse")})
    assert run(recorder.agent(ScriptedModel([ValueError("boom")]))) == ["'worse'"]
    assert asked(recorder) == ["before_model 1", "before_model 2", "on_model_error 1"]


def test_an_error_wins_over_a_response():
    """A pair of both is an error (MDL-006)."""
    model = PairModel((reply("x"), ValueError("boom")))
    assert run(LlmAgent("a", model=model)) == ["boom"]


def test_the_model_is_read_on_after_a_recovery():
    """Its stream goes on behind the error that was answered (MDL-006)."""
    model = PairModel(
        reply("a", partial=True), (None, ValueError("boom")), reply("b", partial=True), reply("c")
    )
    agent = LlmAgent(
        "a",
        model=model,
        on_model_error_callbacks=[lambda ctx, request, error: reply("-", partial=True)],
    )
    assert run(agent) == [
        said("a", "a", partial=True),
        said("a", "-", partial=True),
        said("a", "b", partial=True),
        said("a", "c"),
    ]


def test_what_came_before_an_error_stands():
    """Events already yielded stay; the error is the last item (MDL-006)."""
    model = ScriptedModel([["a", ValueError("boom")]])
    assert run(LlmAgent("a", model=model)) == [said("a", "a"), "boom"]


def test_an_error_code_is_no_error():
    """A response with a code is an event, and nobody is asked about an error (MDL-007, MDL-013)."""
    recorder = Recorder()
    response = LlmResponse(error_code="SAFETY", error_message="no")
    assert run(recorder.agent(ScriptedModel([response]), ["on_model_error"])) == [
        {"author": "a", "errorCode": "SAFETY", "errorMessage": "no"}
    ]
    assert recorder.log == []


class PlainModel:
    """A model whose generate is a plain function."""

    name = "plain"

    def __init__(self, answer):
        self.answer = answer

    def generate(self, ctx, request, stream):
        """Return or raise."""
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_model_may_return_a_list_or_raise_at_once():
    """What a plain function raises is the model's error (MDL-006)."""
    assert run(LlmAgent("a", model=PlainModel([reply("x")]))) == [said("a", "x")]
    recovering = LlmAgent(
        "a",
        model=PlainModel(ValueError("boom")),
        on_model_error_callbacks=[lambda ctx, request, error: reply(str(error))],
    )
    assert run(recovering) == [said("a", "boom")]
    assert run(LlmAgent("a", model=PlainModel(ValueError("boom")))) == ["boom"]
    assert run(LlmAgent("a", model=PlainModel(None))) == ["'NoneType' object is not iterable"]


@pytest.mark.parametrize(
    ("item", "name"),
    [(None, "NoneType"), ((None, None), "NoneType"), ("x", "str"), (({}, None), "dict")],
)
def test_a_model_yields_responses(item, name):
    """Anything else is misuse; nothing of it is an event (chapter 02, 1.3)."""
    scene = Scene()
    agent = LlmAgent("a", model=PairModel(reply("a", partial=True), item))
    with pytest.raises(ProgrammingError) as caught:
        scene.run(agent)
    assert str(caught.value) == f"model 'pairs' yielded {name}, expected an LlmResponse"
    assert len(scene.session.events) == 0
    assert agent.model.log == ["next", "next", "closed"]


def test_a_panic_of_the_model_passes():
    """Misuse inside the model is no model error (MDL-007)."""
    agent = LlmAgent(
        "a",
        model=ScriptedModel([ProgrammingError("misuse")]),
        on_model_error_callbacks=[lambda ctx, request, error: reply("saved")],
    )
    with pytest.raises(ProgrammingError, match=r"^misuse$"):
        run(agent)


# --- after -------------------------------------------------------------------------------------------


def test_after_sees_every_response():
    """Partial ones too, with their ids filled in and no error (MDL-008)."""
    seen = []

    def after(ctx, response, error):
        seen.append((response.to_json(), error))

    model = ScriptedModel([[reply("a", partial=True), reply(call("t", ""), partial=True), "b"]])
    run(LlmAgent("a", model=model, after_model_callbacks=[after]))
    (first, second, third) = seen
    assert first == ({"content": content("a", role="model").to_json(), "partial": True}, None)
    assert third == ({"content": content("b", role="model").to_json()}, None)
    assert second[0]["content"]["parts"][0]["functionCall"]["id"].startswith("adk-id-")


def test_an_after_answer_replaces_the_response():
    """It is taken verbatim, its partial flag too, under the original event id (MDL-008)."""
    scene = Scene(host=counting_host())
    ids = []

    def after(ctx, response, error):
        return reply("-" + response.content.parts[0].text, partial=not response.partial)

    agent = LlmAgent(
        "a", model=ScriptedModel([[reply("a", partial=True), "b"]]), after_model_callbacks=[after]
    )
    for found, error in scene.events_of(agent):
        ids.append((found.id, plain(found), error))
    assert ids == [
        ("id-1", said("a", "-a"), None),
        ("id-2", said("a", "-b", partial=True), None),
    ]


@pytest.mark.parametrize(
    ("answers", "who"),
    [
        ({"after_model p": reply("p"), "after_model 1": reply("1")}, ["p"]),
        ({"after_model 1": reply("1"), "after_model 2": reply("2")}, ["p", "q", "1"]),
    ],
)
def test_the_first_after_answer_wins(answers, who):
    """Nobody else is asked behind it (MDL-008, MDL-010)."""
    recorder = Recorder(**answers)
    assert run(recorder.agent(ScriptedModel(["x"])), plugins=recorder.plugins()) == [
        said("a", who[-1])
    ]
    after = [entry for entry in asked(recorder) if entry.startswith("after")]
    assert after == [f"after_model {name}" for name in who]


def test_an_after_error_ends_the_step():
    """The response is lost, and the model is closed afterwards (MDL-008)."""
    recorder = Recorder(**{"after_model 2": ValueError("boom")})
    model = PairModel(reply("a"), reply("b"))
    assert run(recorder.agent(model)) == ["boom"]
    assert model.log == ["next", "closed"]


# --- state ------------------------------------------------------------------------------------------


def test_state_of_the_callbacks():
    """Writes go to the session at once and to the step's delta; reads prefer it (MDL-011)."""
    scene = Scene(state={"k": 0})
    seen = []

    def before(ctx, request):
        ctx.state["k"] = 1
        scene.session.state["k"] = "behind"
        seen.append(ctx.state["k"])

    def after(ctx, response, error):
        seen.append((ctx.state["k"], ctx.actions, scene.session.state["k"]))
        ctx.state["j"] = 2

    agent = LlmAgent(
        "a",
        model=ScriptedModel(["x"]),
        before_model_callbacks=[before],
        after_model_callbacks=[after],
    )
    assert scene.run(agent) == [said("a", "x", actions={"stateDelta": {"k": 1, "j": 2}})]
    assert seen == [1, (1, None, "behind")]


def test_plugins_share_a_context_callbacks_have_their_own():
    """One for all plugins of a hook, one for each callback of the agent (MDL-001)."""
    contexts = []

    def note(ctx, *_):
        contexts.append(ctx)

    agent = LlmAgent("a", model=ScriptedModel(["x"]), before_model_callbacks=[note, note])
    plugins = [Plugin("p", before_model_callback=note), Plugin("q", before_model_callback=note)]
    run(agent, plugins=plugins)
    assert contexts[0] is contexts[1]
    assert len({id(ctx) for ctx in contexts}) == 3


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("wrong", ["text", {"content": None}, 0, content("x")])
def test_a_callback_of_the_wrong_type_is_misuse(hook, wrong):
    """Only a response or None may be returned; nothing is stored."""
    script = [ValueError("boom")] if hook == "on_model_error" else ["x"]

    def bad(*_):
        return wrong

    scene = Scene()
    agent = LlmAgent("a", model=ScriptedModel(script), **{f"{hook}_callbacks": [bad]})
    with pytest.raises(ProgrammingError) as caught:
        scene.run(agent)
    assert str(caught.value).startswith(f"{hook} callback ")
    assert str(caught.value).endswith(
        f" returned {type(wrong).__name__}, expected LlmResponse or None"
    )
    assert len(scene.session.events) == 0


# --- ids ---------------------------------------------------------------------------------------------


def test_missing_call_ids_are_filled_in_place():
    """Only empty ids are drawn, in part order, on the very objects (MDL-008, FLOW-017)."""
    given = content("x", call("t", ""), thought("y"), call("t", "2"), nil_call("u", ""))
    ctx = Scene(host=counting_host()).ctx
    fill_call_ids(None, ctx)
    fill_call_ids(given, ctx)
    assert given.calls() == [
        FunctionCall("adk-id-1", "t", {}),
        FunctionCall("2", "t", {}),
        FunctionCall("adk-id-2", "u"),
    ]


def test_the_order_of_ids():
    """Per response an event id, then one per call without id (FLOW-027, MDL-012)."""
    host = counting_host()
    model = ScriptedModel(
        [[reply(call("t", ""), partial=True), reply(call("t", "")), reply(call("t", ""))]]
    )
    scene = Scene(host=host)
    items = LlmAgent("a", model=model).run(scene.ctx)
    try:
        partial, _ = next(items)
        whole, _ = next(items)
    finally:
        items.close()
    assert (partial.id, partial.calls()[0].id) == ("id-1", "adk-id-2")
    assert (whole.id, whole.calls()[0].id) == ("id-3", "adk-id-4")


@pytest.mark.parametrize("who", ["before_model 1", "on_model_error 1", "after_model 1"])
def test_an_error_is_the_last_item(who):
    """Whoever reads on behind an error gets nothing more (MDL-002, MDL-006, MDL-008)."""
    recorder = Recorder(**{who: KeyError("boom")})
    script = [ValueError("down")] if who.startswith("on") else [["x", "y"]]
    agent = recorder.agent(ScriptedModel(script))
    items = call_model(agent, agent.model, Scene(agent).ctx, LlmRequest(), EventActions.fresh())
    assert [(found, str(error)) for found, error in items] == [(None, "'boom'")]


def test_a_bare_response_without_content():
    """Filling ids and building events mind a response without content (FLOW-014)."""
    bare = LlmResponse(interrupted=True)
    assert run(LlmAgent("a", model=ScriptedModel([bare]))) == [
        {"author": "a", "interrupted": True}
    ]
