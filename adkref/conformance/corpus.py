# SPDX-License-Identifier: Apache-2.0
"""Corpora: files and folders of scenarios with what is known of how they play.

A corpus is a ``.jsonl`` or ``.jsonl.gz`` file with one case a line, or a folder of such
files.  A case is ``{"scenario", "trace", "final"}``, or ``{"scenario", "expect"}`` where no
trace could be had.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from attrs import field, frozen

from adkref.conformance.faults import ScenarioError
from adkref.conformance.scenario import Scenario, parse_json

SUFFIXES: Final = (".jsonl", ".jsonl.gz")
#: Part of the name of files that hold traces of one scenario instead of cases.
_TRACES: Final = ".traces."


class _Absent:
    """Stands for a final state that a case does not give."""

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT: Final[Any] = _Absent()


@frozen
class Case:
    """One case of a corpus and where it stands."""

    id: str
    file: str
    line: int
    scenario: Scenario = field(repr=False)
    #: What happened, or None where it is not known.
    trace: list[dict[str, Any]] | None = field(default=None, repr=False)
    #: The final state; ABSENT after a construct_error (which some cases write as null) and in
    #: untraced cases.
    final: Any = field(default=ABSENT, repr=False)
    #: What an untraced case asks for in place of a trace.
    expect: dict[str, Any] | None = field(default=None, repr=False)
    #: The rules that the case shows.
    rules: tuple[str, ...] = field(default=(), repr=False)

    @property
    def place(self) -> str:
        """File and line, as errors show them."""
        return f"{self.file}:{self.line}"


def find(path: str | Path) -> list[Path]:
    """Return the corpus files that *path* names: itself, or all in and below a folder.

    A folder without any is a :class:`ScenarioError`, and so is a path that is not there.
    """
    path = Path(path)
    if path.is_dir():
        found = sorted(file for file in path.rglob("*") if _is_corpus(file))
        if not found:
            raise ScenarioError(
                "holds no corpus", file=str(path), expected=" or ".join(SUFFIXES) + " files"
            )
        return found
    if not path.exists():
        raise ScenarioError("no such file or folder", file=str(path))
    if not _is_corpus(path):
        raise ScenarioError(
            "is no corpus",
            file=str(path),
            expected="a folder or a name in " + " or ".join(SUFFIXES),
        )
    return [path]


def read(path: str | Path) -> Iterator[Case]:
    """Yield the cases of a file or folder in order; zero cases are a :class:`ScenarioError`.

    The scenarios themselves are not checked here: one that is wrong is a case that cannot
    be played, while the others can.
    """
    return read_all([path])


def read_all(paths: Iterable[str | Path]) -> Iterator[Case]:
    """Yield the cases of several files or folders; a file that is named twice is read once.

    No two cases have the same id: reports, baselines and ``--case`` tell cases by it.
    """
    places: dict[str, str] = {}
    for file in dict.fromkeys(file for path in paths for file in find(path)):
        for case in _cases(file):
            if (other := places.setdefault(case.id, case.place)) != case.place:
                raise ScenarioError(
                    f"the id {case.id!r} stands already at {other}",
                    path=("scenario", "id"),
                    expected="an id that no other case has",
                    file=case.file,
                    line=case.line,
                )
            yield case


def _cases(file: Path) -> Iterator[Case]:
    """Yield the cases of one file."""
    cases = 0
    for number, line in lines(file):
        if line.strip():
            cases += 1
            try:
                case = _case(parse_json(line), file, number)
            except ScenarioError as error:
                raise error.at(str(file), number) from error
            yield case
    if not cases:
        raise ScenarioError("holds no case", file=str(file))


def _is_corpus(path: Path) -> bool:
    return path.name.endswith(SUFFIXES) and _TRACES not in path.name and path.is_file()


def lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the numbered lines of a file, unpacked; what cannot be read says where."""
    number = 0
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                yield number, line
    except EOFError as error:
        problem = "the gz file is cut short"
        raise ScenarioError(problem, file=str(file), line=number + 1) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        problem = f"the gz file is damaged: {error}"
        raise ScenarioError(problem, file=str(file), line=number + 1) from error
    except OSError as error:
        raise ScenarioError(error.strerror or str(error), file=str(file)) from error


def _case(value: Any, file: Path, line: int) -> Case:
    if not isinstance(value, dict):
        raise ScenarioError("is no case", path=(), expected="an object with a scenario")
    if "scenario" not in value:
        raise ScenarioError("the key 'scenario' is missing", path=())
    scenario = _of_type(value, "scenario", dict, "an object")
    if scenario is None:
        raise ScenarioError("is null", path=("scenario",), expected="an object")
    trace = _of_type(value, "trace", list, "a list")
    expect = _of_type(value, "expect", dict, "an object")
    final = _of_type(value, "final", dict, "an object")
    if (trace is None) == (expect is None):
        raise ScenarioError("is no case", path=(), expected="either a trace or what to expect")
    identity = scenario.get("id")
    if not isinstance(identity, str) or not identity:
        raise ScenarioError("has no id", path=("scenario", "id"), expected="a text")
    rules = value.get("rules", scenario.get("rules"))
    return Case(
        id=identity,
        file=str(file),
        line=line,
        scenario=scenario,
        trace=trace,
        final=ABSENT if final is None else final,
        expect=expect,
        rules=tuple(rules) if isinstance(rules, list) else (),
    )


def _of_type(value: dict[str, Any], key: str, kind: type, word: str) -> Any:
    found = value.get(key)
    if found is not None and not isinstance(found, kind):
        raise ScenarioError(f"{key} is no {word.rpartition(' ')[2]}", path=(key,), expected=word)
    return found
