# SPDX-License-Identifier: Apache-2.0
"""Loaders: agents by name for a host that serves several (chapter 01, 4.3)."""

from __future__ import annotations

from collections.abc import Iterable

from adkref.agents.base import Agent
from adkref.errors import AdkError


class SingleLoader:
    """Serves one agent, under its name and under "" (AGT-080)."""

    def __init__(self, root: Agent) -> None:
        self.root_agent = root

    def list_agents(self) -> list[str]:
        """Return the one name."""
        return [self.root_agent.name]

    def load_agent(self, name: str) -> Agent:
        """Return the agent; any other name is refused."""
        if name in ("", self.root_agent.name):
            return self.root_agent
        raise AdkError(
            f"cannot load agent '{name}' - provide an empty string or use '{self.root_agent.name}'"
        )


class MultiLoader:
    """Serves several agents by exact name; their sub-agents are not loadable (AGT-084)."""

    def __init__(self, root: Agent, *others: Agent) -> None:
        self.root_agent = root
        self._agents: dict[str, Agent] = {}
        self._add_all((root, *others))

    def _add_all(self, agents: Iterable[Agent]) -> None:
        for agent in agents:
            if agent.name in self._agents:  # AGT-081
                raise AdkError(f"duplicate agent name: {agent.name}")
            self._agents[agent.name] = agent

    def list_agents(self) -> list[str]:
        """Return all names; the order means nothing (AGT-082)."""
        return list(self._agents)

    def load_agent(self, name: str) -> Agent:
        """Return the agent called *name*; "" is no alias for the root (AGT-083)."""
        if name in self._agents:
            return self._agents[name]
        known = " ".join(self._agents)
        raise AdkError(f"agent {name} not found. Please specify one of those: [{known}]")
