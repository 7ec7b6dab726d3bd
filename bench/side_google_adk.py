# SPDX-License-Identifier: Apache-2.0
"""The same cases on google-adk, as its documentation shows its use."""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from typing import Any

from figures import Run
from stopwatch import Stopwatch

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

from google.adk.agents import (  # noqa: E402 - its imports warn and log
    BaseAgent,
    LlmAgent,
    ParallelAgent,
    SequentialAgent,
)
from google.adk.events import Event  # noqa: E402
from google.adk.models import BaseLlm, LlmResponse  # noqa: E402
from google.adk.runners import InMemoryRunner  # noqa: E402
from google.adk.tools import FunctionTool  # noqa: E402
from google.genai.types import Content, FunctionCall, FunctionResponse, Part  # noqa: E402
from pydantic import Field  # noqa: E402

ASKED = "adk_request_confirmation"


# --- agents ---------------------------------------------------------------------------------


class Emitter(BaseAgent):
    """An agent that yields ``count`` events."""

    count: int = 0

    async def _run_async_impl(self, ctx: Any) -> AsyncGenerator[Event, None]:
        for _ in range(self.count):
            yield Event(
                author=self.name,
                invocation_id=ctx.invocation_id,
                branch=ctx.branch,
                content=said("tick"),
            )


def nested(levels: int, leaf: BaseAgent) -> BaseAgent:
    """Return *leaf* within so many sequential agents."""
    for level in range(levels):
        leaf = SequentialAgent(name=f"s{level}", sub_agents=[leaf])
    return leaf


class Script(BaseLlm):
    """A model that answers with the parts of its script in turn, and with a text past its end."""

    model: str = "mock"
    script: list[Part | None] = Field(default_factory=list)
    calls: int = 0

    async def generate_content_async(
        self, llm_request: Any, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the next answer."""
        part = self.script[self.calls] if self.calls < len(self.script) else None
        self.calls += 1
        content = said("done") if part is None else Content(role="model", parts=[part])
        yield LlmResponse(content=content)


def said(text: str, role: str = "model") -> Content:
    """Return a content of one text part."""
    return Content(role=role, parts=[Part(text=text)])


def calling(name: str, **args: Any) -> Part:
    """Return a call that has no id yet."""
    return Part(function_call=FunctionCall(name=name, args=args))


def get_weather(city: str) -> dict:
    """Weather."""
    return {"temperature": 26}


def chain(depth: int) -> BaseAgent:
    """Return an agent that hands over to another, and so on; the last one answers."""
    agent = LlmAgent(name=f"a{depth}", model=Script())
    for level in range(depth - 1, -1, -1):
        model = Script(script=[calling("transfer_to_agent", agent_name=agent.name)])
        agent = LlmAgent(name=f"a{level}", model=model, sub_agents=[agent])
    return agent


# --- playing --------------------------------------------------------------------------------

Stored = Iterable[tuple[str, Content]]


async def session_of(runner: InMemoryRunner, stored: Stored) -> str:
    """Create a session of these authors' contents and return its id."""
    service = runner.session_service
    session = await service.create_session(app_name="app", user_id="u")
    for author, content in stored:
        event = Event(author=author, invocation_id="h", content=content)
        await service.append_event(session, event)
    return session.id


def texts(stored: int) -> Iterator[tuple[str, Content]]:
    """Yield a history of user and model texts."""
    for i in range(stored):
        author, role = ("w", "model") if i % 2 else ("user", "user")
        yield author, said(f"line {i}", role)


def pairs_of(pairs: int) -> Iterator[tuple[str, Content]]:
    """Yield a history with so many calls and answers, five events around each pair."""
    for i in range(pairs):
        named = {"id": f"h{i}", "name": "get_weather"}
        call = FunctionCall(**named, args={"city": "Hangzhou"})
        answer = FunctionResponse(**named, response={"temperature": 26})
        yield "user", said(f"question {i}", "user")
        yield "w", said("let me see")
        yield "w", Content(role="model", parts=[Part(function_call=call)])
        yield "w", Content(role="user", parts=[Part(function_response=answer)])
        yield "w", said("26 degrees")


async def turn(runner: InMemoryRunner, session: str, message: Content) -> list[Event]:
    """Consume one run."""
    run = runner.run_async(user_id="u", session_id=session, new_message=message)
    return [event async for event in run]


def play(agent: BaseAgent, stored: Stored = ()) -> Run:
    """Consume one run over a session."""

    async def played() -> Run:
        runner = InMemoryRunner(agent=agent, app_name="app")
        session = await session_of(runner, stored)
        with Stopwatch() as watch:
            events = len(await turn(runner, session, said("go", "user")))
        return Run(events, watch.seconds)

    return asyncio.run(played())


def parallel(lanes: int, events: int) -> Run:
    """Run emitters side by side."""
    emitters = [Emitter(name=f"e{i}", count=events) for i in range(lanes)]
    return play(ParallelAgent(name="p", sub_agents=emitters))


def tools(steps: int) -> Run:
    """Let a model call a tool again and again."""
    script = [calling("get_weather", city="Hangzhou") for _ in range(steps)]
    return play(LlmAgent(name="w", model=Script(script=script), tools=[get_weather]))


def confirm(times: int) -> Run:
    """Let a tool ask for approval, and approve; again and again in one session."""
    served = []

    def guarded(city: str) -> dict:
        """Weather."""
        served.append(city)
        return {"temperature": 26}

    script: list[Part | None] = []
    for _ in range(times):
        script += [calling("guarded", city="Hangzhou"), None]
    tool = FunctionTool(guarded, require_confirmation=True)
    agent = LlmAgent(name="w", model=Script(script=script), tools=[tool])

    async def played() -> Run:
        runner = InMemoryRunner(agent=agent, app_name="app")
        session = await session_of(runner, ())
        events = 0
        with Stopwatch() as watch:
            for _ in range(times):
                asked = await turn(runner, session, said("go", "user"))
                calls = (call for event in asked for call in event.get_function_calls())
                (question,) = (call for call in calls if call.name == ASKED)
                reply = FunctionResponse(id=question.id, name=ASKED, response={"confirmed": True})
                message = Content(role="user", parts=[Part(function_response=reply)])
                events += len(asked) + len(await turn(runner, session, message))
        return Run(events, watch.seconds)

    run = asyncio.run(played())
    assert len(served) == times, f"{len(served)} of {times} approved calls were run"
    return run


CASES: dict[str, Callable[..., Run]] = {
    "flat": lambda events: play(Emitter(name="e", count=events)),
    "nested": lambda levels, events: play(nested(levels, Emitter(name="e", count=events))),
    "parallel": parallel,
    "tools": tools,
    "turn": lambda stored: play(LlmAgent(name="w", model=Script()), texts(stored)),
    "transfer": lambda depth: play(chain(depth)),
    "confirm": confirm,
    "history": lambda pairs: play(LlmAgent(name="w", model=Script()), pairs_of(pairs)),
}
