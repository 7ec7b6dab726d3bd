# SPDX-License-Identifier: Apache-2.0
"""Runs of pytest with the plugin, each in a process and a folder of its own."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from plugin_cases import case

PORTS = Path(__file__).parents[1] / "ports"


def wrong(way):
    """Return the command of a port that is wrong in a way."""
    return shlex.join([sys.executable, str(PORTS / "fuzzed.py"), way])


class Ran:
    """What a run of pytest printed."""

    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    @property
    def outcomes(self):
        """How many items had which outcome."""
        last = self.out.splitlines()[-1]
        return {word: int(n) for n, word in re.findall(r"(\d+) (\w+)", last.partition(" in ")[0])}


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a corpus of three cases."""
    cases = [
        case("one", "x"),
        case("loops/two", "y", rules=["AGT-051"]),
        case("three", "z", turns=[{"user": "a"}, {"user": "b"}]),
    ]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(each) + "\n" for each in cases))
    return tmp_path


@cache
def is_installed(folder):
    """Tell whether pytest finds the plugin by itself; asked away from the source tree."""
    code = (
        "from importlib.metadata import entry_points; "
        "print('adkref' in entry_points(group='pytest11').names)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, check=True
    )
    return done.stdout.strip() == b"True"


@pytest.fixture
def run(tmp_path):
    """Run pytest in the folder with the plugin, which need not be installed."""
    plugin = () if is_installed(tmp_path) else ("-p", "adkref.pytest_plugin")
    environment = {**os.environ, "COLUMNS": "200"}
    # In continuous integration pytest tells each failure a second time, in its summary.
    for name in ("PYTEST_ADDOPTS", "CI", "BUILD_NUMBER"):
        environment.pop(name, None)

    def run(*arguments, way=None):
        port = ("--adkref-port", wrong(way)) if way else ()
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q"]
        return Ran(
            subprocess.run(
                [*command, *plugin, *port, *arguments],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                env=environment,
                timeout=300,
                check=False,
            )
        )

    return run
