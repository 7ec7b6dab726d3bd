# SPDX-License-Identifier: Apache-2.0
"""``adkref fill``: the traces of a corpus of our own, made or checked."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from adkref.cli.common import FAILURE, SUCCESS, check_writable, console, write_whole
from adkref.cli.named import played
from adkref.conformance.fill import FILLED, KEPT, SKIPPED, UNMET, refuse_printed
from adkref.conformance.fill import fill as fill_file
from adkref.conformance.narrate import one_line

_STYLES = {KEPT: "green", FILLED: "yellow", SKIPPED: "yellow", UNMET: "red"}


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a trace differs.")
def fill(file: Path, check: bool) -> int:
    """Give each case of FILE, a .jsonl corpus, the trace that the reference plays.

    A case that is equal already stays as it is, and so does one that is skipped or asks for
    something in place of a trace.  The folders whose traces ADK-Go printed are refused.  The
    file is written as a whole or not at all.
    """
    refuse_printed(file)
    if not check:
        check_writable(file)
    out = console()
    rows = []
    for row in fill_file(file, played):
        rows.append(row)
        detail = f": {row.detail}" if row.detail else ""
        outcome = "differs from the reference" if check and row.outcome == FILLED else row.outcome
        text = f"{file}:{row.line}: {row.id}: {outcome}{detail}"
        out.print(Text(one_line(text), _STYLES[row.outcome]), soft_wrap=True)
    counts = [f"{sum(row.outcome == kind for row in rows)} {kind}" for kind in _STYLES]
    out.print(Text(f"{len(rows)} cases: {', '.join(counts)}"), soft_wrap=True)
    changed = any(row.outcome == FILLED for row in rows)
    if changed and not check:
        write_whole(file, "".join(f"{row.text}\n" for row in rows))
    unmet = any(row.outcome == UNMET for row in rows)
    return FAILURE if unmet or (check and changed) else SUCCESS
