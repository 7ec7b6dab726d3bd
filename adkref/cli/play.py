# SPDX-License-Identifier: Apache-2.0
"""``adkref play``: scenarios told step by step."""

from __future__ import annotations

import click
from rich.console import Console
from rich.text import Text

import adkref.conformance.corpus as corpora
from adkref.cli.common import SUCCESS, console, print_json
from adkref.cli.named import Answer, cases, exit_code, runs, step_lines
from adkref.conformance.narrate import final_words, narrate, one_line
from adkref.conformance.scenario import Scenario


@click.command()
@click.argument("scenario", metavar="FILE|ID")
@click.option("--json", "as_json", is_flag=True, help="Print the driver's answers as JSON lines.")
def play(scenario: str, as_json: bool) -> int:
    """Play a scenario and print what happens, step by step.

    FILE is a scenario (.json) or a corpus (.jsonl, .jsonl.gz or a folder), of which every
    case is played; ID is a case of the project's corpora.
    """
    out = console()
    code = SUCCESS
    for case, answer in runs(cases(scenario)):
        if as_json:
            print_json(answer)
        else:
            # A file that holds one scenario has no lines to tell apart.
            is_corpus = case.file != scenario or scenario.endswith(corpora.SUFFIXES)
            _print(out, case.place if is_corpus else scenario, case.scenario, answer)
        code = max(code, exit_code(answer))
    return code


def _print(out: Console, place: str, scenario: Scenario, answer: Answer) -> None:
    def line(text: str, style: str = "") -> None:
        # A terminal wraps long lines by itself, and a file should keep them whole.
        out.print(Text(one_line(text), style), soft_wrap=True)

    title = f" — {scenario['title']}" if scenario.get("title") else ""
    line(f"{answer.get('id', '')}{title}", "bold")
    if rules := scenario.get("rules"):
        line(f"rules {', '.join(map(str, rules))}", "dim")
    for _, words in step_lines(list(narrate(answer.get("trace", [])))):
        out.print(words, soft_wrap=True)
    if "final" in answer:
        line(f"       {final_words(answer['final'])}", "dim")
    elif "skip" in answer:
        line(
            f"{place}: skipped, because it needs {answer['skip']}, which is not built yet",
            "yellow",
        )
    elif "panic" in answer:
        line(f"{place}: could not be played: panic: {answer['panic']}", "red")
    elif "error" in answer:
        line(f"{place}: could not be played: {answer['error']}", "red")
    out.print()
