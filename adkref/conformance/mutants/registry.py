# SPDX-License-Identifier: Apache-2.0
"""The registry of mutants: ``conformance/mutants/*.yaml``, one file a family of behaviour.

A file is ``{family, about, golden, mutants: [{id, title, rules, module, find, replace}]}``.
The title says what the mutant does, the rules what it breaks by that.  *golden* names the
groups of golden traces that show most of the family: they are played before the others.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from attrs import evolve, field, frozen

from adkref.conformance.faults import HarnessError, ScenarioError
from adkref.conformance.mutants.graft import Graft
from adkref.conformance.rules.registry import load_yaml

#: The folder of ``conformance/`` that holds the records.
FOLDER: Final = "mutants"
#: Stands among the records and is none; see :mod:`adkref.conformance.mutants.killed`.
KILLED: Final = "killed.yaml"

_FILE_KEYS: Final = {"family", "about", "golden", "mutants"}
_KEYS: Final = {"id", "title", "rules", "module", "find", "replace"}


@frozen
class Mutant:
    """The reference with one behaviour that is wrong."""

    id: str
    title: str
    #: The rules that it breaks.
    rules: tuple[str, ...]
    graft: Graft = field(repr=False)
    family: str = ""
    #: The groups of golden traces that are played first.
    golden: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise HarnessError unless the snippet stands in its module once and code comes of it."""
        try:
            self.graft.code()
        except HarnessError as error:
            raise HarnessError(f"mutant {self.id}: {error}") from error
        except SyntaxError as error:
            raise HarnessError(
                f"mutant {self.id}: the replacement is no Python: {error}"
            ) from error


class Mutants(Mapping[str, Mutant]):
    """All mutants by id, in the order of their files."""

    def __init__(self, mutants: Iterable[Mutant]) -> None:
        self._by_id = {each.id: each for each in mutants}

    def __getitem__(self, identity: str) -> Mutant:
        return self._by_id[identity]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_id)

    def __len__(self) -> int:
        return len(self._by_id)

    @property
    def families(self) -> dict[str, list[Mutant]]:
        """The mutants of each family."""
        found: dict[str, list[Mutant]] = {}
        for each in self.values():
            found.setdefault(each.family, []).append(each)
        return found

    def named(self, names: Iterable[str]) -> list[Mutant]:
        """Return the mutants that *names* name: by id, family, or a rule that they break.

        Without any name these are all.  A name of nobody is a :class:`ScenarioError` that
        tells of the ids that come close.
        """
        found: dict[str, Mutant] = {}
        for name in names:
            meant = [self[name]] if name in self else []
            meant = meant or [each for each in self.values() if name in (each.family, *each.rules)]
            if not meant:
                close = difflib.get_close_matches(name, self, n=3)
                hint = f"; close to it: {', '.join(close)}" if close else ""
                raise ScenarioError(f"there is no mutant {name!r}{hint}")
            found |= {each.id: each for each in meant}
        return list(found.values()) or list(self.values())


def load(root: Path) -> Mutants:
    """Return the mutants of the ``conformance`` folder *root*; ScenarioError if there is none."""
    folder = root / FOLDER
    files = sorted(file for file in folder.glob("*.yaml") if file.name != KILLED)
    if not files:
        raise ScenarioError("holds no mutants", file=str(folder))
    mutants: dict[str, Mutant] = {}
    for file in files:
        for mutant in _read(file):
            if mutant.id in mutants:
                raise ScenarioError(f"mutant {mutant.id} is there twice", file=str(file))
            mutants[mutant.id] = mutant
    return Mutants(mutants.values())


def _read(file: Path) -> Iterator[Mutant]:
    data = load_yaml(file)
    if not isinstance(data, dict) or set(data) != _FILE_KEYS:
        raise ScenarioError(
            "is no file of mutants", file=str(file), expected=", ".join(sorted(_FILE_KEYS))
        )
    family, golden = str(data["family"]), tuple(map(str, data["golden"]))
    for number, record in enumerate(data["mutants"], 1):
        mutant = _mutant(record, f"{file}: mutant {number}")
        yield evolve(mutant, family=family, golden=golden)


def _mutant(record: Any, place: str) -> Mutant:
    if not isinstance(record, dict) or set(record) != _KEYS:
        raise ScenarioError(
            "is no record of a mutant", file=place, expected=", ".join(sorted(_KEYS))
        )
    rules = record["rules"]
    if not isinstance(rules, list) or not rules:
        raise ScenarioError("breaks no rule", file=place, expected="a list of rules")
    texts = {key: record[key] for key in _KEYS - {"rules"}}
    if wrong := [key for key, value in texts.items() if not isinstance(value, str)]:
        raise ScenarioError(f"{wrong[0]} is no text", file=place)
    return Mutant(
        id=texts["id"],
        title=texts["title"],
        rules=tuple(map(str, rules)),
        graft=Graft(texts["module"], texts["find"], texts["replace"]),
    )
