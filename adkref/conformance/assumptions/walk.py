# SPDX-License-Identifier: Apache-2.0
"""Walking scenarios and records, so that a rewrite says only what it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from adkref.conformance.assumptions.assumption import Record, Spec
from adkref.conformance.script import AGENT_HOOKS, BODY, HOOKS, MODEL_HOOKS, TOOL, TOOL_HOOKS

#: Callback lists of an agent spec, and the place of their ops.
_CALLBACKS: Final = {
    "before": "before_agent",
    "after": "after_agent",
    **{hook: hook for hook in (*MODEL_HOOKS, *TOOL_HOOKS)},
}

#: Where an error is answered by the flow of an LLM agent.
FLOW_PLACES: Final = (*MODEL_HOOKS, *TOOL_HOOKS, TOOL)
AGENT_PLACES: Final = (*AGENT_HOOKS, BODY)


# A scenario


def agents(scenario: Spec) -> Iterator[Spec]:
    """Yield every agent spec that is no reference."""
    yield from _below(scenario["agent"])


def _below(*specs: Spec) -> Iterator[Spec]:
    waiting = list(specs)
    while waiting:
        spec = waiting.pop()
        if "ref" in spec:
            continue
        yield spec
        waiting += spec.get("sub_agents") or ()
        waiting += [tool["agent"] for tool in spec.get("tools") or () if "agent" in tool]


def below_kind(scenario: Spec, kind: str) -> Iterator[Spec]:
    """Yield the agents below an agent of that kind; one may come twice."""
    for agent in agents(scenario):
        if agent.get("kind") == kind:
            yield from _below(*(agent.get("sub_agents") or ()))


def plugins(scenario: Spec) -> Iterator[Spec]:
    """Yield the plugin specs."""
    yield from scenario.get("plugins") or ()


def turns(scenario: Spec) -> Iterator[Spec]:
    """Yield the turns."""
    yield from scenario.get("turns") or ()


def op_holders(specs: Iterable[Spec]) -> Iterator[tuple[str, Spec, str]]:
    """Yield what holds a list of ops in agents or plugins: the place, the holder, its key."""
    for spec in specs:
        if "kind" not in spec:
            for hook in HOOKS:
                for rule in spec.get(hook) or ():
                    yield hook, rule, "do"
            continue
        if spec.get("body"):
            yield BODY, spec, "body"
        for key, place in _CALLBACKS.items():
            for callback in spec.get(key) or ():
                for rule in callback.get("rules") or ():
                    yield place, rule, "do"
        for tool in spec.get("tools") or ():
            for rule in tool.get("rules") or ():
                yield TOOL, rule, "do"


def everybody(scenario: Spec) -> Iterator[Spec]:
    """Yield all specs that hold ops."""
    yield from agents(scenario)
    yield from plugins(scenario)


def keep_ops(specs: Iterable[Spec], keep: Callable[[str, Spec], bool]) -> None:
    """Leave only the ops for which *keep* of place and op is true."""
    for place, holder, key in op_holders(specs):
        holder[key] = [op for op in holder.get(key) or () if keep(place, op)]


def model_turns(specs: Iterable[Spec]) -> Iterator[tuple[Spec, Spec]]:
    """Yield each agent with each turn of its model's script."""
    for spec in specs:
        for turn in (spec.get("model") or {}).get("script") or ():
            yield spec, turn


# Anything


def dicts(value: Any) -> Iterator[Spec]:
    """Yield every object in *value*."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item


# A record


def event_of(record: Record) -> Record:
    """Return a record's event, or an empty one."""
    event = record.get("event")
    return event if isinstance(event, dict) else {}


def contents_of(record: Record) -> list[Any]:
    """Return the contents of a record's request, or none."""
    request = record.get("request")
    return request.get("contents", []) if isinstance(request, dict) else []


def parts_of(content: Any) -> list[Any]:
    """Return the parts of a content, or none."""
    parts = content.get("parts") if isinstance(content, dict) else None
    return parts if isinstance(parts, list) else []
