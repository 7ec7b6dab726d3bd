# SPDX-License-Identifier: Apache-2.0
"""Loading and checking scenarios.

A scenario is checked in two steps: its shape by the JSON schema, which knows every key
of the format's three pages, then what a schema cannot say: names that must exist, ops that
stand where they have no meaning, values that a place cannot return.  Whatever is wrong is
told with its JSON path.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from adkref.conformance.faults import JsonPath, ScenarioError
from adkref.conformance.repeated_keys import repeated_key
from adkref.conformance.schema import Violation, first_violation, kind_of
from adkref.conformance.script import (
    BODY,
    CONTENT,
    HOOKS,
    MAP,
    NOTHING,
    OPS,
    RESPONSE,
    RETURNS,
    TOOL,
)

Scenario = dict[str, Any]
Spec = Mapping[str, Any]

FORMAT: Final = "adk-scenario/1"

# --- what is not built yet ---------------------------------------------------------------

#: Keys by place, and the feature that each stands for.
DEFERRED_KEYS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "scenario": {
            "executor": "executor",
            "peer": "remote_a2a",
            "compaction": "compaction",
            "mask_errors": "mask_errors",
        },
        "faults": {"get": "faults.get"},
        "turn": {
            "live": "live",
            "execute": "executor",
            "stream": "streaming",
            "cancel_after": "cancel_after",
        },
        "event": {"routes": "workflow", "nodeInfo": "workflow", "requestedInput": "workflow"},
    }
)
#: Kinds by place, likewise.
DEFERRED_KINDS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "agent": {"workflow": "workflow", "remote_a2a": "remote_a2a"},
        "model": {"gemini": "gemini", "live": "live"},
        "tool": {"streaming": "streaming"},
    }
)
#: All deferred features; where a scenario needs several, the first one names it.
DEFERRED: Final = (
    "live",
    "executor",
    "remote_a2a",
    "gemini",
    "workflow",
    "compaction",
    "streaming",
    "cancel_after",
    "faults.get",
    "mask_errors",
)


def features(scenario: Scenario) -> set[str]:
    """Return the features that *scenario* needs and that are not built yet."""
    found = set()
    for place, spec in specs(scenario):
        for key, feature in DEFERRED_KEYS.get(place, {}).items():
            # A key that says no (false, 0, an empty list) asks for nothing; {} does.
            if spec.get(key) not in (None, False, 0, []):
                found.add(feature)
        kinds = DEFERRED_KINDS.get(place, {})
        if spec.get("kind") in kinds:
            found.add(kinds[spec["kind"]])
    return found


def skip_reason(scenario: Scenario) -> str:
    """Return the feature for whose sake *scenario* cannot be played yet, or ``""``."""
    needed = features(scenario)
    return next((feature for feature in DEFERRED if feature in needed), "")


# --- loading -----------------------------------------------------------------------------


def load(path: str | Path) -> Scenario:
    """Read one scenario from a JSON file and check it."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ScenarioError("is no UTF-8 text", file=str(path)) from error
    except OSError as error:
        raise ScenarioError(error.strerror or str(error), file=str(path)) from error
    try:
        return check(parse_json(text))
    except ScenarioError as error:
        raise error.at(str(path), error.line) from error


def parse_json(text: str | bytes) -> Any:
    """Decode JSON; what is none is a :class:`ScenarioError` that names the line.

    Bytes are UTF-8 without a byte order mark, and no object has a key twice.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode()
        if text.startswith(_BYTE_ORDER_MARK):
            raise ScenarioError("begins with a byte order mark", expected="UTF-8 without one")
        return _DECODER.decode(text)
    except _RepeatedKey:
        assert isinstance(text, str)
        raise repeated_key(text) from None
    except json.JSONDecodeError as error:
        problem = f"is not JSON: {error.msg} at column {error.colno}"
        raise ScenarioError(problem, line=error.lineno) from error
    except UnicodeDecodeError as error:
        raise ScenarioError("is no UTF-8 text") from error
    except RecursionError as error:
        raise ScenarioError("is nested too deeply") from error


def _refuse_number(text: str) -> Any:
    shown = text if len(text) <= _LONG_NUMBER else f"{text[:_LONG_NUMBER]}…"
    raise ScenarioError(f"is not JSON: {shown} is no number that a float64 can hold")


#: Numbers with fewer digits than this always fit.
_LONG_NUMBER: Final = 40


def _float(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse_number(text)


def _int(text: str) -> int:
    if len(text) > _LONG_NUMBER:
        _float(text)
    return int(text)


class _RepeatedKey(Exception):
    """An object gives a key twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _RepeatedKey
    return found


_BYTE_ORDER_MARK: Final = "\ufeff"
_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_constant=_refuse_number,
    parse_float=_float,
    parse_int=_int,
)


def check(scenario: Any) -> Scenario:
    """Return *scenario* if it is one that can be played; raise :class:`ScenarioError`."""
    try:
        _refuse(first_violation("scenario", scenario))
        _check_agents(scenario)
        _check_ops(scenario)
    except RecursionError as error:
        raise ScenarioError("is nested too deeply") from error
    checked: Scenario = scenario
    return checked


def _refuse(found: Violation | None, below: JsonPath = ()) -> None:
    if found is not None:
        raise ScenarioError(found.problem, path=(*below, *found.path), expected=found.expected)


# --- what a schema cannot say ------------------------------------------------------------


def _check_agents(scenario: Scenario) -> None:
    """Refuse a ref to an agent that is not built by then, and a run of one that never is."""
    built: set[str] = set()
    runs = []
    for path, spec in _in_build_order(scenario["agent"], ("agent",)):
        if "ref" in spec:
            if spec["ref"] not in built:
                raise ScenarioError(
                    f"refers to the agent {spec['ref']!r}, which is not built before",
                    path=(*path, "ref"),
                    expected=_names(built),
                )
            continue
        built.add(spec["name"])
        runs += [
            ((*path, "body", number, "run"), op["run"])
            for number, op in enumerate(spec.get("body", ()))
            if "run" in op
        ]
    for path, name in runs:
        if name not in built:
            raise ScenarioError(
                f"runs the agent {name!r}, which does not exist",
                path=path,
                expected=_names(built),
            )


def _names(names: Iterable[str]) -> str:
    listed = ", ".join(sorted(names))
    return f"one of {listed}" if listed else "an agent that was built earlier"


def _in_build_order(spec: Spec, path: JsonPath) -> Iterator[tuple[JsonPath, Spec]]:
    for below, inner in _inner_agents(spec, path):
        yield from _in_build_order(inner, below)
    yield path, spec


def _inner_agents(spec: Spec, path: JsonPath) -> Iterator[tuple[JsonPath, Spec]]:
    """Yield the agents directly inside an agent spec, in the order of building."""
    for number, sub in enumerate(spec.get("sub_agents", ())):
        yield (*path, "sub_agents", number), sub
    for number, tool in enumerate(spec.get("tools", ())):
        if "agent" in tool:
            yield (*path, "tools", number, "agent"), tool["agent"]
    for below, node in _nodes(spec, path):
        if "agent" in node:
            yield (*below, "agent"), node["agent"]
        if "agent" in node.get("tool", {}):
            yield (*below, "tool", "agent"), node["tool"]["agent"]


def _nodes(spec: Spec, path: JsonPath) -> Iterator[tuple[JsonPath, Spec]]:
    """Yield the nodes of a workflow, also those within other nodes."""
    inner = [((*path, "nodes", number), node) for number, node in enumerate(spec.get("nodes", ()))]
    if "node" in spec:
        inner.append(((*path, "node"), spec["node"]))
    for below, node in inner:
        yield below, node
        yield from _nodes(node, below)


def specs(scenario: Scenario) -> Iterator[tuple[str, Spec]]:
    """Yield every spec of a scenario with the place that it stands in."""
    yield "scenario", scenario
    yield "faults", scenario.get("faults", {})
    for turn in scenario.get("turns", ()):
        yield "turn", turn
    for event in scenario.get("session", {}).get("events", ()):
        yield "event", event
    for _, agent in _in_build_order(scenario["agent"], ()):
        yield "agent", agent
        yield "model", agent.get("model", {})
        for tool in agent.get("tools", ()):
            yield "tool", tool
        for op in agent.get("body", ()):
            yield "event", op.get("yield", {})


# --- ops in their places -----------------------------------------------------------------

#: Callback lists of an agent spec and the place of their ops.
_CALLBACK_KEYS: Final = {
    "before": "before_agent",
    "after": "after_agent",
    **{
        hook: hook
        for hook in (
            "before_model",
            "after_model",
            "on_model_error",
            "before_tool",
            "after_tool",
            "on_tool_error",
        )
    },
}

_OpList = tuple[JsonPath, str, Iterable[Spec]]


def _check_ops(scenario: Scenario) -> None:
    for path, place, ops in op_lists(scenario):
        for number, op in enumerate(ops):
            (name, argument), *_ = op.items()
            if place not in OPS[name].places:
                raise ScenarioError(
                    f"the op {name!r} has no meaning in {place}",
                    path=(*path, number, name),
                    expected=_names(known for known, it in OPS.items() if place in it.places),
                )
            if name == "return":
                _check_return(place, argument, (*path, number, name))


def _check_return(place: str, value: Any, path: JsonPath) -> None:
    kind = RETURNS[place]
    if kind == NOTHING:
        return
    if kind == MAP:
        if value is not None and not isinstance(value, dict):
            raise ScenarioError(f"is {kind_of(value)}", path=path, expected="an object or null")
        return
    if isinstance(value, str):
        return
    definition = {CONTENT: "content", RESPONSE: "response"}[kind]
    _refuse(first_violation("scenario", value, definition), path)


def op_lists(scenario: Scenario) -> Iterator[_OpList]:
    """Yield every list of ops with its path and the place that it stands in."""
    for number, plugin in enumerate(scenario.get("plugins", ())):
        for hook in HOOKS:
            if hook in plugin:
                yield from _rule_ops(plugin[hook], ("plugins", number, hook), hook)
    for path, agent in _in_build_order(scenario["agent"], ("agent",)):
        yield (*path, "body"), BODY, agent.get("body", ())
        for key, place in _CALLBACK_KEYS.items():
            for number, callback in enumerate(agent.get(key, ())):
                below = (*path, key, number, "rules")
                yield from _rule_ops(callback.get("rules", ()), below, place)
        for number, tool in enumerate(agent.get("tools", ())):
            yield from _rule_ops(tool.get("rules", ()), (*path, "tools", number, "rules"), TOOL)


def _rule_ops(rules: Iterable[Spec], path: JsonPath, place: str) -> Iterator[_OpList]:
    for number, rule in enumerate(rules):
        yield (*path, number, "do"), place, rule.get("do", ())
