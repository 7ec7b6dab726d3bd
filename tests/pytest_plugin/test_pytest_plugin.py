# SPDX-License-Identifier: Apache-2.0
"""Tests of the plugin beside other tests: properties, fixtures, and that it costs nothing."""

from __future__ import annotations

import json
import subprocess
import sys

OWN = """
def test_own():
    pass
"""


def test_without_a_port_nothing_is_collected(folder, run):
    """A corpus is no test then, not even if it is named."""
    (folder / "test_own.py").write_text(OWN)
    assert run().outcomes == {"passed": 1}
    assert run("corpus.jsonl").code in (4, 5)


def test_the_plugin_loads_nothing_beyond_the_package():
    """Whoever does not use it pays for no room above the core."""
    code = "import sys, json, {}; print(json.dumps(sorted(sys.modules)))"
    package, plugin = (
        json.loads(
            subprocess.run(
                [sys.executable, "-c", code.format(name)], capture_output=True, check=True
            ).stdout
        )
        for name in ("pytest, adkref", "pytest, adkref.pytest_plugin")
    )
    assert set(plugin) - set(package) == {"adkref.pytest_plugin"}


def test_corpora_run_beside_the_projects_own_tests(folder, run):
    """A run without arguments has both, one that names tests has these."""
    (folder / "test_own.py").write_text(OWN)
    corpus = ("--adkref-corpus", "corpus.jsonl")
    none = ("--adkref-examples", "0")
    assert run(*corpus, *none, way="sound").outcomes == {"passed": 4}
    assert run("test_own.py", *none, way="sound").outcomes == {"passed": 1}
    found = run("--adkref-corpus", "nothing", way="sound")
    assert (found.code, found.err.strip()) == (4, "ERROR: adkref: nothing: no such file or folder")


def test_properties_are_items(folder, run):
    """Each group is one, and a sound port has them all."""
    corpus = ("--adkref-corpus", "corpus.jsonl")
    found = run("--co", *corpus, way="sound")
    assert "adkref::property[agents]" in found.out.splitlines()
    assert found.out.count("adkref::property[") == 13
    found = run(*corpus, "-k", "property", "--adkref-examples", "2", way="sound")
    assert found.outcomes == {"passed": 13, "deselected": 3}


def test_a_property_that_fails_tells_the_smallest_scenario(folder, run):
    """The difference is told once for each kind, with a scenario to play."""
    arguments = ("--adkref-corpus", "corpus.jsonl", "-k", "property and history")
    found = run(*arguments, "--adkref-examples", "3", way="without-authors")
    assert found.outcomes == {"failed": 1, "deselected": 15}
    lines = found.out.splitlines()
    start = lines.index("another value in append: $.event.author, met 3 times in 3 scenarios")
    assert lines[start + 1].startswith("  rules to read: ")
    (shown,) = [line for line in lines if line.startswith("  the smallest scenario: ")]
    scenario = json.loads(shown.partition(": ")[2])
    assert scenario["agent"] == {"kind": "llm", "name": "w1", "model": {"name": "mock"}}


def test_a_property_of_what_the_port_lacks_is_skipped(folder, run):
    """The feature is the reason."""
    arguments = ("--adkref-corpus", "corpus.jsonl", "-k", "property and history", "-rs")
    found = run(*arguments, "--adkref-examples", "2", way="skips")
    assert found.outcomes == {"skipped": 1, "deselected": 15}
    assert "the port lacks llm" in found.out


FIXTURES = """
from adkref import Agent, Event
from adkref.content import Content
from adkref.testing import assert_events, assert_trace


def hello(ctx):
    yield Event(author="a", content=Content.of_text("hello"))


def test_runs(adkref_runner, adkref_trace):
    runner = adkref_runner(Agent("a", run=hello), state={"k": 1})
    assert [event.author for event in runner.run("hi")] == ["a"]
    assert runner.trace is adkref_trace
    assert_trace(adkref_trace, [{"at": "end"}], only="end")
    assert runner.state == {"k": 1}


def test_differs(adkref_runner):
    runner = adkref_runner(Agent("a", run=hello))
    runner.run("hi")
    assert_events(runner.events[1:], [{"author": "b"}])
"""


def test_fixtures_for_users_of_the_library(folder, run):
    """A runner with a trace is there without a port, and a difference is told in words."""
    (folder / "test_agent.py").write_text(FIXTURES)
    found = run("test_agent.py")
    assert found.outcomes == {"failed": 1, "passed": 1}
    assert "AssertionError: another event than expected: record 1, $.event.author" in found.out
    assert 'E           expected "b"' in found.out
    assert "compare.py" not in found.out
