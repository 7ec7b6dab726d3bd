# SPDX-License-Identifier: Apache-2.0
"""``adkref import-adk``: google-adk's own conformance cases as a corpus."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from adkref.cli.common import FAILURE, SUCCESS, console, print_json, write_whole
from adkref.conformance.fuzz.opinion import reference
from adkref.conformance.incumbent.agree import disagreement
from adkref.conformance.incumbent.convert import scenario_of
from adkref.conformance.incumbent.reading import Case, Unsupported, folders, name_of, read
from adkref.conformance.narrate import one_line


@click.command("import-adk")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("adk-cases.jsonl"),
    show_default=True,
    help="The corpus that is written.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what became of each case as JSON.")
def import_adk(folder: Path, out: Path, as_json: bool) -> int:
    """Turn the cases below DIR, as `adk conformance record` leaves them, into a corpus.

    The agents are put together again from what was recorded of their models and tools, and the
    traces are those of the reference.  Each case is told of: whether the reference stores the
    recorded events, or why it cannot be expressed, with the file and the key.  The exit code is
    0 if all were imported, 1 if some could not be, and 2 if there is none.
    """
    lines, left = [], 0
    shown = console()
    for name, found in _cases(folder):
        outcome = _imported(found)
        if "case" in outcome:
            lines.append(json.dumps(outcome.pop("case"), separators=(",", ":")))
        else:
            left += 1
        if as_json:
            print_json({"name": name, **outcome})
        else:
            _tell(shown, name, outcome)
    if lines:
        write_whole(out, "".join(f"{line}\n" for line in lines))
    if not as_json:
        written = f", written to {out}" if lines else ""
        text = f"{len(lines)} of {len(lines) + left} cases imported{written}"
        _line(shown, text, "yellow" if left else "green")
    return FAILURE if left else SUCCESS


def _cases(folder: Path) -> Iterator[tuple[str, Case | Unsupported]]:
    for each in folders(folder):
        for found in read(each):
            yield (found.id if isinstance(found, Case) else name_of(each)), found


def _imported(found: Case | Unsupported) -> dict[str, Any]:
    """Return what became of a case: ``unsupported``, or the ``case`` and how it compares."""
    if isinstance(found, Unsupported):
        return {"unsupported": str(found)}
    try:
        scenario = scenario_of(found)
    except Unsupported as problem:
        return {"unsupported": str(problem)}
    answer = reference(scenario)
    if "trace" not in answer:
        reason = answer.get("error") or answer.get("panic") or f"it needs {answer.get('skip')}"
        return {"unsupported": f"{found.file}: $: the reference does not play it: {reason}"}
    kept = {key: answer[key] for key in ("trace", "final") if key in answer}
    differs = disagreement(found, answer)
    events = None if found.events is None else len(found.events)
    return {"case": {"scenario": scenario, **kept}, "events": events, "differs": differs}


def _tell(out: Console, name: str, outcome: dict[str, Any]) -> None:
    if "unsupported" in outcome:
        _line(out, f"{name}: not imported: {outcome['unsupported']}", "red")
    elif outcome["differs"]:
        _line(out, f"{name}: imported; played otherwise: {outcome['differs']}", "yellow")
    elif outcome["events"] is None:
        _line(out, f"{name}: imported; there is no session to compare with")
    else:
        _line(out, f"{name}: imported, {outcome['events']} events as recorded", "green")


def _line(out: Console, text: str, style: str = "") -> None:
    out.print(Text(one_line(text), style), soft_wrap=True)
