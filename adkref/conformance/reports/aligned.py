# SPDX-License-Identifier: Apache-2.0
"""Two traces side by side: what both have in one row, what only one has beside a gap."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Final

from attrs import define, field

from adkref.conformance.canonical import natural
from adkref.conformance.diff import FINAL, Difference
from adkref.conformance.narrate import sentence
from adkref.conformance.trial.result import Traces

SAME: Final = "same"
CHANGED: Final = "changed"
MISSING: Final = "missing"
EXTRA: Final = "extra"

#: So many records before and after the first difference are shown of a longer lane.
_AROUND: Final = 60


@define
class Row:
    """What stands at one place of both traces."""

    #: One of the four words above.
    kind: str
    expected: str = ""
    actual: str = ""
    #: The numbers of the records in their lane; 0 where there is none.
    left: int = 0
    right: int = 0
    #: The whole records as JSON, where they differ.
    expected_json: str = ""
    actual_json: str = ""
    is_first: bool = False


@define
class Lane:
    """One lane of both traces."""

    name: str
    rows: list[Row] = field(factory=list)

    @property
    def differs(self) -> bool:
        """Whether not all rows are the same."""
        return any(row.kind != SAME for row in self.rows)


def aligned(traces: Traces, difference: Difference) -> list[Lane]:
    """Return the lanes in their order, with the first difference marked."""
    left, right = traces.expected["lanes"], traces.actual["lanes"]
    lanes = []
    for name in sorted({*left, *right}, key=natural):
        rows = list(_rows(left.get(name, []), right.get(name, [])))
        if name == difference.lane:
            _mark(rows, difference)
        lanes.append(Lane(name, _around(rows)))
    ends = [each.get("final", "") for each in (traces.expected, traces.actual)]
    kind = SAME if ends[0] == ends[1] else CHANGED
    texts = [json.dumps(each, ensure_ascii=False, indent=1) for each in ends]
    row = Row(kind, texts[0], texts[1], is_first=difference.lane == FINAL)
    lanes.append(Lane(FINAL, [row]))
    return lanes


def _rows(left: Sequence[Any], right: Sequence[Any]) -> Iterator[Row]:
    one_side, other_side = (
        [json.dumps(each, sort_keys=True) for each in side] for side in (left, right)
    )
    matcher = SequenceMatcher(a=one_side, b=other_side, autojunk=False)
    for tag, one, one_end, other, other_end in matcher.get_opcodes():
        pairs = zip_longest(range(one, one_end), range(other, other_end))
        for here, there in pairs:
            row = Row(SAME if tag == "equal" else CHANGED)
            if here is not None:
                row.left, row.expected = here + 1, sentence(left[here])
            else:
                row.kind = EXTRA
            if there is not None:
                row.right, row.actual = there + 1, sentence(right[there])
            else:
                row.kind = MISSING
            if row.kind != SAME:
                row.expected_json = "" if here is None else _indented(left[here])
                row.actual_json = "" if there is None else _indented(right[there])
            yield row


def _indented(record: Any) -> str:
    return json.dumps(record, ensure_ascii=False, indent=1, sort_keys=True)


def _mark(rows: Sequence[Row], difference: Difference) -> None:
    """Mark the row of the first difference: there the alignment parts as well."""
    for row in rows:
        if row.kind != SAME and difference.record in (row.left, row.right):
            row.is_first = True
            return


def _around(rows: list[Row]) -> list[Row]:
    """Return the rows near the first that differs, all if they are few."""
    if len(rows) <= 2 * _AROUND:
        return rows
    at = next((number for number, row in enumerate(rows) if row.kind != SAME), 0)
    return rows[max(0, at - _AROUND) : at + _AROUND]
