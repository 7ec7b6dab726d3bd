# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - an example prints
"""A cache plugin: it answers before the model is asked, and fills itself after it answered.

    python examples/cache_plugin.py

Two hooks work together.  ``before_model`` sees the whole request; a response that it returns
takes the place of the model, and *then ``after_model`` is not called*.  ``after_model`` sees
the response but no request, so the key waits in between.  What such a cache has to mind:

* the key covers everything that the model would see, not just the last message;
* a partial response is a piece of an answer, so only a whole one is kept;
* the flow changes responses in place, so copies go in and copies come out;
* a function call has an id of its run, so a kept one has none and is given a new one;
* only the model is spared: a tool that a kept response calls runs again.
"""

import copy
import threading

from adkref import (
    CallbackContext,
    Content,
    FunctionCall,
    LlmAgent,
    LlmResponse,
    Part,
    Plugin,
    Runner,
    ScriptedModel,
)
from adkref.codec import to_json
from adkref.models import LlmRequest
from adkref.sessions import InMemorySessionService


class CachePlugin(Plugin):
    """Remembers what a model answered to a request, for all sessions of its runner."""

    def __init__(self) -> None:
        super().__init__(
            "cache", before_model_callback=self._look_up, after_model_callback=self._keep
        )
        # One plugin serves all runs, and runs and parallel agents come at the same time.
        self._lock = threading.Lock()
        self._answers: dict[str, LlmResponse] = {}
        self._asked: dict[tuple[str, str, str], str] = {}

    def _look_up(self, ctx: CallbackContext, request: LlmRequest) -> LlmResponse | None:
        key = repr((request.model, to_json(request.contents), request.config))
        with self._lock:
            kept = self._answers.get(key)
            if kept is None:
                self._asked[who_asks(ctx)] = key
        print(f"  before_model: {'found in the cache' if kept else 'not in the cache'}")
        return copy.deepcopy(kept)

    def _keep(
        self, ctx: CallbackContext, response: LlmResponse, error: Exception | None
    ) -> LlmResponse | None:
        if response.partial or response.error_code or response.content is None:
            return None
        kept = copy.deepcopy(response)
        assert kept.content is not None
        for call in kept.content.calls():
            call.id = ""
        with self._lock:
            key = self._asked.pop(who_asks(ctx), None)
            if key is not None:  # a second whole response to one request is not kept
                self._answers[key] = kept
        print("  after_model:  kept")
        return None


def who_asks(ctx: CallbackContext) -> tuple[str, str, str]:
    """Name the agent that asks; it has one model call at a time."""
    return ctx.invocation_id, ctx.branch, ctx.agent_name


def get_weather(city: str) -> str:
    """Tell the weather of a city."""
    print(f"  the tool looks at {city}")
    return "sunny"


def main() -> None:
    """Ask one question in two sessions, then another one."""
    call = FunctionCall(name="get_weather", args={"city": "Tokyo"})
    wants_the_tool = LlmResponse(content=Content("model", [Part(function_call=call)]))
    model = ScriptedModel([wants_the_tool, "Tokyo is sunny.", "Ask me about Tokyo."])
    runner = Runner(
        "cache",
        LlmAgent("weather_agent", model=model, tools=[get_weather]),
        InMemorySessionService(),
        plugins=[CachePlugin()],
        auto_create_session=True,
    )
    call_ids = []
    for session, question in (("one", "Tokyo?"), ("two", "Tokyo?"), ("three", "Oslo?")):
        print(f"session {session}: {question}")
        for event in runner.run("user", session, question):
            call_ids += [call.id for call in event.calls()]
            if event.is_final_response() and event.content is not None:
                print(f"  answer: {event.content.parts[0].text}")
    print(f"{len(model.requests)} model calls, {len(set(call_ids))} ids for two function calls")


if __name__ == "__main__":
    main()
