# SPDX-License-Identifier: Apache-2.0
"""A small project to run the command in."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adkref.cli import main


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Make an empty project and go there; return how to write a corpus in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def write(name, *cases):
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(case) + "\n" for case in cases)
        with (gzip.open if path.suffix == ".gz" else open)(path, "wt", encoding="utf-8") as out:
            out.write(text)
        return name

    return write


@pytest.fixture
def run(capsys):
    """Run the command here; return exit code, output and errors."""

    def run(*arguments):
        code = main(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture
def spawn(tmp_path):
    """Start the command as a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

    def spawn(*arguments, **options):
        return subprocess.Popen(
            [sys.executable, "-m", "adkref", *arguments],
            text=True,
            cwd=tmp_path,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment} | options,
        )

    return spawn
