# SPDX-License-Identifier: Apache-2.0
"""Which rules have a mutant that a case of theirs kills: ``conformance/mutants/killed.yaml``.

The file is made by ``adkref mutants --write``.  A mutant counts for a rule if it breaks that
rule by its own record and if a case that lists the rule kills it; how many rules have one may
only rise, and the floor stands in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import yaml
from attrs import Factory, evolve, frozen

from adkref.conformance.faults import HarnessError, ScenarioError
from adkref.conformance.mutants.hunt import Verdict
from adkref.conformance.mutants.registry import FOLDER, KILLED
from adkref.conformance.rules.registry import load_yaml

_HEAD: Final = """\
# SPDX-License-Identifier: Apache-2.0
# Made by `adkref mutants --write`.  For each rule the mutants that break it and that a case
# which lists it kills: rule -> mutant -> case.  So many rules have one, and never fewer: floor.
# `others` are killed by a case that lists no rule which they break: mutant -> case.
"""


@frozen
class Killed:
    """Rule -> mutant -> the case by which the rule gets it."""

    rules: Mapping[str, Mapping[str, str]] = Factory(dict)
    floor: int = 0
    #: Mutant -> the case that kills it, of those that count for no rule.
    others: Mapping[str, str] = Factory(dict)

    @classmethod
    def of(cls, verdicts: Iterable[Verdict], floor: int = 0) -> Killed:
        """Return what *verdicts* show."""
        rules: dict[str, dict[str, str]] = {}
        others: dict[str, str] = {}
        for verdict in verdicts:
            for rule, cases in verdict.by_rule.items():
                if cases:
                    rules.setdefault(rule, {})[verdict.mutant.id] = cases[0]
            if verdict.killed and not any(verdict.by_rule.values()):
                others[verdict.mutant.id] = verdict.kills[0].case
        ordered = {rule: dict(sorted(rules[rule].items())) for rule in sorted(rules)}
        return cls(ordered, floor, dict(sorted(others.items())))

    @property
    def killers(self) -> dict[str, tuple[str, ...]]:
        """For each rule the mutants that its cases kill."""
        return {rule: tuple(mutants) for rule, mutants in self.rules.items()}

    @property
    def cases(self) -> dict[str, set[str]]:
        """For each mutant the cases that kill it."""
        found = {mutant: {case} for mutant, case in self.others.items()}
        for mutants in self.rules.values():
            for mutant, case in mutants.items():
                found.setdefault(mutant, set()).add(case)
        return found

    def lost(self, now: Killed) -> list[str]:
        """Return in words what this registry has and *now*, of all mutants, has not.

        A mutant that is not kept at all is told of as well: nobody would miss it.
        """
        missing = [
            f"{rule}: no case of it kills {mutant} any more"
            for rule, mutants in self.rules.items()
            for mutant in mutants
            if mutant not in now.rules.get(rule, {})
        ]
        alive = now.cases
        missing += [
            f"no case kills {mutant} any more" for mutant in self.others if mutant not in alive
        ]
        missing += [
            f"{mutant} is not kept; `adkref mutants --write` keeps it"
            for mutant in alive
            if mutant not in self.cases
        ]
        if len(now.rules) < self.floor:
            missing.append(
                f"{len(now.rules)} rules have a killing mutant; there were {self.floor}, and the "
                "number may only rise"
            )
        return missing


def load(root: Path) -> Killed:
    """Return what is kept in the ``conformance`` folder *root*, nothing if there is no file."""
    file = root / FOLDER / KILLED
    if not file.exists():
        return Killed()
    data = load_yaml(file)
    if not _is_registry(data):
        raise ScenarioError("is no registry of killed mutants", file=str(file))
    return Killed(data["rules"], data["floor"], data["others"])


def _is_registry(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and set(data) == {"floor", "rules", "others"}
        and isinstance(data["floor"], int)
        and isinstance(data["rules"], dict)
        and all(isinstance(mutants, dict) for mutants in data["rules"].values())
        and isinstance(data["others"], dict)
    )


def killers(root: Path) -> dict[str, tuple[str, ...]]:
    """Return for each rule the mutants that a case which lists it kills."""
    return load(root).killers


def write(root: Path, verdicts: Iterable[Verdict]) -> Killed:
    """Keep what *verdicts* of all mutants show; fewer rules than the floor are refused."""
    floor = load(root).floor
    now = Killed.of(verdicts)
    if len(now.rules) < floor:
        raise HarnessError(
            f"{len(now.rules)} rules have a killing mutant; there were {floor}, and the number "
            "may only rise"
        )
    now = evolve(now, floor=len(now.rules))
    data = {"floor": now.floor, "rules": now.rules, "others": now.others}
    text = yaml.safe_dump(data, sort_keys=False, width=99, allow_unicode=True)
    (root / FOLDER / KILLED).write_text(_HEAD + text, encoding="utf-8")
    return now
