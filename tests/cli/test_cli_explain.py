# SPDX-License-Identifier: Apache-2.0
"""``adkref explain``: what it prints and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_cases import TRACE, scenario, skipped, sound, wrong

TOLD = """\
one
    1        turn 1 begins
    2  user  stored user: "hello"
    3  a     body starts
    4  a     stored a: "hi"
    5  a     consumer takes a: "hi"
    6  a     body goes on: its yield was taken
    7  a     body ends
    8        stream ends
       final: 2 events, state {}
"""


def without_notes(out):
    """Return what was printed without the lines below the steps."""
    return "".join(f"{line}\n" for line in out.splitlines() if line and line[:10].strip())


def test_a_scenario_file_needs_no_golden_trace(project, run):
    """A teacher edits a file and sees its steps, each with its rules."""
    Path("one.json").write_text(json.dumps(scenario("one")), encoding="utf-8")
    code, out, err = run("explain", "one.json")
    assert (code, err) == (0, "")
    assert without_notes(out) == TOLD


def test_a_difference_is_said_first(project, run):
    """A run that differs from the golden trace says so before anything else."""
    project("c.jsonl", wrong("one"))
    code, out, err = run("explain", "c.jsonl")
    assert (code, err) == (1, "")
    first = out.splitlines()[0]
    assert first.startswith("c.jsonl:1: this run differs from what is known at ")
    assert out.index("What follows is the run of the reference.") < out.index("\none\n")


def test_an_early_exit(run):
    """What a callback answered, who was not asked and what was skipped stand at its step."""
    code, out, err = run("explain", "weather/exit-before-tool")
    assert (code, err) == (0, "")
    assert (
        'answers {"temperature": 25}: it is the result; the tool is skipped; '
        "not asked any more: plugin:policy\n" in out
    )


def test_mermaid(project, run):
    """With --mermaid the diagram comes alone."""
    project("c.jsonl", sound("one"))
    code, out, err = run("explain", "c.jsonl", "--mermaid")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "sequenceDiagram",
        "    participant p0 as user",
        "    participant p1 as runner",
        "    participant p2 as a",
        "    participant p3 as session",
        "    p0->>p1: 1 · turn 1 begins",
        "    p1->>p3: 2 · stored user: #34;hello#34;",
        "    p1->>p2: 3 · body starts",
        "    p2->>p1: 4 · yields its event",
        "    p1->>p3: 4 · stored a: #34;hi#34;",
        "    p1-->>p0: 5 · consumer takes a: #34;hi#34;",
        "    p1->>p2: 6 · body goes on: its yield was taken",
        "    Note over p2: 7 · body ends",
        "    p1-->>p0: 8 · stream ends",
    ]


def test_json(project, run):
    """With --json there is one object for each case, with steps and diagram."""
    project("c.jsonl", sound("one"))
    code, out, err = run("explain", "c.jsonl", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert [step["number"] for step in found["steps"]] == list(range(1, len(TRACE) + 1))
    assert found["steps"][2] == {
        "number": 3,
        "lane": "a",
        "words": "body starts",
        "rules": ["AGT-044"],
    }
    assert (found["differs"], found["place"]) == (None, "c.jsonl:1")
    assert found["mermaid"].startswith("sequenceDiagram\n")


def test_markdown(project, run):
    """--markdown writes a page with diagram and steps, and prints nothing."""
    project("c.jsonl", sound("one"))
    assert run("explain", "c.jsonl", "--markdown", "out/page.md") == (0, "", "")
    page = Path("out/page.md").read_text(encoding="utf-8")
    assert page.startswith("# one\n\n```mermaid\nsequenceDiagram\n")
    assert "\n3. **a** body starts\n   - rules: AGT-044\n" in page


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (("nope",), 2, "adkref: no such file, and no case with the id 'nope'"),
        (("c.jsonl", "--json", "--mermaid"), 2, "adkref: --mermaid and --json exclude each other"),
        (("c.jsonl",), 1, "c.jsonl:1: skipped, because it needs compaction"),
        (("s.json",), 2, "adkref: s.json: $.sesion: unknown key 'sesion'"),
    ],
)
def test_bad_input(project, run, arguments, code, problem):
    """What cannot be explained is one line of complaint."""
    project("conformance/cases/a.jsonl", sound("zero"))
    project("c.jsonl", skipped("one"))
    Path("s.json").write_text(json.dumps(scenario("x", sesion={})), encoding="utf-8")
    found, out, err = run("explain", *arguments)
    assert (found, out) == (code, "")
    assert err.startswith(problem)
    assert err.count("\n") == 1
