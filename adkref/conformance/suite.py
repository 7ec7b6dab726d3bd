# SPDX-License-Identifier: Apache-2.0
"""The suite to vendor: corpora, schemas, rules, templates, with versions and sums.

The same project gives the same bytes: names are sorted, and nothing tells when it was made.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from adkref.conformance import corpus, oracle, schema
from adkref.conformance.faults import ScenarioError
from adkref.conformance.rules.registry import ADK_GO
from adkref.conformance.scenario import FORMAT
from adkref.conformance.versions import PROTOCOL, SCHEMA_VERSION

#: Folders of ``conformance/`` and the names of the files that a port needs of them.
FOLDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "cases": ("*.jsonl", "README.md"),
    "golden": ("*.jsonl.gz", "README.md"),
    "untraced": ("*.jsonl",),
    "explore": ("*.json", "*.jsonl.gz"),
    "rules": ("*.yaml", "ids.txt"),
    "templates": ("*.jsonl", "*.md", "*.py", "*.mjs", "*.java", "*.go"),
}
SUMS: Final = "SHA256SUMS"
README: Final = "README.md"
#: The first line of the README, by which a copy is known.
TITLE: Final = "# The adkref conformance suite"

_TEXT: Final = """\
{title}

| what | version |
| --- | --- |
| adkref | {version} |
| schemas | {schemas} |
| scenario format | {format} |
| driver protocol | {protocol} |
| rules from ADK-Go | {adk_go} |
| traces printed by | {oracle} |

{cases} cases in {files} corpora. Made by `adkref copy`; change nothing here, copy it anew.
`sha256sum -c SHA256SUMS` checks the files, and `adkref test --port 'CMD' cases golden` plays
them. `templates/` has drivers to start from.
"""


def members(root: Path, version: str) -> dict[str, bytes]:
    """Return the files of the suite by name, sorted; *root* is the ``conformance`` folder."""
    found: dict[str, bytes] = {}
    for folder, patterns in FOLDERS.items():
        for file in sorted({it for pattern in patterns for it in (root / folder).glob(pattern)}):
            found[f"{folder}/{file.name}"] = _read(file)
    if not any(name.endswith(corpus.SUFFIXES) for name in found):
        raise ScenarioError("holds no corpus", file=str(root))
    for name in schema.NAMES:
        found[f"schemas/{name}.schema.json"] = schema.text(name).encode()
    if (root / oracle.FILE).is_file():
        found[oracle.FILE] = _read(root / oracle.FILE)
    found[README] = _readme(root, version).encode()
    found = dict(sorted(found.items()))
    sums = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in found.items()]
    return {**found, SUMS: "".join(sums).encode()}


def tarball(files: Mapping[str, bytes], version: str) -> bytes:
    """Return *files* as a ``.tar.gz`` in one folder, the same bytes each time."""
    out = io.BytesIO()
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for name, data in sorted(files.items()):
            member = tarfile.TarInfo(f"adkref-suite-{version}/{name}")
            member.size, member.mode, member.mtime = len(data), 0o644, 0
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


def is_copy(folder: Path) -> bool:
    """Tell whether *folder* is a suite that was copied before."""
    readme = folder / README
    return (
        (folder / SUMS).is_file()
        and readme.is_file()
        and readme.read_text(encoding="utf-8", errors="replace").startswith(TITLE)
    )


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ScenarioError(error.strerror or str(error), file=str(file)) from error


def _readme(root: Path, version: str) -> str:
    files = [
        file
        for folder in ("cases", "golden", "untraced")
        if (root / folder).is_dir()
        for file in corpus.find(root / folder)
    ]
    known = oracle.load(root)
    return _TEXT.format(
        title=TITLE,
        version=version,
        schemas=SCHEMA_VERSION,
        format=FORMAT,
        protocol=PROTOCOL,
        adk_go=ADK_GO,
        oracle="not told" if known is None else f"{known.module} {known.commit} ({known.date})",
        cases=sum(1 for _ in corpus.read_all(files)),
        files=len(files),
    )
