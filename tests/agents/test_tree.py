# SPDX-License-Identifier: Apache-2.0
"""The agent tree and its checks (AGT-009, AGT-023, AGT-030 to AGT-038).

A map that is absent and an empty map are the same here (AGT-037, AGT-038).
"""

import pytest

from adkref.agents import (
    PARENTS,
    Agent,
    LoopAgent,
    SequentialAgent,
    parent_map,
    parents_of,
    root_of,
)
from adkref.contexts import HostContext
from adkref.errors import AdkError, ProgrammingError
from adkref.runner import Runner
from adkref.sessions import InMemorySessionService


def refused(root):
    """The text of the error that the tree of *root* gives."""
    with pytest.raises(AdkError) as caught:
        parent_map(root)
    return str(caught.value)


def twice(sub, first, second):
    """The text for an object that is met twice (AGT-032)."""
    return f'"{sub}" agent cannot have >1 parents, found: "{first}", "{second}"'


def duplicate(sub):
    """The text for a name that is met twice (AGT-033)."""
    return f'agent names must be unique in the agent tree, found duplicate: "{sub}"'


# --- the map -----------------------------------------------------------------------------------


def test_the_map_goes_from_names_to_parents():
    """Every agent but the root has an entry, in pre-order (AGT-030, AGT-031)."""
    c, d, e = Agent("c"), Agent("d"), Agent("e")
    b = Agent("b", sub_agents=[c, d])
    a = Agent("a", sub_agents=[b, e])
    parents = parent_map(a)
    assert list(parents.items()) == [("b", a), ("c", b), ("d", b), ("e", a)]
    assert parent_map(c) == {}


def test_the_values_are_the_objects_of_the_tree():
    """For a sequential agent that is the agent itself, not what a look-up finds (AGT-036)."""
    a = Agent("a")
    sequence = SequentialAgent("s", sub_agents=[a])
    root = Agent("root", sub_agents=[sequence])
    assert parent_map(root)["a"] is sequence
    assert parent_map(root)["s"] is root


def test_an_object_with_two_parents_is_refused():
    """Sub-agent, first and second parent are named in the order of the walk (AGT-031, AGT-032)."""
    shared = Agent("shared")
    left, right = Agent("left", sub_agents=[shared]), Agent("right", sub_agents=[shared])
    assert refused(Agent("root", sub_agents=[left, right])) == twice("shared", "left", "right")
    assert refused(Agent("root", sub_agents=[right, left])) == twice("shared", "right", "left")
    nested = Agent("middle", sub_agents=[left, shared])
    assert refused(Agent("root", sub_agents=[nested])) == twice("shared", "left", "middle")
    nameless = Agent("", sub_agents=[shared])
    assert refused(Agent("root", sub_agents=[nameless, left])) == twice("shared", "", "left")


def test_the_root_below_itself_is_refused():
    """Its first parent is the literal that stands for none (AGT-023, AGT-032)."""
    root, sub = Agent("root"), Agent("sub")
    root.sub_agents.append(sub)
    sub.sub_agents.append(root)
    assert refused(root) == twice("root", "is root agent", "sub")
    alone = Agent("alone")
    alone.sub_agents.append(alone)
    assert refused(alone) == twice("alone", "is root agent", "alone")


def test_a_cycle_below_the_root_is_refused():
    """The walk ends at the object that it has met before (AGT-023, AGT-032)."""
    a, b = Agent("a"), Agent("b")
    a.sub_agents.append(b)
    b.sub_agents.append(a)
    assert refused(Agent("root", sub_agents=[a])) == twice("a", "root", "b")


@pytest.mark.parametrize("name", ["root", "x", ""])
def test_a_name_twice_is_refused(name):
    """Also the root's name, also far apart (AGT-033)."""
    root = Agent("root", sub_agents=[Agent("a", sub_agents=[Agent("x"), Agent("")]), Agent(name)])
    assert refused(root) == duplicate(name)


def test_the_first_violation_in_order_is_reported():
    """Each agent is checked before its children, and those before its next sibling (AGT-031)."""
    deep = Agent("a", sub_agents=[Agent("dup1"), Agent("b", sub_agents=[Agent("dup1")])])
    root = Agent("root", sub_agents=[deep, Agent("dup2"), Agent("dup2")])
    assert refused(root) == duplicate("dup1")
    above = Agent("root", sub_agents=[Agent("x"), Agent("x", sub_agents=[Agent("root")])])
    assert refused(above) == duplicate("x")


def test_the_object_comes_before_the_name():
    """An object that is met twice has its name twice, too (AGT-034)."""
    shared = Agent("root")
    left = Agent("left", sub_agents=[shared])
    assert refused(Agent("top", sub_agents=[left, shared])) == twice("root", "left", "top")


def test_names_are_quoted():
    """As Go quotes them (AGT-032, AGT-033)."""
    root = Agent("root", sub_agents=[Agent('a"b'), Agent('a"b')])
    assert refused(root) == duplicate('a\\"b')


def test_a_missing_sub_agent_is_a_programming_error():
    """The walk reaches it and stops (AGT-009)."""
    with pytest.raises(ProgrammingError, match="agent 'a' has None among its sub-agents"):
        parent_map(Agent("root", sub_agents=[Agent("a", sub_agents=[None])]))


# --- the runner's check --------------------------------------------------------------------------


def cyclic():
    """A tree in which a search would not end."""
    loop = LoopAgent("loop")
    loop.sub_agents.append(Agent("a", sub_agents=[loop]))
    return Agent("root", sub_agents=[loop])


@pytest.mark.parametrize(
    ("root", "text"),
    [
        (Agent("root", sub_agents=[Agent("x"), Agent("x")]), duplicate("x")),
        (cyclic(), twice("loop", "root", "a")),
    ],
    ids=["duplicate", "cycle"],
)
def test_the_runner_checks_the_tree(root, text):
    """At construction, before anything is looked up; the cause is wrapped (AGT-023, AGT-035)."""
    with pytest.raises(AdkError) as caught:
        Runner("app", root, InMemorySessionService())
    assert str(caught.value) == f"failed to create agent tree: {text}"
    assert str(caught.value.__cause__) == text


def test_the_map_travels_with_a_run():
    """Every context of the run carries it; one without carries none (AGT-038)."""
    seen = []
    a = Agent("a", run=lambda ctx: seen.append(parents_of(ctx.host)) or [])
    root = SequentialAgent("root", sub_agents=[a])
    assert list(Runner.in_memory("app", root).run("u", "s", "hi")) == []
    assert seen == [{"a": root}]
    assert parents_of(HostContext.background()) == {}
    assert parents_of(HostContext.background().with_value(PARENTS, {"x": a})) == {"x": a}


# --- the root of an agent ---------------------------------------------------------------------------


def test_the_root_is_found_by_names():
    """Parents are followed until a name has no entry; who is in no map is its own root (AGT-037)."""
    c = Agent("c")
    b = Agent("b", sub_agents=[c])
    a = Agent("a", sub_agents=[b])
    parents = parent_map(a)
    assert [root_of(agent, parents) for agent in (a, b, c)] == [a, a, a]
    stranger = Agent("stranger")
    assert root_of(stranger, parents) is stranger
    assert root_of(c, {}) is c
    assert root_of(None, parents) is None
    assert root_of(Agent("c"), parents) is a


def test_a_map_of_ones_own_making_ends_the_search():
    """Names that go round are followed once."""
    a, b = Agent("a"), Agent("b")
    assert root_of(a, {"a": b, "b": a}) is b
