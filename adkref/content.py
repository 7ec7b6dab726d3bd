# SPDX-License-Identifier: Apache-2.0
"""Content, parts and model responses in the genai JSON form (chapter 02, section 1).

The records are mutable on purpose: plugins and callbacks change requests,
responses and events in place, and that is observable behaviour.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self, TypeVar

import attrs
from attrs import define, field

from adkref import codec
from adkref.codec import record
from adkref.errors import describe

R = TypeVar("R")

ROLE_USER = "user"
ROLE_MODEL = "model"


def clone(value: R) -> R:
    """Return a shallow copy of a data record: a new object over the same field values."""
    copy = object.__new__(type(value))
    copy.__dict__ = value.__dict__.copy()
    return copy


class Jsonable:
    """Gives a record its JSON form."""

    def to_json(self) -> dict[str, Any]:
        """Return the genai JSON form; zero values are left out."""
        out: dict[str, Any] = codec.to_json(self)
        return out

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """Build the record from its JSON form; raises :class:`adkref.codec.DecodeError`."""
        return codec.from_json(cls, value)


@record
@define(slots=False)
class Blob(Jsonable):
    """Inline bytes with their media type."""

    mime_type: str = ""
    data: bytes = b""
    display_name: str = ""


@record
@define(slots=False)
class FileData(Jsonable):
    """A file by its address."""

    file_uri: str = ""
    mime_type: str = ""
    display_name: str = ""


class NilMap(dict[str, Any]):
    """An empty object that was never sent: Go's nil map.

    A call without arguments hands it to its tool (TOOL-015).  To Python it is an empty
    dict; as JSON it is ``null`` until something is written to it.
    """

    def to_json(self) -> dict[str, Any] | None:
        """Return None while empty."""
        return dict(self) or None


@record
@define(slots=False)
class FunctionCall(Jsonable):
    """A model's request to run a tool; ``args`` None is Go's nil map."""

    id: str = ""
    name: str = ""
    args: dict[str, Any] | None = None
    partial_args: list[Any] | None = None
    will_continue: bool | None = None


@record
@define(slots=False)
class FunctionResponse(Jsonable):
    """The answer to a call with the same ``id``."""

    id: str = ""
    name: str = ""
    response: dict[str, Any] | None = None
    scheduling: str = ""
    will_continue: bool | None = None
    parts: list[Any] | None = None


@record
@define(slots=False)
class Part(Jsonable):
    """One part of a content; in practice exactly one of its fields is set."""

    text: str = ""
    thought: bool = False
    thought_signature: bytes = b""
    function_call: FunctionCall | None = None
    function_response: FunctionResponse | None = None
    inline_data: Blob | None = None
    file_data: FileData | None = None
    executable_code: dict[str, Any] | None = None
    code_execution_result: dict[str, Any] | None = None
    video_metadata: dict[str, Any] | None = None
    tool_call: dict[str, Any] | None = None
    tool_response: dict[str, Any] | None = None
    media_resolution: Any = None
    part_metadata: dict[str, Any] | None = None

    def is_zero(self) -> bool:
        """Tell whether no field is set; such a part is dropped from requests (CNT-048)."""
        return self == ZERO_PART


ZERO_PART = Part()


@record
@define(slots=False)
class Content(Jsonable):
    """A role and its parts: one message of the conversation."""

    role: str = ""
    parts: list[Part] = field(factory=list)

    @classmethod
    def of_text(cls, text: str, role: str = ROLE_MODEL) -> Self:
        """Return a content of one text part."""
        return cls(role=role, parts=[Part(text=text)])

    def calls(self) -> list[FunctionCall]:
        """Return the function calls in part order."""
        return [part.function_call for part in self.parts if part.function_call]

    def responses(self) -> list[FunctionResponse]:
        """Return the function responses in part order."""
        return [
            part.function_response for part in self.parts if part.function_response is not None
        ]

    def spoken_text(self) -> str:
        """Return the texts that are not thoughts, concatenated."""
        return "".join(part.text for part in self.parts if not part.thought)


def content_fault(content: object) -> str:
    """Return what *content* is if it is neither None nor a Content of parts, else ""."""
    if content is None:
        return ""
    if not isinstance(content, Content):
        return f"{describe(content)}, expected a Content or None"
    parts = content.parts
    if not isinstance(parts, list):
        return f"a Content whose parts are {describe(parts)}, expected a list"
    for part in parts:
        if not isinstance(part, Part):
            return f"a Content with a part {describe(part)}, expected a Part"
    return ""


@record
@define(slots=False)
class Transcription(Jsonable):
    """What was said in an audio stream."""

    text: str = ""
    finished: bool = False


@record
@define(slots=False)
class LlmResponse(Jsonable):
    """One item of a model's answer; an :class:`~adkref.events.Event` carries the same fields."""

    content: Content | None = None
    citation_metadata: dict[str, Any] | None = None
    grounding_metadata: dict[str, Any] | None = None
    usage_metadata: dict[str, Any] | None = None
    custom_metadata: dict[str, Any] | None = None
    logprobs_result: dict[str, Any] | None = None
    input_transcription: Transcription | None = None
    output_transcription: Transcription | None = None
    model_version: str = ""
    partial: bool = False
    turn_complete: bool = False
    interrupted: bool = False
    session_resumption_handle: str = ""
    error_code: str = ""
    error_message: str = ""
    finish_reason: str = ""
    avg_logprobs: float = 0.0


RESPONSE_FIELDS: tuple[str, ...] = tuple(f.name for f in attrs.fields(LlmResponse))


def calls_of(content: Content | None) -> list[FunctionCall]:
    """Return the calls of a content that may be absent."""
    return content.calls() if content is not None else []


def responses_of(content: Content | None) -> list[FunctionResponse]:
    """Return the responses of a content that may be absent."""
    return content.responses() if content is not None else []


def texts(content: Content | None) -> Iterator[str]:
    """Yield the non-empty texts of a content that may be absent, thoughts included."""
    if content is not None:
        yield from (part.text for part in content.parts if part.text)
