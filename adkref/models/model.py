# SPDX-License-Identifier: Apache-2.0
"""The model interface and a model that answers from a script."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from adkref.content import ROLE_MODEL, Content, FunctionCall, LlmResponse, Part, clone
from adkref.errors import ProgrammingError, describe
from adkref.models.request import LlmRequest

if TYPE_CHECKING:
    from adkref.contexts import Context

#: What a model yields: responses, or pairs where it goes on after an error.
ModelItem = LlmResponse | tuple[LlmResponse | None, Exception | None]


@runtime_checkable
class Model(Protocol):
    """A model: a name and a stream of responses.

    A backend of the Gemini family may carry ``backend``: "gemini" or "vertex"; a model
    without it counts as neither (REQ-050, REQ-055).
    """

    @property
    def name(self) -> str:
        """The name that requests carry."""

    def generate(self, ctx: Context, request: LlmRequest, stream: bool) -> Iterable[ModelItem]:
        """Yield the responses to *request*; raise for an error.

        With *stream*, partial responses come before the whole one.
        """


#: One item of a scripted model's answer.
Scripted = str | FunctionCall | LlmResponse | Exception


class ScriptedModel:
    """Answers the nth call with the nth entry of its script.

    An entry is one response or a list of them; a string stands for a text, a function call
    for a response that makes it, and an exception is raised where it stands.  Past the end
    the answer is ``[end of script]``.
    """

    def __init__(
        self,
        script: Sequence[Scripted | Sequence[Scripted]] = (),
        name: str = "scripted",
    ) -> None:
        self.name = name
        self._script = _checked(script)
        self._lock = threading.Lock()
        self._calls = 0
        #: Every request so far, for tests.
        self.requests: list[LlmRequest] = []

    def generate(self, ctx: Context, request: LlmRequest, stream: bool) -> Iterator[LlmResponse]:
        """Yield what the script has for this call."""
        del ctx, stream
        with self._lock:
            turn, self._calls = self._calls, self._calls + 1
            self.requests.append(request)
        entry = self._script[turn] if turn < len(self._script) else "[end of script]"
        for item in [entry] if isinstance(entry, Scripted) else entry:
            if isinstance(item, Exception):
                raise item
            yield _response(item)


def _checked(script: Sequence[Scripted | Sequence[Scripted]]) -> list[Any]:
    """Return the script's entries; a text is one entry, never a script of letters."""
    if isinstance(script, str):
        raise ProgrammingError("a script is a list of answers; got one text")
    entries = list(script)
    for number, entry in enumerate(entries):
        items = entry if isinstance(entry, list | tuple) else [entry]
        for item in items:
            if not isinstance(item, Scripted):
                raise ProgrammingError(
                    f"entry {number} of the script is {describe(item)}, expected a text, "
                    "a FunctionCall, an LlmResponse, an exception, or a list of these"
                )
    return entries


def _response(item: str | FunctionCall | LlmResponse) -> LlmResponse:
    """Return a response of its own for each answer: the flow changes responses in place."""
    if isinstance(item, LlmResponse):
        return item
    if isinstance(item, FunctionCall):
        part = Part(function_call=clone(item))
        return LlmResponse(content=Content(ROLE_MODEL, [part]))
    return LlmResponse(content=Content.of_text(item))
