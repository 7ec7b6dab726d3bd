# SPDX-License-Identifier: Apache-2.0
"""What an argument CASE|FILE names, its runs under the time limit of a driver, and their lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from rich.text import Text

import adkref.conformance.corpus as corpora
from adkref.cli.common import BAD_INPUT, FAILURE, SUCCESS, case_by_id
from adkref.conformance import workers
from adkref.conformance.driver import LIMIT, PLAY
from adkref.conformance.explain import Explained
from adkref.conformance.narrate import Step
from adkref.conformance.scenario import Scenario, load

Answer = dict[str, Any]
_Told = TypeVar("_Told", Step, Explained)

#: Longer lane names push the words of their line to the right.
_LANE = 24


def cases(named: str) -> Iterator[corpora.Case]:
    """Yield the cases of a corpus or a folder, the one scenario of a file, or the case by id."""
    path = Path(named)
    if path.is_dir() or path.name.endswith(corpora.SUFFIXES):
        yield from corpora.read(path)
    elif path.exists() or path.suffix == ".json":
        scenario = load(path)
        rules = scenario.get("rules")
        yield corpora.Case(
            id=scenario["id"],
            file=named,
            line=1,
            scenario=scenario,
            rules=tuple(rules) if isinstance(rules, list) else (),
        )
    else:
        yield case_by_id(named)


def runs(found: Iterable[corpora.Case]) -> Iterator[tuple[corpora.Case, Answer]]:
    """Play one case after another in a process that can be ended; yield each with the answer.

    A case is taken only when the one before it is answered, and answers are a driver's.
    """
    asked: list[corpora.Case] = []

    def scenarios() -> Iterator[Scenario]:
        for case in found:
            asked.append(case)
            yield case.scenario

    with closing(workers.run(PLAY, scenarios(), limit=LIMIT, ahead=1)) as outcomes:
        for outcome in outcomes:
            case = asked.pop()
            yield case, _answer(outcome, case.scenario)


def _answer(outcome: workers.Answer, scenario: Scenario) -> Answer:
    if not outcome.trouble:
        value: Answer = outcome.value
        return value
    if outcome.trouble == "timeout":
        return {"id": scenario.get("id"), "error": "timeout"}
    return {"id": scenario.get("id"), "panic": outcome.text}


def played(scenario: Scenario) -> Answer:
    """Play one scenario, and return a driver's answer."""
    ((_, answer),) = runs([corpora.Case(id="", file="", line=0, scenario=scenario)])
    return answer


def exit_code(answer: Answer) -> int:
    """Return the exit code of a command that was given such an answer."""
    if "trace" in answer:
        return SUCCESS
    return BAD_INPUT if str(answer.get("error")).startswith("bad scenario: ") else FAILURE


def step_lines(steps: Sequence[_Told]) -> Iterator[tuple[_Told, Text]]:
    """Yield each step with its line: number, lane and what happened."""
    width = min(_LANE, max((len(step.lane) for step in steps), default=0))
    for step in steps:
        words = Text(f"{step.number:>5}  ", "dim")
        words.append(f"{step.lane:<{width}}  ", "bold")
        words.append(step.words, step.style)
        yield step, words
