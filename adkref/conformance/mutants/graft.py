# SPDX-License-Identifier: Apache-2.0
"""Grafting: a module of adkref is loaded with one snippet of its source replaced.

Nothing is copied and nothing is written: the files stay as they are, and so does every other
process.  A graft is as honest as its snippet.  When the code has changed, so that the snippet
is gone or stands there twice, nothing is loaded and the error says which module is meant.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import re
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

from attrs import frozen

from adkref.conformance.faults import HarnessError

PACKAGE: Final = "adkref"

#: The kit must not be changed with what it judges.
_UNTOUCHED: Final = ("adkref.conformance", "adkref.cli", "adkref.teach")


@frozen
class Graft:
    """One snippet of one module, and what stands in its place."""

    module: str
    find: str
    replace: str

    def source(self) -> str:
        """Return the module's source with the replacement.

        A snippet of one line is any part of a line.  A snippet of several is whole lines, given
        without the margin that they have in common.  The lines of the replacement get the
        margin of the place.  Raises HarnessError unless the snippet is there exactly once.
        """
        file = self.file()
        text = file.read_text(encoding="utf-8")
        found = list(self._pattern().finditer(text))
        if len(found) != 1:
            how = "is not there" if not found else f"is there {len(found)} times"
            lines = ", ".join(str(text.count("\n", 0, match.start()) + 1) for match in found)
            where = f"{file}:{lines}" if lines else str(file)
            raise HarnessError(f"{where}: the snippet {how}: {self.find.strip()!r}")
        (match,) = found
        return text[: match.start()] + self._replacement(match) + text[match.end() :]

    def code(self) -> CodeType:
        """Return the changed module, compiled."""
        return compile(self.source(), str(self.file()), "exec", dont_inherit=True)

    def file(self) -> Path:
        """Return the module's file; one of the kit itself is refused with HarnessError."""
        inside = self.module == PACKAGE or self.module.startswith(f"{PACKAGE}.")
        if not inside or f"{self.module}.".startswith(tuple(f"{each}." for each in _UNTOUCHED)):
            raise HarnessError(f"{self.module} is no module that a mutant may change")
        root = importlib.util.find_spec(PACKAGE)
        assert root is not None
        assert root.origin is not None
        stem = Path(root.origin).parent.joinpath(*self.module.split(".")[1:])
        for file in (stem.with_suffix(".py"), stem / "__init__.py"):
            if file.is_file():
                return file
        raise HarnessError(f"there is no module {self.module}")

    def _is_block(self) -> bool:
        return "\n" in self.find.strip("\n")

    def _pattern(self) -> re.Pattern[str]:
        if not self._is_block():
            return re.compile(re.escape(self.find.strip("\n")))
        rows = [
            r"(?P=margin)" + re.escape(row) if row.strip() else ""
            for row in self.find.strip("\n").split("\n")
        ]
        rows[0] = rows[0].replace("(?P=margin)", r"^(?P<margin>[ ]*)")
        return re.compile("\n".join(rows) + "$", re.MULTILINE)

    def _replacement(self, match: re.Match[str]) -> str:
        line = match.string[match.string.rfind("\n", 0, match.start()) + 1 :]
        margin = match["margin"] if self._is_block() else _margin(line)
        rows = self.replace.strip("\n").split("\n")
        whole = [margin + row if row.strip() else row for row in rows]
        return "\n".join(whole if self._is_block() else [rows[0], *whole[1:]])


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def apply(graft: Graft) -> None:
    """Load adkref anew in this process, with *graft* in it.

    What holds names of the old modules keeps them; whoever wants the changed ones imports
    them afterwards.
    """
    sys.meta_path.insert(0, _Finder(graft))
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{PACKAGE}.")]:
        del sys.modules[name]
    importlib.import_module(graft.module)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the one changed module, and leaves all others to Python."""

    def __init__(self, graft: Graft) -> None:
        self._graft = graft
        self._code, self._file = graft.code(), graft.file()

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self._graft.module:
            return None
        loader = _Loader(name, self._file, self._code)
        return importlib.util.spec_from_file_location(name, self._file, loader=loader)


class _Loader(SourceFileLoader):
    """Hands out the changed code; the cache of compiled files is neither read nor written."""

    def __init__(self, name: str, file: Path, code: CodeType) -> None:
        super().__init__(name, str(file))
        self._code = code

    def get_code(self, fullname: str) -> Any:
        return self._code
