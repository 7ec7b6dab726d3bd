# SPDX-License-Identifier: Apache-2.0
"""``adkref copy``: the suite as a folder or a tarball, for ports that vendor it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click

import adkref
from adkref.cli.common import SUCCESS, conformance_root
from adkref.conformance import suite
from adkref.conformance.faults import ScenarioError


@click.command()
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--tar",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.tar.gz",
    help="Write a tarball, the same bytes each time.",
)
@click.option("--force", is_flag=True, help="Replace an earlier copy, or the tarball.")
def copy(folder: Path | None, tar: Path | None, force: bool) -> int:
    """Copy the suite into the new folder DIR, a tarball, or both.

    The suite has the corpora, the schemas, the rules, driver templates, a README with the
    versions, and sums.  What is there already is replaced only with --force, and a folder only
    if it is an earlier copy.  Nothing is left half written.
    """
    if folder is None and tar is None:
        raise click.UsageError("Name a folder, --tar FILE.tar.gz, or both.")
    root = conformance_root()
    if root is None:
        raise ScenarioError("no corpora here: there is no conformance folder to copy")
    if folder is not None:
        _check_folder(folder, force=force)
    if tar is not None:
        _check_tar(tar, force=force)
    files = suite.members(root, adkref.__version__)
    try:
        if tar is not None:
            _write_tar(tar, suite.tarball(files, adkref.__version__))
            click.echo(f"{tar}: {len(files)} files")
        if folder is not None:
            _write_folder(folder, files)
            click.echo(f"{folder}: {len(files)} files")
    except OSError as error:
        place = str(error.filename or folder or tar)
        raise ScenarioError(error.strerror or str(error), file=place) from error
    return SUCCESS


def _check_folder(folder: Path, *, force: bool) -> None:
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not folder.is_dir() or folder.is_symlink() or not suite.is_copy(folder):
        raise ScenarioError(
            "is there already, and is no earlier copy", file=str(folder), expected="a new folder"
        )
    if not force:
        raise ScenarioError("is there already; --force replaces it", file=str(folder))


def _check_tar(tar: Path, *, force: bool) -> None:
    if not tar.name.endswith((".tar.gz", ".tgz")):
        raise ScenarioError("is no name of a tarball", file=str(tar), expected="a name in .tar.gz")
    if tar.exists() and not force:
        raise ScenarioError("is there already; --force replaces it", file=str(tar))


def _write_tar(tar: Path, data: bytes) -> None:
    tar.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{tar.name}.", dir=tar.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        Path(name).chmod(0o644)
        Path(name).replace(tar)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write beside the folder, and put the finished copy in its place."""
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as work:
        new = Path(work) / "new"
        for name, data in files.items():
            file = new / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        if folder.exists():
            old = Path(work) / "old"
            folder.rename(old)
            try:
                new.rename(folder)
            except OSError:
                old.rename(folder)
                raise
        else:
            new.rename(folder)
