# SPDX-License-Identifier: Apache-2.0
"""Canonical traces: the form in which two implementations are compared.

A trace says what happened in which order, and some of that is left open: a set
has no order, a name of a Go type means nothing to a port, and concurrent lanes
interleave as they please.  The canonical form takes out exactly these, as the
format's page says under *Canonical traces*, and nothing else.

Everything here is a pure function on plain JSON.  It is applied to both sides,
the golden trace and the played one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from attrs import field, frozen

TOTAL: Final = "total"
LANES: Final = "lanes"

Record = dict[str, Any]


class _Absent:
    """Stands where a value is missing; inside a record, JSON's null is a value."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()


@frozen
class Canonical:
    """A trace in canonical form; two of them are compared with :func:`same`."""

    #: Records by lane, lanes in their order.  A total trace is one lane without a name.
    lanes: dict[str, list[Record]]
    final: Any = ABSENT
    #: For each record of a lane its number in the trace it comes from, counted from 1.
    numbers: dict[str, list[int]] = field(factory=dict, eq=False)

    def to_json(self) -> dict[str, Any]:
        """Return lanes and final state as plain JSON."""
        body: dict[str, Any] = {"lanes": self.lanes}
        if self.final is not ABSENT:
            body["final"] = self.final
        return body


def canonical(played: Mapping[str, Any], ordering: str = TOTAL) -> Canonical:
    """Return the canonical form of ``{"trace": [...], "final": ...}``."""
    records = [settled(record, ordering) for record in played["trace"]]
    # After a construct_error there is no final state; some cases write that as null.
    final = _mask_types(played["final"]) if played.get("final") is not None else ABSENT
    if ordering == TOTAL:
        return Canonical({"": records}, final, {"": list(range(1, len(records) + 1))})
    if ordering == LANES:
        return _renamed(records, final)
    raise ValueError(f"no such ordering: {ordering!r}")


def same(one: Any, other: Any) -> bool:
    """Tell whether two JSON values are equal: ``true`` is not 1, but 5 equals 5.0.

    Values that are the same have the same canonical form, whatever the ordering.
    """
    # Most leaves are strings, and six thousand traces have some millions of them; a
    # generator in all() would double the time.
    kind = type(one)
    if kind is str:
        return bool(one == other)
    if kind is dict:
        if type(other) is not dict or one.keys() != other.keys():
            return False
        for key, value in one.items():  # noqa: SIM110
            if not same(value, other[key]):
                return False
        return True
    if kind is list:
        if type(other) is not list or len(one) != len(other):
            return False
        for value, its in zip(one, other, strict=True):  # noqa: SIM110
            if not same(value, its):
                return False
        return True
    if kind is bool or type(other) is bool:
        return one is other
    return bool(one == other)


# What is left open in every trace


def settled(record: Record, ordering: str) -> Record:
    record = _mask_types(record)
    for event in _events(record):
        _sort_tool_ids(event)
        if ordering == LANES:
            _drop_shared_maps(event)
    return record


def _mask_types(value: Any) -> Any:
    """Return a copy in which the value of every ``error_type`` key is ``"$type"``."""
    if isinstance(value, dict):
        return {
            key: "$type" if key == "error_type" else _mask_types(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_mask_types(item) for item in value]
    return value


def _events(record: Record) -> Iterator[Record]:
    """Yield the events that *record* shows."""
    several = record.get("events")
    for event in (record.get("event"), *(several if isinstance(several, list) else ())):
        if isinstance(event, dict):
            yield event


def _sort_tool_ids(event: Record) -> None:
    ids = event.get("longRunningToolIds")
    if isinstance(ids, list):
        ids.sort(key=lambda item: natural(item if isinstance(item, str) else json.dumps(item)))


def _drop_shared_maps(event: Record) -> None:
    """Leave out the maps that a partial event shares with the step that still runs."""
    actions = event.get("actions")
    if event.get("partial") is True and isinstance(actions, dict):
        actions.pop("stateDelta", None)
        actions.pop("artifactDelta", None)
        # An event's empty fields are left out, so one whose maps are filled only in some
        # schedules would otherwise show an empty object in just these.
        if not actions:
            del event["actions"]


# What is left open between lanes


def lane_of(record: Mapping[str, Any]) -> str:
    """Return the name of the lane that *record* belongs to."""
    at = record.get("at")
    if at in ("append", "yield") or (at == "hook" and record.get("hook") == "on_event"):
        event = record.get("event")
        if not isinstance(event, dict):
            return "event:|"
        return f"event:{event.get('branch', '')}|{event.get('author', '')}"
    branch = record.get("branch", "")
    if call_id := record.get("call_id"):
        return f"call:{branch}|{call_id}"
    return f"agent:{branch}|{record.get('agent', '')}"


@lru_cache(maxsize=1 << 15)
def natural(name: str) -> tuple[tuple[str | int, ...], str]:
    """Return a sort key of *name* by which runs of digits compare as numbers."""
    pieces: list[str | int] = []
    # Text and digits alternate, text first, so like always meets like.
    for at, piece in enumerate(_DIGITS.split(name)):
        if at % 2 == 0:
            pieces.append(piece)
        else:
            digits = piece.lstrip("0")
            # A longer number is the greater one; int() would refuse one of 5,000 digits.
            pieces += (len(digits), digits)
    return tuple(pieces), name


_DIGITS = re.compile("([0-9]+)")
_GENERATED = re.compile(r"\b(adk|id)-[0-9]+\b")


def _renamed(records: list[Record], final: Any) -> Canonical:
    """Split *records* into lanes and name generated ids in the order of the lanes."""
    lanes: dict[str, list[Record]] = {}
    numbers: dict[str, list[int]] = {}
    for number, record in enumerate(records, 1):
        name = lane_of(record)
        lanes.setdefault(name, []).append(record)
        numbers.setdefault(name, []).append(number)
    names = _Names()
    out = Canonical({}, ABSENT, {})
    for name in sorted(lanes, key=natural):
        new_name = names.rename(name)
        out.lanes[new_name] = [names.walk(record) for record in lanes[name]]
        out.numbers[new_name] = numbers[name]
    for lane in out.lanes.values():
        for record in lane:
            # The set was sorted by the old names.
            for event in _events(record):
                _sort_tool_ids(event)
    return Canonical(out.lanes, final if final is ABSENT else names.walk(final), out.numbers)


class _Names:
    """Names generated ids by first appearance, ``adk-N`` and ``id-N`` counted apart."""

    def __init__(self) -> None:
        self._new: dict[str, str] = {}
        self._count = {"adk": 0, "id": 0}

    def rename(self, text: str) -> str:
        """Return *text* with each word that is a generated id replaced by its new name."""
        return _GENERATED.sub(self._name, text) if "-" in text else text

    def _name(self, match: re.Match[str]) -> str:
        old, prefix = match[0], match[1]
        if old not in self._new:
            self._count[prefix] += 1
            self._new[old] = f"{prefix}-{self._count[prefix]}"
        return self._new[old]

    def walk(self, value: Any) -> Any:
        """Return *value* with its ids renamed; a key comes before its value."""
        if isinstance(value, str):
            return self.rename(value)
        if isinstance(value, dict):
            return {self.rename(key): self.walk(value[key]) for key in sorted(value, key=natural)}
        if isinstance(value, list):
            return [self.walk(item) for item in value]
        return value
