# SPDX-License-Identifier: Apache-2.0
"""Odd agents, models, plugins and messages: the error says what was expected, nothing is left."""

import dataclasses
import functools
import threading
from collections.abc import Callable
from enum import IntEnum

import attrs
import pytest
from pydantic import BaseModel

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
from adkref.contexts import RunConfig, ToolContext
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


# --- bodies, services and what a runner is given -------------------------------------------


def yielding(item):
    """An agent whose body yields one thing."""

    def body(ctx):
        yield item

    return Agent("a", run=body)


def event_with(**fields):
    """An event with odd fields."""
    event = new_event("e-1")
    for name, value in fields.items():
        setattr(event, name, value)
    return event


WITH_TEXT = "a Content with a part of type str, expected a Part"
OF_TEXT = "a Content whose parts are of type str, expected a list"
PAIR = "expected a pair of an Event or None and an exception or None"


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ((), f"yielded (), {PAIR}"),
        ((1, 2), f"yielded (int, int), {PAIR}"),
        ((None, "bad"), f"yielded (NoneType, str), {PAIR}"),
        ((None, ValueError), f"yielded (NoneType, the class ValueError), {PAIR}"),
        ("x", "yielded str, expected an Event or a pair of an event and an error"),
        (
            event_with(content="hi"),
            "yielded an event whose content is of type str, expected a Content or None",
        ),
        (
            (event_with(content="hi"), None),
            "yielded an event whose content is of type str, expected a Content or None",
        ),
        (
            event_with(content=Content("model", ["hi"])),
            "yielded an event whose content is a Content with a part of type str, expected a Part",
        ),
        (
            event_with(content=Content("model", "hi")),
            f"yielded an event whose content is {OF_TEXT}",
        ),
        (
            event_with(actions={}),
            "yielded an event whose actions are of type dict, expected EventActions",
        ),
    ],
)
def test_a_body_that_yields_an_odd_thing(item, text):
    """The error names the agent, what was yielded and what was expected (AGT-049)."""
    with pytest.raises(ProgrammingError) as caught:
        list(Runner.in_memory("app", yielding(item)).run("u", "s", "hi"))
    assert str(caught.value) == f"the body of agent 'a' {text}"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("hi", "of type str, expected a Content or None"),
        (Content("model", ["hi"]), "a Content with a part of type str, expected a Part"),
    ],
)
def test_a_model_whose_content_is_none(content, text):
    """The error names the model and what was expected."""
    with pytest.raises(AdkError) as caught:
        asked(model=Model(LlmResponse(content=content)))
    assert f"model 'm' yielded a response whose content is {text}" in str(caught.value)


@pytest.mark.parametrize(
    ("use", "note"),
    [
        (
            lambda ctx: ctx.artifacts.save("f", Part(text="x")),
            "ctx.artifacts is None when the runner was given no artifact_service",
        ),
        (
            lambda ctx: ctx.memory.search_memory("x"),
            "ctx.memory is None when the runner was given no memory_service",
        ),
    ],
)
def test_a_service_that_is_not_there(use, note):
    """Its view is None (CTX-011), and the AttributeError that follows is given a note."""

    def body(ctx):
        use(ctx)
        yield

    service = InMemorySessionService()
    runner = Runner("app", Agent("a", run=body), service, auto_create_session=True)
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute") as caught:
        list(runner.run("u", "s", "hi"))
    assert caught.value.__notes__ == [note]


def test_a_note_in_a_callback():
    """There, too, the error's text stays as it is."""
    agent = speaker(before_agent_callbacks=[lambda ctx: ctx.artifacts.list()])
    runner = Runner("app", agent, InMemorySessionService(), auto_create_session=True)
    with pytest.raises(AdkError, match=r"no attribute 'list'$") as caught:
        list(runner.run("u", "s", "hi"))
    assert caught.value.__cause__.__notes__ == [
        "ctx.artifacts is None when the runner was given no artifact_service"
    ]


def test_an_agent_that_runs_itself():
    """It is told so, instead of Python's own words on its stack."""

    def body(ctx):
        yield from agent.run(ctx)

    agent = Agent("a", run=body)
    with pytest.raises(ProgrammingError, match=r"agent 'a' runs itself without end: \d+ runs"):
        list(Runner.in_memory("app", agent).run("u", "s", "hi"))


def test_a_body_that_fills_the_stack_otherwise():
    """Its error is an error of the agent, as any other."""

    def deep(number):
        return deep(number + 1)

    def body(ctx):
        yield deep(0)

    stream = Runner.in_memory("app", Agent("a", run=body)).stream("u", "s", None)
    assert [(event, type(error)) for event, error in stream] == [(None, RecursionError)]


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"user_id": 5}, "user_id is of type int, expected str"),
        ({"session_id": None}, "session_id is of type NoneType, expected str"),
        ({"config": {}}, "config is of type dict, expected RunConfig or None"),
        ({"host": "x"}, "host is of type str, expected HostContext or None"),
        ({"state_delta": [1]}, "state_delta is of type list, expected dict or None"),
        ({"state_delta": {1: 2}}, "a key of state_delta is of type int, expected str"),
    ],
)
def test_a_run_with_an_odd_argument(keys, text):
    """It is refused before the session is looked for."""
    arguments = {"user_id": "u", "session_id": "s", "message": "hi"} | keys
    with pytest.raises(ProgrammingError) as caught:
        list(Runner.in_memory("app", speaker()).run(**arguments))
    assert str(caught.value) == text


CLASS = "the class InMemorySessionService"
STORE = "expected an object with the methods"


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Runner.in_memory(5, speaker()), "app_name is of type int, expected str"),
        (
            lambda: Runner("app", speaker(), "store"),
            f"the session service is of type str, {STORE} get, create, append_event",
        ),
        (
            lambda: Runner("app", speaker(), InMemorySessionService),
            f"the session service is {CLASS}, {STORE} get, create, append_event",
        ),
        (
            lambda: Runner.in_memory("app", speaker(), artifact_service=5),
            f"the artifact service is of type int, {STORE} save, load, list",
        ),
        (
            lambda: Runner.in_memory("app", speaker(), memory_service=5),
            f"the memory service is of type int, {STORE} search_memory",
        ),
        (
            lambda: RunConfig(streaming_mode="yes"),
            "streaming_mode is 'yes', expected '', 'none' or 'sse'",
        ),
        (
            lambda: LlmAgent("a", output_schema=Part),
            "the output_schema of agent 'a' is the class Part, expected a genai Schema as a dict",
        ),
        (
            lambda: LlmAgent("a", input_schema=[1]),
            "the input_schema of agent 'a' is of type list, expected a genai Schema as a dict",
        ),
        (
            lambda: LlmAgent("a", include_contents="all"),
            "the include_contents of agent 'a' is 'all', expected '', 'default' or 'none'",
        ),
        (lambda: LlmAgent("a", mode=5), "the mode of agent 'a' is of type int, expected a str"),
        (
            lambda: LlmAgent("a", output_key=5),
            "the output_key of agent 'a' is of type int, expected a str",
        ),
    ],
)
def test_an_odd_service_or_option(make, text):
    """It is refused when the runner or the agent is made."""
    with pytest.raises(ProgrammingError) as caught:
        make()
    assert str(caught.value) == text


# --- parameters of function tools -----------------------------------------------------------


@dataclasses.dataclass
class Place:
    """A dataclass."""

    city: str


@attrs.define
class Spot:
    """An attrs class."""

    city: str


class Area(BaseModel):
    """A pydantic model."""

    city: str


def test_records_that_the_schema_library_knows():
    """Dataclasses, pydantic models and lists of them reach the function as such (TOOL-001)."""

    def where(place: Place, areas: list[Area], ctx: ToolContext | None = None):
        return [type(place).__name__, type(areas[0]).__name__, type(ctx).__name__]

    args = {"place": {"city": "Oslo"}, "areas": [{"city": "Bergen"}]}
    tool = FunctionTool(where)
    assert sorted(tool.declaration().parameters_json_schema["properties"]) == ["areas", "place"]
    assert result_of(tool, args) == {"result": ["Place", "Area", "ToolContext"]}
    args["areas"] = [{"city": 5}]
    assert result_of(tool, args) == {
        "error": "validating root: validating /properties/areas/items/properties/city: "
        'type: 5 has type "integer", want "string"'
    }


def test_parameters_that_it_does_not_know():
    """They are refused when the tool is made, with function and parameter (TOOL-001)."""

    def where(city: str, spot: Spot):
        return {}

    def calls(city: str, back: Callable[[int], int]):
        return {}

    with pytest.raises(AdkError) as caught:
        FunctionTool(where)
    assert str(caught.value) == (
        "failed to infer input schema: parameter 'spot' of where: "
        f"Unable to generate pydantic-core schema for {Spot!r}"
    )
    with pytest.raises(AdkError, match="parameter 'back' of calls: Cannot generate a JsonSch"):
        FunctionTool(calls)
