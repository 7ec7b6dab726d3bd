# SPDX-License-Identifier: Apache-2.0
"""Rules of chapter 01 on agents that no case and no test of tests/agents shows."""

from __future__ import annotations

from kit import Scene, event

from adkref.agents import Agent


def test_the_author_is_filled_on_the_very_event():
    """The consumer gets the object that the body produced, and its author is there (AGT-053)."""
    made = event("", "hello")
    agent = Agent("a", run=lambda ctx: [made])
    ((taken, _),) = Scene(agent).events_of(agent)
    assert taken is made
    assert made.author == "a"
