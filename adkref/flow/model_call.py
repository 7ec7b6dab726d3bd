# SPDX-License-Identifier: Apache-2.0
r"""The model call and the hooks around it (chapter 02, section 7; chapter 04, section 12).

::

    before_model --(answer)-----------------------------------------> response
         |
       model ---- error -> on_model_error --(answer)--> after_model -> response
         |                        \--(nothing)--> the error ends the step
         \------ response ----------------------------> after_model -> response
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from attrs import define

from adkref.callbacks import Answer, first_answer
from adkref.content import Content, LlmResponse, content_fault
from adkref.contexts import CallbackContext, Context, callback_context
from adkref.errors import ProgrammingError
from adkref.events import EventActions
from adkref.plugins import plugins_of

if TYPE_CHECKING:
    from adkref.agents.llm import LlmAgent
    from adkref.models import LlmRequest, Model

CALL_ID_PREFIX = "adk-"


@define
class Received:
    """One response and the id that its event will have (MDL-012)."""

    response: LlmResponse
    event_id: str


def fill_call_ids(content: Content | None, ctx: Context) -> None:
    """Give every call without an id one, in place (FLOW-017, MDL-008)."""
    if content is not None:
        for part in content.parts:
            if part.function_call is not None and not part.function_call.id:
                part.function_call.id = CALL_ID_PREFIX + ctx.host.platform.new_id()


def call_model(
    agent: LlmAgent, model: Model, ctx: Context, request: LlmRequest, deltas: EventActions
) -> Generator[tuple[Received | None, Exception | None], None, None]:
    """Yield the responses of one call; an error is the last item.

    All hooks write to the step's shared *deltas* (MDL-001).  The model's stream is closed
    after the consumer is done with the last item, so a failing hook is told first.
    """
    ask = _Asking(agent, ctx, deltas)
    new_id = ctx.host.platform.new_id

    # BEFORE: an answer takes the place of the model and of both later hooks (MDL-002).
    answer, failure = ask("before_model", request)
    if failure is not None:
        yield None, failure
        return
    if answer is not None:
        yield Received(answer, new_id()), None
        return

    # MODEL
    streaming = ctx.run_config is not None and ctx.run_config.streaming_mode == "sse"  # MDL-004
    items = _responses(model, ctx, request, streaming)
    try:
        for response, error in items:
            event_id = new_id()
            if error is not None:  # MDL-006: also when a response came with it
                response, failure = ask("on_model_error", request, error)  # noqa: PLW2901
                if failure is not None or response is None:
                    yield None, failure or error
                    return
            assert response is not None
            fill_call_ids(response.content, ctx)

            # AFTER: every response, partial and recovered ones too (MDL-008).
            answer, failure = ask("after_model", response, None)
            if failure is not None:
                yield None, failure
                return
            yield Received(answer if answer is not None else response, event_id), None
    finally:
        items.close()


class _Asking:
    """Asks the plugins, then the agent's own callbacks (MDL-010)."""

    def __init__(self, agent: LlmAgent, ctx: Context, deltas: EventActions) -> None:
        self._agent, self._ctx, self._deltas = agent, ctx, deltas
        self._manager = plugins_of(ctx.host)

    def _context(self) -> CallbackContext:
        return callback_context(self._ctx, self._deltas, tracking=True)

    def __call__(self, hook: str, *arguments: Any) -> Answer[LlmResponse]:
        if self._manager.has(hook):
            value, error = self._manager.ask(hook, self._context(), *arguments)
            if value is not None or error is not None:
                return value, error
        own: list[Callable[..., Any]] = getattr(self._agent, f"{hook}_callbacks")
        for callback in own:  # each gets a context of its own over the same deltas
            value, error = first_answer(hook, LlmResponse, [callback], self._context(), *arguments)
            if value is not None or error is not None:
                return value, error
        return None, None


def _pair(model: Model, item: tuple[Any, ...]) -> tuple[Any, Exception | None]:
    if len(item) != 2 or not isinstance(item[1], Exception | None):
        raise ProgrammingError(
            f"model {model.name!r} yielded ({', '.join(type(each).__name__ for each in item)}), "
            "expected a pair of an LlmResponse and an exception or None"
        )
    return item


def _responses(
    model: Model, ctx: Context, request: LlmRequest, streaming: bool
) -> Generator[tuple[LlmResponse | None, Exception | None], None, None]:
    """Yield what a model yields, as pairs; what it raises is the last one."""
    items: Any = None
    try:
        items = model.generate(ctx, request, streaming)  # a plain function raises here
        for item in items:
            response, error = _pair(model, item) if type(item) is tuple else (item, None)
            if error is None and not isinstance(response, LlmResponse):
                raise ProgrammingError(
                    f"model {model.name!r} yielded {type(response).__name__}, "
                    "expected an LlmResponse"
                )
            if response is not None and (fault := content_fault(response.content)):
                raise ProgrammingError(
                    f"model {model.name!r} yielded a response whose content is {fault}"
                )
            yield response, error
    except ProgrammingError:
        raise
    except Exception as error:
        yield None, error
    finally:
        close = getattr(items, "close", None)
        if close is not None:
            close()
