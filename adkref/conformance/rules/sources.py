# SPDX-License-Identifier: Apache-2.0
"""Where the rules come from: whether the cited places of ADK-Go are still what they were.

A rule cites files, packages or functions of ADK-Go.  Of a checkout the hash of each cited file or
package is recorded; of another checkout it tells which rules have to be read again.  What names
neither a file nor a package that is there cannot be followed, and is told apart.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from attrs import Factory, frozen

from adkref.conformance.faults import ScenarioError
from adkref.conformance.rules.registry import Registry, load_yaml

#: The record, in the folder ``conformance``.
RECORD: Final = "sources.yaml"

_FIRST: Final = re.compile(r"[^\s;,:()]+")


@frozen
class Drift:
    """What became of the cited places, each with the rules that cite it."""

    same: Mapping[str, tuple[str, ...]] = Factory(dict)
    changed: Mapping[str, tuple[str, ...]] = Factory(dict)
    gone: Mapping[str, tuple[str, ...]] = Factory(dict)
    #: Cited now, and not in the record.
    new: Mapping[str, tuple[str, ...]] = Factory(dict)
    #: Names no file or package of the checkout, and did not when the record was made.
    unfollowed: Mapping[str, tuple[str, ...]] = Factory(dict)

    @property
    def to_read(self) -> list[str]:
        """The rules whose places have changed or gone, in their order."""
        cited = (rules for of in (self.changed, self.gone) for rules in of.values())
        return sorted({rule for rules in cited for rule in rules})


def cited(registry: Registry) -> dict[str, tuple[str, ...]]:
    """Return each place that rules cite, with the ids of these rules."""
    found: dict[str, dict[str, None]] = {}
    for rule in registry.values():
        for source in rule.source:
            for part in source.split(";"):
                if (first := _FIRST.search(part)) is not None:
                    found.setdefault(first[0], {})[rule.id] = None
    return {place: tuple(rules) for place, rules in sorted(found.items())}


def hashes(checkout: Path, places: Iterable[str]) -> dict[str, str]:
    """Return the hash of each of *places* that is a file or a package of *checkout*.

    A name without its folder counts if only one file or package has it.  A package is all its
    files but the tests.  A folder without Go files is a :class:`ScenarioError`.
    """
    files = sorted(
        file.relative_to(checkout).as_posix()
        for file in checkout.rglob("*")
        if file.suffix in (".go", ".md") and file.is_file()
    )
    if not any(file.endswith(".go") for file in files):
        raise ScenarioError("has no Go files; expected a checkout of ADK-Go", file=str(checkout))
    found = {}
    for place in places:
        if members := _members(place, files):
            digest = hashlib.sha256()
            for name in members:
                digest.update(f"{name}\0".encode())
                digest.update((checkout / name).read_bytes())
            found[place] = digest.hexdigest()
    return found


def _members(place: str, files: list[str]) -> list[str]:
    """Return the files that a cited place is made of."""
    named = [file for file in files if file == place] or [
        file for file in files if file.endswith(f"/{place}")
    ]
    if len(named) == 1:
        return named
    packages: dict[str, list[str]] = {}
    for file in files:
        folder = file.rpartition("/")[0]
        is_source = file.endswith(".go") and not file.endswith("_test.go")
        if is_source and (folder == place or folder.endswith(f"/{place}")):
            packages.setdefault(folder, []).append(file)
    return packages.get(place) or (next(iter(packages.values())) if len(packages) == 1 else [])


def drift(registry: Registry, recorded: Mapping[str, str], now: Mapping[str, str]) -> Drift:
    """Compare the hashes of two checkouts, place by place."""
    kinds: dict[str, dict[str, tuple[str, ...]]] = {}
    for place, rules in cited(registry).items():
        before, after = recorded.get(place), now.get(place)
        if before == after:
            kind = "same" if after is not None else "unfollowed"
        elif after is None:
            kind = "gone"
        else:
            kind = "new" if before is None else "changed"
        kinds.setdefault(kind, {})[place] = rules
    return Drift(**kinds)


def load(file: Path) -> dict[str, str]:
    """Return the hashes of a record; a file that is none is a :class:`ScenarioError`."""
    data: Any = load_yaml(file)
    places = data.get("places") if isinstance(data, dict) else None
    if not isinstance(places, dict) or not all(isinstance(it, str) for it in places.values()):
        raise ScenarioError("is no record of sources: it has no mapping 'places'", file=str(file))
    return places
