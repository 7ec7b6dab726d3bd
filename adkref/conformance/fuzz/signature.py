# SPDX-License-Identifier: Apache-2.0
"""Signatures: by what one kind of failure is told from another.

Two failures are the same kind if the traces part in the same way, at the same kind of record
and at the same path in it.  Places in lists and keys of the user's own data do not count, as
they only say which of several equal things it was.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any, Final

from attrs import frozen

from adkref.conformance.canonical import ABSENT, Record
from adkref.conformance.diff import FINAL, Difference
from adkref.conformance.trace import USER_DATA

#: How two traces part: another value in a record, another record, one too few or too many,
#: another final state, or an order that the reference cannot have.
VALUE: Final = "value"
INSTEAD: Final = "instead"
MISSING: Final = "missing"
EXTRA: Final = "extra"
STATE: Final = "final"
ORDER: Final = "order"
#: What the port did in place of playing, with the fault's word as the record.
FAULT: Final = "fault"


@frozen
class Signature:
    """The kind of a failure."""

    #: One of the seven above.
    kind: str
    #: The kind of the record, as ``hook before_agent``; of both records where they differ.
    record: str = ""
    #: The path in the record, without the places in lists.
    path: str = ""

    @property
    def name(self) -> str:
        """A short name that is the same on every day, for a file."""
        words = re.sub(r"[^a-z_]+", "-", f"{self.kind} {self.record}".lower()).strip("-")
        digest = sha256(f"{self.kind}\n{self.record}\n{self.path}".encode()).hexdigest()
        return f"{words}-{digest[:6]}"

    def __str__(self) -> str:
        return " ".join(filter(None, (_WORDS[self.kind].format(self.record), self.path)))

    def to_json(self) -> dict[str, str]:
        """Return the signature as plain JSON."""
        return {"kind": self.kind, "record": self.record, "path": self.path}


_WORDS: Final = {
    VALUE: "another value in {}:",
    INSTEAD: "another record: {}",
    MISSING: "a record is missing: {}",
    EXTRA: "a record is too many: {}",
    STATE: "another final state:",
    ORDER: "an order that cannot be: {}",
    FAULT: "the port's fault: {}",
}


def of_difference(difference: Difference) -> Signature:
    """Return the signature of two traces that part."""
    one, other = difference.expected_record, difference.actual_record
    if difference.lane == FINAL:
        return Signature(STATE, path=plain_path(difference.path))
    if one is ABSENT:
        return Signature(EXTRA, kind_of(other))
    if other is ABSENT:
        return Signature(MISSING, kind_of(one))
    if difference.path in ("$.at", "$.hook"):
        return Signature(INSTEAD, f"{kind_of(one)} / {kind_of(other)}")
    return Signature(VALUE, kind_of(one), plain_path(difference.path))


def of_order(record: Record | None) -> Signature:
    """Return the signature of a trace that no schedule gives, though its lanes are right."""
    return Signature(ORDER, kind_of(record) if record is not None else "end")


def of_fault(kind: str, text: str) -> Signature:
    """Return the signature of a port's fault; of a crash its first word counts as well."""
    word = re.match(r"(?:panic: |the process died: )?([A-Za-z_.]+)", text)
    told = kind in ("panic", "crash") and word is not None
    return Signature(FAULT, kind, word[1] if told and word else "")


def kind_of(record: Any) -> str:
    """Return the kind of a record in one or two words."""
    at = str(record.get("at"))
    detail = record.get({"hook": "hook", "body": "step", "artifact": "op"}.get(at, ""))
    return f"{at} {detail}" if detail else at


_PLACE: Final = re.compile(r"\[[0-9]+\]")
_OWN: Final = re.compile(rf"\.(?:{'|'.join(sorted(USER_DATA | {'state', 'value'}))})(?=\W)")


def plain_path(path: str) -> str:
    """Return a JSON path without the places in lists and without what is below user data."""
    path = _PLACE.sub("[]", path)
    if (found := _OWN.search(path)) is not None:
        return path[: found.end()]
    return path
