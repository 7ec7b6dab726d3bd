# SPDX-License-Identifier: Apache-2.0
"""What hooks are called with: the contexts of one run in a session."""

from types import SimpleNamespace

import pytest

from adkref.agents import Agent
from adkref.contexts import Context, InvocationContext, callback_context, tool_context
from adkref.sessions import InMemorySessionService


@pytest.fixture
def invocation():
    """The run inv of agent root in session s of user u in app a."""
    session = InMemorySessionService().create("a", "u", "s")
    return InvocationContext(session=session, agent=Agent("root"), invocation_id="inv")


@pytest.fixture
def run_ctx(invocation):
    """What the four hooks around the run get."""
    return Context.promote(invocation)


@pytest.fixture
def ctx(invocation):
    """What agent and model hooks get."""
    return callback_context(invocation)


@pytest.fixture
def tool_ctx(invocation):
    """What tool hooks get: the context of call c."""
    return tool_context(invocation, "c")


@pytest.fixture
def tool():
    """A tool, as far as a hook looks at it."""
    return SimpleNamespace(name="t", description="", is_long_running=False)
