# SPDX-License-Identifier: Apache-2.0
"""``adkref list``, ``dump``, ``copy`` and ``fill``: what they print and write."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from cli_cases import FINAL, TRACE, scenario, sound, wrong


def test_list(project, run):
    """Cases are listed with title, rules and place, and chosen by rule."""
    first = sound("one", title="a greeting", rules=["RUN-046"])
    project("conformance/cases/a.jsonl", first, sound("two", rules=["PAR-020"]))
    code, out, err = run("list")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "one  a greeting  RUN-046  conformance/cases/a.jsonl:1",
        "two  PAR-020  conformance/cases/a.jsonl:2",
        "2 cases",
    ]
    assert run("list", "--rule", "run-04")[1].splitlines()[-1] == "1 case"
    assert run("list", "--feature", "plugins") == (1, "0 cases\n", "")


def test_list_json(project, run):
    """With --json each case has its level as well."""
    name = project("a.jsonl", sound("two", rules=["PAR-020"]))
    code, out, _ = run("list", name, "--level", "parallel", "--json")
    assert code == 0
    assert json.loads(out)["cases"] == [
        {
            "id": "two",
            "title": "",
            "level": "parallel",
            "rules": ["PAR-020"],
            "file": "a.jsonl",
            "line": 1,
            "traced": True,
        }
    ]


def test_dump(project, run):
    """A case is dumped whole; an unknown id names those that come close."""
    project("conformance/cases/a.jsonl", sound("weather/plain"), sound("b"))
    code, out, _ = run("dump", "weather/plain")
    assert code == 0
    whole = {"scenario": scenario("weather/plain"), "trace": TRACE, "final": FINAL}
    assert json.loads(out) == whole
    assert run("dump", "weather/plain", "--out", "o.json") == (0, "", "")
    assert Path("o.json").read_text(encoding="utf-8") == out
    code, _, err = run("dump", "weather/plane")
    assert (code, err.count("close to it: weather/plain")) == (2, 1)


def test_copy(project, run):
    """A copy has sums that hold, a tarball is the same each time, and nothing is overwritten."""
    project("conformance/cases/a.jsonl", sound("one"))
    assert run("copy", "suite", "--tar", "a.tar.gz")[0] == 0
    assert run("copy", "--tar", "b.tar.gz")[0] == 0
    assert Path("a.tar.gz").read_bytes() == Path("b.tar.gz").read_bytes()
    sums = Path("suite/SHA256SUMS").read_text(encoding="utf-8").splitlines()
    for sum_, name in (line.split("  ") for line in sums):
        assert hashlib.sha256(Path("suite", name).read_bytes()).hexdigest() == sum_
    assert "cases/a.jsonl" in [line.split("  ")[1] for line in sums]
    refused = (2, "", "adkref: suite: is there already; --force replaces it\n")
    assert run("copy", "suite") == refused
    assert run("copy", "suite", "--force")[0] == 0
    Path("mine").mkdir()
    Path("mine/file").touch()
    code, _, err = run("copy", "mine", "--force")
    assert (code, err.count("\n")) == (2, 1)
    assert [each.name for each in Path("mine").iterdir()] == ["file"]


def test_fill(project, run):
    """--check tells of a wrong trace and writes nothing; without it the trace is made."""
    name = project("own/a.jsonl", sound("one"), wrong("two"))
    before = Path(name).read_bytes()
    code, out, _ = run("fill", name, "--check")
    assert code == 1
    assert "own/a.jsonl:2: two: differs from the reference: " in out
    assert Path(name).read_bytes() == before
    assert run("fill", name)[0] == 0
    lines = Path(name).read_bytes().splitlines()
    assert lines[0] == before.splitlines()[0]
    assert json.loads(lines[1])["trace"] == TRACE
    assert run("fill", name, "--check")[0] == 0
