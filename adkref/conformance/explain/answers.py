# SPDX-License-Identifier: Apache-2.0
"""What each callback of a trace answered: known from the script, as traces do not show it.

A record of a hook shows what the callback was given.  What it then did is in the scenario: the
first rule that matches agent, tool and number of the call.  So the calls are counted here as the
script counts them, on any trace of the scenario, whoever recorded it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from adkref.conformance.scenario import Scenario, specs
from adkref.conformance.script import TOOL_HOOKS, Rules, pick
from adkref.plugins.hooks import BY_NAME, HOOKS

Record = Mapping[str, Any]

#: What a callback may have done.
ANSWERED: Final = "answered"
FAILED: Final = "failed"

#: Keys of an agent spec where they are not called like their hook.
_KEYS: Final = {"before_agent": "before", "after_agent": "after"}


@frozen
class Answer:
    """What a callback did that ended its round."""

    #: :data:`ANSWERED` or :data:`FAILED`.
    kind: str
    value: Any
    #: Who would have been asked next, in order, and was not.
    unasked: tuple[str, ...] = ()


@frozen
class _Callback:
    by: str
    rules: Rules


def answers(scenario: Scenario, trace: Sequence[Record]) -> dict[int, Answer]:
    """Return by the number of its record what each callback did that ended a round.

    A callback that the script cannot tell from another is left out: two of one agent that have
    the same id, or a rule for the nth call of a tool that may run beside itself.
    """
    plugins = _plugins(scenario)
    calls: Counter[tuple[str, str, str, str]] = Counter()
    found: dict[int, Answer] = {}
    for number, record in enumerate(trace, 1):
        hook, by = str(record.get("hook")), str(record.get("by"))
        if record.get("at") != "hook" or hook not in BY_NAME:
            continue
        order = [*plugins.get(hook, ()), *_own(scenario, hook, str(record.get("agent", "")))]
        at = [index for index, each in enumerate(order) if each.by == by]
        agent, tool = _matched(record)
        calls[hook, by, agent, tool] += 1
        if len(at) != 1:
            continue
        rules = order[at[0]].rules
        if hook in TOOL_HOOKS and scenario.get("ordering") and any(it.get("call") for it in rules):
            continue
        did = _did(pick(rules, agent, tool, calls[hook, by, agent, tool]))
        if did is not None:
            kind, value = did
            # after_run asks everyone, whatever the others did.  # PLG-016
            last = BY_NAME[hook].answer is None
            unasked = () if last else tuple(each.by for each in order[at[0] + 1 :])
            found[number] = Answer(kind, value, unasked)
    return found


def _matched(record: Record) -> tuple[str, str]:
    """Return the agent and the tool by which the script picks its rule."""
    agent = str(record.get("agent", ""))
    if record["hook"] == "on_event":  # the rules of this hook go by who wrote the event
        event = record.get("event")
        agent = str(event.get("author", "")) if isinstance(event, dict) else ""
    tool = str(record.get("tool", "")) if record["hook"] in TOOL_HOOKS else ""
    return agent, tool


def _plugins(scenario: Scenario) -> dict[str, list[_Callback]]:
    found: dict[str, list[_Callback]] = {hook.name: [] for hook in HOOKS}
    for plugin in scenario.get("plugins", ()):
        by = f"plugin:{plugin.get('name', '')}"
        for hook, callbacks in found.items():
            if hook in plugin:
                callbacks.append(_Callback(by, plugin[hook]))
    return found


def _own(scenario: Scenario, hook: str, agent: str) -> Iterator[_Callback]:
    if not BY_NAME[hook].own:
        return
    for place, spec in specs(scenario):
        if place == "agent" and spec.get("name") == agent:
            for each in spec.get(_KEYS.get(hook, hook), ()):
                yield _Callback(f"agent:{agent}/{each.get('id', '')}", each.get("rules", ()))


def _did(ops: Sequence[Mapping[str, Any]]) -> tuple[str, Any] | None:
    """Return what ends the round among *ops*: the first return that is no null, or raise."""
    for op in ops:
        for name, argument in op.items():
            if name == "raise":
                return FAILED, argument
            if name == "replace_event":
                return ANSWERED, argument
            if name == "return":
                return None if argument is None else (ANSWERED, argument)
    return None
