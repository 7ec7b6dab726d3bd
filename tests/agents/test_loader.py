# SPDX-License-Identifier: Apache-2.0
"""Loaders (AGT-080 to AGT-084)."""

import re

import pytest

from adkref.agents import Agent, MultiLoader, SingleLoader
from adkref.errors import AdkError


def refused(call):
    """The text of the error that a call raises."""
    with pytest.raises(AdkError) as caught:
        call()
    return str(caught.value)


def test_a_single_loader_serves_one_agent():
    """Under its name and under the empty one (AGT-080)."""
    root = Agent("root", sub_agents=[Agent("sub")])
    loader = SingleLoader(root)
    assert loader.list_agents() == ["root"]
    assert loader.root_agent is root
    assert loader.load_agent("") is root
    assert loader.load_agent("root") is root


@pytest.mark.parametrize("name", ["sub", "Root", "it's"])
def test_a_single_loader_refuses_other_names(name):
    """Sub-agents too; names stand between plain quotes (AGT-080, AGT-084)."""
    loader = SingleLoader(Agent('ro"ot', sub_agents=[Agent("sub")]))
    assert refused(lambda: loader.load_agent(name)) == (
        f"cannot load agent '{name}' - provide an empty string or use 'ro\"ot'"
    )


def test_a_multi_loader_serves_by_exact_name():
    """All that were passed, the root among them (AGT-082, AGT-083)."""
    root, a, b = Agent("root"), Agent("a"), Agent("b")
    loader = MultiLoader(root, a, b)
    assert sorted(loader.list_agents()) == ["a", "b", "root"]
    assert loader.root_agent is root
    assert [loader.load_agent(name) for name in ("root", "a", "b")] == [root, a, b]
    assert MultiLoader(root).list_agents() == ["root"]


@pytest.mark.parametrize("name", ["", "sub", "A"])
def test_a_multi_loader_refuses_other_names(name):
    """The empty name is none of them, sub-agents are not served (AGT-083, AGT-084)."""
    loader = MultiLoader(Agent("root", sub_agents=[Agent("sub")]), Agent("a"))
    text = refused(lambda: loader.load_agent(name))
    found = re.fullmatch(
        rf"agent {name} not found\. Please specify one of those: \[(\S+) (\S+)\]", text
    )
    assert found
    assert sorted(found.groups()) == ["a", "root"]


def test_a_multi_loader_refuses_a_name_twice():
    """The first additional agent whose name is taken is named, the root object included (AGT-081)."""
    root, a = Agent("root"), Agent("a")
    assert refused(lambda: MultiLoader(root, a, Agent("a"), root)) == "duplicate agent name: a"
    assert refused(lambda: MultiLoader(root, root)) == "duplicate agent name: root"
    assert refused(lambda: MultiLoader(root, Agent("root"))) == "duplicate agent name: root"
    assert refused(lambda: MultiLoader(Agent(""), Agent(""))) == "duplicate agent name: "


def test_a_nameless_agent_can_be_loaded_by_its_name():
    """The empty name matches it exactly (AGT-083)."""
    nameless = Agent("")
    assert MultiLoader(Agent("root"), nameless).load_agent("") is nameless
