# SPDX-License-Identifier: Apache-2.0
"""Grafting: where a snippet is found, what is put there, and that nothing else changes."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from adkref.agents import base
from adkref.conformance import workers
from adkref.conformance.faults import HarnessError
from adkref.conformance.mutants.graft import Graft
from adkref.conformance.mutants.worker import function_of

SCENARIO = {
    "format": "adk-scenario/1",
    "id": "hello",
    "session": {"app": "app", "user": "u", "id": "s"},
    "agent": {"kind": "custom", "name": "a", "body": [{"yield": {"content": "hi"}}]},
    "turns": [{"user": "hello"}],
}

#: Takes the author away from what an agent yields.
NO_AUTHOR = Graft(
    "adkref.agents.base", "event.author = ROLE_USER if from_user else name", "event.author = ''"
)


@pytest.fixture
def source(tmp_path, monkeypatch):
    """Let every graft be into the given text."""
    file = tmp_path / "module.py"

    def source(text):
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        monkeypatch.setattr(Graft, "file", lambda self: file)

    return source


def grafted(find, replace):
    """Return the changed text."""
    return Graft("adkref.any", textwrap.dedent(find), textwrap.dedent(replace)).source()


def played(function):
    """Return the answer of a worker that plays the scenario."""
    (answer,) = workers.run(function, [SCENARIO], limit=60)
    assert answer.text == ""
    return answer.value


def authors(answer):
    """Return the authors of the yielded events."""
    return [each["event"].get("author") for each in answer["trace"] if each["at"] == "yield"]


def test_a_part_of_a_line(source):
    """A snippet of one line is any part of a line."""
    source("a = 1\nb = a + 1\n")
    assert grafted("a + 1", "a - 1") == "a = 1\nb = a - 1\n"


def test_a_part_of_a_line_with_several_lines_in_its_place(source):
    """Further lines of the replacement get the margin of the line."""
    source(
        """
        if a:
            b = 1
        """
    )
    assert grafted("b = 1", "b = 1\nc = 2") == "\nif a:\n    b = 1\n    c = 2\n"


def test_whole_lines_at_any_margin(source):
    """A snippet of several lines is found at any margin, and its replacement gets it."""
    source(
        """
        def f():
            for a in b:
                if a:
                    break
        """
    )
    changed = grafted("if a:\n    break\n", "if not a:\n    continue\n")
    assert changed == "\ndef f():\n    for a in b:\n        if not a:\n            continue\n"


def test_whole_lines_with_an_empty_line_between(source):
    """An empty line of a snippet has no margin."""
    source("def f():\n    a = 1\n\n    b = 2\n")
    assert grafted("a = 1\n\nb = 2\n", "a = 2\n\nb = 1\n") == "def f():\n    a = 2\n\n    b = 1\n"


def test_whole_lines_are_whole(source):
    """The last line of a snippet of several is not the beginning of a line."""
    source("a = 1\nb = 12\n")
    with pytest.raises(HarnessError, match="is not there"):
        grafted("a = 1\nb = 1\n", "")


def test_a_first_line_that_is_further_in_than_the_next(source):
    """The margin is what the lines have in common, not that of the first."""
    source(
        """
        if a:
            if b:
                c()
            d()
        """
    )
    assert grafted("    c()\nd()\n", "    e()\nd()\n").count("        e()\n    d()\n") == 1


def test_a_snippet_that_is_gone(source):
    """A snippet that is not there fails with the file and the snippet."""
    source("a = 1\n")
    with pytest.raises(HarnessError, match=r"module\.py: the snippet is not there: 'b = 1'"):
        grafted("b = 1", "b = 2")


def test_a_snippet_that_is_there_twice(source):
    """A snippet that is there twice fails with the file, the lines and the snippet."""
    source("a = 1\nb = 2\na = 1\n")
    with pytest.raises(
        HarnessError, match=r"module\.py:1, 3: the snippet is there 2 times: 'a = 1'"
    ):
        grafted("a = 1", "a = 2")


@pytest.mark.parametrize(
    "module", ["adkref.conformance.canonical", "adkref.cli.main", "adkref.conformance", "json"]
)
def test_modules_that_no_mutant_may_change(module):
    """The kit, which judges, and other packages are left alone."""
    with pytest.raises(HarnessError, match="is no module that a mutant may change"):
        Graft(module, "a", "b").source()


def test_a_module_that_is_not_there():
    """A module that is not there fails with its name."""
    with pytest.raises(HarnessError, match=r"there is no module adkref\.nothing"):
        Graft("adkref.nothing", "a", "b").source()


def test_a_package():
    """A package is changed in its __init__.py."""
    assert Graft("adkref.agents", "a", "b").file().name == "__init__.py"


def test_a_worker_becomes_the_mutant():
    """A worker with a graft plays with the changed module, whoever has imported it before."""
    assert authors(played(function_of("play", NO_AUTHOR))) == [None]


def test_nothing_else_changes():
    """Neither the file nor its compiled form changes, so the next process is the reference."""
    file = Path(base.__file__)
    before = file.read_bytes()
    played(function_of("play", NO_AUTHOR))
    assert file.read_bytes() == before
    assert authors(played("adkref.conformance.player:play")) == ["a"]


def test_a_worker_whose_snippet_is_gone():
    """A worker that cannot become the mutant does not start, and says why."""
    gone = Graft("adkref.agents.base", "no such snippet", "")
    with pytest.raises(HarnessError, match=r"does not start: .*the snippet is not there"):
        list(workers.run(function_of("play", gone), [SCENARIO]))


def test_a_role_that_is_none():
    """A worker can check and play, and nothing else."""
    with pytest.raises(HarnessError, match="has no attribute 'steal"):
        list(workers.run("adkref.conformance.mutants.worker:steal {}", [SCENARIO]))
