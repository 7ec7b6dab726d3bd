# SPDX-License-Identifier: Apache-2.0
"""Odd files, outputs and options at the command line: one line, the right code, no traceback."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from adkref.cli import main

SCENARIO = {
    "format": "adk-scenario/1",
    "id": "odd",
    "session": {"app": "app", "user": "u", "id": "s"},
    "agent": {
        "kind": "custom",
        "name": "a",
        "body": [{"yield": {"author": "a", "content": "hi"}}],
    },
    "turns": [{"user": "hello"}],
}
FULL = Path("/dev/full")
DEEP = "[" * 100_000


@pytest.fixture
def scenario(tmp_path, monkeypatch):
    """Go to an empty folder with one scenario."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.json").write_text(json.dumps(SCENARIO))
    return "s.json"


def refused(capsys, *arguments):
    """Run the command, which refuses its input, and return its one line."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("adkref: ")
    assert err.count("\n") == 1
    return err.removeprefix("adkref: ").rstrip()


@pytest.mark.parametrize(
    ("name", "data", "complaint"),
    [
        ("t.json", b"", "t.json: holds no trace"),
        ("t.json", DEEP.encode(), "t.json:1: is nested too deeply"),
        ("t.json", b'{"trace": ' + b"9" * 6000 + b"}", "no number that a float64 can hold"),
        ("t.json", b"\xff\xfe\xff", "t.json:1: is no UTF-8 text"),
        ("t.json", b'{\n "trace": [nope]\n}', "t.json:2: is not JSON: Expecting value"),
        ("t.jsonl", b'{"trace": [{"at": "turn"}]}\n{nope\n', "t.jsonl:2: is not JSON"),
        ("t.jsonl.gz", gzip.compress(b'{"trace": []}')[:-4], "t.jsonl.gz:1: the gz file is cut"),
        ("t.jsonl.gz", b"nope", "t.jsonl.gz:1: the gz file is damaged"),
    ],
    ids=["empty", "deep", "huge number", "binary", "not json", "second line", "cut", "no gz"],
)
def test_a_trace_file_that_is_none(scenario, capsys, name, data, complaint):
    """It is refused with its place."""
    Path(name).write_bytes(data)
    if b'[{"at"' in data:  # the first line is judged before the second is read
        assert main(["accept", scenario, name]) == 2
        assert complaint in capsys.readouterr().err
    else:
        assert complaint in refused(capsys, "accept", scenario, name)


def test_a_corpus_is_no_scenario(scenario, capsys):
    """Where one scenario is asked for, a corpus is named as what it is."""
    Path("c.jsonl").write_text(json.dumps({"scenario": SCENARIO, "trace": []}))
    for command in ("accept", "explore", "replay"):
        assert refused(capsys, command, "c.jsonl").startswith("c.jsonl: is a corpus; expected a")


def test_a_case_whose_scenario_is_null(scenario, capsys):
    """It is refused with its line."""
    Path("c.jsonl").write_text('{"scenario": null, "trace": []}')
    for command in ("play", "verify"):
        line = refused(capsys, command, "c.jsonl")
        assert line == "c.jsonl:1: $.scenario: is null; expected an object"


@pytest.mark.parametrize("seconds", ["nan", "inf", "0", "-1", "1e300"])
def test_seconds_that_nobody_can_wait_for(scenario, capsys, seconds):
    """They are refused before anything is played."""
    assert "--seconds" in refused(capsys, "explore", "--seconds", seconds, scenario)
    assert "--limit" in refused(capsys, "test", "--port", "x", "--limit", seconds, scenario)


@pytest.mark.parametrize("file", ["s.json/x.jsonl", "."])
def test_traces_that_cannot_be_written(scenario, capsys, file):
    """The file is named."""
    assert refused(capsys, "explore", "--traces", file, scenario).startswith(file)


def test_a_file_is_written_whole_or_not_at_all(scenario, tmp_path, monkeypatch, capsys):
    """When the disk is full, the old file stays and nothing is left beside it."""
    (tmp_path / "t.jsonl").write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    line = refused(capsys, "explore", "--traces", "t.jsonl", scenario)
    assert line == "t.jsonl: No space left on device"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["s.json", "t.jsonl"]
    assert (tmp_path / "t.jsonl").read_text() == "old"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x: [\n", "b.yaml:2: is no YAML: did not find expected node content"),
        ("x: " + "[" * 400 + "]" * 400, "b.yaml: "),
    ],
)
def test_a_baseline_that_is_none(scenario, capsys, text, complaint):
    """It is refused in one line without escapes."""
    Path("b.yaml").write_text(text)
    Path("c.jsonl").write_text(json.dumps({"scenario": SCENARIO, "trace": []}))
    line = refused(capsys, "test", "--port", "x", "--baseline", "b.yaml", "c.jsonl")
    assert line.startswith(complaint)
    assert "\\u000a" not in line


@pytest.mark.skipif(not FULL.exists(), reason="needs a full device")
def test_an_output_that_takes_no_more(scenario):
    """One line says so, and the end of the interpreter does not say it again."""
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "adkref", "play", scenario, "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (
        2,
        "adkref: standard output: No space left on device\n",
    )


def test_a_current_directory_that_is_gone(scenario, tmp_path, monkeypatch, capsys):
    """What needs no current directory still works."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(["rules", "AGT-001"]) == 0
    assert capsys.readouterr().out.startswith("AGT-001")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ("s.json/r.json", "s.json/r.json: Not a directory"),
        (".", ".: Is a directory"),
    ],
)
def test_a_report_that_cannot_be_written(scenario, tmp_path, capsys, file, problem):
    """It is noticed before the port is started, and nothing is left behind."""
    Path("c.jsonl").write_text(json.dumps({"scenario": SCENARIO, "trace": []}))
    port = "touch started"
    line = refused(capsys, "test", "--port", port, "--report", f"json={file}", "c.jsonl")
    assert line == problem
    assert sorted(file.name for file in tmp_path.iterdir()) == ["c.jsonl", "s.json"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{\n "id": "x",\n "agent": {"name": "a", "name": "b"}}', ":3: $.agent: has the key"),
        ("\ufeff{}", ": begins with a byte order mark; expected UTF-8 without one"),
    ],
)
def test_a_scenario_that_is_read_in_two_ways(scenario, capsys, text, problem):
    """A repeated key and a byte order mark are refused with their place."""
    Path("t.json").write_text(text, encoding="utf-8")
    assert refused(capsys, "play", "t.json").startswith(f"t.json{problem}")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupted_driver(jobs):
    """Its code is that of every interrupted command, and it says so in one line."""
    with subprocess.Popen(
        [sys.executable, "-m", "adkref", "driver", "--jobs", jobs],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ) as process:
        process.stdin.write(b'{"cmd": "hello"}\n')
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["implementation"] == "adkref"
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=20)
        assert (process.returncode, told.split()) == (130, [b"adkref:", b"interrupted"])
