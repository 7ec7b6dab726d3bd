# SPDX-License-Identifier: Apache-2.0
"""Features: what a scenario needs of a port, by names that a port can put into its ``skips``.

A port that lacks one says so once, in its reply to ``hello``, and is not asked for scenarios
that need it.  A feature belongs to a key that is there, to a kind of agent, model, tool or
plugin, or to an op.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from adkref.conformance.scenario import Scenario, op_lists, specs


def _table(rows: Mapping[str, Mapping[str, str]]) -> Mapping[str, Mapping[str, str]]:
    return MappingProxyType({place: MappingProxyType(dict(row)) for place, row in rows.items()})


#: Keys by the place that they stand in.
KEYS: Final = _table(
    {
        "scenario": {
            "plugins": "plugins",
            "compaction": "compaction",
            "executor": "executor",
            "peer": "remote_a2a",
            "mask_errors": "mask_errors",
        },
        "faults": {"append": "faults.append", "get": "faults.get"},
        "session": {"auto_create": "auto_create", "events": "stored_events"},
        "turn": {
            "live": "live",
            "stream": "streaming",
            "execute": "executor",
            "cancel_after": "cancel_after",
            "stop_after": "stop_after",
            "state_delta": "state_delta",
            "yield_user_message": "yield_user_message",
            "save_input_blobs_as_artifacts": "save_input_blobs_as_artifacts",
        },
        "event": {"routes": "workflow", "nodeInfo": "workflow", "requestedInput": "workflow"},
        "agent": {
            "before": "agent_callbacks",
            "after": "agent_callbacks",
            "before_model": "model_callbacks",
            "after_model": "model_callbacks",
            "on_model_error": "on_model_error",
            "before_tool": "tool_callbacks",
            "after_tool": "tool_callbacks",
            "on_tool_error": "on_tool_error",
            "input_schema": "input_schema",
            "output_schema": "output_schema",
            "global_instruction": "global_instruction",
        },
        "tool": {"require_confirmation": "confirmation", "long_running": "long_running"},
    }
)
#: Values of a key by its place.
VALUES: Final[Mapping[tuple[str, str], Mapping[str, str]]] = MappingProxyType(
    {
        ("agent", "kind"): {
            "sequential": "sequential",
            "loop": "loop",
            "parallel": "parallel",
            "llm": "llm",
            "workflow": "workflow",
            "remote_a2a": "remote_a2a",
        },
        ("agent", "mode"): {"task": "modes", "single_turn": "modes"},
        ("model", "kind"): {"gemini": "gemini", "live": "live"},
        ("tool", "kind"): {
            "exit_loop": "exit_loop",
            "agent": "agent_tool",
            "streaming": "streaming",
        },
        ("plugin", "builtin"): {
            "retry_and_reflect": "retry_and_reflect",
            "function_call_modifier": "function_call_modifier",
        },
        ("turn", "streaming"): {"sse": "sse"},
        ("turn", "on_error"): {"continue": "on_error"},
    }
)
#: Ops that not every port can do.
OPS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "save_artifact": "artifacts",
        "load_artifact": "artifacts",
        "end_invocation": "end_invocation",
        "request_confirmation": "confirmation",
        "get_confirmation": "confirmation",
        "own_history": "own_history",
        "mutate_text": "mutate_text",
    }
)

#: All names that mean something in ``skips``.
NAMES: Final = frozenset(
    {
        *(name for row in KEYS.values() for name in row.values()),
        *(name for row in VALUES.values() for name in row.values()),
        *OPS.values(),
    }
)


def needed(scenario: Scenario) -> set[str]:
    """Return the features that *scenario*, which has been checked, needs."""
    found = set()
    for place, spec in _places(scenario):
        for key, name in KEYS.get(place, {}).items():
            # A key that says no asks for nothing; {} does.
            if spec.get(key) not in (None, False, 0, []):
                found.add(name)
        for key in ("kind", "mode", "builtin", "streaming", "on_error"):
            value = spec.get(key)
            if isinstance(value, str) and (row := VALUES.get((place, key))):
                found |= {row[value]} if value in row else set()
    for _, _, ops in op_lists(scenario):
        found |= {OPS[name] for op in ops for name in op if name in OPS}
    return found


def _places(scenario: Scenario) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from specs(scenario)
    yield "session", scenario.get("session", {})
    for plugin in scenario.get("plugins", ()):
        yield "plugin", plugin
