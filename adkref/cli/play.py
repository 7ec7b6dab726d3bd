# SPDX-License-Identifier: Apache-2.0
"""``adkref play``: scenarios told step by step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

import adkref.conformance.corpus as corpora
from adkref.cli.common import BAD_INPUT, FAILURE, SUCCESS, case_by_id, console, print_json
from adkref.conformance import workers
from adkref.conformance.driver import LIMIT, PLAY
from adkref.conformance.narrate import final_words, narrate, one_line
from adkref.conformance.scenario import load

#: Longer lane names push the words of their line to the right.
_LANE = 24

Scenario = dict[str, Any]
Answer = dict[str, Any]


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
    for place, spec, answer in _played(scenario):
        if as_json:
            print_json(answer)
        else:
            _print(out, place, spec, answer)
        code = max(code, _code(answer))
    return code


def _scenarios(named: str) -> Iterator[tuple[str, Scenario]]:
    """Yield the scenarios that the argument names, each with its place."""
    path = Path(named)
    if path.is_dir() or path.name.endswith(corpora.SUFFIXES):
        for case in corpora.read(path):
            yield case.place, case.scenario
    elif path.exists() or path.suffix == ".json":
        yield named, load(path)
    else:
        case = case_by_id(named)
        yield case.place, case.scenario


def _played(named: str) -> Iterator[tuple[str, Scenario, Answer]]:
    """Play one scenario after another under the time limit of a driver."""
    asked: list[tuple[str, Scenario]] = []

    def scenarios() -> Iterator[Scenario]:
        for place, scenario in _scenarios(named):
            asked.append((place, scenario))
            yield scenario

    with closing(workers.run(PLAY, scenarios(), limit=LIMIT, ahead=1)) as answers:
        for answer in answers:
            place, scenario = asked.pop()
            yield place, scenario, _answer(answer, scenario)


def _answer(answer: workers.Answer, scenario: Scenario) -> Answer:
    """Return the answer as a driver gives it."""
    if not answer.trouble:
        value: Answer = answer.value
        return value
    if answer.trouble == "timeout":
        return {"id": scenario.get("id"), "error": "timeout"}
    return {"id": scenario.get("id"), "panic": answer.text}


def _code(answer: Answer) -> int:
    if "trace" in answer:
        return SUCCESS
    return BAD_INPUT if str(answer.get("error")).startswith("bad scenario: ") else FAILURE


def _print(out: Console, place: str, scenario: Scenario, answer: Answer) -> None:
    def line(text: str, style: str = "") -> None:
        # A terminal wraps long lines by itself, and a file should keep them whole.
        out.print(Text(one_line(text), style), soft_wrap=True)

    title = f" — {scenario['title']}" if scenario.get("title") else ""
    line(f"{answer.get('id', '')}{title}", "bold")
    if rules := scenario.get("rules"):
        line(f"rules {', '.join(map(str, rules))}", "dim")
    steps = list(narrate(answer.get("trace", [])))
    width = min(_LANE, max((len(step.lane) for step in steps), default=0))
    for step in steps:
        words = Text(f"{step.number:>5}  ", "dim")
        words.append(f"{step.lane:<{width}}  ", "bold")
        words.append(step.words, step.style)
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
