# SPDX-License-Identifier: Apache-2.0
"""README.rst says what is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.rst").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"code-block:: python\n\n((?:   .*\n|\n)+)", README)


@pytest.mark.parametrize(
    ("program", "printed"),
    [
        (0, ["function_call", "function_response", "26 °C."]),
        (1, ["in the session: True"]),
    ],
)
def test_the_programs_of_the_readme_run(
    program: int, printed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A reader who copies a program gets what the text around it says."""
    source = "\n".join(line[3:] for line in PROGRAMS[program].splitlines())
    exec(compile(source, "README.rst", "exec"), {"__name__": "readme"})  # noqa: S102
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(printed)
    for line, words in zip(lines, printed, strict=True):
        assert words in line


def test_the_first_agent_has_ten_lines() -> None:
    """The README's first agent is as short as it says."""
    lines = [line for line in PROGRAMS[0].splitlines() if line.strip()]
    assert len(lines) <= 10


def test_every_file_that_the_readme_names_exists() -> None:
    """A path in the README leads somewhere."""
    root = Path(__file__).parents[1]
    paths = re.findall(r"``((?:docs|adkref|examples|conformance)/[\w./-]*)``", README)
    assert paths
    assert [path for path in paths if not (root / path).exists()] == []
