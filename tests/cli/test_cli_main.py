# SPDX-License-Identifier: Apache-2.0
"""The command as a whole."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from adkref.conformance.driver import version


def test_version(run):
    """--version names the program and its version."""
    assert run("--version") == (0, f"adkref {version()}\n", "")


@pytest.mark.parametrize("arguments", [["--help"], ["-h"]])
def test_help(run, arguments):
    """Help lists the subcommands."""
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    assert all(f"\n  {name}" in out for name in ("driver", "play", "verify"))


def test_no_command(run):
    """Without a subcommand the help is printed, as an error."""
    code, out, err = run()
    assert (code, out) == (2, "")
    assert err.startswith("Usage: adkref")


def test_unknown_command(run):
    """An unknown subcommand is one line, and exit code 2."""
    code, out, err = run("vrify")
    assert (code, out) == (2, "")
    assert err.startswith("adkref: No such command 'vrify'.")
    assert err.count("\n") == 1


def test_module(spawn, tmp_path):
    """The command is python -m adkref as well."""
    with spawn("--version") as process:
        out, err = process.communicate()
    assert (process.returncode, out, err) == (0, f"adkref {version()}\n", "")


def test_driver(tmp_path):
    """The driver speaks the protocol on standard input and output."""
    done = subprocess.run(
        [sys.executable, "-m", "adkref", "driver"],
        input='{"cmd": "hello"}\nnonsense\n',
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert done.returncode == 0
    assert (first["implementation"], first["format"]) == ("adkref", "adk-scenario/1")
    assert set(second) == {"error"}
