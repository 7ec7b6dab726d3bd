# SPDX-License-Identifier: Apache-2.0
"""What holds under every schedule, checked on finished traces."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Final

from adkref.conformance.schedules.explore import Invariant
from adkref.conformance.trace import Record


def _event_of(record: Record) -> str:
    return json.dumps(record.get("event"), sort_keys=True)


def stored_before_yielded(trace: list[Record]) -> Iterator[str]:
    """A whole event reaches the consumer after it was stored, once per storing (RUN-066)."""
    stored: Counter[str] = Counter()
    for number, record in enumerate(trace, 1):
        event = record.get("event") or {}
        if "error" in record or event.get("partial"):
            continue
        if record["at"] == "append":
            stored[_event_of(record)] += 1
        elif record["at"] == "yield":
            if not stored[_event_of(record)]:
                yield f"record {number}: yielded, but not stored before"
            stored[_event_of(record)] -= 1


def nothing_after_stop(trace: list[Record]) -> Iterator[str]:
    """After the consumer stopped, a turn yields and stores nothing more (RUN-081)."""
    stopped = False
    for number, record in enumerate(trace, 1):
        if record["at"] in ("turn", "stop"):
            stopped = record["at"] == "stop"
        elif stopped and record["at"] in ("append", "yield"):
            yield f"record {number}: {record['at']} after the stop"


def acknowledged_before_resumed(trace: list[Record]) -> Iterator[str]:
    """A body goes on only after as many of its items were yielded (PAR-023, NODE-061)."""
    taken = 0
    resumed = 0
    for number, record in enumerate(trace, 1):
        if record["at"] == "yield":
            taken += 1
        elif record["at"] == "body" and record.get("step") == "resumed":
            resumed += 1
            if resumed > taken:
                yield f"record {number}: resumed before its item was yielded"


INVARIANTS: Final[tuple[Invariant, ...]] = (
    stored_before_yielded,
    nothing_after_stop,
    acknowledged_before_resumed,
)
