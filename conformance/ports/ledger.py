# SPDX-License-Identifier: Apache-2.0
"""Bring the measured part of findings.yaml up to date by playing every finding's probe.

    python conformance/ports/ledger.py [--explained PORT=FILE …]

A finding is a kind of divergence.  Its probe is played on each port under the assumptions of the
port's baseline, without those that take this very kind out of the way: what differs then is the
finding, and its first difference is the evidence.  FILE is what ``measure.py --explain`` wrote;
from it come the number of cases of the corpora that show the kind, and the smallest of them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import yaml
from measure import HERE, Judge, Port, command_of

from adkref.conformance import corpus

PORTS = ("adk-python", "adk-js", "adk-java")
FINDINGS = HERE / "findings.yaml"
#: So much of a record is shown.
_LENGTH = 400

Finding = dict[str, Any]


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--explained", action="append", default=[], metavar="PORT=FILE")
    options = parser.parse_args()
    text = FINDINGS.read_text(encoding="utf-8")
    head = text[: text.index("findings:")]
    findings: list[Finding] = yaml.safe_load(text)["findings"]
    cases = probes({finding["probe"] for finding in findings})
    explained = [option.split("=", 1) for option in options.explained]
    for name in PORTS:
        port = Port(command_of(name))
        names = yaml.safe_load((HERE / name / "baseline.yaml").read_text())["assumptions"]
        lines = [
            json.loads(line)
            for of, file in explained
            if of == name
            for line in Path(file).read_text(encoding="utf-8").splitlines()
        ]
        for finding in findings:
            seen = finding.setdefault("seen", {})
            before = seen.get(name, {})
            left = [each for each in names if each not in finding["assumptions"]]
            verdict = Judge(cases[finding["probe"]], port).verdict(left)
            seen[name] = evidence(verdict)
            if lines:
                seen[name] |= counted(finding, lines)
            else:
                seen[name] |= {key: before[key] for key in ("cases", "smallest") if key in before}
        port.close()
    body = yaml.safe_dump({"findings": findings}, sort_keys=False, allow_unicode=True, width=99)
    FINDINGS.write_text(head + body, encoding="utf-8")


def probes(ids: set[str]) -> dict[str, corpus.Case]:
    """Return the cases of these ids, from the probes and the hand-written corpora."""
    return {
        case.id: case
        for case in corpus.read_all([HERE / "probes", HERE.parent / "cases"])
        if case.id in ids
    }


def evidence(verdict: dict[str, Any]) -> dict[str, Any]:
    """Return whether a port differs, and by which record."""
    if verdict["outcome"] == "equal":
        return {"differs": False}
    if verdict["outcome"] != "different":
        return {"differs": True, "because": f"{verdict['outcome']}: {verdict['reason']}"[:_LENGTH]}
    difference = verdict["difference"]
    return {
        "differs": True,
        "at": difference["path"],
        "expected": shown(difference, "expected"),
        "actual": shown(difference, "actual"),
    }


def shown(difference: dict[str, Any], side: str) -> str:
    """Return a side's record as short JSON."""
    if f"{side}_record" not in difference:
        return "nothing"
    text = json.dumps(difference[f"{side}_record"], ensure_ascii=False)
    return text if len(text) <= _LENGTH else text[: _LENGTH - 1] + "…"


def counted(finding: Finding, lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Return how many cases need an assumption of the finding, and the plainest of them."""
    found = [
        (len(line["needed"]), line["size"], line["id"])
        for line in lines
        if set(line.get("needed", ())) & set(finding["assumptions"])
    ]
    return {"cases": len(found), "smallest": min(found)[2]} if found else {}


if __name__ == "__main__":
    main()
