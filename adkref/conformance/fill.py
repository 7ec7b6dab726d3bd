# SPDX-License-Identifier: Apache-2.0
"""Filling a corpus of our own: its traces are those of the reference.

The cases that ADK-Go traced are never filled: they are what the reference is held against.  A
case whose trace is already equal keeps its line, byte for byte; one that asks for something in
place of a trace keeps what it asks for, and is only held against it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from adkref.conformance import oracle
from adkref.conformance.corpus import lines
from adkref.conformance.faults import ScenarioError
from adkref.conformance.judge import check_trace, difference
from adkref.conformance.scenario import check, parse_json

KEPT: Final = "as the reference plays it"
FILLED: Final = "filled"
SKIPPED: Final = "skipped"
UNMET: Final = "asks for what the reference does not do"

#: What a line may hold.
_KEYS: Final = ("scenario", "trace", "final", "expect", "rules")


@frozen
class Filled:
    """What became of one line."""

    id: str
    line: int
    #: One of the constants above.
    outcome: str
    #: The line as it is to be.
    text: str
    #: Where the trace differed, or the feature that a skipped case needs.
    detail: str = ""


def refuse_printed(file: Path) -> None:
    """Raise :class:`ScenarioError` for a file that must not be filled."""
    if folder := oracle.printed(file):
        raise ScenarioError(
            f"the traces below {folder}/ were printed by ADK-Go, and the reference is held "
            "against them; to fill them from the reference would make it its own judge",
            file=str(file),
        )
    if not file.is_file():
        raise ScenarioError("no such file", file=str(file))
    if file.suffix != ".jsonl":
        raise ScenarioError("is no corpus that can be filled", file=str(file), expected=".jsonl")


def fill(file: Path, play: Callable[[dict[str, Any]], dict[str, Any]]) -> Iterator[Filled]:
    """Yield what becomes of each line of *file*; *play* gives a driver's answer.

    A line that is no case, or cannot be played, is a :class:`ScenarioError` with its place.
    """
    refuse_printed(file)
    seen: set[str] = set()
    for number, raw in lines(file):
        if not raw.strip():
            continue
        try:
            case = _case(parse_json(raw))
            if case["scenario"]["id"] in seen:
                raise ScenarioError("the id stands in the file already", path=("scenario", "id"))
            seen.add(case["scenario"]["id"])
            yield _filled(case, number, raw, play(case["scenario"]))
        except ScenarioError as error:
            raise error.at(str(file), number) from error
    if not seen:
        raise ScenarioError("holds no case", file=str(file))


def _case(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("scenario"), dict):
        raise ScenarioError("is no case", path=(), expected="an object with a scenario")
    if unknown := [key for key in value if key not in _KEYS]:
        expected = ", ".join(_KEYS)
        raise ScenarioError(f"unknown key '{unknown[0]}'", path=(unknown[0],), expected=expected)
    if "expect" in value and "trace" in value:
        raise ScenarioError("has both", path=(), expected="either a trace or what to expect")
    for key, kind, word in (("trace", list, "a list"), ("expect", dict, "an object")):
        if key in value and not isinstance(value[key], kind):
            raise ScenarioError(f"{key} is wrong", path=(key,), expected=word)
    check(value["scenario"])
    check_trace(value.get("trace", []))
    return value


def _filled(case: dict[str, Any], line: int, raw: bytes, answer: dict[str, Any]) -> Filled:
    identity, text = case["scenario"]["id"], raw.decode("utf-8").rstrip("\r\n")
    if "skip" in answer:
        return Filled(identity, line, SKIPPED, text, str(answer["skip"]))
    if "trace" not in answer:
        reason = answer.get("error") or f"panic: {answer.get('panic')}"
        raise ScenarioError(f"could not be played: {reason}", path=("scenario",))
    found = difference(case, answer) if "trace" in case or "expect" in case else None
    if found is None and ("trace" in case or "expect" in case):
        return Filled(identity, line, KEPT, text)
    where = found.place() if found is not None else "it has no trace"
    if "expect" in case:
        return Filled(identity, line, UNMET, text, where)
    new = {key: value for key, value in case.items() if key not in ("trace", "final")}
    new["trace"] = answer["trace"]
    if "final" in answer:
        new["final"] = answer["final"]
    return Filled(identity, line, FILLED, json.dumps(new, ensure_ascii=False), where)
