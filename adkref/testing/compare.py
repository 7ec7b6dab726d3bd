# SPDX-License-Identifier: Apache-2.0
"""Assertions that say where what happened parts from what a test expects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adkref.conformance.canonical import TOTAL, canonical
from adkref.conformance.diff import first_difference
from adkref.conformance.narrate import sentence
from adkref.conformance.trace import Record, event_json
from adkref.events import Event
from adkref.testing.recorder import RecordedRunner, Recorder

#: What has a trace: a recorder, a runner that has one, or the records themselves.
Traced = Recorder | RecordedRunner | Sequence[Mapping[str, Any]]


def assert_trace(
    actual: Traced,
    expected: Sequence[Mapping[str, Any]],
    *,
    only: str | Iterable[str] = (),
    ordering: str = TOTAL,
) -> None:
    """Raise AssertionError unless the trace has the *expected* records, in canonical form.

    *only* names the kinds of records that are compared, and hooks by their names:
    ``only=("before_tool", "append")``.  With ``ordering="lanes"`` the order of what runs beside
    each other does not count.  The error tells where the two part, and both records there.
    """
    __tracebackhide__ = True
    kinds = (only,) if isinstance(only, str) else tuple(only)
    played = [record for record in _records(actual) if _is_of(record, kinds)]
    _compare(played, [dict(record) for record in expected], ordering, "trace")


def assert_events(
    actual: RecordedRunner | Iterable[Event], expected: Sequence[Mapping[str, Any]]
) -> None:
    """Raise AssertionError unless the events have the *expected* JSON.

    An event's id, time and invocation do not count, nor does a field that is empty.  Of a
    recorded runner the stored events are compared.
    """
    __tracebackhide__ = True
    events = actual.events if isinstance(actual, RecordedRunner) else actual
    _compare(
        [{"at": "event", "event": _plain(event_json(event))} for event in events],
        [{"at": "event", "event": _plain(dict(event))} for event in expected],
        TOTAL,
        "event",
    )


def _records(actual: Traced) -> list[Record]:
    if isinstance(actual, RecordedRunner):
        actual = actual.trace
    if isinstance(actual, Recorder):
        return actual.records
    return [dict(record) for record in actual]


def _is_of(record: Record, kinds: tuple[str, ...]) -> bool:
    return not kinds or record["at"] in kinds or record.get("hook") in kinds


def _plain(event: Record) -> Record:
    return {key: value for key, value in event.items() if key != "invocationId"}


def _compare(played: list[Record], expected: list[Record], ordering: str, what: str) -> None:
    __tracebackhide__ = True
    sides = (canonical({"trace": trace}, ordering) for trace in (expected, played))
    difference = first_difference(*sides)
    if difference is None:
        return
    lines = [f"another {what} than expected: {difference.to_text()}"]
    if what == "trace" and isinstance(difference.actual_record, dict):
        # Of an event the difference shows everything, of a record only what it comes down to.
        lines.append(f"    that record: {json.dumps(difference.actual_record)}")
    lines.append("what happened:")
    lines += [f"    {number:>4}  {sentence(record)}" for number, record in enumerate(played, 1)]
    raise AssertionError("\n".join(lines))
