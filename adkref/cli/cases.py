# SPDX-License-Identifier: Apache-2.0
"""``adkref list`` and ``adkref dump``: which cases there are, and one of them to read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.text import Text

import adkref.conformance.corpus as corpora
from adkref.cli.common import (
    FAILURE,
    SUCCESS,
    check_writable,
    conformance_root,
    console,
    print_json,
    project_files,
    write_whole,
)
from adkref.cli.named import cases
from adkref.conformance import features, levels, oracle
from adkref.conformance.faults import ScenarioError
from adkref.conformance.narrate import one_line
from adkref.conformance.rules import registry
from adkref.conformance.rules.ids import family
from adkref.conformance.scenario import check


@click.command("list")
@click.argument("named", metavar="[CORPUS]...", nargs=-1)
@click.option("--rule", metavar="ID|PREFIX", help="Only cases that show such a rule.")
@click.option("--level", type=click.Choice(levels.NAMES), help="Only cases of this level.")
@click.option(
    "--feature",
    type=click.Choice(sorted(features.NAMES)),
    metavar="NAME",
    help="Only cases that need this feature.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def list_cases(
    named: tuple[str, ...], rule: str | None, level: str | None, feature: str | None, as_json: bool
) -> int:
    """List cases: id, title, rules, file and line.

    CORPUS is a .jsonl or .jsonl.gz file or a folder; without any, the project's corpora are
    listed.  The exit code is 1 if no case is left.
    """
    wanted = rule.upper() if rule is not None else None
    if wanted is not None:
        _check_rule(wanted)
    files = [Path(each) for each in named] or project_files()
    listed = [case for case in corpora.read_all(files) if _is_meant(case, wanted, level, feature)]
    if as_json:
        root = conformance_root()
        state = oracle.load(root) if root is not None else None
        print_json(
            {
                "oracle": None if state is None else state.to_json(),
                "cases": [_as_json(case) for case in listed],
            }
        )
    else:
        out = console()
        for case in listed:
            title = str(case.scenario.get("title", ""))
            words = [case.id, title, ", ".join(map(str, case.rules)), case.place]
            out.print(Text(one_line("  ".join(filter(None, words)))), soft_wrap=True)
        out.print(Text(f"{len(listed)} {'case' if len(listed) == 1 else 'cases'}", "dim"))
    return SUCCESS if listed else FAILURE


def _check_rule(wanted: str) -> None:
    root = conformance_root()
    if root is None or not (root / "rules").is_dir():
        return
    registry.load(root / "rules").asked(wanted)


def _is_meant(
    case: corpora.Case, rule: str | None, level: str | None, feature: str | None
) -> bool:
    if rule is not None and not any(_matches(str(each), rule) for each in case.rules):
        return False
    if level is not None and levels.level_of(case) != level:
        return False
    return feature is None or feature in _needed(case)


def _matches(rule: str, wanted: str) -> bool:
    """Tell whether *rule* is meant by an id, a family or the beginning of an id."""
    return rule.startswith(wanted) if "-" in wanted else family(rule) == wanted


def _needed(case: corpora.Case) -> set[str]:
    try:
        check(case.scenario)
    except ScenarioError as error:
        raise error.at(case.file, case.line) from error
    return features.needed(case.scenario)


def _as_json(case: corpora.Case) -> dict[str, Any]:
    return {
        "id": case.id,
        "title": str(case.scenario.get("title", "")),
        "level": levels.level_of(case),
        "rules": list(case.rules),
        "file": case.file,
        "line": case.line,
        "traced": case.trace is not None,
    }


@click.command()
@click.argument("case", metavar="CASE")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to FILE instead of standard output.",
)
def dump(case: str, out: Path | None) -> int:
    """Print a case as indented JSON: scenario, trace and final state.

    CASE is the id of a case of the project's corpora, or a file that holds just one.
    """
    if out is not None:
        check_writable(out)
    found = _only(case, cases(case))
    shown: dict[str, Any] = {"scenario": found.scenario}
    for key in ("trace", "expect"):
        if (value := getattr(found, key)) is not None:
            shown[key] = value
    if found.final is not corpora.ABSENT:
        shown["final"] = found.final
    text = json.dumps(shown, indent=1, ensure_ascii=False) + "\n"
    if out is None:
        click.echo(text, nl=False)
    else:
        write_whole(out, text)
    return SUCCESS


def _only(named: str, found: Iterator[corpora.Case]) -> corpora.Case:
    first = next(found)
    if next(found, None) is not None:
        raise ScenarioError("holds several cases", file=named, expected="the id of one case")
    return first
