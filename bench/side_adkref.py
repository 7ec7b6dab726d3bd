# SPDX-License-Identifier: Apache-2.0
"""The cases on adkref."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from figures import Run
from stopwatch import Stopwatch

from adkref.agents import Agent, LlmAgent, ParallelAgent, SequentialAgent
from adkref.content import Content, FunctionCall, FunctionResponse, LlmResponse, Part
from adkref.contexts import Context
from adkref.events import Event, new_event
from adkref.flow import processors
from adkref.models import LlmRequest
from adkref.runner import Runner
from adkref.sessions import InMemorySessionService
from adkref.tools import FunctionTool

WHO = "app", "u", "s"
ASKED = "adk_request_confirmation"


# --- agents ---------------------------------------------------------------------------------


def emitter(name: str, count: int) -> Agent:
    """Return an agent that yields *count* events."""

    def body(ctx: Context) -> Iterator[Event]:
        for _ in range(count):
            event = new_event(ctx.invocation_id)
            event.author, event.branch = name, ctx.branch
            event.content = Content.of_text("tick")
            yield event

    return Agent(name, run=body)


def nested(levels: int, leaf: Agent) -> Agent:
    """Return *leaf* within so many sequential agents."""
    for level in range(levels):
        leaf = SequentialAgent(f"s{level}", sub_agents=[leaf])
    return leaf


class Script:
    """A model that answers with the parts of its script in turn, and with a text past its end."""

    name = "mock"

    def __init__(self, script: Iterable[Part | None] = ()) -> None:
        self._script = iter(script)
        #: Keeps the requests alive where it is a list.
        self.kept: list[LlmRequest] | None = None

    def generate(self, ctx: Context, request: LlmRequest, stream: bool) -> Iterator[LlmResponse]:
        """Yield the next answer."""
        if self.kept is not None:
            self.kept.append(request)
        part = next(self._script, None) or Part(text="done")
        yield LlmResponse(content=Content("model", [part]))


def calling(name: str, **args: Any) -> Part:
    """Return a call that has no id yet."""
    return Part(function_call=FunctionCall(name=name, args=args))


def weather_calls(count: int) -> Iterator[Part]:
    """Yield calls of the weather tool."""
    return (calling("get_weather", city="Hangzhou") for _ in range(count))


def get_weather(city: str) -> dict[str, int]:
    """Weather."""
    return {"temperature": 26}


def chain(depth: int) -> Agent:
    """Return an agent that hands over to another, and so on; the last one answers."""
    agent = LlmAgent(f"a{depth}", model=Script())
    for level in range(depth - 1, -1, -1):
        model = Script([calling("transfer_to_agent", agent_name=agent.name)])
        agent = LlmAgent(f"a{level}", model=model, sub_agents=[agent])
    return agent


# --- playing --------------------------------------------------------------------------------


def session_of(stored: Iterable[tuple[str, Content]] = ()) -> InMemorySessionService:
    """Return a service with one session of these authors' contents."""
    service = InMemorySessionService()
    session = service.create(*WHO)
    for author, content in stored:
        event = new_event("h")
        event.author, event.content = author, content
        service.append_event(session, event)
    return service


def texts(stored: int) -> Iterator[tuple[str, Content]]:
    """Yield a history of user and model texts."""
    for i in range(stored):
        author, role = ("w", "model") if i % 2 else ("user", "user")
        yield author, Content.of_text(f"line {i}", role)


def pairs_of(pairs: int) -> Iterator[tuple[str, Content]]:
    """Yield a history with so many calls and answers, five events around each pair."""
    for i in range(pairs):
        call = FunctionCall(f"h{i}", "get_weather", {"city": "Hangzhou"})
        answer = FunctionResponse(f"h{i}", "get_weather", {"temperature": 26})
        yield "user", Content.of_text(f"question {i}", "user")
        yield "w", Content.of_text("let me see")
        yield "w", Content("model", [Part(function_call=call)])
        yield "w", Content("user", [Part(function_response=answer)])
        yield "w", Content.of_text("26 degrees")


def play(agent: Agent, stored: Iterable[tuple[str, Content]] = ()) -> Run:
    """Consume one run over a session."""
    runner = Runner("app", agent, session_of(stored))
    message = Content.of_text("go", "user")
    with Stopwatch() as watch:
        events = sum(1 for _ in runner.run("u", "s", message))
    return Run(events, watch.seconds)


def parallel(lanes: int, events: int) -> Run:
    """Run emitters side by side."""
    return play(ParallelAgent("p", sub_agents=[emitter(f"e{i}", events) for i in range(lanes)]))


def tools(steps: int) -> Run:
    """Let a model call a tool again and again."""
    return play(LlmAgent("w", model=Script(weather_calls(steps)), tools=[get_weather]))


def confirm(times: int) -> Run:
    """Let a tool ask for approval, and approve; again and again in one session."""
    served = []

    def guarded(city: str) -> dict[str, int]:
        """Weather."""
        served.append(city)
        return {"temperature": 26}

    script: list[Part | None] = []
    for _ in range(times):
        script += [calling("guarded", city="Hangzhou"), None]
    tool = FunctionTool(guarded, require_confirmation=True)
    runner = Runner("app", LlmAgent("w", model=Script(script), tools=[tool]), session_of())
    events = 0
    with Stopwatch() as watch:
        for _ in range(times):
            asked = list(runner.run("u", "s", Content.of_text("go", "user")))
            (question,) = (call for event in asked for call in event.calls() if call.name == ASKED)
            reply = FunctionResponse(question.id, ASKED, {"confirmed": True})
            message = Content("user", [Part(function_response=reply)])
            events += len(asked) + len(list(runner.run("u", "s", message)))
    assert len(served) == times, f"{len(served)} of {times} approved calls were run"
    return Run(events, watch.seconds)


CASES: dict[str, Callable[..., Run]] = {
    "flat": lambda events: play(emitter("e", events)),
    "nested": lambda levels, events: play(nested(levels, emitter("e", events))),
    "parallel": parallel,
    "tools": tools,
    "turn": lambda stored: play(LlmAgent("w", model=Script()), texts(stored)),
    "transfer": lambda depth: play(chain(depth)),
    "confirm": confirm,
    "history": lambda pairs: play(LlmAgent("w", model=Script()), pairs_of(pairs)),
}


# --- growth ---------------------------------------------------------------------------------

GROWTH_EVENTS = 500
GROWTH_STEPS = 20


def growth(stored: int) -> dict[str, float]:
    """Return µs per step after *stored* events, without what a turn costs once.

    A step of the custom agent is one event; a step of the LLM agent is a model call and
    a tool call, from one model event to the next.  What building the history takes of an
    LLM step is told apart; its requests are kept until the end, so that freeing their
    histories is in no step.
    """
    custom = _first_to_last(emitter("e", GROWTH_EVENTS), stored)
    history = _Timed(processors.build_contents)
    processors.build_contents = history  # type: ignore[assignment]
    try:
        script = Script(weather_calls(GROWTH_STEPS))
        script.kept = []
        llm = _first_to_last(LlmAgent("w", model=script, tools=[get_weather]), stored)
    finally:
        processors.build_contents = history.function
    # The first model call came before the first event, so its history is in no interval.
    request = sum(history.seconds[1:])
    return {
        "custom": custom / (GROWTH_EVENTS - 1) * 1e6,
        "llm": llm / GROWTH_STEPS * 1e6,
        "history": request / GROWTH_STEPS * 1e6,
    }


def _first_to_last(agent: Agent, stored: int) -> float:
    """Return the seconds from the first event of a run to its last."""
    runner = Runner("app", agent, session_of(texts(stored)))
    run = runner.run("u", "s", Content.of_text("go", "user"))
    with run, Stopwatch() as watch:
        next(run)
        watch.restart()
        for _ in run:
            pass
    return watch.seconds


class _Timed:
    """Calls a function and notes how long it took."""

    def __init__(self, function: Callable[..., Sequence[Content]]) -> None:
        self.function = function
        self.seconds: list[float] = []

    def __call__(self, *arguments: Any) -> Sequence[Content]:
        start = time.perf_counter()
        try:
            return self.function(*arguments)
        finally:
            self.seconds.append(time.perf_counter() - start)
