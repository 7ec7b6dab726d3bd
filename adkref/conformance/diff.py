# SPDX-License-Identifier: Apache-2.0
"""The first difference of two canonical traces, as data and as text.

The first difference is the one to look at: what follows it is mostly its
consequence.  In a trace of several lanes the first is the one that stands
earliest in the expected trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Final

from attrs import frozen

from adkref.conformance.canonical import ABSENT, Canonical, Record, natural, same
from adkref.conformance.faults import JsonPath, json_path
from adkref.conformance.narrate import sentence, short_json

#: The lanes that are none: the final state, and what an untraced case asks for.
FINAL: Final = "final"
EXPECT: Final = "expect"

#: So many records of the lane before the difference are shown with it.
CONTEXT = 3


@frozen
class Difference:
    """Where two canonical traces part."""

    #: Empty for a total trace, :data:`FINAL` for the final state.
    lane: str
    #: The record's number in its lane, counted from 1; None for the final state.
    record: int | None
    #: The JSON path inside the record, or inside the final state.
    path: str
    #: The two values at the path; ABSENT where there is none.
    expected: Any
    actual: Any
    #: The whole records; ABSENT where a trace has ended.
    expected_record: Any
    actual_record: Any
    #: The record's number in the trace that it comes from, where it is there.
    expected_number: int | None = None
    actual_number: int | None = None
    #: The records of the lane just before, in which both agree.
    before: tuple[Record, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the difference as plain JSON; what is absent is left out."""
        out: dict[str, Any] = {"lane": self.lane, "record": self.record, "path": self.path}
        for key in ("expected", "actual", "expected_record", "actual_record"):
            if (value := getattr(self, key)) is not ABSENT:
                out[key] = value
        out["expected_number"] = self.expected_number
        out["actual_number"] = self.actual_number
        out["before"] = list(self.before)
        return out

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Difference:
        """Read what :meth:`to_json` wrote."""
        absent = dict.fromkeys(("expected", "actual", "expected_record", "actual_record"), ABSENT)
        return cls(**{**absent, **value, "before": tuple(value["before"])})

    def place(self) -> str:
        """Return in words where the difference stands, with its JSON path."""
        return f"{_place(self)}, {self.path}"

    def lines(self) -> Iterator[str]:
        """Yield for a reader the records around the difference and the two values.

        What was expected has a minus sign, what came instead has a plus sign.
        """
        return _lines(self)

    def to_text(self) -> str:
        """Return place and lines as one text."""
        return "\n".join((self.place(), *self.lines()))


def first_difference(expected: Canonical, actual: Canonical) -> Difference | None:
    """Return where *actual* first parts from *expected*, or None if they are equal."""
    names = sorted({*expected.lanes, *actual.lanes}, key=natural)
    found = [
        difference
        for name in names
        if (difference := _lane_difference(name, expected, actual)) is not None
    ]
    if found:
        return min(found, key=_moment)
    if (parted := first_path(expected.final, actual.final)) is None:
        return None
    path, one, other = parted
    return Difference(
        lane=FINAL,
        record=None,
        path=json_path(path),
        expected=one,
        actual=other,
        expected_record=expected.final,
        actual_record=actual.final,
    )


def first_path(expected: Any, actual: Any) -> tuple[JsonPath, Any, Any] | None:
    """Return the first JSON path at which two values differ, and what stands there."""
    return _first_path(expected, actual, ())


def _moment(difference: Difference) -> int:
    # A record that is only in the played trace has only that number to go by.
    number = difference.expected_number or difference.actual_number
    return number or 0


def _lane_difference(name: str, expected: Canonical, actual: Canonical) -> Difference | None:
    lane = expected.lanes.get(name, [])
    pairs = zip_longest(lane, actual.lanes.get(name, []), fillvalue=ABSENT)
    for index, (one, other) in enumerate(pairs):
        if (parted := first_path(one, other)) is not None:
            path, here, there = parted
            return Difference(
                lane=name,
                record=index + 1,
                path=json_path(path),
                expected=here,
                actual=there,
                expected_record=one,
                actual_record=other,
                expected_number=_number(expected, name, index),
                actual_number=_number(actual, name, index),
                before=tuple(lane[max(0, index - CONTEXT) : index]),
            )
    return None


def _number(trace: Canonical, lane: str, index: int) -> int | None:
    numbers = trace.numbers.get(lane, [])
    return numbers[index] if index < len(numbers) else None


def _first_path(expected: Any, actual: Any, path: JsonPath) -> tuple[JsonPath, Any, Any] | None:
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in _keys(expected, actual):
            one, other = expected.get(key, ABSENT), actual.get(key, ABSENT)
            if (parted := _first_path(one, other, (*path, key))) is not None:
                return parted
        return None
    if isinstance(expected, list) and isinstance(actual, list):
        pairs = zip_longest(expected, actual, fillvalue=ABSENT)
        for index, (one, other) in enumerate(pairs):
            if (parted := _first_path(one, other, (*path, index))) is not None:
                return parted
        return None
    return None if same(expected, actual) else (path, expected, actual)


def _keys(expected: Record, actual: Record) -> Iterator[str]:
    """Yield the keys of both: the kind of a record first, then in their order."""
    keys = {*expected, *actual}
    for key in ("at", "hook"):
        if key in keys:
            keys.discard(key)
            yield key
    yield from sorted(keys)


# For a reader


def _lines(difference: Difference) -> Iterator[str]:
    number = (difference.record or 0) - len(difference.before)
    for record in difference.before:
        yield f"    {number:>4}  {sentence(record)}"
        number += 1
    if difference.record is not None:
        yield f"  - {difference.record:>4}  {_told(difference.expected_record)}"
        yield f"  + {difference.record:>4}  {_told(difference.actual_record)}"
    yield f"    expected {_value(difference.expected)}"
    yield f"    actual   {_value(difference.actual)}"


def _place(difference: Difference) -> str:
    if difference.record is None:
        return "final state" if difference.lane == FINAL else "what is expected"
    if not difference.lane:
        return f"record {difference.record}"
    numbers = (difference.expected_number, difference.actual_number)
    golden, played = ("none" if number is None else str(number) for number in numbers)
    return (
        f"record {difference.record} of lane {difference.lane}"
        f" (record {golden} of the expected trace, {played} of the played one)"
    )


def _told(record: Any) -> str:
    return "(the lane has ended)" if record is ABSENT else sentence(record)


def _value(value: Any) -> str:
    return "nothing" if value is ABSENT else short_json(value, 400)
