# SPDX-License-Identifier: Apache-2.0
"""``adkref rules``: the rules, what shows each of them, and how their cases go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from adkref.cli.common import (
    FAILURE,
    SUCCESS,
    conformance_root,
    console,
    print_json,
)
from adkref.conformance.faults import ScenarioError
from adkref.conformance.mutants.killed import killers
from adkref.conformance.narrate import one_line
from adkref.conformance.outcome import DIFFERENT, EQUAL, FAILED, SKIPPED
from adkref.conformance.rules import coverage as covering
from adkref.conformance.rules import extract, frozen, manifest, registry
from adkref.conformance.rules.registry import Registry, Rule

_STYLES = {
    EQUAL: "green",
    covering.TESTED: "green",
    covering.EXCLUDED: "yellow",
    SKIPPED: "yellow",
    DIFFERENT: "red",
    covering.OPEN: "red",
}


@click.command()
@click.argument("prefix", metavar="[ID|PREFIX]", default="")
@click.option("--coverage", is_flag=True, help="Play the rules' cases and tell how they went.")
@click.option(
    "--check", is_flag=True, help="Hold the registry against chapters, list and manifest."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Worker processes that play at the same time.",
)
def rules(prefix: str, coverage: bool, check: bool, as_json: bool, jobs: int) -> int:
    """Print the rules, one of them or those that begin alike.

    One rule is shown with all that is known of it: its place in ADK-Go, the cases and tests
    that show it, or the reason why none does.  --coverage plays the cases of chapters 01 to 04,
    or those of the named rules; the exit code is 1 if a case differs or if a rule has nothing.
    --check is for the repository, which has the chapters and the tests.
    """
    root = _root()
    known = registry.load(root / "rules")
    asked = _asked(known, prefix, coverage)
    if check:
        return _check(root, known, as_json=as_json)
    ledger = _ledger(root, known)
    if coverage:
        covered = covering.cover(ledger, [rule.id for rule in asked], root, jobs=jobs)
        if as_json:
            print_json(covered.to_json())
        else:
            _print_coverage(console(), known, covered)
        bad = covered.in_state(DIFFERENT, covering.OPEN)
        return FAILURE if bad else SUCCESS
    if as_json:
        print_json({"rules": [_as_json(rule, ledger.entries[rule.id]) for rule in asked]})
    elif len(asked) == 1:
        _print_rule(console(), asked[0], ledger.entries[asked[0].id])
    else:
        for rule in asked:
            _line(console(), f"{rule.id:<10}  {rule.level:<12}  {rule.sentence}")
    return SUCCESS


def _root() -> Path:
    root = conformance_root()
    if root is None or not (root / "rules").is_dir():
        raise ScenarioError(
            "no registry of rules here: there is no conformance/rules from the current "
            "directory upward"
        )
    return root


def _asked(known: Registry, prefix: str, coverage: bool) -> list[Rule]:
    if prefix:
        return known.asked(prefix)
    if coverage:
        return [known[rule] for rule in covering.default_rules(known)]
    return list(known.values())


def _ledger(root: Path, known: Registry) -> manifest.Ledger:
    tests = root.parent / "tests"
    ledger = manifest.join(
        known,
        manifest.load(root / "rules"),
        manifest.cases(root),
        manifest.tests(tests) if tests.is_dir() else {},
    )
    return ledger.with_mutants(killers(root))


# --- one rule ---------------------------------------------------------------------------------


def _as_json(rule: Rule, entry: manifest.Entry) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "cases": list(entry.cases),
        "tests": list(entry.tests),
        "excluded": entry.exclusion
        and {"reason": entry.exclusion.reason, "note": entry.exclusion.note},
        "killed_by": list(entry.killed_by),
        "disputed": entry.dispute
        and {
            "about": entry.dispute.about,
            "since": entry.dispute.since,
            "link": entry.dispute.link,
        },
    }
    return {**rule.to_json(), **{key: value for key, value in shown.items() if value}}


def _print_rule(out: Console, rule: Rule, entry: manifest.Entry) -> None:
    _line(out, f"{rule.id} — {rule.sentence}", "bold")
    for sentence in rule.allows:
        _line(out, f"  {sentence}")
    facts = {
        "level": rule.level,
        "chapter": f"docs/spec/{rule.chapter}.md, {rule.section}",
        "source": "; ".join(rule.source),
        "since": rule.since + (f" ({rule.known})" if rule.known else ""),
        "changed by": ", ".join(rule.changed_by),
        "cases": ", ".join(entry.cases),
        "tests": ", ".join(entry.tests),
        "killed by": ", ".join(entry.killed_by),
    }
    if entry.dispute is not None:
        of = entry.dispute
        facts["disputed"] = f"since {of.since}: {of.about} ({of.link})"
    if entry.exclusion is not None:
        facts["shown by"] = f"nothing ({entry.exclusion.reason}): {entry.exclusion.note}"
    for name, words in facts.items():
        if words:
            _line(out, f"  {name + ':':<12}{words}")


# --- coverage ---------------------------------------------------------------------------------


def _print_coverage(out: Console, known: Registry, covered: covering.Coverage) -> None:
    for line in covered.lines:
        _line(out, f"{line.rule:<10}  {_words(line)}", _STYLES[line.state])
    out.print(_table(covered))
    for reason, count in covered.reasons.most_common():
        _line(out, f"excluded as {reason}: {count}", "yellow")
    for line in covered.in_state(DIFFERENT, covering.OPEN):
        words = "a case differs" if line.state == DIFFERENT else "nothing shows it"
        _line(out, f"{line.rule}: {words}: {known[line.rule].sentence}", "red")


def _words(line: covering.Line) -> str:
    counts = {
        "equal": line.count(EQUAL),
        "different": line.count(DIFFERENT, FAILED),
        "skipped": line.count(SKIPPED),
    }
    cases = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    words = [f"cases: {cases}"] if cases else []
    if line.entry.tests:
        words.append(f"tests: {len(line.entry.tests)}")
    if line.entry.killed_by:
        words.append(f"killing mutants: {len(line.entry.killed_by)}")
    if line.entry.exclusion is not None:
        words.append(f"excluded: {line.entry.exclusion.reason}")
    return "; ".join(words) or "nothing"


def _table(covered: covering.Coverage) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_footer=True)
    table.add_column("family", "all", no_wrap=True)
    table.add_column("rules", str(len(covered.lines)), justify="right")
    total = covered.total
    for state in covering.STATES:
        style = _STYLES[state] if total[state] else "dim"
        table.add_column(state, str(total[state]), justify="right", style=style)
    for name, tally in covered.families.items():
        table.add_row(name, str(tally.total()), *(str(tally[each]) for each in covering.STATES))
    return table


# --- the check --------------------------------------------------------------------------------


def _check(root: Path, known: Registry, *, as_json: bool) -> int:
    pages = root.parent / "docs" / "spec"
    if not extract.chapters(pages):
        raise ScenarioError("holds no chapter", file=str(pages))
    folder = root / "rules"
    problems = [
        *registry.differences(known, extract.read(pages), registry.ids(folder)),
        *frozen.problems(known, frozen.load(folder)),
        *_ledger(root, known).problems,
    ]
    if as_json:
        print_json({"rules": len(known), "problems": problems})
    else:
        out = console()
        for problem in problems:
            _line(out, problem, "red")
        _line(out, f"{len(known)} rules, {len(problems)} problems")
    return FAILURE if problems else SUCCESS


def _line(out: Console, text: str, style: str = "") -> None:
    out.print(Text(one_line(text), style), soft_wrap=True)
