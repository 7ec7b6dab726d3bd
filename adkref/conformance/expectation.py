# SPDX-License-Identifier: Apache-2.0
"""Untraced cases: what is asked of a trace that nobody could record.

Some rules are younger than the state of ADK-Go that printed the traces.  Their
cases say in place of a trace what must hold of any: how many items come, which
errors they carry, which calls a peer gets, where control goes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adkref.conformance.canonical import Record, same
from adkref.conformance.diff import EXPECT, Difference, first_path
from adkref.conformance.faults import ScenarioError, json_path


def first_unmet(expect: dict[str, Any], trace: list[Record]) -> Difference | None:
    """Return the first expectation that *trace* does not meet, or None."""
    for key, expected in expect.items():
        if key not in _SEEN:
            raise ScenarioError(
                f"unknown key '{key}'", path=("expect", key), expected=", ".join(_SEEN)
            )
        actual = _SEEN[key](trace)
        if key == "errors":
            actual = _texts_held(expected, actual)
        if not same(expected, actual):
            path, one, other = first_path(expected, actual) or ((), expected, actual)
            return Difference(
                lane=EXPECT,
                record=None,
                path=json_path((key, *path)),
                expected=one,
                actual=other,
                expected_record=expected,
                actual_record=actual,
            )
    return None


def _yielded(trace: list[Record]) -> list[Record]:
    """Return the events that the consumer was given."""
    return [record["event"] for record in trace if record["at"] == "yield" and "event" in record]


#: What a trace shows of each thing that may be asked for.
_SEEN: dict[str, Callable[[list[Record]], Any]] = {
    "yields": lambda trace: sum(record["at"] == "yield" for record in trace),
    "errors": lambda trace: [event.get("errorMessage") for event in _yielded(trace)],
    "rpc": lambda trace: [record.get("method") for record in trace if record["at"] == "rpc"],
    "transfers": lambda trace: [
        event.get("actions", {}).get("transferToAgent") for event in _yielded(trace)
    ],
}


def _texts_held(expected: Any, actual: list[Any]) -> list[Any]:
    """Replace each message that holds the text it is asked to hold by just that text."""
    wanted = expected if isinstance(expected, list) else []
    held = [
        text if isinstance(text, str) and isinstance(message, str) and text in message else message
        for text, message in zip(wanted, actual, strict=False)
    ]
    return held + actual[len(held) :]
