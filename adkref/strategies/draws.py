# SPDX-License-Identifier: Apache-2.0
"""How the strategies draw: chances whose simplest answer is no, and keys that may be absent.

Hypothesis shrinks a choice towards its simplest value and a list towards no element, and it
takes away what was drawn in a row.  So alternatives stand from the plain to the odd, what is
several or optional is a list, and no part takes more choices than it needs.  A shrunk scenario
then has hardly a part that it could do without.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar, cast

from attrs import frozen
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

Spec = dict[str, Any]
Specs = SearchStrategy[Spec]

_Maker = TypeVar("_Maker", bound=Callable[..., Any])


def cached(make: _Maker) -> _Maker:
    """Make a function that returns strategies return the same one for the same arguments.

    To check a new strategy takes Hypothesis longer than to draw from an old one.
    """
    return cast("_Maker", lru_cache(maxsize=4096)(make))


@cached
def chance(percent: int) -> SearchStrategy[bool]:
    """Say yes in about so many of a hundred draws; no is the simplest answer."""
    return st.integers(1, 100).map(lambda number: number > 100 - percent)


@cached
def some(strategy: SearchStrategy[Any], most: int, least: int = 0) -> SearchStrategy[list[Any]]:
    """Draw a short list; the shortest is the simplest."""
    return st.lists(strategy, min_size=least, max_size=most)


def weighted(choice: Sequence[SearchStrategy[Any]]) -> SearchStrategy[Any]:
    """Draw from one of *choice*, in which one that stands there twice is twice as likely.

    The first is the simplest.  ``one_of`` would count each of them once.
    """
    return _weighted(tuple(choice))


@st.composite
def _weighted(draw: DrawFn, choice: tuple[SearchStrategy[Any], ...]) -> Any:
    return draw(choice[draw(st.integers(0, len(choice) - 1))])


def op(name: str, argument: Any) -> Specs:
    """Draw an op, which is an object with one key."""
    values = argument if isinstance(argument, SearchStrategy) else st.just(argument)
    return values.map(lambda value: {name: value})


#: Keys that may be absent: for each the chance in percent, and the strategy of its value.
Optional = Mapping[str, tuple[int, SearchStrategy[Any]]]


def optional(rows: Optional) -> Specs:
    """Draw an object whose keys are there by about the chances beside their strategies.

    What is drawn is a list of keys with their values, so that nothing is drawn for a key that
    is not there, and a key can be taken away with its value.
    """
    pairs = [(key, percent, value) for key, (percent, value) in rows.items() if percent]
    if not pairs:
        return st.just({})
    # A key stands in the choice as often as its chance says.
    choice: list[SearchStrategy[tuple[str, Any]]] = []
    for key, percent, value in pairs:
        choice += [st.tuples(st.just(key), value)] * max(1, percent // 5)
    # Half of the most is what a list has on the average.
    most = max(1, round(sum(percent for _, percent, _ in pairs) / 50))

    def ordered(drawn: list[tuple[str, Any]]) -> Spec:
        found = dict(drawn)
        return {key: found[key] for key in rows if key in found}

    return st.lists(weighted(choice), max_size=min(most, len(pairs))).map(ordered)


@frozen(kw_only=True)
class Scope:
    """Where a part stands, and with that what it may do without making the case a gamble.

    Beside others, whose order is open, a part keeps to what no order can change: state keys of
    its own, no error that cancels the others, no count that they share.
    """

    #: The agent that the part belongs to.
    agent: str = "a"
    #: Names of agents that may be spoken of.
    others: tuple[str, ...] = ()
    #: Names of the agent's tools.
    tools: tuple[str, ...] = ()
    #: Whether the agent runs beside other agents.
    beside: bool = False
    #: Whether a model turn may call several tools, which then run beside each other.
    several: bool = False
    #: What stands before the state keys of a part that runs beside others.
    own: str = ""


#: Nobody is beside the part.
ALONE: Final = Scope()
