# SPDX-License-Identifier: Apache-2.0
"""Findings: a failure with all that is needed to see it again, in one file."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final

from attrs import evolve, frozen

from adkref.conformance.diff import Difference
from adkref.conformance.driver import source_hash, version
from adkref.conformance.faults import ScenarioError
from adkref.conformance.fuzz.rig import Verdict
from adkref.conformance.fuzz.signature import Signature
from adkref.conformance.narrate import narrate, sentence
from adkref.conformance.scenario import Scenario, check, parse_json
from adkref.conformance.schedules.rules import rules_of
from adkref.conformance.trial.judging import TEXT
from adkref.conformance.trial.suspects import suspect

#: What a file of a finding says that it is.
FORMAT: Final = "adkref-finding/1"


@frozen(kw_only=True)
class Origin:
    """Where a scenario came from."""

    group: str = ""
    seed: int = 0
    #: The scenario's number among those that the seed draws, from 1.
    number: int = 0


@frozen(kw_only=True)
class Finding:
    """One failure of a port."""

    id: str
    signature: Signature
    scenario: Scenario
    #: What the fault is, or nothing.
    reason: str = ""
    difference: Difference | None = None
    expected: dict[str, Any] | None = None
    actual: dict[str, Any] | None = None
    impossible: int | None = None
    stderr: tuple[str, ...] = ()
    #: The scenario as it was drawn.
    original: Scenario | None = None
    origin: Origin = Origin()
    #: Whether a second play of the smallest scenario failed likewise.
    is_steady: bool = True
    #: How often the signature was met.
    met: int = 1
    command: str = ""
    errors: str = TEXT
    assumptions: tuple[str, ...] = ()
    versions: dict[str, Any] | None = None

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that the failure points at, the likeliest first."""
        if self.difference is not None:
            one, other = self.difference.expected_record, self.difference.actual_record
            likely = suspect((), self.difference)
            more = (rules_of(it) for it in (one, other) if isinstance(it, dict) and "at" in it)
            return tuple(dict.fromkeys(filter(None, (likely, *chain(*more)))))
        if self.impossible is not None and self.actual is not None:
            return rules_of(dict(enumerate(self.actual["trace"], 1)).get(self.impossible))
        return ()

    def met_again(self) -> Finding:
        """Return the finding with one more meeting."""
        return evolve(self, met=self.met + 1)

    def lines(self) -> Iterator[str]:
        """Yield what a reader wants to see of it."""
        if self.reason:
            yield f"  {self.reason}"
        for line in self.stderr:
            yield f"    stderr: {line}"
        if self.impossible is not None and self.actual is not None:
            yield f"  no schedule gives record {self.impossible} at this place"
            before = self.actual["trace"][max(0, self.impossible - 4) : self.impossible]
            first = self.impossible - len(before)
            for number, record in enumerate(before, first + 1):
                sign = "+" if number == self.impossible else " "
                yield f"  {sign} {number:>4}  {sentence(record)}"
        if self.difference is not None:
            yield f"  {self.difference.place()}"
            yield from self.difference.lines()
        if not self.is_steady:
            yield "  it did not fail again when it was played once more"

    # --- files --------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the finding as plain JSON; what is empty is left out."""
        fields: dict[str, Any] = {
            "format": FORMAT,
            "id": self.id,
            "signature": self.signature.to_json(),
            "what": str(self.signature),
            "rules": list(self.rules),
            "reason": self.reason,
            "scenario": self.scenario,
            "difference": self.difference and self.difference.to_json(),
            "impossible": self.impossible,
            "story": self._story(),
            "expected": self.expected,
            "actual": self.actual,
            "stderr": list(self.stderr),
            "original": self.original if self.original != self.scenario else None,
            "group": self.origin.group,
            "seed": self.origin.seed,
            "number": self.origin.number,
            "steady": self.is_steady,
            "met": self.met,
            "command": self.command,
            "errors": self.errors,
            "assumptions": list(self.assumptions),
            "versions": self.versions,
        }
        empty: tuple[Any, ...] = (None, "", [])
        return {key: value for key, value in fields.items() if value not in empty}

    def _story(self) -> list[str]:
        """Return the expected trace in words."""
        trace = self.expected["trace"] if self.expected else []
        return [f"{step.number:>4} {step.lane}: {step.words}" for step in narrate(trace)]

    def save(self, folder: Path) -> Path:
        """Write the finding into *folder* and return the file."""
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{self.id}.json"
        text = json.dumps(self.to_json(), ensure_ascii=False, indent=1)
        file.write_text(text + "\n", encoding="utf-8")
        return file


def finding_of(verdict: Verdict, scenario: Scenario, *, id: str, **known: Any) -> Finding:
    """Return the finding that a failing verdict makes."""
    assert verdict.signature is not None
    return Finding(
        id=id,
        signature=verdict.signature,
        scenario=scenario,
        reason=verdict.reason,
        difference=verdict.difference,
        expected=verdict.expected,
        actual=verdict.actual,
        impossible=verdict.impossible,
        stderr=verdict.stderr,
        **known,
    )


def load(path: str | Path) -> Finding:
    """Read a finding; a file that is none is a :class:`ScenarioError`."""
    file = str(path)
    try:
        data = parse_json(Path(path).read_bytes())
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ScenarioError("is no finding", expected=f"the format {FORMAT}")
        scenario = check(data.get("scenario"))
        found = data.get("difference")
        return Finding(
            id=str(data["id"]),
            signature=Signature(**data["signature"]),
            scenario=scenario,
            reason=data.get("reason", ""),
            difference=None if found is None else Difference.from_json(found),
            expected=data.get("expected"),
            actual=data.get("actual"),
            impossible=data.get("impossible"),
            stderr=tuple(data.get("stderr", ())),
            original=data.get("original"),
            origin=Origin(
                group=data.get("group", ""),
                seed=data.get("seed", 0),
                number=data.get("number", 0),
            ),
            is_steady=data["steady"],
            met=data["met"],
            command=data.get("command", ""),
            errors=data.get("errors", TEXT),
            assumptions=tuple(data.get("assumptions", ())),
            versions=data.get("versions"),
        )
    except OSError as error:
        raise ScenarioError(error.strerror or str(error), file=file) from error
    except (KeyError, TypeError) as error:
        raise ScenarioError(f"is no whole finding: {error}", file=file) from error
    except ScenarioError as error:
        raise error.at(file, error.line) from error


def versions(**more: Any) -> dict[str, Any]:
    """Return what a finding depends on: the kit, Python, and *more*."""
    return {
        "adkref": version(),
        "source_hash": source_hash(),
        "python": platform.python_version(),
        **more,
    }
