# SPDX-License-Identifier: Apache-2.0
"""Agents: the base run, the composites, the tree."""

from adkref.agents.base import Agent, AgentCallback
from adkref.agents.llm import LlmAgent
from adkref.agents.loader import MultiLoader, SingleLoader
from adkref.agents.loop import LoopAgent
from adkref.agents.parallel import ParallelAgent
from adkref.agents.sequential import SequentialAgent
from adkref.agents.tree import PARENTS, parent_map, parents_of, root_of

__all__ = [
    "PARENTS",
    "Agent",
    "AgentCallback",
    "LlmAgent",
    "LoopAgent",
    "MultiLoader",
    "ParallelAgent",
    "SequentialAgent",
    "SingleLoader",
    "parent_map",
    "parents_of",
    "root_of",
]
