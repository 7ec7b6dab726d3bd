# SPDX-License-Identifier: Apache-2.0
"""Odd agents, models, plugins and messages: the error says what was expected, nothing is left."""

from __future__ import annotations

import functools
import threading
from enum import IntEnum

import pytest

from adkref import (
    AdkError,
    Agent,
    Content,
    FunctionCall,
    FunctionTool,
    LlmAgent,
    LlmResponse,
    LoopAgent,
    ParallelAgent,
    Part,
    Plugin,
    ProgrammingError,
    Runner,
    ScriptedModel,
    SequentialAgent,
    new_event,
)
from adkref.sessions import InMemorySessionService


def hello(ctx):
    """A body with one event."""
    event = new_event(ctx.invocation_id)
    event.content = Content.of_text("hello")
    yield event


def speaker(name="a", **keys):
    """An agent that says hello."""
    return Agent(name, run=hello, **keys)


def asked(**keys):
    """Run an LLM agent once."""
    agent = LlmAgent("a", **{"model": ScriptedModel(["fine"])} | keys)
    return list(Runner.in_memory("app", agent).run("u", "s", "hi"))


def nothing(*_):
    """A callback without an answer."""


class Model:
    """A model that yields what it is given."""

    name = "m"

    def __init__(self, *items):
        self.items = items

    def generate(self, ctx, request, stream):
        """Yield them."""
        return iter(self.items)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: speaker(5), "an agent's name is of type int, expected a str"),
        (lambda: speaker(before_agent_callbacks=nothing), "a list of callbacks, got an object"),
        (lambda: speaker(before_agent_callbacks=None), "a list of callbacks, got an object"),
        (lambda: speaker(after_agent_callbacks=["x"]), "a callback is of type str, expected a f"),
        (lambda: asked(before_tool_callbacks=nothing), "a list of callbacks, got an object"),
        (lambda: asked(after_model_callbacks=[3]), "a callback is of type int, expected a functi"),
        (lambda: SequentialAgent("s", sub_agents=speaker()), "a list of agents, got an object"),
        (lambda: SequentialAgent("s", sub_agents=["x"]), "a sub-agent is of type str, expected"),
        (lambda: ParallelAgent("s", sub_agents=[Agent]), "a sub-agent is the class Agent, expec"),
        (lambda: LoopAgent("l", max_iterations=-1), "max_iterations is -1, expected an int of"),
        (lambda: LoopAgent("l", max_iterations="3"), "max_iterations is '3', expected an int"),
        (lambda: asked(tools={"f": nothing}), "a list of tools, got an object of type dict"),
        (lambda: asked(tools=nothing), "a list of tools, got an object of type function"),
        (lambda: asked(toolsets=5), "a list of toolsets, got an object of type int"),
        (lambda: ScriptedModel("hello"), "a script is a list of answers; got one text"),
        (lambda: ScriptedModel(["x", Part()]), "entry 1 of the script is of type Part, expected"),
        (lambda: Runner.in_memory("app", "a"), "the root agent is of type str, expected an Ag"),
        (
            lambda: Runner("app", speaker(), InMemorySessionService(), plugins=Plugin("p")),
            "expected a list of plugins, got an object of type Plugin",
        ),
        (
            lambda: Runner("app", speaker(), InMemorySessionService(), plugins=[Plugin]),
            "a plugin is the class Plugin, expected a Plugin",
        ),
        (
            lambda: list(Runner.in_memory("app", speaker()).run("u", "s", Part(text="x"))),
            "the message is of type Part, expected a Content",
        ),
    ],
)
def test_a_wrong_argument_is_named(make, text):
    """It is refused where it is given, with what was expected."""
    with pytest.raises(ProgrammingError) as caught:
        make()
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"model": "gemini"}, "the model of agent 'a' is of type str, expected an object with"),
        ({"model": ScriptedModel}, "the model of agent 'a' is the class ScriptedModel, expected"),
        ({"model": Model((1, 2, 3))}, "model 'm' yielded (int, int, int), expected a pair"),
        ({"model": Model((None, "bad"))}, "model 'm' yielded (NoneType, str), expected a pair"),
        ({"instruction": nothing}, "of type function, expected a str; a function is an instruct"),
        ({"generate_content_config": {}}, "is of type dict, expected a GenerateContentConfig"),
    ],
)
def test_an_llm_agent_that_cannot_ask_its_model(keys, text):
    """The run ends with the reason; the constructor checks none of this (LLM-001)."""
    with pytest.raises((AdkError, ProgrammingError)) as caught:
        asked(**keys)
    assert text in str(caught.value)


def test_a_body_that_raises_stop_iteration_before_it_yields():
    """It does not pass for the end of the run."""

    def body(ctx):
        raise StopIteration("early")

    with pytest.raises(RuntimeError, match="the run raised StopIteration"):
        list(Runner.in_memory("app", Agent("a", run=body)).run("u", "s", "hi"))


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
@pytest.mark.parametrize("place", ["tool", "body", "callback"])
def test_an_exception_that_is_no_error_ends_the_run(error, place):
    """It reaches the consumer as it is, also out of a lane, and no thread is left."""
    before = threading.active_count()

    def fail(*_):
        raise error

    calls = [Part(function_call=FunctionCall(name="t", id=str(i))) for i in range(3)]
    agents = {
        "tool": LlmAgent(
            "a",
            model=ScriptedModel([LlmResponse(content=Content("model", calls))]),
            tools=[FunctionTool(fail, name="t", parameters={})],
        ),
        "body": ParallelAgent("a", sub_agents=[Agent("b", run=fail), speaker("c")]),
        "callback": speaker(before_agent_callbacks=[fail]),
    }
    with pytest.raises(type(error)):
        list(Runner.in_memory("app", agents[place]).run("u", "s", "hi"))
    assert threading.active_count() == before


@pytest.mark.parametrize("kind", [SequentialAgent, ParallelAgent])
def test_a_body_that_ignores_the_end_is_told_so(kind):
    """Python's own error reaches whoever closes the run, and no thread is left."""
    before = threading.active_count()

    def stubborn(ctx):
        try:
            yield from hello(ctx)
        except GeneratorExit:
            yield from hello(ctx)

    agent = kind("k", sub_agents=[Agent("a", run=stubborn), speaker("b")])
    events = Runner.in_memory("app", agent).run("u", "s", "hi")
    while next(events).author != "a":
        pass
    with pytest.raises(RuntimeError, match="generator ignored GeneratorExit"):
        events.close()
    assert threading.active_count() == before


# --- function tools -----------------------------------------------------------------------


class Size(IntEnum):
    """An int with a name."""

    SMALL = 1


def weather(city: str, *, days: int = 1) -> dict:
    """Tell the weather."""
    return {"city": city, "days": days}


class Counter:
    """An object that can be called."""

    def __call__(self, step: int) -> int:
        """Count on."""
        return step + 1


def result_of(tool, args):
    """Let a model call the tool; return what it reads."""
    model = ScriptedModel([FunctionCall(name=tool.name, args=args), "fine"])
    return asked(model=model, tools=[tool])[1].content.parts[0].function_response.response


def test_an_async_function_is_no_tool():
    """It is refused when the tool is made, as nobody would await it."""

    async def later():
        """Come later."""

    with pytest.raises(ProgrammingError, match="tool 'later' is an async function"):
        FunctionTool(later)


def test_what_can_be_called_is_a_tool():
    """A partial keeps its function's name and types, an object those of its call (TOOL-001)."""
    tool = FunctionTool(functools.partial(weather, days=3))
    assert tool.name == "weather"
    assert result_of(tool, {"city": "Oslo"}) == {"city": "Oslo", "days": 3}
    tool = FunctionTool(Counter(), name="count")
    assert result_of(tool, {"step": 2}) == {"result": 3}
    assert "want" in result_of(tool, {"step": "2"})["error"]


def test_a_named_number_is_a_number_in_a_result():
    """A result has JSON types, without names (TOOL-005)."""
    tool = FunctionTool(lambda: {"size": Size.SMALL}, name="size")
    assert type(result_of(tool, {})["size"]) is int


def test_a_type_without_a_schema_is_named_in_one_line():
    """The library's advice on its own models is left out (TOOL-001)."""

    class Opaque:
        """Nothing known."""

    def tool(x):
        """Take one."""

    tool.__annotations__["x"] = Opaque
    with pytest.raises(AdkError, match=r"failed to infer input schema: .*Opaque'>$") as caught:
        FunctionTool(tool)
    assert "\n" not in str(caught.value)
