# SPDX-License-Identifier: Apache-2.0
"""The registry: every rule with its sentence, as data that a report can print.

``conformance/rules/*.yaml`` has one file a chapter, ``ids.txt`` every id that was ever given
out.  The chapters are where rules are changed; the registry is held equal to them, so that a
report names a rule without reading pages, and an id without a rule is noticed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml
from attrs import field, frozen

from adkref.conformance.faults import ScenarioError
from adkref.conformance.rules.ids import RULE, family

MUST: Final = "MUST"
SHOULD: Final = "SHOULD"
#: A port may do either, and declares in its ``hello`` which.
PORT_DEFINED: Final = "port-defined"
LEVELS: Final = (MUST, SHOULD, PORT_DEFINED)

#: The release that some rules are known from, as the traced state of ADK-Go lacks them.
RELEASE: Final = "v2.4.0"

#: What ``source`` counts in.
ADK_GO: Final = "main line of 2026-08-21 (0a51e153), with context compaction merged"

#: The list of all ids, one a line.
IDS: Final = "ids.txt"
#: In the folder of the registry, but no chapter of it.
MANIFEST: Final = "manifest.yaml"

_HEAD: Final = (
    "# SPDX-License-Identifier: Apache-2.0\n"
    "# Made from docs/spec/{chapter}.md by `python -m adkref.conformance.rules.extract`;\n"
    "# `adkref rules --check` holds the two equal.  Change the chapter, then write this anew.\n"
)


@frozen(kw_only=True)
class Rule:
    """One rule as its chapter has it."""

    id: str
    #: The page's name without its suffix, and the heading that the rule stands under.
    chapter: str
    section: str
    #: One of :data:`LEVELS`.
    level: str
    #: The rule's own first sentence.
    sentence: str
    #: Sentences after the first that leave something to the port, or advise it.
    allows: tuple[str, ...] = ()
    #: The places in ADK-Go; empty where the chapter names none.
    source: tuple[str, ...] = ()
    #: The release that brought the rule; a trace that shows it names this profile.
    since: str = ""
    #: For such rules how it is known: seed (S), public history (P), inferred (I).
    known: str = ""
    #: Later rules and revision notes that change this one.
    changed_by: tuple[str, ...] = ()
    #: A fingerprint of the whole text, so that no change of a chapter goes unnoticed.
    digest: str = field(default="", repr=False)

    @property
    def family(self) -> str:
        """The letters before the number."""
        return family(self.id)

    def to_json(self) -> dict[str, Any]:
        """Return the rule as plain data; what is empty is left out."""
        data = {
            "id": self.id,
            "chapter": self.chapter,
            "section": self.section,
            "level": self.level,
            "sentence": self.sentence,
            "allows": list(self.allows),
            "source": list(self.source),
            "since": self.since,
            "profile": self.since,
            "known": self.known,
            "changed_by": list(self.changed_by),
            "digest": self.digest,
        }
        return {key: value for key, value in data.items() if value}


class Registry(Mapping[str, Rule]):
    """The rules by id, in the order of the chapters."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules: dict[str, Rule] = {}
        for rule in rules:
            if rule.id in self._rules:
                raise ScenarioError(f"rule {rule.id} is defined twice", file=rule.chapter)
            self._rules[rule.id] = rule

    def __getitem__(self, rule: str) -> Rule:
        return self._rules[rule]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)

    def matching(self, prefix: str) -> list[Rule]:
        """Return the rule with that id, or all of a family, or all whose id begins so."""
        prefix = prefix.upper()
        if any(rule.family == prefix for rule in self._rules.values()):
            return [rule for rule in self._rules.values() if rule.family == prefix]
        return [rule for rule in self._rules.values() if rule.id.startswith(prefix)]

    def asked(self, prefix: str) -> list[Rule]:
        """Return what matches; if nothing does, a :class:`ScenarioError` names the families."""
        if found := self.matching(prefix):
            return found
        families = ", ".join(dict.fromkeys(rule.family for rule in self._rules.values()))
        raise ScenarioError(f"no rule begins with {prefix!r}; the families are {families}")

    def chapters(self) -> list[str]:
        """Return the names of the chapters, in order."""
        return list(dict.fromkeys(rule.chapter for rule in self._rules.values()))


# --- files ------------------------------------------------------------------------------------


def load(folder: Path) -> Registry:
    """Return the registry of *folder*; one that is no registry is a :class:`ScenarioError`."""
    files = sorted(file for file in folder.glob("*.yaml") if file.name != MANIFEST)
    if not files:
        raise ScenarioError("holds no registry of rules", file=str(folder))
    rules: list[Rule] = []
    for file in files:
        data = load_yaml(file)
        if not isinstance(data, dict) or not isinstance(data.get("rules"), dict):
            raise ScenarioError("is no registry", file=str(file), expected="a mapping 'rules'")
        for rule, fields in data["rules"].items():
            rules.append(_rule(file, data.get("chapter", file.stem), rule, fields))
    return Registry(rules)


def load_yaml(file: Path) -> Any:
    """Return what a YAML file holds; a file that is none is a :class:`ScenarioError`."""
    # The loader that libyaml brings is several times faster, and not built everywhere.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(file.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506
    except OSError as error:
        raise ScenarioError(error.strerror or str(error), file=str(file)) from error
    except UnicodeDecodeError as error:
        raise ScenarioError("is no UTF-8 text", file=str(file)) from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 0
        raise ScenarioError(f"is no YAML: {error.problem}", file=str(file), line=line) from error
    except yaml.YAMLError as error:
        raise ScenarioError(f"is no YAML: {error}", file=str(file)) from error
    except RecursionError as error:
        raise ScenarioError("is nested too deeply", file=str(file)) from error


def _rule(file: Path, chapter: str, rule: Any, fields: Any) -> Rule:
    if not isinstance(rule, str) or not RULE.fullmatch(rule) or not isinstance(fields, dict):
        raise ScenarioError(f"{rule!r} is no rule", file=str(file))
    lists = ("allows", "source", "changed_by")
    data: dict[str, Any] = {
        key: tuple(value) if key in lists else value for key, value in fields.items()
    }
    try:
        return Rule(id=rule, chapter=chapter, **data)
    except TypeError as error:
        raise ScenarioError(f"{rule}: {error}", file=str(file)) from error


def write(registry: Registry, folder: Path) -> None:
    """Write the registry to *folder*, and add its new ids to the list of all."""
    for chapter in registry.chapters():
        rules = {}
        for rule in registry.values():
            if rule.chapter == chapter:
                data = rule.to_json()
                for key in ("id", "chapter", "profile"):
                    data.pop(key, None)
                rules[rule.id] = data
        text = yaml.safe_dump(
            {"chapter": chapter, "adk_go": ADK_GO, "rules": rules},
            allow_unicode=True,
            sort_keys=False,
            width=99,
        )
        (folder / f"{chapter}.yaml").write_text(
            _HEAD.format(chapter=chapter) + text, encoding="utf-8"
        )
    given = list(ids(folder))
    new = [rule for rule in registry if rule not in given]
    (folder / IDS).write_text("".join(f"{each}\n" for each in [*given, *new]), encoding="utf-8")


def ids(folder: Path) -> tuple[str, ...]:
    """Return every id that was ever given out, in the order of giving."""
    file = folder / IDS
    return tuple(file.read_text(encoding="utf-8").split()) if file.exists() else ()


# --- against the pages ------------------------------------------------------------------------


def differences(registry: Registry, pages: Registry, given: Iterable[str]) -> list[str]:
    """Return in words how the registry differs from the chapters and from the list of ids."""
    out = [f"{rule} is on the page {pages[rule].chapter} only" for rule in pages - registry.keys()]
    out += [f"{rule} is in the registry only" for rule in registry - pages.keys()]
    for rule in registry:
        if rule in pages and registry[rule] != pages[rule]:
            one, other = registry[rule].to_json(), pages[rule].to_json()
            keys = [key for key in [*one, *other] if one.get(key) != other.get(key)]
            words = ", ".join(dict.fromkeys(keys))
            out.append(f"{rule}: the registry and {pages[rule].chapter} differ in {words}")
    known = list(given)
    out += [f"{rule} was given out and is gone" for rule in known if rule not in registry]
    out += [f"{rule} is not in {IDS}" for rule in registry if rule not in known]
    out += [f"{rule} is twice in {IDS}" for rule in sorted(set(known)) if known.count(rule) > 1]
    return out
