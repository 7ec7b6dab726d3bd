# SPDX-License-Identifier: Apache-2.0
"""``adkref accept``, ``explore`` and ``replay``: legal orders, all of them, one of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import adkref.conformance.corpus as corpora
from adkref.cli import options
from adkref.cli.common import (
    BAD_INPUT,
    FAILURE,
    SUCCESS,
    case_by_id,
    check_writable,
    console,
    print_json,
    write_whole,
)
from adkref.conformance.faults import ScenarioError
from adkref.conformance.narrate import narrate
from adkref.conformance.scenario import load, parse_json
from adkref.conformance.schedules.accept import LIMIT, Accepted, Refused
from adkref.conformance.schedules.accept import accept as accepted
from adkref.conformance.schedules.execution import replay as replayed
from adkref.conformance.schedules.explore import explore as explored
from adkref.conformance.schedules.invariants import INVARIANTS
from adkref.conformance.schedules.rules import rules_of

Observed = dict[str, Any]


def _scenario(named: str) -> tuple[dict[str, Any], corpora.Case | None]:
    path = Path(named)
    if path.is_file() and path.name.endswith(corpora.SUFFIXES):
        wanted = "a file with one scenario, or the id of a case of the project's corpora"
        raise ScenarioError("is a corpus", file=named, expected=wanted)
    if path.exists() or path.suffix == ".json":
        return load(path), None
    case = case_by_id(named)
    return case.scenario, case


def _observed(path: Path) -> Iterator[tuple[str, Observed]]:
    """Yield the traces of a file: an answer, a list of records, or such a line each."""
    numbered = [(number, line) for number, line in corpora.lines(path) if line.strip()]
    if not numbered:
        raise ScenarioError("holds no trace", file=str(path))
    try:
        whole = parse_json(b"".join(line for _, line in corpora.lines(path)))
    except ScenarioError as error:
        # One answer over several lines that is broken, or several answers.
        first, line = numbered[0]
        if len(numbered) == 1 or not _is_json(line):
            raise error.at(str(path), error.line or first) from error
    else:
        yield str(path), _trace_of(whole, str(path))
        return
    for number, line in numbered:
        try:
            value = parse_json(line)
        except ScenarioError as error:
            raise error.at(str(path), number) from error
        place = f"{path}:{number}"
        yield place, _trace_of(value, place)


def _is_json(line: bytes) -> bool:
    try:
        parse_json(line)
    except ScenarioError:
        return False
    return True


def _trace_of(value: Any, place: str) -> Observed:
    if isinstance(value, list):
        value = {"trace": value}
    trace = value.get("trace") if isinstance(value, dict) else None
    if not isinstance(trace, list) or not trace:
        raise ScenarioError(f"{place}: expected a list of records, or an object with a trace")
    for number, record in enumerate(trace):
        if not isinstance(record, dict) or not isinstance(record.get("at"), str):
            raise ScenarioError(f"{place}: $.trace[{number}]: expected a record with 'at'")
    return {"trace": trace, "final": value.get("final")}


@click.command()
@click.argument("scenario", metavar="SCENARIO|ID")
@click.argument("trace", type=click.Path(path_type=Path), required=False)
@options.seconds("--seconds", LIMIT, "Give up a search after this.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON lines.")
def accept(scenario: str, trace: Path | None, seconds: float, as_json: bool) -> int:
    """Tell whether observed traces are legal orders of a scenario.

    SCENARIO is a file, or the id of a case in the project's corpora, whose own trace is
    taken when TRACE is left out.  TRACE holds a driver's answer, a list of records, or one
    of these a line (.jsonl, .gz).  A refusal names the first impossible record and what was
    possible in its place.
    """
    spec, case = _scenario(scenario)
    if trace is not None:
        observed: Iterator[tuple[str, Observed]] = _observed(trace)
    elif case is not None and case.trace is not None:
        observed = iter([(case.place, {"trace": case.trace, "final": case.final})])
    else:
        raise ScenarioError(f"{scenario}: name the TRACE to judge")
    out = console()
    refused = 0
    total = 0
    for place, one in observed:
        total += 1
        verdict = accepted(spec, one, seconds=seconds)
        if as_json:
            print_json(_verdict_json(place, verdict))
        elif isinstance(verdict, Refused):
            for line in _explained(place, verdict):
                out.print(line, markup=False, soft_wrap=True)
        elif trace is None or total == 1:
            out.print(f"{place}: accepted", markup=False)
            click.echo("schedule: " + " ".join(map(str, verdict.schedule)))
        refused += isinstance(verdict, Refused)
    if not as_json and total > 1:
        out.print(f"{total - refused} of {total} traces accepted", markup=False)
    return FAILURE if refused else SUCCESS


def _verdict_json(place: str, verdict: Accepted | Refused) -> dict[str, Any]:
    if isinstance(verdict, Accepted):
        schedule = " ".join(map(str, verdict.schedule))
        return {"place": place, "accepted": True, "schedule": schedule, "runs": verdict.runs}
    return {
        "place": place,
        "accepted": False,
        "certain": verdict.certain,
        "record": verdict.at + 1,
        "impossible": verdict.record,
        "rules": rules_of(verdict.record),
        "possible": [{"record": r, "rules": rules_of(r)} for r in verdict.possible],
        "prefix": verdict.prefix,
        "final": verdict.final,
        "runs": verdict.runs,
    }


def _explained(place: str, verdict: Refused) -> Iterator[str]:
    if not verdict.certain:
        yield f"{place}: undecided: the search met its limit at record {verdict.at + 1}"
        return
    if verdict.final is not None:
        yield f"{place}: refused: the order is legal, but the final state is not"
        yield f"  possible: {json.dumps(verdict.final, ensure_ascii=False, sort_keys=True)}"
        return
    if verdict.record is None:
        yield f"{place}: refused: the trace ends too soon, after {verdict.at} records"
    else:
        yield f"{place}: refused: record {verdict.at + 1} is impossible here"
        yield f"  impossible: {_line(verdict.record)}"
    for record in verdict.possible:
        yield f"  possible:   {_line(record)}"
    yield f"  the first {len(verdict.prefix)} records show it"


def _line(record: dict[str, Any]) -> str:
    text = json.dumps(record, ensure_ascii=False, sort_keys=True)
    return f"[{', '.join(rules_of(record))}] {text}"


@click.command()
@click.argument("scenario", metavar="SCENARIO|ID")
@click.option("--bound", type=click.IntRange(min=0), help="At most so many preemptions.")
@options.seconds("--seconds", 60.0, "Time limit.")
@click.option("--traces", type=click.Path(path_type=Path), help="Write the traces (.jsonl).")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def explore(
    scenario: str, bound: int | None, seconds: float, traces: Path | None, as_json: bool
) -> int:
    """Enumerate the schedules of a scenario and count its distinct traces.

    Depth first; a preemption leaves a worker that could go on.  Every finished run is
    checked against the invariants; a violation is printed with the schedule that shows it.
    """
    spec, _ = _scenario(scenario)
    if traces is not None:
        check_writable(traces)
    found = explored(spec, bound=bound, seconds=seconds, invariants=INVARIANTS)
    figures = {
        "distinct": found.distinct(),
        "moments": len(found.nodes),
        "runs": found.runs,
        "seconds": round(found.seconds, 2),
        "complete": found.complete,
        "bound": bound,
        "violations": len(found.violations),
    }
    if traces is not None:
        lines = [json.dumps({"trace": trace}) + "\n" for trace in found.traces()]
        write_whole(traces, "".join(lines))
    out = console()
    if as_json:
        print_json(figures)
    else:
        out.print(
            f"{figures['distinct']} distinct traces; {figures['moments']} moments, "
            f"{figures['runs']} runs, {figures['seconds']} s"
            + ("" if found.complete else " (the time was up: there are more)"),
            markup=False,
        )
    for violation in found.violations:
        out.print(f"violated: {violation.what}", markup=False)
        click.echo(f"  schedule: {violation.schedule}")
    if found.violations:
        return FAILURE
    return SUCCESS if found.complete else BAD_INPUT


@click.command()
@click.argument("scenario", metavar="SCENARIO|ID")
@click.argument("schedule", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print answer and schedule as JSON.")
def replay(scenario: str, schedule: tuple[str, ...], as_json: bool) -> int:
    """Play a scenario by a schedule, then by the settled order to the end.

    SCHEDULE is what accept and explore print: moves like `main>` (run), `a.` (emit), `main<a`
    (take), `a+` and `a-` (take or leave a liberty), `a!` (release).
    """
    spec, _ = _scenario(scenario)
    run = replayed(spec, " ".join(schedule))
    text = " ".join(map(str, run.schedule))
    if as_json:
        print_json({**run.answer, "schedule": text})
        return SUCCESS
    out = console()
    for step in narrate(run.answer["trace"]):
        out.print(f"{step.number:4} {step.lane:24} {step.words}", markup=False, soft_wrap=True)
    click.echo(f"schedule: {text}")
    return SUCCESS
