# SPDX-License-Identifier: Apache-2.0
"""What the subcommands share: exit codes, consoles, the project's corpora, look-ups."""

from __future__ import annotations

import difflib
import errno
import io
import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NoReturn

import click
from rich.console import Console

import adkref.conformance.corpus as corpora
from adkref.conformance.faults import ScenarioError

SUCCESS: Final = 0
FAILURE: Final = 1
BAD_INPUT: Final = 2
#: As a shell tells of a process that an interrupt, or a pipe without a reader, has ended.
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141

#: The folders of ``conformance/`` that hold the project's corpora, in the order of play.
FOLDERS: Final = ("cases", "golden", "untraced")

#: Where no terminal says how wide it is.
_WIDTH: Final = 120


class _Console(Console):
    """A console that leaves it to the command to end when its reader has gone."""

    def on_broken_pipe(self) -> NoReturn:
        """Say so; rich itself would exit with the code for differences."""
        raise BrokenPipeError


def console(*, stderr: bool = False) -> Console:
    """Return a console: coloured on a terminal, plain text elsewhere."""
    out = _Console(stderr=stderr, highlight=False, emoji=False)
    if not out.is_terminal:
        out.width = _WIDTH
    return out


def escape_what_cannot_be_printed() -> None:
    """Print a character that the terminal's encoding lacks as an escape, never fail over it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def print_json(value: Any) -> None:
    """Print *value* as one line of JSON."""
    click.echo(json.dumps(value, ensure_ascii=False))


def check_writable(file: Path) -> None:
    """Refuse a *file* that :func:`write_whole` could not write, before the work and its hours.

    Nothing is left behind, not even a folder.
    """
    try:
        if file.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if file.exists() and not file.is_file():
            if not os.access(file, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return
        # A new file takes the old one's place, so it is the folder that must be writable.
        folder = file.resolve().parent
        while not folder.exists():
            folder = folder.parent
        with tempfile.NamedTemporaryFile(prefix=f".{file.name}.", dir=folder):
            pass
    except OSError as error:
        raise ScenarioError(error.strerror or str(error), file=str(file)) from error


def write_whole(file: Path, text: str) -> None:
    """Write *text* to *file*, all of it or nothing; missing folders are made.

    A character that UTF-8 lacks, a lone surrogate, is written as an escape.
    """
    data = text.encode("utf-8", "backslashreplace")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists() and not file.is_file():  # a device or a pipe cannot be replaced
            file.write_bytes(data)
            return
        _replace(file.resolve(), data)
    except OSError as error:
        raise ScenarioError(error.strerror or str(error), file=str(file)) from error


def _replace(file: Path, data: bytes) -> None:
    """Put a finished file in the place of *file*, with the rights that it has or would get."""
    if file.exists():
        mode = stat.S_IMODE(file.stat().st_mode)
    else:
        os.umask(mask := os.umask(0))
        mode = 0o666 & ~mask
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        Path(name).chmod(mode)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink()
        raise


def conformance_root() -> Path | None:
    """Return the project's ``conformance`` folder.

    It is looked for from the current directory upward, then beside the package.
    """
    here = _here()
    above = (here, *here.parents) if here is not None else ()
    package = Path(__file__).resolve().parents[2]
    for place in (*above, package):
        root = place / "conformance"
        if any((root / folder).is_dir() for folder in FOLDERS[:2]):
            return root
    return None


def project_files() -> list[Path]:
    """Return the files of the project's corpora, with names as short as they can be."""
    root = conformance_root()
    if root is None:
        raise ScenarioError(
            "no corpora here: there is no conformance folder with cases or golden traces "
            "from the current directory upward; name a file or folder"
        )
    folders = [root / folder for folder in FOLDERS if (root / folder).is_dir()]
    return [shown(file) for folder in folders for file in corpora.find(folder)]


def shown(path: Path) -> Path:
    """Return *path* relative to the current directory if it is below."""
    here = _here()
    return path.relative_to(here) if here is not None and path.is_relative_to(here) else path


def _here() -> Path | None:
    """Return the current directory, or None if somebody has removed it."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def case_by_id(identity: str) -> corpora.Case:
    """Return the case of the project's corpora with that id.

    An unknown one is a :class:`ScenarioError` that names the ids that come close.
    """
    known: list[str] = []
    for case in _cases(identity):
        if case.id == identity:
            return case
        known.append(case.id)
    close = difflib.get_close_matches(identity, known, n=3)
    hint = f"; close to it: {', '.join(close)}" if close else ""
    raise ScenarioError(
        f"no such file, and no case with the id {identity!r} in the project's corpora{hint}"
    )


def _cases(identity: str) -> Iterator[corpora.Case]:
    """Yield the project's cases, those first that are likely to have the id."""

    def unlikely(file: Path) -> bool:
        # Generated cases are named after their file: golden/flow.jsonl.gz has flow-00012.
        return not identity.startswith(file.name.partition(".")[0])

    files = sorted(project_files(), key=unlikely)
    return corpora.read_all(files)
