# SPDX-License-Identifier: Apache-2.0
"""Write docs/divergences.rst, the ledger of what ADK-Go and its ports do, from what was measured.

    python conformance/ports/divergences.py [--report PORT=FILE …] [--check]

FILE is the report that ``adkref test --report json=FILE`` wrote of a whole run with the port's
baseline, or with none; its figures are kept in ``figures.yaml``.  The page is made of these,
of ``findings.yaml`` and of the rules.  With ``--check`` nothing is written: the exit code is 1 if
the page is not what would be written.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from adkref.conformance import corpus
from adkref.conformance.rules import registry

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
PAGE: Final = ROOT / "docs" / "divergences.rst"
FINDINGS: Final = HERE / "findings.yaml"
FIGURES: Final = HERE / "figures.yaml"

#: The ports in the order of the columns.
PORTS: Final = {"adk-python": "Python", "adk-js": "JavaScript", "adk-java": "Java"}

#: What a port does that does as ADK-Go.
SAME: Final = "as ADK-Go"

_HEAD: Final = """\
# SPDX-License-Identifier: Apache-2.0
# Made by `python conformance/ports/divergences.py --report PORT=FILE`, from the reports of whole
# runs.  `plain` is a run without a baseline: what is equal as it is.
"""

Data = dict[str, Any]


def main() -> int:
    """Keep the figures of the reports that were named, then write or check the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--report", action="append", default=[], metavar="PORT=FILE")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.report:
        keep(options.report)
    text = page()
    if options.check:
        return 0 if PAGE.read_text(encoding="utf-8") == text else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


# --- figures ------------------------------------------------------------------------------


def keep(reports: list[str]) -> None:
    """Put the figures of reports in the place of older ones."""
    kept: Data = load(FIGURES)["ports"] if FIGURES.exists() else {}
    for option in reports:
        name, _, file = option.partition("=")
        if name not in PORTS or not file:
            raise SystemExit(
                f"--report {option}: expected PORT=FILE, PORT one of {', '.join(PORTS)}"
            )
        report = json.loads(Path(file).read_text(encoding="utf-8"))
        found = figures_of(report)
        run = "baseline" if report["options"].get("baseline") else "plain"
        kept.setdefault(name, {})[run] = found
    body = yaml.safe_dump({"ports": kept}, sort_keys=False, width=99)
    FIGURES.write_text(_HEAD + body, encoding="utf-8")


def figures_of(report: Data) -> Data:
    """Return of a whole run's report what the page tells."""
    hello = report["port"]["hello"]
    return {
        "date": report["started"][:10],
        "implementation": hello["implementation"],
        "version": hello["version"],
        "source_hash": hello.get("source_hash", ""),
        "kit": report["kit"],
        "exit_code": report["exit_code"],
        "corpora": {row["file"]: counts(row) for row in report["corpora"]},
        "total": counts(report["total"]),
    }


def counts(row: Data) -> dict[str, int]:
    """Return a row of a report as the ledger has it; what nobody knows of is ``new``."""
    new = ("different", "port_fault", "scenario_fault", "harness_fault")
    return {
        "cases": row["cases"],
        "skipped": row["skipped"],
        "equal": row["equal"],
        "known": row["known"],
        "flaky": row["flaky"],
        "new": sum(row[key] for key in new),
    }


# --- words ------------------------------------------------------------------------------------

#: Code in Markdown: between as many backticks on either side.
_CODE: Final = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_MARKUP: Final = re.compile(r"([\\*|_`])")


def rst(text: str) -> str:
    """Return a text in Markdown as reStructuredText; all that it may have is code."""
    out, end = [], 0
    for code in _CODE.finditer(text):
        out += [_MARKUP.sub(r"\\\1", text[end : code.start()]), f"``{code[2]}``"]
        end = code.end()
    return "".join((*out, _MARKUP.sub(r"\\\1", text[end:])))


def title(text: str) -> str:
    """Return a text as a heading: with a capital, and as text alone."""
    return rst(text[0].upper() + text[1:])


def shortened(text: str, most: int = 220) -> str:
    """Return the beginning of a long sentence; code is not cut."""
    if len(text) <= most:
        return text
    end = text.rfind(" ", 0, most)
    for code in _CODE.finditer(text):
        if code.start() < end < code.end():
            end = code.start()
    return f"{text[:end].rstrip()} …"


# --- the page -----------------------------------------------------------------------------


def load(file: Path) -> Data:
    """Return what a YAML file has."""
    data: Data = yaml.safe_load(file.read_text(encoding="utf-8"))
    return data


def page() -> str:
    """Return the page."""
    rules = registry.load(HERE.parent / "rules")
    findings = load(FINDINGS)["findings"]
    known = {name: known_cases(name) for name in PORTS}
    cases = probes({finding["probe"] for finding in findings})
    environment = Environment(  # noqa: S701 - the page is no HTML
        loader=FileSystemLoader(HERE),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"rst": rst, "title_rst": title, "shortened": shortened}
    figures = load(FIGURES)["ports"]
    text = environment.get_template("divergences.rst.j2").render(
        ports=PORTS,
        figures={name: figures[name] for name in PORTS if name in figures},
        corpora=list(corpora(figures)),
        findings=[
            told(finding, cases[finding["probe"]], known, own_assumptions(findings))
            for finding in findings
        ],
        chapters=list(chapters(rules, findings)),
        same=SAME,
    )
    return text.rstrip("\n") + "\n"


def corpora(figures: Data) -> Iterator[Data]:
    """Yield a row for each golden corpus and one for each other folder."""
    rows: dict[str, dict[str, Counter[str]]] = {}
    for port in PORTS:
        for file, found in figures[port]["baseline"]["corpora"].items():
            folder, _, name = file.removeprefix("conformance/").partition("/")
            row = f"golden/{name.partition('.')[0]}" if folder == "golden" else folder
            rows.setdefault(row, {}).setdefault(port, Counter()).update(found)
    for row, ports in rows.items():
        cases = max(found["cases"] for found in ports.values())
        yield {"name": row, "cases": cases, "ports": [ports[port] for port in PORTS]}


def probes(ids: set[str]) -> dict[str, corpus.Case]:
    """Return the cases of these ids, from the probes and the hand-written corpora."""
    folders = [HERE / "probes", HERE.parent / "cases"]
    return {case.id: case for case in corpus.read_all(folders) if case.id in ids}


def known_cases(port: str) -> Counter[str]:
    """Return for each finding how many entries of a port's baseline name it."""
    entries = load(HERE / port / "baseline.yaml").get("entries") or ()
    return Counter(entry["link"].partition("#")[2] for entry in entries)


def own_assumptions(findings: list[Data]) -> dict[str, set[str]]:
    """Return for each port the assumptions of the kinds by which it differs."""
    return {
        name: {each for it in findings if it[name] != SAME for each in it["assumptions"]}
        for name in PORTS
    }


def told(
    finding: Data, probe: corpus.Case, known: dict[str, Counter[str]], own: dict[str, set[str]]
) -> Data:
    """Return a finding as the page tells it, with the scenario of its probe."""
    smallest = [seen["smallest"] for seen in finding["seen"].values() if "smallest" in seen]
    return {
        **finding,
        "cells": {
            name: cell(finding, name, known[name][finding["id"]], own[name]) for name in PORTS
        },
        "scenario": list(scenario_lines(probe.scenario)),
        "is_reference": probe.file.startswith(str(HERE)),
        "smallest": Counter(smallest).most_common(1)[0][0] if smallest else "",
        "evidence": list(evidence(finding)),
    }


def cell(finding: Data, port: str, known: int, own: set[str]) -> Data:
    """Return what one port does, and in how many cases it shows.

    Where a port does as ADK-Go, the cases are another kind's that shares the assumption.  If
    there is none, something else of the port's hides behind it, and they are told all the same.
    """
    seen = finding["seen"][port]
    is_told = finding[port] != SAME or not own.issuperset(finding["assumptions"])
    return {
        "does": finding[port],
        "cases": seen.get("cases", 0) if is_told else 0,
        "known": known,
        "because": seen.get("because", ""),
    }


def evidence(finding: Data) -> Iterator[Data]:
    """Yield the first differing record of each port, equal ones once."""
    by_record: dict[tuple[str, str, str], list[str]] = {}
    for port, seen in finding["seen"].items():
        if "at" in seen:
            by_record.setdefault((seen["at"], seen["expected"], seen["actual"]), []).append(port)
    for (at, expected, actual), ports in by_record.items():
        yield {"ports": ", ".join(ports), "at": at, "expected": expected, "actual": actual}


def scenario_lines(scenario: Data) -> Iterator[str]:
    """Yield a scenario as JSON with a line for each key."""
    last = list(scenario)[-1]
    yield "{"
    for key, value in scenario.items():
        comma = "" if key == last else ","
        yield f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}{comma}"
    yield "}"


def chapters(rules: Any, findings: list[Data]) -> Iterator[Data]:
    """Yield the chapters with those of their rules that a port breaks, in the rules' order."""
    by_rule: dict[str, list[Data]] = {}
    for finding in findings:
        for rule in finding["rules"]:
            by_rule.setdefault(rule, []).append(finding)
    found: dict[str, list[Data]] = {}
    for rule in rules.values():
        if rule.id in by_rule:
            row = {"id": rule.id, "sentence": rule.sentence, "findings": by_rule[rule.id]}
            found.setdefault(rule.chapter, []).append(row)
    for chapter, rows in found.items():
        number, _, name = chapter.partition("-")
        yield {"title": f"Chapter {int(number)}: {name.replace('-', ' ')}", "rules": rows}


if __name__ == "__main__":
    sys.exit(main())
