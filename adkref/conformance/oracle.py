# SPDX-License-Identifier: Apache-2.0
"""The oracle: which state of ADK-Go printed the golden traces, as far as that is known.

``conformance/oracle.yaml`` says it as data.  It names the folders whose traces the oracle
printed; what is not recorded stands in it as null, beside a note that says so.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from attrs import frozen

from adkref.conformance.faults import ScenarioError
from adkref.conformance.rules.registry import load_yaml

FILE: Final = "oracle.yaml"

_KEYS: Final = ("module", "version", "commit", "date", "changes", "source_hash", "folders", "note")


@frozen(kw_only=True)
class Oracle:
    """What is known of the program that printed the golden traces."""

    module: str
    #: The release; None where the state was none.
    version: str | None
    #: The commit of ADK-Go's main line that the state was built on.
    commit: str
    date: str
    #: What was merged into that commit or applied to it.
    changes: tuple[str, ...]
    #: The hash of the sources as they were built; None where nobody recorded it.
    source_hash: str | None
    #: The folders of ``conformance/`` whose traces it printed.
    folders: tuple[str, ...]
    note: str

    def to_json(self) -> dict[str, Any]:
        """Return what is known as plain data; what is not known is null."""
        found: dict[str, Any] = {key: getattr(self, key) for key in _KEYS}
        return {**found, "changes": list(self.changes), "folders": list(self.folders)}


def load(root: Path) -> Oracle | None:
    """Return what the project's ``conformance`` folder says of its oracle, or None."""
    file = root / FILE
    if not file.is_file():
        return None
    data = load_yaml(file)
    if not isinstance(data, dict) or set(data) != set(_KEYS):
        raise ScenarioError("is no oracle", file=str(file), expected=f"keys {', '.join(_KEYS)}")
    for key in ("changes", "folders"):
        if not isinstance(data[key], list):
            raise ScenarioError(f"{key} is no list", file=str(file), path=(key,))
    return Oracle(**{**data, "changes": tuple(data["changes"]), "folders": tuple(data["folders"])})


def printed(file: Path) -> str:
    """Return the folder of the oracle's traces that *file* stands in, or ``""``."""
    path = file.resolve()
    for root in path.parents:
        known = load(root)
        if known is None:
            continue
        first = path.relative_to(root).parts[0]
        return first if first in known.folders else ""
    return ""
