# SPDX-License-Identifier: Apache-2.0
"""What the three composite constructors have in common (AGT-010 to AGT-013).

The internal configuration of Go's composites (AGT-013) is the agent's own fields here.
"""

import pytest
from agent_scripts import context, says, told

from adkref.agents import Agent, LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
from adkref.errors import AdkError

COMPOSITES = [SequentialAgent, LoopAgent, ParallelAgent]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (SequentialAgent, "LoopAgent doesn't allow custom Run implementations"),
        (LoopAgent, "LoopAgent doesn't allow custom Run implementations"),
        (ParallelAgent, "ParallelAgent doesn't allow custom Run implementations"),
    ],
)
def test_a_body_is_refused_first(kind, text):
    """The literal text comes before any other complaint; the sequential one says LoopAgent (AGT-010)."""
    sub = Agent("same")
    with pytest.raises(AdkError) as caught:
        kind("a", run=lambda ctx: [], sub_agents=[sub, sub])
    assert str(caught.value) == text
    assert caught.value.__cause__ is None


REPEATED = 'error creating agent: subagent "same_agent" appears multiple times in subAgents'


@pytest.mark.parametrize(
    ("kind", "prefix"),
    [
        (SequentialAgent, "failed to create base agent: "),
        (LoopAgent, "failed to create base agent: "),
        (ParallelAgent, ""),
        (LlmAgent, "failed to create agent: "),
        (Agent, ""),
    ],
)
def test_errors_of_the_base_constructor(kind, prefix):
    """Each constructor wraps them in its own way, the cause stays reachable (AGT-011)."""
    sub = Agent("same_agent")
    with pytest.raises(AdkError) as caught:
        kind("a", sub_agents=[sub, sub])
    assert str(caught.value) == prefix + REPEATED
    if prefix:
        assert str(caught.value.__cause__) == REPEATED


@pytest.mark.parametrize("kind", COMPOSITES)
def test_no_sub_agents_are_accepted(kind):
    """An empty list and none at all (AGT-012)."""
    assert kind("a").sub_agents == []
    assert kind("a", sub_agents=[]).sub_agents == []


@pytest.mark.parametrize("kind", COMPOSITES)
def test_a_composite_says_what_it_is(kind):
    """Its type is its class's name, and its fields are what was given (AGT-013)."""
    sub, before, after = Agent("sub"), [lambda ctx: None], [lambda ctx: None]
    subs = [sub]
    agent = kind(
        "a",
        description="d",
        sub_agents=subs,
        before_agent_callbacks=before,
        after_agent_callbacks=after,
    )
    assert agent.agent_type == kind.__name__
    assert repr(agent) == f"<{kind.__name__} 'a'>"
    assert (agent.name, agent.description, agent.body) == ("a", "d", None)
    assert agent.sub_agents == subs == [sub]
    assert (agent.before_agent_callbacks, agent.after_agent_callbacks) == (before, after)


@pytest.mark.parametrize("kind", COMPOSITES)
def test_callbacks_of_a_composite_run_once(kind):
    """Both phases surround the body, whatever it runs (AGT-044)."""
    log = []
    options = {"max_iterations": 2} if kind is LoopAgent else {}
    agent = kind(
        "a",
        sub_agents=[Agent("sub", run=lambda ctx: [says("m")])],
        before_agent_callbacks=[lambda ctx: log.append("before")],
        after_agent_callbacks=[lambda ctx: log.append("after")],
        **options,
    )
    spoken = (says("m", author="sub"), None)
    assert told(agent.run(context())) == [spoken] * (2 if kind is LoopAgent else 1)
    assert log == ["before", "after"]
