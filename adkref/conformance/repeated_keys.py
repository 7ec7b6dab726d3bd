# SPDX-License-Identifier: Apache-2.0
"""Where a JSON text gives a key of one object twice: which value counts, no reader can know.

The decoder notices the repetition, and knows neither line nor path.  So the text is walked
once more, by its signs alone; by then it is known to be JSON as far as the repetition.
"""

from __future__ import annotations

import json
import re
from typing import Final

from adkref.conformance.faults import JsonPath, ScenarioError

_SIGNS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]')


def repeated_key(text: str) -> ScenarioError:
    """Return the error that names line, object and key of the first repetition in *text*."""
    opened: list[set[str] | None] = []  # the keys of each open object; None for a list
    path: list[str | int] = []
    is_key = False
    for found in _SIGNS.finditer(text):
        sign = found[0]
        if sign in "{[":
            is_key = sign == "{"
            opened.append(set() if is_key else None)
            path.append("" if is_key else 0)
        elif sign in "}]":
            is_key = False
            opened.pop()
            path.pop()
        elif sign == ",":
            step = path[-1]
            is_key = opened[-1] is not None
            if isinstance(step, int):
                path[-1] = step + 1
        elif is_key:
            is_key = False
            keys, key = opened[-1], json.loads(sign)
            assert keys is not None
            if key in keys:
                return _error(path[:-1], key, 1 + text.count("\n", 0, found.start()))
            keys.add(key)
            path[-1] = key
    raise AssertionError("no key is repeated")


def _error(path: list[str | int], key: str, line: int) -> ScenarioError:
    where: JsonPath = tuple(path)
    return ScenarioError(f"has the key {key!r} twice", path=where, line=line)
