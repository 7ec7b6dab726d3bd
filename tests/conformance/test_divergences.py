# SPDX-License-Identifier: Apache-2.0
"""The ledger of divergences: the page is what the data gives, and the data holds together."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from adkref.conformance.assumptions import ASSUMPTIONS
from adkref.conformance.rules import registry

ROOT = Path(__file__).parents[2]
PORTS = ROOT / "conformance" / "ports"
SCRIPT = PORTS / "divergences.py"


@pytest.fixture(scope="module")
def ledger():
    """Return the script as a module."""
    sys.path.insert(0, str(PORTS))
    try:
        import divergences
    finally:
        sys.path.remove(str(PORTS))
    return divergences


@pytest.fixture(scope="module")
def findings(ledger):
    """Return the findings."""
    return ledger.load(ledger.FINDINGS)["findings"]


def baseline(ledger, port):
    """Return a port's baseline."""
    return ledger.load(PORTS / port / "baseline.yaml")


def test_the_page_is_made_of_what_was_measured(ledger):
    """Whoever changes findings, figures or rules makes the page anew."""
    assert ledger.PAGE.read_text(encoding="utf-8") == ledger.page()


def test_check_tells_by_its_exit_code():
    """Nothing is written."""
    before = (ROOT / "docs" / "divergences.rst").read_bytes()
    done = subprocess.run([sys.executable, str(SCRIPT), "--check"], check=False)
    assert done.returncode == 0
    assert (ROOT / "docs" / "divergences.rst").read_bytes() == before


def test_each_finding_has_rules_that_there_are_and_a_probe(ledger, findings):
    """A finding without a rule is an opinion."""
    rules = registry.load(ROOT / "conformance" / "rules")
    assert [each["id"] for each in findings if not each["rules"]] == []
    assert {rule for each in findings for rule in each["rules"]} <= set(rules)
    assert set(ledger.probes({each["probe"] for each in findings})) == {
        each["probe"] for each in findings
    }
    assert len({each["id"] for each in findings}) == len(findings)


def test_each_assumption_of_a_port_belongs_to_a_finding(ledger, findings):
    """What is taken out of the way is told of on the page."""
    told = {name for each in findings for name in each["assumptions"]}
    assert told <= set(ASSUMPTIONS)
    for port in ledger.PORTS:
        assert set(baseline(ledger, port)["assumptions"]) <= told


def test_a_port_that_is_as_adk_go_needs_no_assumption_for_it(ledger, findings):
    """Where cases do, another kind that the assumption is for as well says what differs."""
    for port in ledger.PORTS:
        told = {
            name for each in findings if each[port] != ledger.SAME for name in each["assumptions"]
        }
        for each in findings:
            if each[port] == ledger.SAME and each["seen"][port].get("cases"):
                assert told & set(each["assumptions"]), (each["id"], port)


def test_each_known_case_of_a_port_names_a_finding(ledger, findings):
    """An entry leads to the kind that explains it."""
    ids = {each["id"] for each in findings}
    for port in ledger.PORTS:
        for entry in baseline(ledger, port).get("entries") or ():
            file, _, identity = entry["link"].partition("#")
            assert (file, identity in ids) == ("conformance/ports/findings.yaml", True)


def test_the_runs_are_whole_and_leave_nothing_unexplained(ledger):
    """The figures are those of runs over all corpora with the shipped baselines."""
    for runs in ledger.load(ledger.FIGURES)["ports"].values():
        total = runs["baseline"]["total"]
        assert (total["new"], runs["baseline"]["exit_code"]) == (0, 0)
        rest = total["equal"] + total["known"] + total["flaky"] + total["skipped"]
        assert total["cases"] == rest > 6000


def report(**options):
    """Return a report of two cases as JSON has it."""
    row = {"cases": 2, "equal": 1, "different": 1, "skipped": 0, "known": 0, "flaky": 0}
    row |= {"port_fault": 0, "scenario_fault": 0, "harness_fault": 0}
    hello = {"implementation": "adk-js", "version": "9", "source_hash": "sha256:0"}
    return {
        "kit": "adkref 0",
        "started": "2026-12-01T00:00:00+00:00",
        "port": {"hello": hello},
        "options": options,
        "corpora": [{"file": "conformance/cases/x.jsonl", **row}],
        "total": row,
        "exit_code": 1,
    }


def test_figures_of_a_report_are_kept(ledger, tmp_path, monkeypatch):
    """A run with a baseline and one without stand beside each other; a new one replaces its like."""
    monkeypatch.setattr(ledger, "FIGURES", tmp_path / "figures.yaml")
    for name, found in {"plain": report(), "known": report(baseline="b.yaml")}.items():
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps(found))
        ledger.keep([f"adk-js={file}"])
    kept = ledger.load(ledger.FIGURES)["ports"]
    counts = {"cases": 2, "skipped": 0, "equal": 1, "known": 0, "flaky": 0, "new": 1}
    assert list(kept) == ["adk-js"]
    assert kept["adk-js"]["plain"] == kept["adk-js"]["baseline"]
    assert kept["adk-js"]["plain"]["total"] == counts
    assert kept["adk-js"]["plain"]["corpora"] == {"conformance/cases/x.jsonl": counts}
    with pytest.raises(SystemExit, match="expected PORT=FILE"):
        ledger.keep(["adk-php=x.json"])


def test_words_are_safe_in_the_page(ledger):
    """Code between backticks stays code, everything else is text; a cut never opens code."""
    assert ledger.rst("`a|b` *is* a_ `") == "``a|b`` \\*is\\* a\\_ \\`"
    assert ledger.rst("``a `b` c`` d") == "``a `b` c`` d"
    assert ledger.title("temp: keys") == "Temp: keys"
    assert ledger.shortened("short") == "short"
    assert ledger.shortened("one `two three` four", 12) == "one …"
