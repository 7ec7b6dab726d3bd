# SPDX-License-Identifier: Apache-2.0
"""Sequence diagrams: lanes, and names of every kind."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from adkref.conformance import corpus
from adkref.conformance.explain import explain
from adkref.conformance.explain.sequence import escaped
from adkref.conformance.player import play

CASES = Path(__file__).parents[3] / "conformance/cases"
ODD = ["a;b", "end", 'x "y"', "<b>#1;", "%%{init}%%", "p->>q: r", "名\n前", "a,b", "+-", "\\", " "]
#: Every line of a diagram has one of these shapes.
SHAPES = re.compile(
    r"sequenceDiagram|    participant p\d+ as [^;%<>\"]+(;[^;%<>\"]*)*|    (par|and) .+|    end"
    r"|    (    )?(p\d+(->>|-->>|-x|--x)p\d+|Note over p\d+): \d+ · .+"
)


def diagrams():
    """Return the diagrams of the parallel cases and of an agent with each odd name."""
    found = [_of(case.scenario) for case in corpus.read(CASES / "04-parallel.jsonl")]
    for name in ODD:
        agent = {"kind": "custom", "name": name, "body": [{"yield": {"content": name}}]}
        session = {"app": "app", "user": "u", "id": "s"}
        found.append(
            _of(
                {
                    "format": "adk-scenario/1",
                    "id": name,
                    "session": session,
                    "agent": agent,
                    "turns": [{"user": name}],
                }
            )
        )
    return found


def _of(scenario):
    answer = play(scenario)
    return explain(scenario, answer["trace"], answer.get("final"), {}).mermaid


@pytest.mark.parametrize("name", ["a;b", "#1;", "<b>", "%%", 'q"', "x\ny"])
def test_what_mermaid_reads_otherwise_is_escaped(name):
    """No text ends its line, opens a tag or a comment."""
    assert not re.search(r"[\n<>%\"]|(?<!\d);", escaped(name))


def test_end_is_escaped():
    """The word that ends a block ends none in a text."""
    assert escaped("the end") == "the #101;nd"


def test_every_line_has_a_shape_of_a_diagram():
    """Whatever the names, each line is a participant, an arrow, a note or a block's edge."""
    lines = [line for each in diagrams() for line in each.splitlines()]
    assert [line for line in lines if not SHAPES.fullmatch(line)] == []


def test_lanes_stand_in_a_par_block():
    """Two lanes are drawn side by side, each with its own records in order."""
    cases = {case.id: case for case in corpus.read(CASES / "04-parallel.jsonl")}
    lines = [line.strip() for line in _of(cases["parallel/ack"].scenario).splitlines()]
    assert [line for line in lines if line.startswith(("par ", "and ", "end"))] == [
        "par p.a",
        "and p.b",
        "end",
    ]


def test_rounds_of_a_loop_are_not_drawn_side_by_side():
    """In a loop a lane's second round follows all first ones, so there is no par block."""
    cases = {case.id: case for case in corpus.read(CASES / "04-parallel.jsonl")}
    assert "par " not in _of(cases["parallel/parallel-in-loop"].scenario)


CHECK = """
import {JSDOM} from 'jsdom';
const dom = new JSDOM('<body></body>');
globalThis.window = dom.window; globalThis.document = dom.window.document;
const {default: mermaid} = await import('mermaid');
let text = '';
for await (const chunk of process.stdin) text += chunk;
for (const one of text.split('\\f')) await mermaid.parse(one);
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="Mermaid's own parser comes by npm")
def test_mermaid_reads_every_diagram(tmp_path):
    """Mermaid's own parser takes all of them."""
    npm = ["npm", "install", "--no-audit", "--no-fund", "mermaid@11", "jsdom@26"]
    subprocess.run(npm, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    (tmp_path / "check.mjs").write_text(CHECK, encoding="utf-8")
    node = ["node", "check.mjs"]
    text = "\f".join(diagrams())
    done = subprocess.run(
        node, cwd=tmp_path, input=text, text=True, capture_output=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
