# SPDX-License-Identifier: Apache-2.0
"""Kinds of errors: what went wrong, whatever words a port has for it.

ADK-Go's error texts are literal in the rules, and the reference has them.  A port in another
language may say the same in prose of its own, and should then be told what else it does
wrongly.  So an error has a *kind*, a name of this project such as ``agent.duplicate_name``; the
table ``kinds.yaml`` has the texts of each.  Compared by kind, two errors are the same if their
outermost kinds are, and a text without a kind (``boom``, which a scenario raises) is itself.

A port's text gets its kind in one of two ways: its driver puts ``error_kind`` beside ``error``
into the record, or its baseline lists the port's texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

import yaml
from attrs import field, frozen

#: The keys under which an error's text stands, in records and in what tools answer.
KEYS: Final = frozenset(("error", "errorMessage", "error_details", "a2a:error"))
#: The key by which a driver names the kind itself.
KIND: Final = "error_kind"


@frozen
class Pattern:
    """One text of a kind."""

    kind: str
    text: str
    regex: re.Pattern[str] = field(init=False, repr=False, eq=False)
    #: The more letters are literal, the more the text says.
    weight: int = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        pieces = _HOLE.split(self.text)
        # Literal text and holes alternate, text first.
        regex = "".join(
            re.escape(piece) if at % 2 == 0 else _MEANS.get(piece, _ANYTHING)
            for at, piece in enumerate(pieces)
        )
        object.__setattr__(self, "regex", re.compile(regex, re.DOTALL))
        object.__setattr__(self, "weight", sum(map(len, pieces[::2])))


_HOLE: Final = re.compile(r"""("<[^<>"]+>"|<[^<>]+>|%[qTvs])""")
_QUOTED: Final = r'"(?:[^"\\]|\\.)*"'
_ANYTHING: Final = ".*?"
_MEANS: Final = {"%q": _QUOTED}


@frozen
class Kinds:
    """A table of texts by kind."""

    patterns: tuple[Pattern, ...]

    @classmethod
    def of(cls, texts: Mapping[str, Sequence[str]]) -> Kinds:
        """Return the table of these texts."""
        patterns = [Pattern(kind, text) for kind, several in texts.items() for text in several]
        return cls(tuple(sorted(patterns, key=lambda each: -each.weight)))

    def kind_of(self, text: str) -> str:
        """Return the kind of an error with that text, ``""`` if there is none.

        Where several texts fit, the one with the most literal letters decides.
        """
        for pattern in self.patterns:
            if pattern.regex.fullmatch(text):
                return pattern.kind
        return ""


def names() -> tuple[str, ...]:
    """Return all kinds, in the order of the table."""
    return tuple(_table())


def kind_of(text: str) -> str:
    """Return the kind of a literal text of the rules, or ``""``."""
    return _kinds().kind_of(text)


def by_kind(played: Mapping[str, Any], own: Kinds | None = None) -> dict[str, Any]:
    """Return ``{"trace", "final"}`` with kinds in place of the errors' texts.

    *own* are texts that a port has beside the literal ones.
    """
    known: dict[str, str] = {}

    def kind(text: str) -> str:
        if text not in known:
            known[text] = (own.kind_of(text) if own else "") or kind_of(text) or text
        return known[text]

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            named = value.get(KIND)
            return {
                key: named or kind(item) if key in KEYS and isinstance(item, str) else walk(item)
                for key, item in value.items()
                if key != KIND
            }
        if isinstance(value, list):
            return [walk(item) for item in value]
        return value

    return {key: walk(value) for key, value in played.items()}


def without_kinds(played: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``{"trace", "final"}`` without the kinds that a driver named, to compare texts."""
    out = dict(played)
    if any(KIND in record for record in out["trace"]):
        out["trace"] = [
            {key: value for key, value in record.items() if key != KIND} for record in out["trace"]
        ]
    if isinstance(out.get("final"), dict) and KIND in out["final"]:
        out["final"] = {key: value for key, value in out["final"].items() if key != KIND}
    return out


@cache
def _kinds() -> Kinds:
    return Kinds.of(_table())


@cache
def _table() -> dict[str, tuple[str, ...]]:
    source = files(__package__).joinpath("kinds.yaml").read_text(encoding="utf-8")
    return dict(_rows(yaml.safe_load(source)))


def _rows(
    table: Mapping[str, Mapping[str, str | list[str]]],
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for group, kinds in table.items():
        for name, texts in kinds.items():
            yield f"{group}.{name}", (texts,) if isinstance(texts, str) else tuple(texts)
