# SPDX-License-Identifier: Apache-2.0
"""Frozen rules: no id goes away, and no sentence changes without a word about it.

``conformance/rules/frozen.txt`` is only ever added to.  A line has a rule's id, the version of
the suite, and a hash of the rule's sentence; a rule's first line says which version brought it,
a later one that its sentence changed, with a note that says why::

    RUN-055 1.0.0 3f1c0a9be210
    RUN-055 1.0.2 77d0e21ac4f9 it said session where ADK-Go has the user's state
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from attrs import frozen

from adkref.conformance.faults import ScenarioError
from adkref.conformance.rules.registry import Registry, Rule
from adkref.conformance.versions import SCHEMA_VERSION, numbers, unreadable

#: The list, in the folder of the registry.
FROZEN: Final = "frozen.txt"

_LINE: Final = re.compile(r"(\S+) ([0-9]+\.[0-9]+\.[0-9]+) ([0-9a-f]{12})(?: (\S.*))?")


@frozen
class Wording:
    """A rule's sentence as a version of the suite had it."""

    rule: str
    version: str
    hash: str
    #: Why it is not what it was; empty for a rule's first sentence.
    note: str = ""

    def __str__(self) -> str:
        return f"{self.rule} {self.version} {self.hash} {self.note}".rstrip()


def hash_of(rule: Rule) -> str:
    """Return what stands for a rule's sentence; how it is wrapped does not matter."""
    return hashlib.sha256(" ".join(rule.sentence.split()).encode()).hexdigest()[:12]


def load(folder: Path) -> dict[str, list[Wording]]:
    """Return the wordings of each rule, oldest first; a list that is none is an error."""
    file = folder / FROZEN
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ScenarioError(error.strerror or str(error), file=str(file)) from error
    except UnicodeDecodeError as error:
        raise ScenarioError("is no UTF-8 text", file=str(file)) from error
    found: dict[str, list[Wording]] = {}
    for number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise ScenarioError(
                f"{line!r} is no line of the list",
                expected="ID VERSION HASH, with a note where a sentence changed",
                file=str(file),
                line=number,
            )
        rule, version, hashed, note = match.groups(default="")
        found.setdefault(rule, []).append(Wording(rule, version, hashed, note))
    return found


def add_new(registry: Registry, folder: Path) -> None:
    """Add the first wordings of rules that the list does not know yet.

    A changed sentence is left to a person, who has to say why.
    """
    file = folder / FROZEN
    known = load(folder) if file.exists() else {}
    new = [
        f"{Wording(rule.id, SCHEMA_VERSION, hash_of(rule))}\n"
        for rule in registry.values()
        if rule.id not in known
    ]
    with file.open("a", encoding="utf-8") as out:
        out.writelines(new)


def problems(registry: Registry, wordings: Mapping[str, list[Wording]]) -> Iterator[str]:
    """Yield in words how the registry breaks what is frozen, and what is wrong with the list."""
    for rule, history in wordings.items():
        if rule not in registry:
            yield f"{rule} was frozen in {history[0].version} and is gone"
            continue
        yield from _of_history(history)
        last, now = history[-1], hash_of(registry[rule])
        if last.hash != now:
            yield (
                f"{rule}: its sentence is not that of {last.version}; take it back, or raise "
                f"the version and add the line '{rule} VERSION {now} NOTE' to {FROZEN}"
            )
    for rule in registry:
        if rule not in wordings:
            yield f"{rule} is not in {FROZEN}"


def _of_history(history: list[Wording]) -> Iterator[str]:
    first, *later = history
    if first.note:
        yield f"{first.rule}: its first line in {FROZEN} has a note, and nothing that changed"
    for before, after in zip(history, later, strict=False):
        if numbers(after.version) <= numbers(before.version):
            yield f"{after.rule}: its sentence changed again in the same version {after.version}"
        if not after.note:
            yield f"{after.rule}: {FROZEN} has no note on why its sentence changed"
    for each in history:
        if numbers(each.version) > numbers(SCHEMA_VERSION):
            reason = unreadable(each.version) or f"this kit is of version {SCHEMA_VERSION}"
            yield f"{each.rule}: {FROZEN} has the version {each.version}: {reason}"
