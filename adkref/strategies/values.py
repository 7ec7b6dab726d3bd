# SPDX-License-Identifier: Apache-2.0
"""Texts, state and contents: the values that scenarios are made of."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from adkref.strategies.draws import ALONE, Scope, Spec, Specs, cached, weighted

WORDS: Final = ("sun", "rain", "fog", "wind", "Oslo", "Lima")
#: Texts that a port may treat otherwise than a word.
ODD: Final = ("", "two\nlines", 'a "quote"', "tö ✓", "{k1}", "50%")

#: State keys of every prefix.
KEYS: Final = ("k1", "k2", "user:u", "app:a", "temp:t")
VALUES: Final[tuple[Any, ...]] = (1, "v", True, 2.5, ["x", 1], {"n": None}, 0, "", False)


#: Some texts of several words.
_LONGER: Final = tuple(
    " ".join((WORDS[at], *WORDS[at + 2 : at + 2 + more]))
    for at in range(len(WORDS))
    for more in (1, 2)
)


@cached
def texts() -> SearchStrategy[str]:
    """Draw a text of one to three words, seldom an odd one."""
    return st.sampled_from((*WORDS * 4, *_LONGER, *ODD))


@cached
def labelled(label: str) -> SearchStrategy[str]:
    """Draw a text that says what it is, so that a trace can be read: ``boom rain``."""
    return st.sampled_from(WORDS).map(lambda word: f"{label} {word}")


@cached
def keys(scope: Scope) -> SearchStrategy[str]:
    """Draw a state key: beside others one that nobody else has."""
    if scope.own:
        return st.sampled_from([f"{scope.own}_{key}" for key in ("k1", "temp:t")])
    return st.sampled_from(KEYS)


@cached
def values() -> SearchStrategy[Any]:
    """Draw a value of a state key."""
    return st.sampled_from(VALUES)


@cached
def state_maps(scope: Scope, most: int = 2) -> Specs:
    """Draw an object of state keys and values."""
    return st.dictionaries(keys(scope), values(), min_size=1, max_size=most)


@cached
def states() -> Specs:
    """Draw the state that a session begins with."""
    return st.dictionaries(keys(ALONE), values(), min_size=1, max_size=3)


@cached
def contents(role: str = "model") -> SearchStrategy[str | Spec]:
    """Draw a content: mostly a text, else an object with parts, seldom one without."""
    other = {"model": "user", "user": "model"}[role]

    def whole(text: str) -> Spec:
        return {"role": role, "parts": [{"text": text}]}

    def of_other(text: str) -> Spec:
        return {"role": other, "parts": [{"text": text}]}

    def of_two(text: str) -> Spec:
        return {"role": role, "parts": [{"text": text}, {"text": WORDS[0]}]}

    plain, empty = texts(), st.just({"role": role})
    objects = [texts().map(make) for make in (whole, of_two, of_other)]
    return weighted([*[plain] * 12, *objects, empty])


@cached
def full_contents() -> Specs:
    """Draw a content of role model as an object, with text."""
    return texts().map(lambda text: {"role": "model", "parts": [{"text": text}]})
