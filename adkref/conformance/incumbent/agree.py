# SPDX-License-Identifier: Apache-2.0
"""Whether the reference stores what google-adk stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, Final

from adkref.conformance.canonical import ABSENT
from adkref.conformance.diff import first_path
from adkref.conformance.faults import json_path
from adkref.conformance.incumbent.convert import CONFIRMATION
from adkref.conformance.incumbent.reading import Case, Data
from adkref.conformance.incumbent.spelling import camel
from adkref.conformance.incumbent.team import TRANSFER
from adkref.conformance.narrate import short_json

#: Functions of the framework whose arguments and answers are each port's own words.
_OWN_WORDS: Final = (TRANSFER, CONFIRMATION)


def disagreement(case: Case, answer: Mapping[str, Any]) -> str:
    """Return where the stored events part from the recorded ones, or ``""``.

    Ids, times and the words of the framework do not count.  Without a recorded session there is
    nothing to compare.
    """
    if case.events is None:
        return ""
    stored = [
        record["event"]
        for record in answer["trace"]
        if record["at"] == "append"
        and "error" not in record
        and not record["event"].get("partial")
    ]
    recorded = [camel(event) for event in case.events if not event.get("partial")]
    pairs = zip_longest(_plain(recorded), _plain(stored), fillvalue=ABSENT)
    for number, (one, other) in enumerate(pairs, 1):
        if (parted := first_path(one, other)) is not None:
            path, here, there = parted
            return (
                f"event {number}, {json_path(path)}: recorded {_value(here)}, "
                f"the reference has {_value(there)}"
            )
    return ""


def _value(value: Any) -> str:
    return "nothing" if value is ABSENT else short_json(value, 80)


def _plain(events: list[Data]) -> Iterator[Data]:
    for event in events:
        actions = event.get("actions") or {}
        found: Data = {
            "author": event.get("author", ""),
            "parts": [_part(part) for part in (event.get("content") or {}).get("parts") or ()],
            "errorCode": event.get("errorCode"),
        }
        delta = {
            key: value
            for key, value in (actions.get("stateDelta") or {}).items()
            if not key.startswith(("_adk_", "temp:"))
        }
        found["stateDelta"] = delta or None
        for key in ("transferToAgent", "escalate", "skipSummarization"):
            found[key] = actions.get(key)
        yield {key: value for key, value in found.items() if value not in (None, [], "", False)}


def _part(part: Data) -> Data:
    for kind, data in (("functionCall", "args"), ("functionResponse", "response")):
        if kind in part:
            name = part[kind].get("name", "")
            value = part[kind].get(data) or {}
            own = name in _OWN_WORDS or _is_wait(value)
            return {kind: name} if own else {kind: name, data: value}
    return {key: part[key] for key in ("text", "thought") if part.get(key)}


def _is_wait(value: Any) -> bool:
    """Tell whether the framework asks for a confirmation, or was refused one."""
    error = value.get("error") if isinstance(value, dict) else None
    return isinstance(error, str) and ("requires confirmation" in error or "rejected" in error)
