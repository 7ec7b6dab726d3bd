# SPDX-License-Identifier: Apache-2.0
"""Shrinking: the scenario of a failure without everything that the failure does not need.

A scenario is a tree of JSON, and shrinking tries one *edit* of it after another: it takes a part
away, the largest first, puts an agent in the place of the one above it, or writes something
plainer.  An edit stays if the scenario is still one that can be played and fails in the same
way.  When no edit is left that does, names are counted anew, and that is the smallest one.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

from attrs import define, field, frozen

from adkref.conformance.canonical import LANES, TOTAL
from adkref.conformance.faults import ScenarioError
from adkref.conformance.fuzz.ordering import ordering_of
from adkref.conformance.fuzz.plainer import agent_paths, plainer, renamed
from adkref.conformance.scenario import Scenario, check

Path = tuple[str | int, ...]

#: Keys that a scenario or a part of it cannot do without, or would not be readable without.
#: A loop without a limit may never end, and a call without arguments has none to set.
KEPT: Final = frozenset(
    (
        *("format", "id", "session", "app", "user", "agent", "turns"),
        *("kind", "name", "model", "max_iterations", "mode", "ref"),
        *("rules", "do", "role", "parts", "args"),
        *("nth", "error", "builtin", "at"),
    )
)


@frozen
class Edit:
    """A change of a scenario; the larger its size, the more it promises."""

    apply: Callable[[Scenario], None]
    size: int = 0


def shrink(
    scenario: Scenario,
    fails: Callable[[Scenario], bool],
    *,
    is_over: Callable[[], bool] = lambda: False,
) -> Scenario:
    """Return the smallest scenario that is found to fail still; *scenario* itself does.

    *fails* is asked only for scenarios that can be played, and none twice.  When the time
    *is_over*, what was found by then is returned.
    """
    return _Shrinker(copy.deepcopy(scenario), fails, is_over).smallest()


@define
class _Shrinker:
    best: Scenario
    fails: Callable[[Scenario], bool]
    is_over: Callable[[], bool]
    _tried: set[str] = field(factory=set, init=False)

    def smallest(self) -> Scenario:
        while self._some(_smaller) or self._some(_plainer):
            pass
        # The names come last: until then a finding and its original can be compared by eye.
        self._try(renamed(self.best))
        return self.best

    def _some(self, edits: Callable[[Scenario], Iterable[Edit]]) -> bool:
        """Make those of the edits that can be made; tell whether there were any."""
        found = False
        for edit in sorted(edits(self.best), key=lambda each: -each.size):
            candidate = copy.deepcopy(self.best)
            try:
                edit.apply(candidate)
            except (KeyError, IndexError, TypeError):
                continue  # an earlier edit took away what this one is about
            found |= self._try(candidate)
        return found

    def _try(self, candidate: Scenario) -> bool:
        if self.is_over():
            return False
        _settle(candidate)
        text = json.dumps(candidate, sort_keys=True)
        if text in self._tried or candidate == self.best:
            return False
        self._tried.add(text)
        try:
            check(candidate)
        except ScenarioError:
            return False
        if not self.fails(candidate):
            return False
        self.best = candidate
        return True


def _settle(scenario: Scenario) -> None:
    """Take back what an edit has left hanging, and say anew whether the order is open."""
    paths = [path for path, _ in agent_paths(scenario)]
    names = {_at(scenario, path).get("name") for path in paths}
    for path in paths:
        agent = _at(scenario, path)
        if "body" in agent:
            agent["body"] = [op for op in agent["body"] if op.get("run", None) in (None, *names)]
    if ordering_of(scenario) == LANES:
        scenario["ordering"] = LANES


# --- smaller ------------------------------------------------------------------------------


def _smaller(scenario: Scenario) -> Iterator[Edit]:
    """Yield the edits that take something away."""
    for path, value in _parts(scenario, lanes=scenario.get("ordering") == LANES):
        yield Edit(partial(_remove, path=path), len(json.dumps(value)))
        if isinstance(value, list) and len(value) > 3:
            half = len(value) // 2
            for kept in (slice(half), slice(half, None)):
                yield Edit(partial(_keep, path=path, kept=kept), len(json.dumps(value)) // 2)
    yield from _raised(scenario)
    if "ordering" in scenario and ordering_of(scenario) == TOTAL:
        yield Edit(partial(_remove, path=("ordering",)))


def _parts(value: Any, path: Path = (), *, lanes: bool) -> Iterator[tuple[Path, Any]]:
    """Yield what may be taken away, with its path; of a list the last item first."""
    if isinstance(value, dict):
        # A part of a content that says nothing is none.
        is_whole = path[-2:-1] == ("parts",) and len(value) == 1
        for key, item in value.items():
            if not is_whole and not _is_kept(key, path, lanes):
                yield (*path, key), item
            yield from _parts(item, (*path, key), lanes=lanes)
    elif isinstance(value, list):
        for index in reversed(range(len(value))):
            # A content without parts says less than one with a text.
            if len(value) > 1 or path[-1:] != ("parts",):
                yield (*path, index), value[index]
            yield from _parts(value[index], (*path, index), lanes=lanes)


def _is_kept(key: str, path: Path, lanes: bool) -> bool:
    if key == "branch":
        # Lanes are told apart by the branches of their events.
        return lanes
    return key in KEPT or (key == "ordering" and not path)


def _raised(scenario: Scenario) -> Iterator[Edit]:
    """Yield the edits that put an agent in the place of the one above it."""
    for path, agent in agent_paths(scenario):
        whole = len(json.dumps(agent))
        for below, inner in agent_paths({"agent": agent}):
            if len(below) > 1:
                size = whole - len(json.dumps(inner))
                yield Edit(partial(_put, path=path, new=inner), size)


def _plainer(scenario: Scenario) -> Iterator[Edit]:
    """Yield the edits that write something plainer."""
    for path, value in plainer(scenario):
        yield Edit(partial(_put, path=path, new=value))


# --- at a path ----------------------------------------------------------------------------


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _put(value: Any, path: Path, new: Any) -> None:
    _at(value, path[:-1])[path[-1]] = copy.deepcopy(new)


def _remove(value: Any, path: Path) -> None:
    del _at(value, path[:-1])[path[-1]]


def _keep(value: Any, path: Path, kept: slice) -> None:
    _put(value, path, _at(value, path)[kept])
