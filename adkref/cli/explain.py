# SPDX-License-Identifier: Apache-2.0
"""``adkref explain``: a run told to those who learn how it goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from adkref.cli.common import (
    FAILURE,
    SUCCESS,
    check_writable,
    conformance_root,
    console,
    print_json,
    write_whole,
)
from adkref.cli.named import cases, exit_code, runs, step_lines
from adkref.conformance.corpus import ABSENT, Case
from adkref.conformance.diff import Difference
from adkref.conformance.explain import Explanation, notes
from adkref.conformance.explain import explain as explanation_of
from adkref.conformance.judge import difference
from adkref.conformance.narrate import final_words, one_line
from adkref.conformance.rules import registry

_INDENT = " " * 10


@click.command()
@click.argument("case", metavar="CASE|FILE")
@click.option("--mermaid", is_flag=True, help="Print the Mermaid sequence diagram alone.")
@click.option(
    "--markdown",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a page with diagram, steps and rules.",
)
@click.option("--json", "as_json", is_flag=True, help="Print each explanation as one JSON object.")
def explain(case: str, mermaid: bool, markdown: Path | None, as_json: bool) -> int:
    """Play a case and explain it: each step, its rules, what was skipped, who sees what.

    CASE is the id of a case of the project's corpora; FILE is a scenario (.json) or a corpus, of
    which every case is explained.  Where a case has a golden trace and the run differs from it,
    that is said first, and the exit code is 1.
    """
    if mermaid and as_json:
        raise click.UsageError("--mermaid and --json exclude each other; --json has the diagram.")
    if markdown is not None:
        check_writable(markdown)
    out, code, pages = console(), SUCCESS, []
    known = _rules()
    for each, answer in runs(cases(case)):
        if "trace" not in answer:
            code = max(code, _unplayed(each, answer, as_json=as_json))
            continue
        found = _difference(each, answer)
        explained = explanation_of(
            each.scenario, answer["trace"], answer.get("final"), known, each.rules
        )
        code = max(code, SUCCESS if found is None else FAILURE)
        if found is not None and not as_json:
            _print_difference(console(stderr=mermaid), each, found)
        if as_json:
            differs = None if found is None else found.to_json()
            print_json({"place": each.place, "differs": differs, **explained.to_json()})
        elif mermaid:
            click.echo(explained.mermaid, nl=False)
        elif markdown is None:
            _print(out, explained)
        pages.append(_page(explained, each, found))
    if markdown is not None and pages:
        write_whole(markdown, "\n".join(pages))
    return code


def _rules() -> registry.Registry:
    root = conformance_root()
    # Away from the project there are no sentences, and the steps are told all the same.
    if root is None or not (root / "rules").is_dir():
        return registry.Registry(())
    return registry.load(root / "rules")


def _difference(case: Case, answer: dict[str, Any]) -> Difference | None:
    known: dict[str, Any] = {"scenario": case.scenario}
    if case.trace is not None:
        known["trace"] = case.trace
        if case.final is not ABSENT:
            known["final"] = case.final
    elif case.expect is not None:
        known["expect"] = case.expect
    else:
        return None
    return difference(known, answer)


def _unplayed(case: Case, answer: dict[str, Any], *, as_json: bool) -> int:
    """Tell of a case that could not be played, and return the exit code."""
    if as_json:
        print_json({"place": case.place, **answer})
    elif "skip" in answer:
        text = f"skipped, because it needs {answer['skip']}, which is not built yet"
        _line(console(stderr=True), f"{case.place}: {text}", "yellow")
    else:
        text = str(answer.get("error") or f"panic: {answer.get('panic')}")
        _line(console(stderr=True), f"{case.place}: could not be played: {text}", "red")
    return exit_code(answer)


def _print_difference(out: Console, case: Case, found: Difference) -> None:
    _line(out, f"{case.place}: this run differs from what is known at {found.place()}", "red")
    for line in found.lines():
        _line(out, line, "red")
    _line(out, "What follows is the run of the reference.", "red")


def _page(explained: Explanation, case: Case, found: Difference | None) -> str:
    page = explained.markdown()
    if found is None:
        return page
    head, _, rest = page.partition("\n\n")
    where = f"{case.place} at {found.place()}"
    return f"{head}\n\n**This run differs from what is known: {where}.**\n\n{rest}"


def _print(out: Console, explained: Explanation) -> None:
    title = f" — {explained.title}" if explained.title else ""
    _line(out, f"{explained.id}{title}", "bold")
    told: set[str] = set()
    for step, words in step_lines(explained.steps):
        out.print(words, soft_wrap=True)
        for note in notes(step):
            _line(out, f"{_INDENT}{note}", "yellow" if note == step.outcome else "dim")
        for rule in step.rules:
            # The sentence comes once; afterwards the id is enough.
            if rule not in told and rule in explained.sentences:
                _line(out, f"{_INDENT}{rule}: {explained.sentences[rule]}", "dim")
        if again := [rule for rule in step.rules if rule in told]:
            _line(out, f"{_INDENT}again {', '.join(again)}", "dim")
        told.update(step.rules)
    if explained.final is not None:
        _line(out, f"       {final_words(explained.final)}", "dim")
    if explained.unplaced:
        _line(out, f"       the case as a whole shows {', '.join(explained.unplaced)}", "dim")
    out.print()


def _line(out: Console, text: str, style: str = "") -> None:
    out.print(Text(one_line(text), style), soft_wrap=True)
