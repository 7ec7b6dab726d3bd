# SPDX-License-Identifier: Apache-2.0
"""Streaming aggregation: the pieces of an answer, and the answer (chapter 02, section 8).

Every chunk of a stream is handed on as a partial response at once; at the end comes one
whole response, in which texts are joined and streamed calls are put together.  Only that
one runs tools and is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import define, field

from adkref.codec import record
from adkref.content import ROLE_MODEL, Content, FunctionCall, Jsonable, LlmResponse, Part
from adkref.models.candidates import STOP, GenerateContentResponse

#: A chunk as a record, or as its genai JSON.
Chunk = GenerateContentResponse | dict[str, Any]


def aggregated(chunks: Iterable[Chunk]) -> Iterator[LlmResponse]:
    """Yield a partial response per chunk, then the whole one (STRM-011).

    A stream without chunks yields nothing (STRM-009).  What *chunks* raises ends the
    stream, and so does a chunk that is no answer of the API: no whole response follows
    (STRM-010).  Closing *chunks* is left to whoever opened it.
    """
    aggregator = StreamAggregator()
    for chunk in chunks:
        yield aggregator.process(chunk)
    whole = aggregator.close()
    if whole is not None:
        yield whole


class StreamAggregator:
    """Puts the chunks of one model call together; each call needs one of its own."""

    def __init__(self) -> None:
        # What the whole response is made of (STRM-003, STRM-009).
        self._last: LlmResponse | None = None
        self._whole = LlmResponse(content=Content(ROLE_MODEL))
        self._texts: list[str] = []
        self._thought = False  # of all that is in _texts
        self._call = _StreamedCall()
        #: Waits for a complete call that has no signature itself (STRM-006).
        self._signature = b""

    def process(self, chunk: Chunk) -> LlmResponse:
        """Take up one chunk and return its partial response (STRM-002).

        The whole response shares part objects with it: a call's id that is filled in on a
        partial response is the id of the whole one's call.  Raises
        :class:`adkref.codec.DecodeError` for JSON that is no answer of the API.
        """
        answer = GenerateContentResponse.from_json(chunk)
        response = answer.to_response()
        response.partial = True  # STRM-002: also the one with the finish reason
        response.turn_complete = answer.first is not None and bool(answer.first.finish_reason)
        self._remember(response)
        for part in response.content.parts if response.content is not None else ():
            self._take(part)
        return response

    def close(self) -> LlmResponse | None:
        """Return the whole response, or None when there was no chunk (STRM-009)."""
        last, whole = self._last, self._whole
        if last is None:
            return None
        self._flush_text()
        self._flush_call()
        if whole.finish_reason != STOP:
            whole.error_code, whole.error_message = last.error_code, last.error_message
        return whole

    def _remember(self, response: LlmResponse) -> None:
        # STRM-003: each piece of metadata is the last that was there, whichever chunk had it.
        whole, self._last = self._whole, response
        if response.usage_metadata is not None:
            whole.usage_metadata = response.usage_metadata
        if response.grounding_metadata is not None:
            whole.grounding_metadata = response.grounding_metadata
        if response.citation_metadata is not None:
            whole.citation_metadata = response.citation_metadata
        if response.finish_reason:
            whole.finish_reason = response.finish_reason

    # --- parts (STRM-004) ---------------------------------------------------------------

    def _take(self, part: Part) -> None:
        if part.is_zero():
            return
        if part.thought_signature:
            self._signature = part.thought_signature
        call = part.function_call
        if part.text:  # a call beside a text is lost
            if part.thought != self._thought:
                self._flush_text()
                self._thought = part.thought
            self._texts.append(part.text)
        elif call is None:  # data, code, a bare signature
            self._flush_text()
            self._add(part)
        elif call.partial_args is None and not call.will_continue:
            self._take_complete(part, call)
        else:
            self._take_streamed(part, call)

    def _take_complete(self, part: Part, call: FunctionCall) -> None:
        # STRM-006
        if not call.name:
            return
        self._flush_text()
        # The part's own signature, which has just become the current one, or the one before;
        # it shows on the partial response too.
        part.thought_signature, self._signature = self._signature, b""
        self._add(part)

    def _take_streamed(self, part: Part, call: FunctionCall) -> None:
        # STRM-007: the signature that complete calls inherit is neither used nor forgotten.
        self._call.extend(call, part.thought_signature)
        if not call.will_continue:
            self._flush_text()
            self._flush_call()

    # --- the sequence -------------------------------------------------------------------

    def _add(self, part: Part) -> None:
        assert self._whole.content is not None
        self._whole.content.parts.append(part)

    def _flush_text(self) -> None:
        if self._texts:  # STRM-005: without a signature
            self._add(Part(text="".join(self._texts), thought=self._thought))
            self._texts.clear()

    def _flush_call(self) -> None:
        if self._call.name:  # STRM-008: without a name, the pieces stay for the next call
            self._add(self._call.to_part())
            self._call = _StreamedCall()


# --- streamed calls (STRM-007) ------------------------------------------------------------


@record
@define(slots=False)
class PartialArg(Jsonable):
    """A piece of a call's arguments: a value, or more text, for one place."""

    json_path: str = ""
    string_value: str = ""
    number_value: float | None = None
    bool_value: bool | None = None
    null_value: str = ""

    def put_into(self, args: dict[str, Any]) -> None:
        """Set the value in *args*; without a path or a value nothing happens."""
        if not self.json_path:
            return
        if self.string_value:
            value: Any = self.string_value
        elif self.number_value is not None:
            value = self.number_value
        elif self.bool_value is not None:
            value = self.bool_value
        elif self.null_value:
            value = None
        else:
            return
        # No more of JSONPath than dots: "l[0]" is a key like any other.
        *outer, key = self.json_path.removeprefix("$.").split(".")
        for name in outer:
            inner = args.get(name)
            if not isinstance(inner, dict):
                inner = args[name] = {}
            args = inner
        before = args.get(key)
        if isinstance(value, str) and isinstance(before, str):
            value = before + value
        args[key] = value


@define
class _StreamedCall:
    """A call that comes in pieces; two that are not ended in between become one."""

    name: str = ""
    id: str = ""
    signature: bytes = b""
    args: dict[str, Any] = field(factory=dict)

    def extend(self, piece: FunctionCall, signature: bytes) -> None:
        """Take up one piece: the first signature stays, the last name and id count."""
        self.signature = self.signature or signature
        self.name = piece.name or self.name
        self.id = piece.id or self.id
        for argument in piece.partial_args or ():
            PartialArg.from_json(argument).put_into(self.args)

    def to_part(self) -> Part:
        """Return the part of the finished call.

        An id that was made up for one of its pieces is not among what we know (STRM-008).
        """
        call = FunctionCall(id=self.id, name=self.name, args=self.args)
        return Part(function_call=call, thought_signature=self.signature)
