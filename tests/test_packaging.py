# SPDX-License-Identifier: Apache-2.0
"""The repository is whole: licence, typing marker, module heads and unchanged corpora."""

from __future__ import annotations

import ast
import hashlib
import os
import shutil
import subprocess
from importlib import resources
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "adkref"
CORPORA = ROOT / "conformance"
SPDX = "# SPDX-License-Identifier: Apache-2.0"


@pytest.fixture(scope="module")
def modules() -> list[Path]:
    """All modules of the package; none at all would make every check below empty."""
    found = sorted(PACKAGE.rglob("*.py"))
    assert found
    return found


@pytest.fixture(scope="module")
def checksums() -> dict[str, str]:
    """The recorded sha256 of each corpus file, by its path under conformance/."""
    lines = (CORPORA / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert lines
    return {name: digest for digest, name in (line.split("  ", 1) for line in lines)}


def test_every_module_starts_with_its_licence(modules):
    """The first line of each module is the SPDX line."""
    heads = {path: path.read_text(encoding="utf-8").split("\n", 1)[0] for path in modules}
    assert [str(path) for path, head in heads.items() if head != SPDX] == []


def test_every_module_has_a_docstring(modules):
    """Each module says in a docstring what it is."""
    trees = {path: ast.parse(path.read_bytes(), str(path)) for path in modules}
    assert [str(path) for path, tree in trees.items() if not ast.get_docstring(tree)] == []


def test_the_typing_marker_is_shipped():
    """Type checkers of a user's project find py.typed in the installed package."""
    assert resources.files("adkref").joinpath("py.typed").is_file()


def test_the_licence_is_apache():
    """LICENSE holds the Apache License 2.0, and the installed metadata names it."""
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    metadata = distribution("adkref").metadata.json
    assert metadata.get("license_expression", metadata.get("license")) == "Apache-2.0"


def test_the_command_is_declared():
    """The distribution declares the adkref command."""
    scripts = distribution("adkref").entry_points.select(group="console_scripts")
    assert {script.name: script.value for script in scripts} == {"adkref": "adkref.cli:main"}


def test_the_corpora_are_unchanged(checksums):
    """Each corpus file has the bytes that were traced."""
    found = {
        name: hashlib.sha256((CORPORA / name).read_bytes()).hexdigest()
        for name in checksums
        if (CORPORA / name).is_file()
    }
    assert found == checksums


def test_no_corpus_file_is_unlisted(checksums):
    """Each file in the corpora's folders has its checksum on record."""
    folders = {name.split("/", 1)[0] for name in checksums}
    assert folders == {"cases", "explore", "golden", "untraced"}
    present = {
        path.relative_to(CORPORA).as_posix()
        for folder in folders
        for path in (CORPORA / folder).rglob("*")
        if path.is_file()
    }
    assert present == set(checksums)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not there")
def test_too_old_a_python_is_named(tmp_path):
    """Make stops with the reason and the interpreters it looked at, and leaves nothing behind."""
    old = tmp_path / "python-old"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.8.20" && exit 0\nexit 1\n')
    old.chmod(0o755)
    venv = tmp_path / "venv"
    made = subprocess.run(
        ["make", "venv", f"PYTHON={old}", f"VENV={venv}"],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert made.returncode == 2
    assert "Python 3.11 or newer is needed" in made.stderr
    assert f"{old}: Python 3.8.20" in made.stderr
    assert not venv.exists()
