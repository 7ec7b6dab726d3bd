# SPDX-License-Identifier: Apache-2.0
"""Names that are settled last: what stands for one until the whole tree is drawn.

A tree is drawn from the root to the leaves in one go, each agent with all its parts, so that
Hypothesis can take an agent away as one piece.  But a part may speak of agents that are not
drawn yet.  So it speaks in placeholders, and :func:`settled` gives all agents their names, in
the order in which one reads them, and puts these in place of the placeholders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from adkref.strategies.draws import Spec

#: The agent that speaks.
SELF: Final = "@self"
#: The tool that speaks.
TOOL: Final = "@tool"
#: A name that no agent has.
NOBODY: Final = "nobody"

#: The letters by which agents of a kind are named.
LETTERS: Final[Mapping[str, str]] = MappingProxyType(
    {"custom": "c", "sequential": "s", "loop": "l", "parallel": "p", "llm": "w"}
)

_PLACEHOLDER: Final = re.compile(r"^@(self|tool|any|sub|as)([0-9]*)")


def any_agent(number: int) -> str:
    """Stand for some agent of the tree, or for nobody."""
    return f"@any{number}"


def sub_agent(number: int) -> str:
    """Stand for a sub-agent of the agent that speaks."""
    return f"@sub{number}"


def agent_tool(number: int) -> str:
    """Stand for an agent that the one that speaks has as a tool."""
    return f"@as{number}"


def settled(tree: Spec) -> Spec:
    """Return a drawn tree with names; what a body runs becomes a sub-agent of its agent."""
    names = [f"{LETTERS[agent['kind']]}{number}" for number, agent in enumerate(_agents(tree), 1)]
    return _settle(tree, iter(names), names)


def names_of(agent: Spec) -> tuple[str, ...]:
    """Return the names of all agents of a settled tree, the root's first."""
    return tuple(each["name"] for each in _agents(agent))


def _agents(agent: Spec) -> Iterator[Spec]:
    yield agent
    for inner in _inner(agent):
        yield from _agents(inner)


def _inner(agent: Spec) -> list[Spec]:
    """Return the agents right below one, in the order of reading."""
    runs = [op["run"] for op in agent.get("body", ()) if isinstance(op.get("run"), dict)]
    tools = [tool["agent"] for tool in agent.get("tools", ()) if "agent" in tool]
    return [*runs, *agent.get("sub_agents", ()), *tools]


def _settle(agent: Spec, waiting: Iterator[str], names: Sequence[str]) -> Spec:
    name = next(waiting)
    inner = [_settle(each, waiting, names) for each in _inner(agent)]
    runs = [each for each in agent.get("body", ()) if isinstance(each.get("run"), dict)]
    subs, tools = agent.get("sub_agents", ()), agent.get("tools", ())
    ran, below, as_tools = (
        inner[: len(runs)],
        inner[len(runs) : len(runs) + len(subs)],
        inner[len(runs) + len(subs) :],
    )
    of = {
        "self": [name],
        "any": [*names, NOBODY],
        "sub": [each["name"] for each in below],
        "as": [each["name"] for each in as_tools],
    }
    out: Spec = {"kind": agent["kind"], "name": name}
    rest, tool_agents = iter(ran), iter(as_tools)
    for key, value in agent.items():
        if key in ("kind", "name", "sub_agents"):
            continue
        if key == "body":
            out[key] = [
                {"run": next(rest)["name"]} if isinstance(op.get("run"), dict) else _put(op, of)
                for op in value
            ]
        elif key == "tools":
            out[key] = [
                {**tool, "agent": next(tool_agents)}
                if "agent" in tool
                else _put(tool, {**of, "tool": [tool["name"]]})
                for tool in tools
            ]
        else:
            out[key] = _put(value, of)
    if ran or below:
        out["sub_agents"] = [*ran, *below]
    return out


def _put(value: Any, of: Mapping[str, Sequence[str]]) -> Any:
    """Return *value* with names in place of the placeholders."""
    if isinstance(value, str):
        return _named(value, of) if value[:1] == "@" else value
    if isinstance(value, dict):
        return {_put(key, of): _put(item, of) for key, item in value.items()}
    if isinstance(value, list):
        return [_put(item, of) for item in value]
    return value


def _named(text: str, of: Mapping[str, Sequence[str]]) -> str:
    match = _PLACEHOLDER.match(text)
    if match is None:
        return text
    names = of[match[1]]
    return names[int(match[2] or 0) % len(names)] + text[match.end() :]
