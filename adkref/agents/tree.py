# SPDX-License-Identifier: Apache-2.0
"""The agent tree: the parent map and its checks (chapter 01, 4.2)."""

from __future__ import annotations

from adkref.agents.base import Agent
from adkref.contexts.host import HostContext, Key
from adkref.errors import AdkError, ProgrammingError
from adkref.gotext import quote

#: From an agent's name to its parent; the root's own name is no key (AGT-030).
Parents = dict[str, Agent]

#: The map travels with a run (AGT-038, CTX-080).
PARENTS: Key[Parents] = Key("parents")


def parents_of(host: HostContext) -> Parents:
    """Return the map that *host* carries; without one, an empty map (AGT-037)."""
    return host.value(PARENTS) or {}


def parent_map(root: Agent) -> Parents:
    """Build the map of *root*'s tree, depth-first in pre-order (AGT-031).

    Raises AdkError for an agent object found twice (AGT-032, checked first: AGT-034), or
    for a name found twice (AGT-033).  A cycle is found by the first check, so the walk
    ends.
    """
    parents: Parents = {}
    parent_names: dict[int, str] = {}

    def walk(agent: Agent) -> None:
        for sub in agent.sub_agents:
            if sub is None:  # AGT-009
                raise ProgrammingError(f"agent {agent.name!r} has None among its sub-agents")
            earlier = "is root agent" if sub is root else parent_names.get(id(sub))
            if earlier is not None:
                raise AdkError(
                    f"{quote(sub.name)} agent cannot have >1 parents, "
                    f"found: {quote(earlier)}, {quote(agent.name)}"
                )
            if sub.name == root.name or sub.name in parents:
                raise AdkError(
                    "agent names must be unique in the agent tree, "
                    f"found duplicate: {quote(sub.name)}"
                )
            parent_names[id(sub)] = agent.name
            parents[sub.name] = agent
            walk(sub)

    walk(root)
    return parents


def root_of(agent: Agent | None, parents: Parents) -> Agent | None:
    """Follow parents by name until there is none (AGT-037)."""
    if agent is None:
        return None
    seen = {agent.name}
    while (parent := parents.get(agent.name)) is not None:
        if parent.name in seen:  # a map of the caller's own making; we do not spin on it
            break
        seen.add(parent.name)
        agent = parent
    return agent
