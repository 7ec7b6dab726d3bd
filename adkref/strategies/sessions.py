# SPDX-License-Identifier: Apache-2.0
"""Sessions, the events stored in them, and the turns that are played on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from adkref.strategies.draws import Spec, Specs, cached, chance, optional, some
from adkref.strategies.models import city_args
from adkref.strategies.values import labelled, states, texts

#: What a session is found by.
KEY: Final[Spec] = {"app": "app", "user": "u1", "id": "s1"}


@cached
def sessions(*, creating: int = 0) -> Specs:
    """Draw a session; with a chance of *creating* one that the runner has to create, or cannot."""
    found = optional(
        {
            "state": (35, states()),
            "skip_create": (creating, st.just(True)),
            "auto_create": (creating, st.just(True)),
        }
    )
    return found.map(lambda session: {**KEY, **session})


@cached
def messages() -> SearchStrategy[str]:
    """Draw what a user says."""
    return texts().filter(bool)


@cached
@st.composite
def turns(
    draw: DrawFn,
    *,
    user: SearchStrategy[Any] | None = None,
    stops: int = 15,
    streams: int = 0,
) -> Spec:
    """Draw a turn.

    With a chance of *stops* its consumer stops early, with one of *streams* it asks for SSE.
    """
    turn: Spec = {"user": draw(user if user is not None else messages())}
    return turn | draw(_turn_options(stops, streams))


@cached
def _turn_options(stops: int, streams: int) -> Specs:
    return optional(
        {
            "streaming": (streams, st.just("sse")),
            "state_delta": (12, states()),
            "yield_user_message": (10, st.just(True)),
            "stop_after": (stops, st.integers(1, 5)),
            "on_error": (50, st.just("continue")),
        }
    )


def several_turns(turn: Specs, most: int = 2) -> SearchStrategy[list[Spec]]:
    """Draw the turns of a scenario."""
    return some(turn, most, least=1)


@cached
def faults(most: int = 6) -> Specs:
    """Draw an append that fails."""
    fault = st.fixed_dictionaries(
        {"nth": st.integers(1, most), "error": st.sampled_from(("disk full", "no lock"))}
    )
    return fault.map(lambda one: {"append": [one]})


# --- what was stored before -----------------------------------------------------------------

_AUTHORS: Final = ("user", "other", "third")


@cached
@st.composite
def histories(draw: DrawFn, agent: str, *, most: int = 8) -> list[Spec]:
    """Draw events of earlier days, from which *agent* builds a request.

    They have texts, thoughts, calls and answers to calls before, of several authors, on
    several branches and of an isolation scope.
    """
    open_calls: list[tuple[str, str]] = []
    places = draw(some(st.none(), most, least=1))
    return [draw(_stored(agent, number, open_calls)) for number, _ in enumerate(places, 1)]


@st.composite
def _stored(draw: DrawFn, agent: str, number: int, open_calls: list[tuple[str, str]]) -> Spec:
    kinds = ["text", "text", "call"]
    if open_calls:
        kinds.append("answer")
    kind = draw(st.sampled_from(kinds))
    if kind == "answer":
        content, author = draw(_answers(open_calls)), agent
        long_running: Sequence[str] = ()
    elif kind == "call":
        author = draw(st.sampled_from((agent, "other")))
        content, long_running = draw(_stored_calls(number, open_calls))
    else:
        author = draw(st.sampled_from((agent, *_AUTHORS)))
        content, long_running = draw(_stored_text(author)), ()
    event: Spec = {"author": author, "content": content}
    event |= draw(_stored_place(agent))
    if long_running:
        event["longRunningToolIds"] = list(long_running)
    return event


@cached
def _stored_place(agent: str) -> Specs:
    return optional(
        {
            "branch": (25, st.sampled_from((agent, f"{agent}.x", f"{agent}x", "other"))),
            "isolationScope": (8, st.just("scope")),
        }
    )


@cached
@st.composite
def _stored_text(draw: DrawFn, author: str) -> Spec:
    role = "user" if author == "user" else "model"
    if draw(chance(6)):
        return {"role": role}
    parts: list[Spec] = [{"text": draw(texts())}]
    if draw(chance(15)):
        parts.append({"text": draw(labelled("hm")), "thought": True})
    return {"role": role, "parts": parts}


@st.composite
def _stored_calls(
    draw: DrawFn, number: int, open_calls: list[tuple[str, str]]
) -> tuple[Spec, list[str]]:
    parts, long_running = [], []
    for at, args in enumerate(draw(some(city_args(), 2, least=1))):
        name = draw(st.sampled_from(("tool1", "tool2")))
        identity = f"h{number}-{at}"
        open_calls.append((identity, name))
        parts.append({"functionCall": {"id": identity, "name": name, "args": args}})
        if draw(chance(12)):
            long_running.append(identity)
    return {"role": "model", "parts": parts}, long_running


@st.composite
def _answers(draw: DrawFn, open_calls: list[tuple[str, str]]) -> Spec:
    """Draw answers to one or two calls; a call may be answered again later."""
    chosen = draw(st.lists(st.sampled_from(open_calls), min_size=1, max_size=2, unique=True))
    parts = [
        {
            "functionResponse": {
                "id": identity,
                "name": name,
                "response": {"answer": draw(texts())},
            }
        }
        for identity, name in chosen
    ]
    return {"role": "user", "parts": parts}
