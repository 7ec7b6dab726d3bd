# SPDX-License-Identifier: Apache-2.0
"""A bar that moves with each case, on a terminal and nowhere else."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from adkref.cli.common import console
from adkref.conformance.narrate import one_line


@contextmanager
def progress(
    files: Sequence[Path], *, is_whole: bool = True
) -> Iterator[Callable[[str, bool], None]]:
    """Yield what is to be called with each case's file and whether the case fails.

    Of a run that is not *whole* the number of cases is not known before.
    """
    out = console(stderr=True)
    if not out.is_terminal:
        yield lambda file, fails: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task("", total=cases_in(files) if is_whole else None)
        failing = 0

        def heard(file: str, fails: bool) -> None:
            nonlocal failing
            failing += fails
            words = Path(file).name + (f", {failing} failing" if failing else "")
            bar.update(task, advance=1, description=escape(one_line(words)))

        yield heard


def cases_in(files: Sequence[Path]) -> int | None:
    """Return how many lines the files have, or None if they cannot be read."""
    total = 0
    try:
        for file in files:
            with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as stream:
                total += sum(1 for line in stream if line.strip())
    except (OSError, EOFError, zlib.error):
        # The reader of the corpus will say what is wrong, and where.
        return None
    return total
