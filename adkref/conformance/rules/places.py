# SPDX-License-Identifier: Apache-2.0
"""Places in ADK-Go: what a chapter leaves out of a bracket, because it said it before.

``[runOneStep]`` is the function of that name in the file where another bracket puts it, or in
the file of the rule before; ``[run_node.go isLlmAgent]`` is the one file of that name that the
chapters know, or the one beside the file before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_PATH: Final = re.compile(r"\b[a-z0-9_]+(?:/[a-z0-9_]+)+\.go\b")
_NAMED: Final = re.compile(rf"({_PATH.pattern})((?:,? (?:[A-Z][a-z]+\.)?\w+)+)[;\]]")
#: A remark in parentheses may have one of its own.
_SEMICOLON: Final = re.compile(r";(?![^(]*\))")
#: What stands first in a bracket and is a package, or no place at all.
_PACKAGES: Final = frozenset(
    {
        "a2a",
        "compactionctx",
        "llmagent",
        "loopagent",
        "parallelagent",
        "platform",
        "sequentialagent",
        "toolutils",
    }
)
_NO_FUNCTIONS: Final = _PACKAGES | {"all", "derived", "seed", "the"}


class Places:
    """The files and functions that the brackets of all chapters name in full."""

    def __init__(self, text: str) -> None:
        self._files: dict[str, set[str]] = {}
        for path in _PATH.findall(text):
            self._files.setdefault(path.rpartition("/")[2], set()).add(path)
        self._functions: dict[str, set[str]] = {}
        for path, functions in _NAMED.findall(text):
            for function in re.findall(r"\w+", functions):
                self._functions.setdefault(function, set()).add(path)
        for known in (*self._files.values(), *self._functions.values()):
            # Some brackets leave out the first folders.
            known -= {one for one in known for other in known if other.endswith("/" + one)}

    @staticmethod
    def files(text: str) -> list[str]:
        """Return the files that *text* names in full, in order."""
        return _PATH.findall(text)

    def full(self, source: str, before: str) -> Iterator[str]:
        """Yield each place of a bracket with its file in full; *before* is the file before."""
        for place in filter(None, (" ".join(each.split()) for each in _SEMICOLON.split(source))):
            head, _, rest = place.partition(" ")
            if head.endswith(".go") and "/" not in head:
                head = self._file(head, before)
            elif "/" not in head and head not in _NO_FUNCTIONS:
                head, rest = self._home(head.rstrip(","), before), place
            if "/" in head or head in _PACKAGES:
                before = head
            yield f"{head} {rest}".strip()

    def _file(self, name: str, before: str) -> str:
        beside = (before.rpartition("/")[0] or before) + "/" + name
        known = self._files.get(name, set())
        if beside in known or name.endswith("_test.go"):
            return beside
        return min(known) if len(known) == 1 else name

    def _home(self, function: str, before: str) -> str:
        known = self._functions.get(function, set())
        if before in known or len(known) != 1:
            return before
        return min(known)
