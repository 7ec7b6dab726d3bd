# SPDX-License-Identifier: Apache-2.0
"""``adkref verify``: what it prints and how it ends."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import time
from pathlib import Path

import pytest
from cli_cases import endless, scenario, skipped, sound, wrong


def words(text):
    """Return each line of *text* with single spaces, empty lines left out."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def rows(text):
    """Return the rows of the table in *text*: those that end with five figures."""
    return [line for line in words(text) if re.search(r"( [0-9]+){5}$", line)]


def test_all_equal(project, run):
    """All equal: a table, a verdict, exit code 0, and nothing else."""
    name = project("c.jsonl", sound("one"), sound("two"))
    code, out, err = run("verify", name)
    table = words(out)
    assert (code, err) == (0, "")
    assert table[0] == "corpus cases equal different skipped could not play"
    assert table[2:] == ["c.jsonl 2 2 0 0 0", "2 of 2 cases are equal"]


def test_first_difference(project, run):
    """A failing case is shown with record number, JSON path, context and both values."""
    name = project("c.jsonl", sound("one"), {**wrong("two"), "rules": ["RUN-001", "RUN-002"]})
    code, out, _ = run("verify", name)
    assert code == 1
    assert out.splitlines()[:9] == [
        "two (RUN-001, RUN-002)",
        "  c.jsonl:2: different at record 5, $.event.content.parts[0].text",
        '       2  stored user: "hello"',
        "       3  body starts",
        '       4  stored a: "hi"',
        '  -    5  consumer takes a: "ho"',
        '  +    5  consumer takes a: "hi"',
        '    expected "ho"',
        '    actual   "hi"',
    ]
    assert words(out)[-2:] == ["c.jsonl 2 1 1 0 0", "1 of 2 cases are equal, 1 different"]


def test_limit_of_differences(project, run):
    """No more failing cases are shown than asked for, and the rest is counted."""
    name = project("c.jsonl", *(wrong(f"case-{n}") for n in range(5)))
    code, out, _ = run("verify", name, "--max-diffs", "2")
    assert code == 1
    assert [line for line in out.splitlines() if line.startswith("case-")] == ["case-0", "case-1"]
    assert words(out)[-2:] == [
        "5 cases fail, the first 2 are shown; --max-diffs N shows more",
        "0 of 5 cases are equal, 5 different",
    ]
    assert "case-" not in run("verify", name, "--max-diffs", "0")[1]


def test_skips(project, run):
    """Skips are counted by feature and change the exit code only with --no-skips."""
    name = project("c.jsonl", sound("one"), skipped("two"), skipped("three"))
    code, out, _ = run("verify", name)
    assert code == 0
    assert words(out)[2:] == [
        "c.jsonl 3 1 0 2 0",
        "skipped, because they need what is not built yet: compaction 2",
        "1 of 3 cases are equal, 2 skipped",
    ]
    assert run("verify", name, "--no-skips")[0] == 1


def test_nothing_played(project, run):
    """A corpus of which nothing was played proves nothing, whatever the others do."""
    names = project("a.jsonl", sound("one")), project("b.jsonl", skipped("two"))
    code, out, _ = run("verify", *names)
    assert code == 2
    assert "nothing of b.jsonl was played, so nothing is shown by it" in out


def test_folder(project, run):
    """A folder is one corpus: a row for each file and one for all."""
    project("d/a.jsonl", sound("one"))
    project("d/e/b.jsonl.gz", skipped("two"), sound("three"))
    code, out, _ = run("verify", "d", "--jobs", "2")
    assert code == 0
    assert words(out)[0].startswith("corpus in d cases")
    assert rows(out) == [
        "a.jsonl 1 1 0 0 0",
        "e/b.jsonl.gz 2 1 0 1 0",
        "all 3 2 0 1 0",
    ]


def test_project(project, run, monkeypatch):
    """Without arguments the project's corpora are played, found from below as well."""
    project("conformance/cases/a.jsonl", sound("one"))
    project("conformance/golden/b.jsonl.gz", skipped("two"))
    project("conformance/explore/c.jsonl", wrong("three"))
    Path("deep/down").mkdir(parents=True)
    monkeypatch.chdir("deep/down")
    code, out, _ = run("verify")
    assert code == 0
    assert rows(out) == ["cases/a.jsonl 1 1 0 0 0", "golden/b.jsonl.gz 1 0 0 1 0", "all 2 1 0 1 0"]


def test_json(project, run):
    """With --json the report is one JSON object."""
    name = project("c.jsonl", sound("one"), wrong("two"), skipped("three"))
    code, out, err = run("verify", name, "--json")
    report = json.loads(out)
    difference = report["cases"][0].pop("difference")
    counts = {"cases": 3, "equal": 1, "different": 1, "skipped": 1, "could_not_play": 0}
    assert (code, err) == (1, "")
    assert report == {
        "corpora": [{"name": "c.jsonl", "files": [{"file": "c.jsonl", **counts}]}],
        "total": counts,
        "skips": {"compaction": 1},
        "cases": [
            {"id": "two", "file": "c.jsonl", "line": 2, "outcome": "different"},
            {
                "id": "three",
                "file": "c.jsonl",
                "line": 3,
                "outcome": "skipped",
                "reason": "compaction",
            },
        ],
        "exit_code": 1,
    }
    assert (difference["record"], difference["path"]) == (5, "$.event.content.parts[0].text")


def test_timeout(project, run):
    """A scripted endless loop is a timeout, and the other cases are played."""
    name = project("c.jsonl", sound("one"), endless("two"), sound("three"))
    code, out, _ = run("verify", name, "--limit", "3")
    assert code == 1
    assert out.splitlines()[:2] == ["two", "  c.jsonl:2: could not play: timeout"]
    assert words(out)[-1] == "2 of 3 cases are equal, 1 could not play"


def test_bad_scenario(project, run):
    """A scenario with an unknown key is bad input and names the JSON path; the others are played."""
    name = project(
        "c.jsonl", {**sound("two"), "scenario": scenario("two", sesion={})}, sound("one")
    )
    code, out, _ = run("verify", name)
    assert code == 2
    assert out.splitlines()[:2] == [
        "two",
        "  c.jsonl:1: could not play: bad scenario: $.sesion: unknown key 'sesion'; expected 'session'",
    ]
    assert words(out)[-1] == "1 of 2 cases are equal, 1 could not play"


def test_broken_corpora(project, run):
    """A broken corpus is one line that names file and line, and exit code 2."""
    project("cut.jsonl.gz", *(sound(f"c{n}") for n in range(50)))
    whole = Path("cut.jsonl.gz").read_bytes()
    Path("cut.jsonl.gz").write_bytes(whole[:-20])
    Path("none.jsonl").write_text("", encoding="utf-8")
    Path("broken.jsonl").write_text("{\n", encoding="utf-8")
    Path("empty").mkdir()
    for name, text in {
        "cut.jsonl.gz": "adkref: cut.jsonl.gz:50: the gz file is cut short\n",
        "none.jsonl": "adkref: none.jsonl: holds no case\n",
        "missing.jsonl": "adkref: missing.jsonl: no such file or folder\n",
        "empty": "adkref: empty: holds no corpus; expected .jsonl or .jsonl.gz files\n",
        "e\x1b[2J\n": "adkref: e\\u001b[2J\\u000a: no such file or folder\n",
    }.items():
        assert run("verify", name) == (2, "", text)
    code, out, err = run("verify", "broken.jsonl")
    assert (code, out) == (2, "")
    assert err.startswith("adkref: broken.jsonl:1: is not JSON: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--jobs", "0"], "Invalid value for '--jobs': 0 is not in the range x>=1."),
        (["--max-diffs", "few"], "Invalid value for '--max-diffs': 'few' is not a valid integer"),
        (["--limit", "0"], "Invalid value for '--limit': 0"),
        (["--frobnicate"], "No such option"),
    ],
)
def test_bad_options(run, arguments, text):
    """A wrong option is one line, and exit code 2."""
    code, out, err = run("verify", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"adkref: {text}")
    assert err.count("\n") == 1


def test_progress_on_a_terminal_only(project, spawn):
    """A terminal sees how far it is; what is redirected stays free of it."""
    name = project("c.jsonl", *(sound(f"c{n}") for n in range(30)))
    ours, theirs = pty.openpty()
    with spawn("verify", name, stderr=theirs) as process:
        os.close(theirs)
        out = process.stdout.read()
    seen = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(ours)
    assert process.returncode == 0
    assert b"30/30" in seen
    assert "\x1b" not in out
    assert words(out)[-1] == "30 of 30 cases are equal"


def test_interrupted(project, spawn):
    """Ctrl-C ends it with one line, and no worker is left."""
    name = project("c.jsonl", endless("one"), endless("two"))
    with spawn("verify", name, "--jobs", "2", "--limit", "60") as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        if not children.exists():
            process.kill()
            pytest.skip("this system does not list the children of a process")
        until = time.monotonic() + 20
        workers = []
        while len(workers) < 2 and time.monotonic() < until:
            time.sleep(0.05)
            tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
            workers = [pid for task in tasks for pid in task.read_text().split()]
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert err.split("\n")[-2] == "adkref: interrupted"
    assert "Traceback" not in err
    assert len(workers) == 2
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)


def test_reader_that_leaves(project, spawn):
    """A reader that closes the pipe early gets no traceback; the code is that of a shell."""
    name = project("c.jsonl", *(wrong(f"case-{n}") for n in range(300)))
    with spawn("verify", name, "--max-diffs", "300") as process:
        assert process.stdout.readline() == "case-0\n"
        process.stdout.close()
        err = process.stderr.read()
    assert err == ""
    assert process.returncode == 141
