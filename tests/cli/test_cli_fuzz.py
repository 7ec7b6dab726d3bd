# SPDX-License-Identifier: Apache-2.0
"""Tests of ``adkref fuzz``."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from adkref.cli.fuzz import GROUPS
from adkref.strategies import GROUPS as DRAWN

PORT = Path(__file__).parents[1] / "ports" / "fuzzed.py"


def wrong(way):
    """Return the command of a port that is wrong in a way."""
    return shlex.join([sys.executable, str(PORT), way])


@pytest.fixture
def fuzz(run, project):
    """Run ``adkref fuzz`` in an empty folder."""
    return lambda *arguments: run("fuzz", "--limit", "60", *arguments)


def test_the_groups_are_those_that_are_drawn():
    """The command names them without asking Hypothesis."""
    assert tuple(DRAWN) == GROUPS


def test_a_sound_port(fuzz):
    """Every group is told of, and the exit code says that nothing was found."""
    code, out, err = fuzz("--port", wrong("sound"), "--count", "26")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "fuzzed-sound 1 (python), seed 0"
    assert [line.split()[0] for line in lines if line.endswith(" 2 ")] == list(GROUPS)
    assert lines[-1].startswith("0 kinds of failures in 26 scenarios, ")
    assert not Path("findings").exists()


def test_a_wrong_port_and_the_way_back(fuzz):
    """A failure is told, kept in a file and played again, until it is mended."""
    arguments = ("--group", "history", "--count", "3", "--out", "found", "--seed", "7")
    code, out, _ = fuzz("--port", wrong("without-authors"), *arguments)
    (file,) = Path("found").iterdir()
    assert code == 1
    assert file.stem.startswith("value-append-")
    assert f"{file.stem}: another value in append: $.event.author" in out
    assert f"written to {file}" in out
    assert "1 kind of failure in 3 scenarios" in out
    kept = json.loads(file.read_text())
    assert (kept["seed"], kept["met"], kept["group"]) == (7, 3, "history")
    assert "events" not in kept["scenario"]["session"]

    code, out, _ = fuzz("--replay", str(file))
    assert (code, "still differs" in out) == (1, True)
    code, out, _ = fuzz("--replay", str(file), "--port", wrong("sound"))
    assert (code, out.splitlines()[-1]) == (0, "no longer differs")
    code, out, _ = fuzz("--replay", str(file), "--port", wrong("with-state"))
    assert (code, "was: another value in append: $.event.author" in out) == (1, True)
    code, out, _ = fuzz("--replay", str(file), "--port", wrong("skips"))
    assert (code, out.splitlines()[-1]) == (2, "skipped: llm")


def test_json(fuzz):
    """One object says what came of it, and nothing else is on standard output."""
    code, out, _ = fuzz(
        "--port", wrong("with-state"), "--group", "history", "--count", "2", "--json"
    )
    found = json.loads(out)
    assert (code, found["exit_code"], found["seed"]) == (1, 1, 0)
    assert found["groups"] == {"history": {"different": 2}}
    (finding,) = found["findings"]
    assert (finding["kind"], finding["path"], finding["met"]) == ("final", "$.state", 2)
    (file,) = Path("findings").iterdir()
    code, out, _ = fuzz("--replay", str(file), "--json")
    assert json.loads(out) == {
        "id": finding["id"],
        "before": {"kind": "final", "record": "", "path": "$.state"},
        "now": {"kind": "final", "record": "", "path": "$.state"},
    }


def test_a_time_instead_of_a_count(fuzz):
    """When it is up the hunt ends."""
    code, out, _ = fuzz("--port", wrong("sound"), "--group", "history", "--time", "0.5")
    assert (code, "ended as the time was up" in out) == (0, True)


def test_a_run_that_shows_nothing(fuzz):
    """What a port skips proves nothing."""
    code, out, _ = fuzz("--port", wrong("skips"), "--group", "history", "--count", "2")
    assert code == 2
    assert "skipped for llm: 2" in out


def test_errors_are_compared_by_their_kinds(fuzz):
    """A port with words of its own passes."""
    arguments = ("--group", "agents", "--count", "12")
    assert fuzz("--port", wrong("in-own-words"), *arguments)[0] == 1
    assert fuzz("--port", wrong("in-own-words"), *arguments, "--errors", "kind")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "Missing option '--port': name the command that starts the port."),
        (("--port", "x", "--count", "1", "--time", "1"), 2, "--count and --time exclude"),
        (("--port", "no-such-command", "--count", "1"), 1, "does not start"),
        (("--replay", "none.json"), 2, "none.json: No such file or directory"),
        (("--port", "x", "--group", "all"), 2, "'all' is not one of 'agents'"),
        (("--port", "x", "--baseline", "none.yaml"), 2, "none.yaml"),
    ],
)
def test_bad_input(fuzz, arguments, code, message):
    """Each is told in one line."""
    found, _, err = fuzz(*arguments)
    assert (found, err.count("\n")) == (code, 1)
    assert message in err


def test_without_hypothesis_the_extra_is_named(fuzz, monkeypatch):
    """The command says what to install."""
    for name in [name for name in sys.modules if name.startswith("adkref.strategies")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    code, _, err = fuzz("--port", "x", "--count", "1")
    assert code == 2
    assert err == "adkref: adkref.strategies needs Hypothesis: pip install 'adkref[fuzz]'\n"
