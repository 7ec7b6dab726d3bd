# SPDX-License-Identifier: Apache-2.0
"""Scripted models: what they answer, and which tools they call."""

from __future__ import annotations

from typing import Any, Final

from attrs import frozen
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from adkref.strategies.draws import Spec, Specs, cached, chance, some, weighted
from adkref.strategies.values import WORDS, labelled, texts

#: A tool that no agent has.
MISSING: Final = "missing_tool"

#: Stands for an id until the calls of a script are numbered.
_ID: Final = "fc"


@frozen
class Callee:
    """What a model may call: a name, and arguments for it."""

    name: str
    args: Specs


@cached
def city_args() -> Specs:
    """Draw the arguments of a plain tool; there always are some, so that a hook can set them."""
    cities = texts().map(lambda text: {"city": text})
    return weighted((cities, cities, cities, st.just({"n": 3})))


@cached
def callees(tools: tuple[str, ...], *, missing: bool = True) -> tuple[Callee, ...]:
    """Return plain *tools* as callees, and one that is not there unless not *missing*."""
    # Three calls of each tool that is there for one of a tool that is not.
    names = (*tools, *tools, *tools, MISSING) if missing and tools else tools
    return tuple(Callee(name, city_args()) for name in names)


@cached
@st.composite
def calls(draw: DrawFn, whom: tuple[Callee, ...], *, id: bool | None = None) -> Spec:
    """Draw a part that calls one of *whom*, with an id or without (None draws that, too)."""
    callee = draw(st.sampled_from(whom))
    call: Spec = {"name": callee.name, "args": draw(callee.args)}
    if draw(chance(30)) if id is None else id:
        call["id"] = _ID
    return {"functionCall": call}


@cached
def _distinct_calls(whom: tuple[Callee, ...]) -> SearchStrategy[list[Spec]]:
    # Ids that the model gives make the lanes of the calls easy to tell apart.
    return st.lists(
        calls(whom, id=True),
        min_size=1,
        max_size=3,
        unique_by=lambda part: part["functionCall"]["name"],
    )


@cached
@st.composite
def call_responses(draw: DrawFn, whom: tuple[Callee, ...], *, several: bool = False) -> Spec:
    """Draw a response that calls a tool, seldom with a text before it.

    With *several* it may call more, each tool once: which call of one tool comes first is open.
    """
    parts: list[Spec] = draw(_distinct_calls(whom)) if several else [draw(calls(whom))]
    if draw(chance(25)):
        parts = [{"text": draw(texts())}, *parts]
    return {"content": {"role": "model", "parts": parts}}


@cached
def text_responses() -> SearchStrategy[str | Spec]:
    """Draw a response with a text, now and then as an object, with a thought or with flags."""

    def whole(text: str) -> Spec:
        return {"content": {"role": "model", "parts": [{"text": text}]}}

    def complete(text: str) -> Spec:
        return {**whole(text), "turnComplete": True}

    def incomplete(text: str) -> Spec:
        return {**whole(text), "turnComplete": False}

    def thoughtful(text: str) -> Spec:
        thought = {"text": "hm", "thought": True}
        return {"content": {"role": "model", "parts": [thought, {"text": text}]}}

    def blocked(text: str) -> Spec:
        return {"errorCode": "BLOCKED", "errorMessage": f"blocked {text}"}

    objects = [texts().map(make) for make in (whole, complete, incomplete, thoughtful, blocked)]
    return weighted([*[texts()] * 6, *objects])


@cached
@st.composite
def chunks(draw: DrawFn) -> list[Spec]:
    """Draw the responses of a streamed turn: partial texts, then the whole one."""
    pieces = draw(some(st.sampled_from(WORDS), 3, least=1))

    def response(text: str, **flags: bool) -> Spec:
        return {"content": {"role": "model", "parts": [{"text": text}]}, **flags}

    whole = response("".join(pieces), turnComplete=True)
    return [*(response(piece, partial=True) for piece in pieces), whole]


@cached
def model_turns(
    whom: tuple[Callee, ...] = (),
    *,
    calling: int = 5,
    several: bool = False,
    streamed: bool = False,
    errors: bool = True,
    said: SearchStrategy[str] | None = None,
) -> Specs:
    """Draw what one call of a model answers: responses, an error, or both.

    Of ten turns *calling* call a tool, if there is one.  What is *said* is any text, unless
    given.
    """

    def one(response: Any) -> Spec:
        return {"responses": [response]}

    text = text_responses().map(one)
    turns: list[Specs] = [text] * max(1, 10 - calling)
    if said is not None:
        turns = [said.map(one)] * len(turns) + [text]
    if streamed:
        turns = [*turns, *[chunks().map(lambda responses: {"responses": responses})] * 6]
    if whom:
        turns += [call_responses(whom, several=several).map(one)] * calling
    if errors:
        down = labelled("model down")
        cut = st.tuples(texts(), down).map(lambda it: {"responses": [it[0]], "error": it[1]})
        turns += [down.map(lambda error: {"error": error}), cut]
    return weighted(turns)


@cached
@st.composite
def models(
    draw: DrawFn,
    whom: tuple[Callee, ...] = (),
    *,
    name: SearchStrategy[str] | None = None,
    most: int = 4,
    **options: Any,
) -> Spec:
    """Draw a scripted model that may call *whom*; *options* are those of :func:`model_turns`.

    A script is finite and a model past its end says so, which ends every run.
    """
    script = draw(some(model_turns(whom, **options), most, least=1))
    _number(script)
    return {"name": draw(name) if name is not None else "mock", "script": script}


def _number(script: list[Spec]) -> None:
    """Give the calls that have an id theirs, counted from 1."""
    number = 0
    for turn in script:
        for response in turn.get("responses", ()):
            if isinstance(response, dict):
                for part in response.get("content", {}).get("parts", ()):
                    if part.get("functionCall", {}).get("id"):
                        number += 1
                        part["functionCall"]["id"] = f"{_ID}-{number}"
