# SPDX-License-Identifier: Apache-2.0
"""The trace: what happened, in order, in the form that the format's page gives it.

While a scenario runs, a :class:`Tracer` collects records, each a snapshot of its moment:
what is recorded is copied, since events and requests change in place later.  At the end
:class:`Names` replaces generated ids and times by the order in which they appeared.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from attrs import fields

from adkref.conformance.faults import HarnessError, ScenarioError
from adkref.content import Content, FunctionCall, FunctionResponse, LlmResponse, Part
from adkref.events import Event
from adkref.gotext import float_text
from adkref.models import LlmRequest
from adkref.timestamps import format_time, parse_time

Record = dict[str, Any]

#: A scripted endless loop that yields nothing records as fast as it can until it is killed;
#: no trace that anybody looks at is this long.
MAX_RECORDS: Final = 200_000

#: Integral floats up to here are printed without a point, larger ones with an exponent.
_WHOLE_LIMIT: Final = 1e21


class Tracer:
    """Collects records from any number of threads, in the order in which they happen.

    ``on_record``, where set, is called with each record before it is stored: a scheduler
    can hold the thread there until it is that thread's turn.
    """

    def __init__(self, on_record: Callable[[Record], None] | None = None) -> None:
        self.records: list[Record] = []
        self.on_record = on_record
        #: The first fault of the scenario that showed only while it ran.
        self.fault: ScenarioError | None = None
        self._overflowed = False

    def add(self, at: str, **fields: Any) -> None:
        """Record that *at* happened; fields that are None or ``""`` are left out."""
        record: Record = {"at": at}
        for key, value in fields.items():
            if value is not None and value != "":
                record[key] = value
        if self.on_record is not None:
            self.on_record(record)
        if len(self.records) < MAX_RECORDS:
            self.records.append(record)  # atomic: threads need no lock
        else:
            self._overflowed = True

    def finished(self) -> list[Record]:
        """Return the records; a trace that was too long to keep is an error of the harness."""
        if self._overflowed:
            raise HarnessError(f"the trace has more than {MAX_RECORDS} records")
        return self.records


# --- snapshots -------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Return a copy of *value* in JSON types, whole floats as integers.

    What is no JSON is shown as a text that says so.
    """
    try:
        return _plain(value)
    except TypeError as error:
        return f"<unmarshallable: {error}>"


def pruned(value: Any) -> Any:
    """Return a copy of *value* as ``plain`` does, without the fields that are empty.

    Dropped are null, ``""``, false, [] and {}, except in the user's own data, which is kept
    as it is unless it is null or an empty object as a whole.  Elements of lists stay.
    """
    try:
        return _pruned(value)
    except TypeError as error:
        return f"<unmarshallable: {error}>"


def event_json(event: Event | None) -> Any:
    """Return an event without its own id and time; one that is no JSON is left out."""
    if event is None:
        return None
    try:
        fields = event.to_json()
        del fields["id"], fields["timestamp"]
        return _pruned(fields)
    except TypeError:
        return None


def content_json(content: Content | None) -> Any:
    """Return a content, or None."""
    if content is None:
        return None
    try:
        return _content(content)
    except TypeError as error:
        return f"<unmarshallable: {error}>"


def response_json(response: LlmResponse | None) -> Any:
    """Return an LLM response, or None."""
    return None if response is None else pruned(response)


def request_json(request: LlmRequest | None) -> Any:
    """Return what a trace shows of a request to a model."""
    if request is None:
        return None
    out: Record = {}
    if request.model:
        out["model"] = request.model
    out["contents"] = [content_json(content) for content in request.contents]
    config = request.config
    if config is None:
        return out
    if config.system_instruction is not None:
        out["system_instruction"] = [part.text for part in config.system_instruction.parts]
    names = [
        declaration.name
        for entry in config.tools
        for declaration in entry.function_declarations or ()
    ]
    if names:
        out["tools"] = names
    if config.response_schema is not None or config.response_json_schema is not None:
        out["response_schema"] = True
    if config.response_mime_type:
        out["response_mime_type"] = config.response_mime_type
    return out


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind is str or value is None or kind is bool or kind is int:
        return value
    if kind is dict:
        return {key if type(key) is str else str(key): _plain(it) for key, it in value.items()}
    if kind is list or kind is tuple:
        return [_plain(item) for item in value]
    if kind is float:
        return _plain_float(value)
    return _plain_other(value)


def _plain_float(value: float) -> int | float:
    if value.is_integer() and abs(value) < _WHOLE_LIMIT:
        return int(value)
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN
        raise TypeError(f"json: unsupported value: {float_text(value)}")
    return value


def _plain_other(value: Any) -> Any:
    if hasattr(value, "to_json"):
        return _plain(value.to_json())
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, Mapping):
        return _plain(dict(value))
    # Subclasses, such as an enum of texts.
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return _plain_float(float(value))
    if isinstance(value, list | tuple):
        return _plain(list(value))
    raise TypeError(f"json: unsupported type: {type(value).__name__}")


# A request shows the whole conversation, so that the contents are most of a long trace; they
# are walked here by hand instead of through their general JSON form.


def _content(content: Content) -> Record:
    out: Record = {}
    if content.parts:
        out["parts"] = [_part(part) for part in content.parts]
    if content.role:
        out["role"] = content.role
    return out


_USUAL_FIELDS: Final = ("text", "thought", "function_call", "function_response")
_OTHER_FIELDS: Final = tuple(it.name for it in fields(Part) if it.name not in _USUAL_FIELDS)


def _part(part: Part) -> Any:
    values = part.__dict__
    for name in _OTHER_FIELDS:
        if values[name]:
            return _pruned(part.to_json())
    out: Record = {}
    if part.text:
        out["text"] = part.text
    if part.thought:
        out["thought"] = True
    call, response = part.function_call, part.function_response
    if call is not None and (shown := _call(call)):
        out["functionCall"] = shown
    if response is not None and (shown := _response(response)):
        out["functionResponse"] = shown
    return out


def _call(call: FunctionCall) -> Any:
    if call.partial_args or call.will_continue is not None:
        return _pruned(call.to_json())
    return _named(call.id, call.name, "args", call.args)


def _response(response: FunctionResponse) -> Any:
    if response.scheduling or response.parts or response.will_continue is not None:
        return _pruned(response.to_json())
    return _named(response.id, response.name, "response", response.response)


def _named(id: str, name: str, key: str, data: Record | None) -> Record:
    out: Record = {}
    if id:
        out["id"] = id
    if name:
        out["name"] = name
    if data:
        out[key] = _plain(data)
    return out


#: Where the user's own data begins.
USER_DATA: Final = frozenset(
    ("stateDelta", "artifactDelta", "args", "response", "output", "customMetadata", "payload")
)
#: An empty object stays under these: an event with an empty content is not one without.
_KEPT_WHEN_EMPTY: Final = frozenset(("content", "text"))


def _pruned(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        out = {}
        for key, item in value.items():
            if key in USER_DATA:
                if item is not None and item != {}:
                    out[key] = _plain(item)
                continue
            small = _pruned(item)
            if not small and _is_empty(small) and not (small == {} and key in _KEPT_WHEN_EMPTY):
                continue
            out[key] = small
        return out
    if kind is list or kind is tuple:
        return [_pruned(item) for item in value]
    if hasattr(value, "to_json"):
        return _pruned(value.to_json())
    return _plain(value)


def _is_empty(value: Any) -> bool:
    """Tell whether a value that counts as false is one that is dropped: a number never is."""
    return value is None or value is False or type(value) in (str, list, dict)


# --- names -----------------------------------------------------------------------------

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_ID = re.compile(rf"(e-|adk-)?{_UUID}")
_TOOL_LIST: Final = "Available tools: "
#: The names up to a line break, a quote or a backslash, each of which JSON writes with a
#: backslash of its own.
_TOOL_NAMES = re.compile(rf'(?<={_TOOL_LIST})(?:[^\\"]|\\[^n"\\])+')
_TIME = re.compile(r'"((?:start|end)?[tT]imestamp)": "([^"\\]*)"')


class Names:
    """Names generated ids and times by first appearance.

    ``times`` are those of the stored events in order; a time in a compaction record becomes
    ``@K`` after the first event that has it, ``@?`` if none has.

    All this works on JSON as text with its keys sorted: reading such a text from its
    beginning meets the records in order, each one's keys in order and a key before its
    value, which is the order of naming, and it is much faster than a walk.
    """

    def __init__(self, times: list[datetime] | None = None) -> None:
        self._invocations: dict[str, str] = {}
        self._others: dict[str, str] = {}
        self._times: dict[datetime, str] = {}
        for number, time in enumerate(times or (), 1):
            self._times.setdefault(time, f"@{number}")

    def copy(self) -> Names:
        """Return names that know the same ids and learn new ones apart."""
        twin = Names()
        twin._invocations = dict(self._invocations)
        twin._others = dict(self._others)
        twin._times = self._times
        return twin

    def records(self, records: list[Record]) -> list[Record]:
        """Return *records* with names in place of ids and times, keys sorted."""
        text = _TIME.sub(self._time, json.dumps(records, sort_keys=True))
        named: list[Record] = json.loads(self.rename(text))
        return named

    def final(self, final: Any) -> Any:
        """Return the final state with names in place of ids."""
        return json.loads(self.rename(json.dumps(final, sort_keys=True)))

    def rename(self, text: str) -> str:
        """Return JSON *text* with every generated id named, and lists of tools sorted."""
        if _TOOL_LIST in text:
            text = _TOOL_NAMES.sub(_sorted_names, text)
        return _ID.sub(self._name, text)

    def _name(self, match: re.Match[str]) -> str:
        generated, prefix = match.group(), match.group(1)
        if prefix == "e-":
            names, label = self._invocations, "inv"
        else:
            names, label = self._others, ("adk" if prefix else "id")
        if generated not in names:
            names[generated] = f"{label}-{len(names) + 1}"
        return names[generated]

    def _time(self, match: re.Match[str]) -> str:
        key, text = match.groups()
        try:
            name = self._times.get(parse_time(text), "@?")
        except Exception:  # not every "timestamp" of a user holds one
            return match.group()
        return f'"{key}": "{name}"'


def _sorted_names(match: re.Match[str]) -> str:
    return ", ".join(sorted(match.group().split(", ")))
