# SPDX-License-Identifier: Apache-2.0
"""The manifest: what shows each rule, or why nothing does.

What can be computed is not written down: a case shows the rules that its scenario lists, and a
unit test those that its docstring names.  ``conformance/rules/manifest.yaml`` has the rest:
the tests that name no rule, and the rules that are shown by nothing, each under a reason from a
closed list.  A rule without a case, a test and a reason is an orphan, and so is a case or a
test that names a rule which is not there; a reason is stale once something shows its rule.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from attrs import Factory, evolve, frozen

from adkref.conformance import corpus
from adkref.conformance.faults import ScenarioError
from adkref.conformance.rules.ids import Mention, mentions, named
from adkref.conformance.rules.registry import MANIFEST, Registry, load_yaml

#: The folders of ``conformance/`` whose cases list the rules that they show.
FOLDERS: Final = ("cases", "untraced")


@frozen
class Exclusion:
    """A rule, or a family with a star, that nothing shows, and why."""

    pattern: str
    reason: str
    note: str

    @property
    def is_family(self) -> bool:
        """Whether this is about what is left of a family, not about one rule."""
        return "*" in self.pattern

    def matches(self, rule: str) -> bool:
        """Return whether *rule* is meant."""
        return fnmatchcase(rule, self.pattern)


@frozen
class Dispute:
    """A rule that somebody holds for wrong, until it is settled."""

    rule: str
    #: What is held against it, since which day, and where it is talked about.
    about: str
    since: str
    link: str


@frozen
class Manifest:
    """What ``manifest.yaml`` says."""

    #: The closed list of reasons, each with a sentence.
    reasons: Mapping[str, str]
    exclusions: Sequence[Exclusion] = ()
    #: Tests that show a rule without naming it.
    tests: Mapping[str, tuple[str, ...]] = Factory(dict)
    disputes: Sequence[Dispute] = ()


@frozen(kw_only=True)
class Entry:
    """All that is known of how one rule is shown."""

    rule: str
    cases: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    #: Why nothing shows the rule; only where nothing does.
    exclusion: Exclusion | None = None
    #: Mutants that the rule's cases kill.
    killed_by: tuple[str, ...] = ()
    dispute: Dispute | None = None

    @property
    def is_shown(self) -> bool:
        """Whether a case or a test shows the rule."""
        return bool(self.cases or self.tests)


@frozen
class Ledger:
    """The entries of all rules, and what is wrong with them."""

    entries: Mapping[str, Entry]
    problems: tuple[str, ...] = ()

    @property
    def orphans(self) -> list[str]:
        """The rules without a case, a test and a reason."""
        return [
            rule
            for rule, entry in self.entries.items()
            if not entry.is_shown and entry.exclusion is None
        ]

    def with_mutants(self, killers: Mapping[str, Sequence[str]]) -> Ledger:
        """Return the ledger with the mutants by which each rule is killed.

        This is the door for the mutant matrix: *killers* maps a rule to the mutants that its
        cases kill.  A stranger among the rules is a problem.
        """
        entries = {
            rule: evolve(entry, killed_by=tuple(killers.get(rule, ())))
            for rule, entry in self.entries.items()
        }
        strange = [rule for rule in killers if rule not in entries]
        problems = [f"a mutant names {rule}, which is no rule" for rule in strange]
        return evolve(self, entries=entries, problems=(*self.problems, *problems))


def load(folder: Path) -> Manifest:
    """Return the manifest of the registry's *folder*."""
    file = folder / MANIFEST
    data = load_yaml(file)

    def part(key: str) -> dict[str, Any]:
        found = data.get(key) if isinstance(data, dict) else None
        if not isinstance(found, dict):
            raise ScenarioError(f"has no mapping '{key}'", file=str(file))
        return found

    known = {"reasons", "tests", "excluded", "disputed"}
    reasons, tests, excluded = part("reasons"), part("tests"), part("excluded")
    if unknown := sorted(set(data) - known):
        expected = ", ".join(sorted(known))
        raise ScenarioError(f"unknown key '{unknown[0]}'", file=str(file), expected=expected)
    exclusions = []
    for reason, rules in excluded.items():
        if reason not in reasons:
            raise ScenarioError(
                f"'{reason}' is no reason", file=str(file), expected=", ".join(reasons)
            )
        exclusions += [Exclusion(rule, reason, note or "") for rule, note in rules.items()]
    return Manifest(
        reasons=reasons,
        exclusions=exclusions,
        tests={rule: tuple(names) for rule, names in tests.items()},
        disputes=_disputes(data.get("disputed", {}), str(file)),
    )


def _disputes(data: Any, file: str) -> tuple[Dispute, ...]:
    if not isinstance(data, dict):
        raise ScenarioError("has no mapping 'disputed'", file=file)
    keys = {"about", "since", "link"}
    for rule, fields in data.items():
        if not isinstance(fields, dict) or set(fields) != keys:
            expected = ", ".join(sorted(keys))
            raise ScenarioError(f"the dispute of {rule} is incomplete", file=file, expected=expected)
    return tuple(
        Dispute(rule, **{key: str(value) for key, value in fields.items()})
        for rule, fields in data.items()
    )


def disputes(folder: Path) -> dict[str, Dispute]:
    """Return the disputes of the registry's *folder* by their rules; none without a manifest."""
    if not (folder / MANIFEST).is_file():
        return {}
    return {each.rule: each for each in load(folder).disputes}


# --- what can be computed ---------------------------------------------------------------------


def cases(root: Path) -> dict[str, tuple[str, ...]]:
    """Return the rules that each case of the ``conformance`` folder lists."""
    folders = [root / folder for folder in FOLDERS if (root / folder).is_dir()]
    return {case.id: case.rules for case in corpus.read_all(folders)}


def tests(folder: Path) -> dict[str, tuple[Mention, ...]]:
    """Return what each test's docstring names, by the test's id for pytest."""
    found: dict[str, tuple[Mention, ...]] = {}
    for file in sorted(folder.rglob("test_*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
        name = file.relative_to(folder.parent).as_posix()
        for function, words in _docstrings(tree.body, name):
            found[function] = tuple(mentions(words))
    return found


def _docstrings(body: Iterable[ast.stmt], path: str) -> Iterator[tuple[str, str]]:
    for each in body:
        if isinstance(each, ast.ClassDef) and each.name.startswith("Test"):
            yield from _docstrings(each.body, f"{path}::{each.name}")
        elif isinstance(each, ast.FunctionDef) and each.name.startswith("test_"):
            yield f"{path}::{each.name}", ast.get_docstring(each) or ""


# --- joining ----------------------------------------------------------------------------------


def join(
    registry: Registry,
    manifest: Manifest,
    shown: Mapping[str, Sequence[str]],
    tested: Mapping[str, Sequence[Mention]],
) -> Ledger:
    """Return the ledger of all rules.

    *shown* has the rules that each case lists, *tested* what each test names.
    """
    by_case: dict[str, list[str]] = {}
    problems: list[str] = []
    for case, rules in shown.items():
        for rule in rules:
            if rule not in registry:
                problems.append(f"the case {case} lists {rule}, which is no rule")
            by_case.setdefault(rule, []).append(case)
    for test, said in tested.items():
        unknown = [rule for each in said for rule in each.ids if rule not in registry]
        problems += [f"the test {test} names {rule}, which is no rule" for rule in unknown]
    by_test = _by_test(registry, manifest, tested)
    problems += _wrong_tests(registry, manifest, tested)
    problems += _stale(registry, manifest, by_case, by_test)
    problems += [
        f"{each.rule} is disputed, and there is no such rule"
        for each in manifest.disputes
        if each.rule not in registry
    ]
    entries = {}
    for rule in registry:
        listed = dict.fromkeys(by_case.get(rule, ()))
        entry = Entry(rule=rule, cases=tuple(listed), tests=tuple(by_test.get(rule, ())))
        if not entry.is_shown:
            entry = evolve(entry, exclusion=_exclusion(manifest, rule))
        dispute = next((each for each in manifest.disputes if each.rule == rule), None)
        entries[rule] = evolve(entry, dispute=dispute)
    ledger = Ledger(entries)
    orphans = [f"{rule} has no case, no test and no reason why not" for rule in ledger.orphans]
    return evolve(ledger, problems=(*orphans, *problems))


def _by_test(
    registry: Registry, manifest: Manifest, tested: Mapping[str, Sequence[Mention]]
) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for test, said in tested.items():
        for mention in said:
            # A range is walked rule by rule, anything else names its few.
            for rule in registry if mention.is_range else mention.ids:
                if mention.covers(rule) and test not in found.setdefault(rule, []):
                    found[rule].append(test)
    for rule, names in manifest.tests.items():
        found.setdefault(rule, []).extend(names)
    return {rule: names for rule, names in found.items() if names}


def _exclusion(manifest: Manifest, rule: str) -> Exclusion | None:
    matching = [each for each in manifest.exclusions if each.matches(rule)]
    # What is said of the rule itself goes before what is said of the rest of its family.
    return min(matching, key=lambda each: each.is_family, default=None)


def _wrong_tests(
    registry: Registry, manifest: Manifest, tested: Mapping[str, Sequence[Mention]]
) -> Iterator[str]:
    for rule, names in manifest.tests.items():
        if rule not in registry:
            yield f"the manifest names {rule}, which is no rule"
        for name in names:
            if name not in tested:
                yield f"{rule}: there is no test {name}"
            elif any(mention.covers(rule) for mention in tested[name]):
                yield f"{rule}: {name} names the rule itself, so the manifest need not"


def _stale(
    registry: Registry,
    manifest: Manifest,
    by_case: Mapping[str, Sequence[str]],
    by_test: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    patterns = Counter(each.pattern for each in manifest.exclusions)
    yield from (f"{pattern} is excluded twice" for pattern, count in patterns.items() if count > 1)
    for each in manifest.exclusions:
        meant = [rule for rule in registry if each.matches(rule)]
        if not meant:
            yield f"{each.pattern} is excluded ({each.reason}), and there is no such rule"
        elif all(rule in by_case or rule in by_test for rule in meant):
            rule = meant[0]
            by = by_case.get(rule) or by_test[rule]
            yield f"{each.pattern} is excluded ({each.reason}), but {by[0]} shows {rule}"
    used = {each.reason for each in manifest.exclusions}
    yield from (
        f"the reason '{each}' excludes nothing" for each in manifest.reasons if each not in used
    )


# --- in the code ------------------------------------------------------------------------------


def strangers(registry: Registry, files: Iterable[Path]) -> list[str]:
    """Return the mentions in *files* of ids that are no rules, each with its place."""
    out = []
    for file in files:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            out += [f"{file}:{number}: {rule}" for rule in named(line) if rule not in registry]
    return out
