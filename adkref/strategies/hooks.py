# SPDX-License-Identifier: Apache-2.0
"""Rules: what callbacks, plugin hooks and tools do when they are called.

Every op stands only where it has a meaning, and the table :data:`EARLY` says where that is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from adkref.conformance.script import (
    AGENT_HOOKS,
    HOOKS,
    MODEL_HOOKS,
    RUN_HOOKS,
    TOOL,
    TOOL_HOOKS,
)
from adkref.strategies.draws import (
    ALONE,
    Optional,
    Scope,
    Spec,
    Specs,
    cached,
    chance,
    op,
    optional,
    some,
    weighted,
)
from adkref.strategies.values import contents, full_contents, keys, labelled, state_maps, texts

#: The callback lists of an agent, the place of their ops, and the ids of the callbacks.
CALLBACKS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "before": ("before_agent", "b"),
        "after": ("after_agent", "a"),
        "before_model": ("before_model", "bm"),
        "after_model": ("after_model", "am"),
        "on_model_error": ("on_model_error", "me"),
        "before_tool": ("before_tool", "bt"),
        "after_tool": ("after_tool", "at"),
        "on_tool_error": ("on_tool_error", "te"),
    }
)

_Ops = Callable[[Scope], SearchStrategy[Spec]]


# --- ops that come before the end ---------------------------------------------------------


def _set_state(scope: Scope) -> Specs:
    return op("set_state", state_maps(scope, most=1))


def _get_state(scope: Scope) -> Specs:
    return op("get_state", keys(scope))


def _save_artifact(_: Scope) -> Specs:
    return op("save_artifact", texts().map(lambda text: {"name": "note.txt", "text": text}))


def _load_artifact(_: Scope) -> Specs:
    return op("load_artifact", st.sampled_from(("note.txt", "none.txt")))


def _end_invocation(_: Scope) -> Specs:
    return op("end_invocation", True)


def _append_instruction(_: Scope) -> Specs:
    return op("append_instruction", labelled("also"))


def _mutate_text(_: Scope) -> Specs:
    return op("mutate_text", labelled("mutated"))


def _set_args(_: Scope) -> Specs:
    return op("set_args", texts().map(lambda text: {"city": text}))


def _actions(scope: Scope) -> Specs:
    kinds: list[Spec] = [{"skipSummarization": True}, {"escalate": True}]
    if not scope.beside:
        kinds += [{"transferToAgent": name} for name in scope.others]
    return op("actions", st.sampled_from(kinds))


@cached
def _patch(scope: Scope) -> Specs:
    return optional(
        {
            "author": (40, st.just("redacted")),
            "text": (40, labelled("patched")),
            "stateDelta": (0 if scope.beside else 25, state_maps(scope, most=1)),
            "partial": (0 if scope.beside else 10, st.booleans()),
        }
    )


@cached
@st.composite
def patches(draw: DrawFn, scope: Scope = ALONE) -> Spec:
    """Draw what an on_event hook does to an event."""
    drawn = draw(_patch(scope))
    return drawn or {"text": draw(labelled("patched"))}


def _mutate_event(scope: Scope) -> Specs:
    return op("mutate_event", patches(scope))


def _replace_event(scope: Scope) -> Specs:
    return op("replace_event", patches(scope))


_STATE: Final = (_set_state, _get_state)
_STORES: Final = (*_STATE, _save_artifact, _load_artifact)

#: Ops that a place may have before the one that ends it, the plainest first.
EARLY: Final[Mapping[str, tuple[_Ops, ...]]] = MappingProxyType(
    {
        "on_user_message": _STATE,
        "before_run": (*_STATE, _end_invocation),
        "after_run": _STATE,
        "on_event": (_mutate_event, _replace_event),
        **dict.fromkeys(AGENT_HOOKS, (*_STORES, _end_invocation)),
        "before_model": (*_STATE, _append_instruction),
        "after_model": (*_STATE, _mutate_text),
        "on_model_error": _STATE,
        "before_tool": (*_STATE, _set_args),
        "after_tool": (*_STATE, _actions),
        "on_tool_error": _STATE,
        TOOL: (*_STORES, _actions),
    }
)
#: What a place may do beside others; reading what is shared would show their order.
_BESIDE: Final = frozenset((_set_state, _append_instruction, _mutate_text, _set_args, _actions))
_BESIDE_EVENTS: Final = frozenset((_mutate_event, _replace_event))


@cached
def _early(place: str, scope: Scope) -> Specs | None:
    """Draw one op that may come before the end of a call, if there is any for the place."""
    makers: Sequence[_Ops] = EARLY[place]
    if _is_beside(place, scope):
        allowed = _BESIDE_EVENTS if place == "on_event" else _BESIDE
        makers = [
            make for make in makers if make in allowed and (scope.own or make is not _set_state)
        ]
    return st.one_of([make(scope) for make in makers]) if makers else None


def _is_beside(place: str, scope: Scope) -> bool:
    """Tell whether a place is called while others are, in an order that is open."""
    return scope.beside or (scope.several and place in (*TOOL_HOOKS, TOOL))


# --- ops that end a call ------------------------------------------------------------------


@cached
def _responses() -> Specs:
    whole = st.fixed_dictionaries(
        {"content": full_contents()}, optional={"turnComplete": st.booleans()}
    )
    return st.one_of(texts(), whole)


@cached
def _returns(place: str) -> Specs:
    if place in AGENT_HOOKS or place == "before_run":
        return op("return", contents())
    if place == "on_user_message":
        return op("return", contents("user"))
    if place in MODEL_HOOKS:
        return op("return", _responses())
    key = {"before_tool": "cached", "after_tool": "rewritten", "on_tool_error": "recovered"}
    return op("return", texts().map(lambda text: {key.get(place, "answer"): text}))


_NOTHING_TO_RETURN: Final = ("after_run", "on_event")
#: What a place says when it raises.
_RAISES: Final[Mapping[str, str]] = MappingProxyType(
    {hook: hook.replace("_", " ") for hook in HOOKS} | {TOOL: "tool broke"}
)


@cached
def _ends(place: str, scope: Scope) -> Specs | None:
    """Draw the op that ends a call; returns are likelier than errors."""
    ends: list[Specs] = []
    if place not in _NOTHING_TO_RETURN:
        ends += [_returns(place)] * 3
    # An error beside other agents cancels them, and beside other calls it is only an answer.
    if place != "after_run" and not scope.beside:
        ends.append(op("raise", labelled(_RAISES[place])))
    return weighted(ends) if ends else None


@cached
@st.composite
def ops(draw: DrawFn, place: str, scope: Scope = ALONE) -> list[Spec]:
    """Draw what one call of *place* does: at most two ops, then a return, a raise or neither."""
    early, ends = _early(place, scope), _ends(place, scope)
    if ends is None:
        # Beside others there may be nothing that a place can do.
        return [] if early is None else list(draw(some(early, 2, least=1)))
    if early is None:
        return [draw(ends)]
    if not draw(chance(_ENDING.get(place, 30))):
        return list(draw(some(early, 1 if place == "on_event" else 2, least=1)))
    return [*draw(some(early, 1)), draw(ends)]


#: In how many of a hundred calls something is returned or raised, where it is not 30: an answer
#: before its time cuts off what could still happen, but a tool is there to answer.
_ENDING: Final[Mapping[str, int]] = MappingProxyType(
    {TOOL: 75, "on_tool_error": 60, "on_model_error": 60, "after_tool": 40, "before_tool": 35}
)


@cached
def _filters(place: str, scope: Scope, agents: tuple[str, ...]) -> Specs:
    rows: dict[str, tuple[int, SearchStrategy[Any]]] = {}
    if agents:
        rows["agent"] = 40, st.sampled_from(agents)
    if scope.tools and place in TOOL_HOOKS:
        rows["tool"] = 30, st.sampled_from(scope.tools)
    # The count of a hook on events is shared by all who write under one name.
    if not (scope.beside and place == "on_event"):
        rows["call"] = 40, st.integers(1, 2)
    return optional(rows)


@cached
@st.composite
def _one_rule(draw: DrawFn, place: str, scope: Scope, agents: tuple[str, ...]) -> Spec:
    return {**draw(_filters(place, scope, agents)), "do": draw(ops(place, scope))}


@cached
def rules(
    place: str, scope: Scope = ALONE, *, agents: tuple[str, ...] = (), least: int = 0
) -> SearchStrategy[list[Spec]]:
    """Draw at most two rules of *place*; with *agents*, which a plugin's rule may name."""
    return some(_one_rule(place, scope, agents), 2, least=least)


@cached
@st.composite
def callbacks(draw: DrawFn, key: str, scope: Scope = ALONE) -> list[Spec]:
    """Draw the callbacks of an agent's *key*, such as ``before`` or ``after_tool``."""
    place, letter = CALLBACKS[key]
    lists = draw(some(rules(place, scope), 2, least=1))
    return [{"id": f"{letter}{number}", "rules": found} for number, found in enumerate(lists, 1)]


@cached
def callback_rows(keys: tuple[str, ...], scope: Scope, percent: int) -> Optional:
    """Return the callback lists *keys* for :func:`~adkref.strategies.draws.optional`."""
    return {key: (percent, callbacks(key, scope)) for key in keys}


# --- plugins ------------------------------------------------------------------------------


@cached
@st.composite
def plugins(
    draw: DrawFn,
    hooks: tuple[str, ...] = HOOKS,
    scope: Scope = ALONE,
    *,
    most: int = 2,
    percent: int = 40,
) -> list[Spec]:
    """Draw at most *most* plugins that have each of *hooks* with a chance of *percent*.

    A rule may name an agent of ``scope.others``.
    """
    # A plugin belongs to no agent, so beside others no key is its own.
    inner = evolve(scope, own="")
    found = []
    for at, _ in enumerate(draw(some(st.none(), most)), 1):
        found.append({"name": f"p{at}", **draw(_hooks(hooks, inner, percent))})
    return found


@cached
def _hooks(hooks: tuple[str, ...], scope: Scope, percent: int) -> Specs:
    return optional(
        {hook: (percent, rules(hook, scope, agents=_named_by(hook, scope))) for hook in hooks}
    )


def _named_by(hook: str, scope: Scope) -> tuple[str, ...]:
    """Return whom a rule may name: the hooks of a run see only the agent that was started."""
    return scope.others[:1] if hook in RUN_HOOKS and hook != "on_event" else scope.others


@cached
def builtin_plugins(tools: tuple[str, ...]) -> Specs:
    """Draw one of the built-in plugins, about *tools*."""
    retry = st.fixed_dictionaries(
        {
            "builtin": st.just("retry_and_reflect"),
            "max_retries": st.integers(0, 2),
        },
        optional={
            "error_if_retry_exceeded": st.booleans(),
            "scope": st.sampled_from(("invocation", "global")),
        },
    )
    modifier = st.fixed_dictionaries(
        {
            "builtin": st.just("function_call_modifier"),
            # One argument only: in which order several are taken is left open.
            "args": st.just({"city": {"type": "STRING"}}),
            "tools": st.sampled_from([[name] for name in (*tools, "missing_tool")]),
        },
        optional={"override_description": st.just("new: ")},
    )
    return st.one_of(retry, modifier)
