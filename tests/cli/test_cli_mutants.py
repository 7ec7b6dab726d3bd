# SPDX-License-Identifier: Apache-2.0
"""``adkref mutants`` and ``adkref driver --mutant``: what they print and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_cases import scenario, sound

from adkref.conformance.player import play

HEAD = "family: {}\nabout: something\ngolden: []\nmutants:\n"
RECORD = """\
- id: {}
  title: It is wrong.
  rules: [{}]
  module: adkref.agents.base
  find: "{}"
  replace: "{}"
"""


def nameless(identity, **keys):
    """Return a case whose event has no author of its own."""
    agent = {"kind": "custom", "name": "a", "body": [{"yield": {"content": "hi"}}]}
    spec = scenario(identity, agent=agent, **keys)
    answer = play(spec)
    return {"scenario": spec, "trace": answer["trace"], "final": answer["final"]}


@pytest.fixture
def mutants(project):
    """Make a project with two mutants: one that is killed, and one that survives."""
    project("conformance/cases/a.jsonl", sound("plain"), nameless("bare", rules=["XX-001"]))
    folder = Path("conformance/mutants")
    folder.mkdir()
    text = "event.author = ROLE_USER if from_user else name"
    (folder / "01.yaml").write_text(
        HEAD.format("one") + RECORD.format("no-author", "XX-001, XX-002", text, "pass"),
        encoding="utf-8",
    )
    (folder / "02.yaml").write_text(
        HEAD.format("two")
        + RECORD.format("no-change", "XX-002", "name = self.name", "name = str(self.name)"),
        encoding="utf-8",
    )
    return folder


def test_a_kill(mutants, run):
    """A mutant's line has its rule, the killing case and the first difference."""
    code, out, err = run("mutants", "no-author")
    assert (code, err) == (0, "")
    line = 'no-author  XX-001  bare: record 4, $.event.author: "a" became nothing'
    assert out.splitlines()[0] == line
    assert "1 of 1 mutants are killed, in " in out


def test_a_survivor(mutants, run):
    """A survivor is told with its title, and the exit code is 1."""
    code, out, _ = run("mutants")
    assert code == 1
    assert "no-change  XX-002  nothing" in out.splitlines()
    assert "no-change survives: It is wrong." in out.splitlines()
    assert "1 of 2 mutants are killed, in " in out


def test_each_rule(mutants, run):
    """With --rules each rule that a mutant breaks has a line, also where no case kills."""
    code, out, _ = run("mutants", "no-author", "--rules")
    assert code == 0
    assert out.splitlines()[0].startswith("no-author  XX-001  bare: ")
    assert out.splitlines()[1] == "no-author  XX-002  nothing"


def test_all_killing_cases(mutants, run):
    """With --full the killing cases of each rule are counted."""
    code, out, _ = run("mutants", "XX-001", "--full")
    assert code == 0
    assert out.splitlines()[0].startswith("no-author  XX-001     1 cases, bare: ")


def test_json(mutants, run):
    """With --json the matrix is one object, survivors and all."""
    code, out, _ = run("mutants", "--json")
    shown = json.loads(out)
    assert code == shown["exit_code"] == 1
    assert shown["survivors"] == ["no-change"]
    assert [each["id"] for each in shown["mutants"]] == ["no-author", "no-change"]
    assert shown["mutants"][0]["rules"] == {"XX-001": ["bare"], "XX-002": []}


def test_markdown(mutants, run):
    """With --markdown the matrix is written to a file, a row for each mutant and rule."""
    code, _, _ = run("mutants", "--markdown", "matrix.md")
    assert code == 1
    assert Path("matrix.md").read_text(encoding="utf-8").splitlines() == [
        "| mutant | rule | case | difference |",
        "| --- | --- | --- | --- |",
        '| no-author | XX-001 | bare | record 4, $.event.author: "a" became nothing |',
        "| no-change | XX-002 | nothing |  |",
    ]


def test_writing(mutants, run):
    """With --write the rules' mutants are kept; a survivor keeps the file from being written."""
    assert run("mutants", "--write")[0] == 1
    assert not (mutants / "killed.yaml").exists()
    (mutants / "02.yaml").unlink()
    code, out, _ = run("mutants", "--write")
    assert code == 0
    assert "1 rules have a mutant that a case of theirs kills" in out
    assert "XX-001:\n    no-author: bare\n" in (mutants / "killed.yaml").read_text()


def test_a_rule_that_has_lost_its_mutant(mutants, run):
    """With --rules a rule whose mutant is not killed any more is told, and the exit code is 1."""
    (mutants / "02.yaml").unlink()
    (mutants / "killed.yaml").write_text(
        "floor: 2\nrules: {XX-001: {no-author: bare}, XX-002: {no-author: bare}}\nothers: {}\n"
    )
    code, out, _ = run("mutants", "--rules")
    assert code == 1
    assert "XX-002: no case of it kills no-author any more" in out
    assert "there were 2, and the number may only rise" in out
    assert run("mutants")[0] == 0


def test_what_is_kept_still_holds(mutants, run):
    """With --kept each mutant meets the cases that are kept for it; a survivor ends with 1."""
    code, out, _ = run("mutants", "--kept")
    assert code == 1
    assert "no-change survives: It is wrong." in out.splitlines()
    assert "no-author is not kept; `adkref mutants --write` keeps it" in out.splitlines()
    (mutants / "02.yaml").unlink()
    assert run("mutants", "--write")[0] == 0
    code, out, _ = run("mutants", "--kept")
    assert (code, out.splitlines()[0].partition(":")[0]) == (0, "no-author  XX-001  bare")


def test_writing_some(mutants, run):
    """Only all mutants together can be kept."""
    code, _, err = run("mutants", "no-author", "--write")
    assert code == 2
    assert "--write is for all mutants" in err


def test_a_name_of_nobody(mutants, run):
    """A mutant that is not there is bad input."""
    code, _, err = run("mutants", "no-autor")
    assert code == 2
    assert err == "adkref: there is no mutant 'no-autor'; close to it: no-author\n"


def test_a_snippet_that_is_gone(mutants, run):
    """A record that does not fit the code is told with the file, and nothing is played."""
    (mutants / "02.yaml").write_text(
        HEAD.format("two") + RECORD.format("gone", "XX-002", "no such snippet", ""),
        encoding="utf-8",
    )
    code, out, err = run("mutants")
    assert (code, out) == (1, "")
    assert err.startswith("adkref: mutant gone: ")
    assert "base.py: the snippet is not there" in err


def test_no_mutants_here(project, run):
    """A project without mutants is bad input."""
    project("conformance/cases/a.jsonl", sound("plain"))
    code, _, err = run("mutants")
    assert code == 2
    assert "no mutants here" in err


def test_a_mutant_as_a_driver(mutants, spawn):
    """The driver can be a mutant: it says so, and plays wrong."""
    process = spawn("driver", "--mutant", "no-author", stdin=-1)
    asked = [{"cmd": "hello"}, {"cmd": "run", "scenario": nameless("bare")["scenario"]}]
    out, _ = process.communicate("".join(json.dumps(each) + "\n" for each in asked), timeout=60)
    hello, answer = map(json.loads, out.splitlines())
    assert hello["implementation"] == "adkref, mutant no-author"
    (event,) = [each["event"] for each in answer["trace"] if each["at"] == "yield"]
    assert "author" not in event


def test_a_driver_of_no_mutant(mutants, run):
    """A driver cannot be what is no single mutant."""
    code, _, err = run("driver", "--mutant", "one")
    assert code == 2
    assert err == "adkref: 'one' names no single mutant\n"
