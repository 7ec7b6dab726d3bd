# SPDX-License-Identifier: Apache-2.0
"""The baseline: the failures of a port that are known, each with its reason.

A baseline makes a red run green without hiding anything: what it names is counted apart, and
what it names and does not fail any more is an error, with the line of the entry, and so is an
assumption that changes nothing.  So it can only tell the truth, and it shrinks as the port gets
better.

An entry names a case, a rule, or both.  A case may end in stars (``flow-*``); a rule is the one
that the failure points at, not every rule that its case shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

import yaml
from attrs import Factory, define, evolve, field, frozen

from adkref.conformance import assumptions, kinds
from adkref.conformance.faults import ScenarioError
from adkref.conformance.outcome import EQUAL, SKIPPED
from adkref.conformance.rules.registry import load_yaml
from adkref.conformance.schema import first_violation
from adkref.conformance.trial.result import FLAKY, KNOWN, TO_BLAME, Known, Result
from adkref.conformance.versions import unreadable


@frozen(kw_only=True)
class Entry:
    """One failure that is known."""

    reason: str
    case: str = ""
    rule: str = ""
    link: str = ""
    #: Where it stands in the file.
    line: int = field(default=0, eq=False)
    #: Whether it may pass as well.
    flaky: bool = False

    @property
    def name(self) -> str:
        """What the entry is about, in words."""
        return " with ".join(
            filter(
                None,
                (f"case {self.case}" * bool(self.case), f"rule {self.rule}" * bool(self.rule)),
            )
        )

    def is_about(self, result: Result) -> bool:
        """Tell whether the entry speaks of that case, whatever became of it."""
        if self.case:
            return fnmatchcase(result.id, self.case)
        return result.rule == self.rule or self.rule in result.rules

    def excuses(self, result: Result) -> bool:
        """Tell whether the entry names that failure."""
        if self.case and not fnmatchcase(result.id, self.case):
            return False
        return not self.rule or result.rule == self.rule


@define
class Baseline:
    """What a baseline file says."""

    file: str
    implementation: str
    entries: Sequence[Entry] = ()
    #: Names of rewrites that take a known divergence out of the way.
    assumptions: Sequence[str] = ()
    #: The port's own error texts, by the kind of the error.
    kinds: Mapping[str, tuple[str, ...]] = Factory(dict)
    #: Where the assumptions stand in the file.
    lines: Mapping[str, int] = Factory(dict)

    def place(self, entry: Entry) -> str:
        """Return file and line of an entry."""
        return f"{self.file}:{entry.line}"

    def place_of(self, assumption: str) -> str:
        """Return file and line of an assumption."""
        return f"{self.file}:{self.lines[assumption]}"


def load(path: str | Path) -> Baseline:
    """Read a baseline; a file that is none is a :class:`ScenarioError` that says where."""
    file = str(path)
    data = load_yaml(Path(path))
    try:
        lines = _lines(Path(path).read_text(encoding="utf-8"))
    except RecursionError as error:
        raise ScenarioError("is nested too deeply", file=file) from error
    if (found := first_violation("baseline", data)) is not None:
        raise ScenarioError(
            found.problem,
            path=found.path,
            expected=found.expected,
            file=file,
            line=_line_of(found.path, lines),
        )
    if reason := unreadable(data["schema_version"]):
        raise ScenarioError(reason, path=("schema_version",), file=file)
    for number, name in enumerate(data.get("assumptions", ())):
        _known_name(name, assumptions.ASSUMPTIONS, ("assumptions", number), file)
    for kind in data.get("kinds", {}):
        _known_name(kind, kinds.names(), ("kinds", kind), file)
    entries = [
        Entry(**spec, line=lines.get((key, number), 0), flaky=key == "flaky")
        for key in ("entries", "flaky")
        for number, spec in enumerate(data.get(key, ()))
    ]
    return Baseline(
        file=file,
        implementation=data["implementation"],
        entries=entries,
        assumptions=tuple(data.get("assumptions", ())),
        kinds={kind: tuple(texts) for kind, texts in data.get("kinds", {}).items()},
        lines={
            name: lines.get(("assumptions", number), 0)
            for number, name in enumerate(data.get("assumptions", ()))
        },
    )


def _known_name(name: str, known: Any, path: tuple[str | int, ...], file: str) -> None:
    if name not in known:
        expected = "one of " + ", ".join(known)
        raise ScenarioError(f"there is no {name!r}", path=path, expected=expected, file=file)


_Place = tuple[str, int]


def _lines(text: str) -> dict[_Place, int]:
    """Return the line of each item of the file's lists."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode):
        return {}
    return {
        (key.value, number): item.start_mark.line + 1
        for key, value in root.value
        if isinstance(value, yaml.SequenceNode)
        for number, item in enumerate(value.value)
    }


def _line_of(path: tuple[str | int, ...], lines: Mapping[_Place, int]) -> int:
    match path:
        case (str(key), int(number), *_):
            return lines.get((key, number), 0)
    return 0


# --- against the results ----------------------------------------------------------------------


def applied(baseline: Baseline, results: Sequence[Result]) -> list[Result]:
    """Return the results with each failure that the baseline names counted as known."""

    def judged(result: Result) -> Result:
        if result.verdict not in TO_BLAME:
            return result
        for entry in baseline.entries:
            if entry.excuses(result):
                known = Known(entry.reason, entry.link, baseline.place(entry))
                return evolve(result, verdict=FLAKY if entry.flaky else KNOWN, known=known)
        return result

    return [judged(result) for result in results]


#: Why an entry is stale.
_NOTHING: Final = "speaks of no case of these corpora"


def stale(
    baseline: Baseline, results: Sequence[Result], *, is_whole: bool
) -> Iterator[tuple[Entry, str]]:
    """Yield the entries that are not true, each with the reason.

    Of a run that is not *whole*, since only some cases were chosen, an entry that speaks of
    none of these is left alone.
    """
    excused = {result.known.place for result in results if result.known is not None}
    for entry in baseline.entries:
        if baseline.place(entry) in excused:
            continue
        about = [result for result in results if entry.is_about(result)]
        if not about:
            if is_whole:
                yield entry, _NOTHING
        elif entry.flaky:
            continue
        elif any(result.verdict in TO_BLAME for result in about):
            rules = sorted({result.rule for result in about if result.is_failing and result.rule})
            yield entry, f"fails by another rule: {', '.join(rules) or 'none that is known'}"
        elif any(result.known is not None for result in about):
            yield entry, "is named by an earlier entry as well"
        elif all(result.verdict == SKIPPED for result in about):
            yield entry, "is skipped, so it does not fail"
        else:
            yield entry, "does not fail any more"


def idle(
    baseline: Baseline, names: Iterable[str], results: Sequence[Result]
) -> Iterator[tuple[str, str]]:
    """Yield what is to be said of the assumptions that a whole run had no use for, and where.

    *names* are those that changed nothing of any equal case, neither its scenario nor a record
    of either side.  Where no case is equal, nothing is known of any.
    """
    if any(result.verdict == EQUAL for result in results):
        for name in names:
            if name in baseline.lines:
                text = f"assumption {name} changes nothing of any case that is equal"
                yield text, baseline.place_of(name)
