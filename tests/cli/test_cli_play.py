# SPDX-License-Identifier: Apache-2.0
"""``adkref play``: what it prints and how it ends."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from cli_cases import FINAL, TRACE, endless, scenario, skipped, sound

TOLD = """\
one — a greeting
rules RUN-001
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


def titled(identity):
    """Return a scenario with a title and a rule."""
    return scenario(identity, title="a greeting", rules=["RUN-001"])


def test_file(project, run):
    """A scenario file is told step by step: number, lane, what happened."""
    Path("one.json").write_text(json.dumps(titled("one"), indent=1), encoding="utf-8")
    assert run("play", "one.json") == (0, TOLD, "")


@pytest.mark.parametrize("name", ["conformance/cases/a.jsonl", "conformance/golden/b.jsonl.gz"])
def test_id(project, run, name):
    """An id is looked up in the project's corpora."""
    project(name, sound("zero"), {"scenario": titled("one"), "trace": []}, sound("two"))
    assert run("play", "one") == (0, TOLD, "")


def test_id_from_below(project, run, monkeypatch):
    """The project is found from a folder below it."""
    project("conformance/cases/a.jsonl", {"scenario": titled("one"), "trace": []})
    Path("deep").mkdir()
    monkeypatch.chdir("deep")
    assert run("play", "one") == (0, TOLD, "")


def test_id_without_a_project(run, tmp_path, monkeypatch):
    """Elsewhere the corpora beside the package are looked at."""
    monkeypatch.chdir(tmp_path)
    code, out, err = run("play", "weather/plain")
    assert (code, err) == (0, "")
    assert out.startswith("weather/plain — ")


def test_corpus(project, run):
    """Of a corpus every case is played, in order."""
    project("c.jsonl.gz", {"scenario": titled("one"), "trace": []}, sound("two"))
    code, out, err = run("play", "c.jsonl.gz")
    assert (code, err) == (0, "")
    assert out.startswith(TOLD + "two\n    1        turn 1 begins\n")


def test_json(project, run):
    """With --json each case is the driver's answer on one line."""
    name = project("c.jsonl", sound("one"), skipped("two"))
    code, out, err = run("play", name, "--json")
    assert (code, err) == (1, "")
    assert [json.loads(line) for line in out.splitlines()] == [
        {"id": "one", "trace": TRACE, "final": FINAL},
        {"id": "two", "skip": "compaction"},
    ]


def test_skipped(project, run):
    """What is not built yet is said to be skipped, with the feature's name."""
    name = project("c.jsonl", skipped("two"))
    assert run("play", name) == (
        1,
        "two\nc.jsonl:1: skipped, because it needs compaction, which is not built yet\n\n",
        "",
    )


def test_timeout(project, run, monkeypatch):
    """An endless loop ends as a timeout."""
    monkeypatch.setattr("adkref.cli.named.LIMIT", 3)
    name = project("c.jsonl", endless("one"))
    assert run("play", name) == (1, "one\nc.jsonl:1: could not be played: timeout\n\n", "")


def test_unknown_id(project, run):
    """An unknown id is an error that names the ids that come close."""
    project("conformance/cases/a.jsonl", sound("weather/plain"), sound("loop/x"))
    code, out, err = run("play", "weather/plane")
    assert (code, out) == (2, "")
    assert err == (
        "adkref: no such file, and no case with the id 'weather/plane' in the project's corpora; "
        "close to it: weather/plain\n"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "s.json:1: is not JSON: "),
        ('{\n"id": nope}', "s.json:2: is not JSON: "),
        ("[]", "s.json: $: "),
        (json.dumps(scenario("x", sesion={})), "s.json: $.sesion: unknown key 'sesion'"),
        (json.dumps(scenario("x", turns=[{"user": 7}])), "s.json: $.turns[0].user"),
        (json.dumps(scenario("x", agent={"ref": "b"})), "s.json: $.agent"),
        ("[" * 100_000, "s.json: is nested too deeply"),
        ("\ud800", "s.json"),
    ],
)
def test_bad_scenarios(project, run, text, problem):
    """A bad scenario is one line that names file and JSON path, and exit code 2."""
    Path("s.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    code, out, err = run("play", "s.json")
    assert (code, out) == (2, "")
    assert err.startswith(f"adkref: {problem}")
    assert err.count("\n") == 1


def test_bad_scenario_of_a_corpus(project, run):
    """In a corpus a bad scenario is told with its place, and the others are played."""
    name = project("c.jsonl", {**sound("x"), "scenario": scenario("x", sesion={})}, sound("two"))
    code, out, err = run("play", name)
    assert (code, err) == (2, "")
    assert out.startswith("x\nc.jsonl:1: could not be played: bad scenario: $.sesion: ")
    assert "\ntwo\n    1        turn 1 begins\n" in out


@pytest.mark.parametrize("name", ["missing.json", "missing.jsonl", "folder"])
def test_missing(project, run, name):
    """A file that is not there, and a folder without corpora, are errors."""
    Path("folder").mkdir()
    code, out, err = run("play", name)
    assert (code, out) == (2, "")
    assert err.startswith(f"adkref: {name}: ")
    assert err.count("\n") == 1


def test_any_encoding(project, spawn):
    """Where the terminal's encoding lacks a character, it is escaped."""
    project("c.jsonl", {"scenario": scenario("one", title="Łódź"), "trace": []})
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    with spawn("play", "c.jsonl", env=environment) as process:
        out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    assert out.splitlines()[0] == "one \\u2014 \\u0141\\xf3d\\u017a"


def test_colours_on_a_terminal(project, run, monkeypatch):
    """Colours come where the terminal can, and only there."""
    name = project("c.jsonl", sound("one"))
    assert "\x1b[" not in run("play", name)[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[" in run("play", name)[1]


def test_control_characters(project, run):
    """Names from a scenario cannot move the cursor."""
    project("c.jsonl", sound("o\x1b[2Jne", title="a\nb"))
    code, out, _ = run("play", "c.jsonl")
    assert code == 0
    assert out.splitlines()[0] == "o\\u001b[2Jne — a\\u000ab"
