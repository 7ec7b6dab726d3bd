# SPDX-License-Identifier: Apache-2.0
"""The guide to teaching shows what the command prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adkref.cli import main

GUIDE = (Path(__file__).parents[1] / "docs/guides/teaching.rst").read_text(encoding="utf-8")


def test_the_step_of_the_guide_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever runs the command of the guide sees its lines, one below the other."""
    (block,) = re.findall(r"code-block:: text\n\n((?:   .*\n)+)", GUIDE)
    shown = [line.strip() for line in block.splitlines()]
    assert main(["explain", "weather/exit-before-tool"]) == 0
    printed = [line.strip() for line in capsys.readouterr().out.splitlines()]
    at = printed.index(shown[0])
    assert printed[at : at + len(shown)] == shown


def test_the_cases_of_the_guide_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    """Each case that the guide explains can be explained."""
    cases = set(re.findall(r"adkref explain ([a-z]+/[\w-]+)", GUIDE))
    assert cases == {"weather/exit-before-tool", "parallel/one-lane"}
    assert [main(["explain", case, "--mermaid"]) for case in sorted(cases)] == [0, 0]
    assert capsys.readouterr().out.count("sequenceDiagram") == 2
