# SPDX-License-Identifier: Apache-2.0
"""The memory facade of a context (MEM-004)."""

from adkref.content import Content
from adkref.events import Event
from adkref.memory import InMemoryMemoryService, Memory
from adkref.sessions import InMemorySessionService


def test_facade_searches_its_user_and_adds_the_given_session():
    """A search uses the facade's keys, adding uses those of the session (MEM-004)."""
    sessions, service = InMemorySessionService(), InMemoryMemoryService()
    own, other = sessions.create("a", "u", "s"), sessions.create("a", "v", "s")
    memory = Memory(service, "a", "u")
    for session in (own, other):
        text = f"word of {session.user_id}"
        sessions.append_event(session, Event(id=text, content=Content.of_text(text)))
        memory.add_session_to_memory(session)
    assert [entry.id for entry in memory.search_memory("word")] == ["word of u"]
    assert [entry.id for entry in service.search_memory("a", "v", "word")] == ["word of v"]
