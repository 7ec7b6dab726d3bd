# SPDX-License-Identifier: Apache-2.0
"""The driver templates: short, and right in what they play, each in its own language."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from adkref.conformance import corpus
from adkref.conformance.outcome import DIFFERENT, EQUAL, SKIPPED
from adkref.conformance.player import play
from adkref.conformance.trial.run import Options, put

ROOT = Path(__file__).parents[2] / "conformance"
TEMPLATES = ROOT / "templates"
SMALLEST = TEMPLATES / "smallest.jsonl"


def _python(_):
    return [sys.executable, str(TEMPLATES / "driver.py")]


def _javascript(_):
    return [_tool("node"), str(TEMPLATES / "driver.mjs")]


def _go(folder):
    driver = folder / "driver"
    _build(_tool("go"), "build", "-o", str(driver), str(TEMPLATES / "driver.go"))
    return [str(driver)]


def _java(folder):
    sources = [str(TEMPLATES / name) for name in ("Driver.java", "Json.java")]
    _build(_tool("javac"), "-d", str(folder), *sources)
    return [_tool("java"), "-cp", str(folder), "Driver"]


def _tool(name):
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not on this machine, so its template is not played")
    return found


def _build(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(
    scope="module", params=[_python, _javascript, _go, _java], ids=lambda it: it.__name__
)
def driver(request, tmp_path_factory):
    """The command of a template, built where it has to be."""
    return shlex.join(request.param(tmp_path_factory.mktemp("driver")))


def test_a_template_plays_the_smallest_scenarios(driver):
    """All six are equal, and the driver ends cleanly."""
    run = put(driver, corpus.read(SMALLEST), Options())
    assert run.fault is None
    assert [result.verdict for result in run.results] == [EQUAL] * 6
    assert run.warnings == []
    assert run.hello.implementation.startswith("template-")


def test_a_template_is_never_wrong(driver):
    """Of the hand-written cases it plays some rightly and skips what it does not know."""
    run = put(driver, corpus.read(ROOT / "cases"), Options())
    verdicts = {result.verdict for result in run.results}
    assert DIFFERENT not in verdicts
    assert verdicts == {EQUAL, SKIPPED}


@pytest.mark.parametrize("name", ["driver.py", "driver.mjs", "driver.go", "Driver.java"])
def test_a_template_is_short(name):
    """It has less than 150 lines, says its licence, and shows where the port goes."""
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    assert len(text.splitlines()) < 150
    assert "SPDX-License-Identifier: Apache-2.0" in text
    assert "YOUR PORT" in text


def test_the_smallest_scenarios_are_what_the_reference_plays():
    """Their traces are the reference's own."""
    for case in corpus.read(SMALLEST):
        answer = play(case.scenario)
        assert (answer["trace"], answer["final"]) == (case.trace, case.final)
