# SPDX-License-Identifier: Apache-2.0
"""Rule ids in prose, comments and docstrings.

An id is a family and a number: ``RUN-055``.  Prose names several at once in three ways, and
all are understood: a range (``SES-042 to SES-045``, ``SES-044 to 049``, ``NODE-030..032``,
``SCH-070…075``), an alternative (``CNT-042/046``) and, of course, a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from attrs import frozen

#: One id.  A longer number is none: ``RFC-3339`` is no rule.
RULE: Final = re.compile(r"\b([A-Z]{2,4}|V24)-([0-9]{3})(?![0-9])")

_ONE: Final = RULE.pattern
_JOINED: Final = re.compile(
    rf"{_ONE}(?:\s*(?P<join>to|through|–|\.{{2,3}}|…|/)\s*(?:(?P<family>[A-Z]{{2,4}}|V24)-)?"
    r"(?P<last>[0-9]{3})(?![0-9]))?"
)


@frozen
class Mention:
    """Ids that a text names: one, both of an alternative, or the two ends of a range."""

    ids: tuple[str, ...]
    is_range: bool = False

    def covers(self, rule: str) -> bool:
        """Return whether *rule* is named, or stands between the ends of the range."""
        if not self.is_range:
            return rule in self.ids
        return family(rule) == family(self.ids[0]) and self.ids[0] <= rule <= self.ids[-1]


def family(rule: str) -> str:
    """Return the letters before the number: ``RUN`` of ``RUN-055``."""
    return rule.partition("-")[0]


def mentions(text: str) -> Iterator[Mention]:
    """Yield what *text* names, in its order."""
    for match in _JOINED.finditer(text):
        first = f"{match[1]}-{match[2]}"
        if match["last"] is None:
            yield Mention((first,))
            continue
        last = f"{match['family'] or match[1]}-{match['last']}"
        # "RUN-001 to SES-003" is no range within one family, but two ids.
        is_range = match["join"] != "/" and family(first) == family(last)
        yield Mention((first, last), is_range=is_range)


def named(text: str) -> Iterator[str]:
    """Yield each id that is written out in *text*, the ends of ranges included."""
    for mention in mentions(text):
        yield from mention.ids
