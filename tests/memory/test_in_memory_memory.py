# SPDX-License-Identifier: Apache-2.0
"""The in-memory memory service (MEM-001 to MEM-003)."""

import threading
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adkref.content import Blob, Content, FunctionCall, Part
from adkref.events import Event
from adkref.memory import InMemoryMemoryService, MemoryEntry, MemoryService
from adkref.memory.in_memory import words_of
from adkref.sessions import InMemorySessionService

NOON = datetime(2026, 8, 1, 12, tzinfo=UTC)


@pytest.fixture
def memory():
    """A new memory service."""
    return InMemoryMemoryService()


def session_of(*events, keys=("a", "u", "s")):
    """A handle with these events; a text stands for an event with that text as its id too."""
    service = InMemorySessionService()
    session = service.create(*keys)
    for event in events:
        if isinstance(event, str):
            event = Event(id=event, content=Content.of_text(event))  # noqa: PLW2901
        service.append_event(session, event)
    return session


def found(memory, query, user="u"):
    """The ids of the entries that a search finds."""
    return [entry.id for entry in memory.search_memory("a", user, query)]


def test_entry_is_made_of_the_event(memory):
    """An entry has id, author, time, and the event's own content and metadata (MEM-001)."""
    event = Event(
        id="e",
        content=Content.of_text("hello world"),
        author="root",
        timestamp=NOON,
        custom_metadata={"k": 1},
    )
    memory.add_session_to_memory(session_of(event))
    (entry,) = memory.search_memory("a", "u", "world")
    assert entry == MemoryEntry("e", event.content, "root", NOON, {"k": 1})
    assert entry.content is event.content
    assert entry.custom_metadata is event.custom_metadata


def test_only_events_with_words_are_kept(memory):
    """No content, no text and nothing but spaces are passed over; any part may speak (MEM-001)."""
    spoken = Content(parts=[Part(inline_data=Blob()), Part(text="aloud")])
    thought = Content(parts=[Part(text="silently", thought=True), Part(text=" ")])
    memory.add_session_to_memory(
        session_of(
            Event(id="none"),
            Event(id="empty", content=Content()),
            Event(id="spaces", content=Content.of_text("   ")),
            Event(id="call", content=Content(parts=[Part(function_call=FunctionCall("c", "x"))])),
            Event(id="spoken", content=spoken),
            Event(id="thought", content=thought),
        )
    )
    assert found(memory, "aloud silently x c") == ["spoken", "thought"]


def test_words_of_all_parts_count(memory):
    """One word of any part of an event is enough (MEM-001, MEM-003)."""
    parts = [Part(text="one two"), Part(text="three")]
    memory.add_session_to_memory(session_of(Event(id="e", content=Content(parts=parts))))
    assert [found(memory, query) for query in ("two", "three", "one three", "four")] == [
        ["e"], ["e"], ["e"], [],
    ]  # fmt: skip


def test_adding_again_replaces(memory):
    """A session's entries are replaced, by nothing too; other sessions stay (MEM-001)."""
    memory.add_session_to_memory(session_of("old word"))
    memory.add_session_to_memory(session_of("other word", keys=("a", "u", "t")))
    assert found(memory, "word") == ["old word", "other word"]
    memory.add_session_to_memory(session_of("new word"))
    assert sorted(found(memory, "word")) == ["new word", "other word"]
    memory.add_session_to_memory(session_of())
    assert found(memory, "word") == ["other word"]
    assert repr(memory) == "<InMemoryMemoryService: 2 sessions>"


def test_only_the_given_handle_counts(memory):
    """What was appended after the handle was loaded is not remembered (MEM-001)."""
    service = InMemorySessionService()
    early = service.create("a", "u", "s")
    service.append_event(service.get("a", "u", "s"), Event(content=Content.of_text("word")))
    memory.add_session_to_memory(early)
    assert found(memory, "word") == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", set()),
        ("   ", set()),
        (" The  CAT the ", {"the", "cat"}),
        ("Paris. paris", {"paris.", "paris"}),
        ("a\tb c\nd", {"a\tb", "c\nd"}),
        ("\t", {"\t"}),
        ("ÄRGER", {"ärger"}),
        # letter by letter: no final sigma, and one letter for the dotted capital I
        ("ΟΔΟΣ", {"οδοσ"}),
        ("İZMİR", {"izmir"}),
    ],
)
def test_words_are_split_at_spaces_and_lowered(text, words):
    """Only the space parts words; punctuation, tabs and line breaks belong to them (MEM-002)."""
    assert words_of(text) == words


def test_search_is_bound_to_app_and_user(memory):
    """All sessions of the one user of the one app are searched, in event order (MEM-003)."""
    memory.add_session_to_memory(session_of("x 1", "y 2", "X 3"))
    memory.add_session_to_memory(session_of("x 4", keys=("a", "u", "t")))
    memory.add_session_to_memory(session_of("x 5", keys=("a", "v", "s")))
    memory.add_session_to_memory(session_of("x 6", keys=("b", "u", "s")))
    assert sorted(found(memory, "x")) == ["X 3", "x 1", "x 4"]
    assert [e for e in found(memory, "x") if e != "x 4"] == ["x 1", "X 3"]
    assert found(memory, "x", user="v") == ["x 5"]


@pytest.mark.parametrize(
    "keys", [("a", "u", ""), ("a", "u", "nothing"), ("a", "v", "x"), ("", "", "x"), ("", "", "")]
)
def test_nothing_found_is_no_error(memory, keys):
    """No match, no query, an unknown user or absent keys give an empty list (MEM-003)."""
    memory.add_session_to_memory(session_of("x"))
    assert memory.search_memory(*keys) == []


def test_threads_may_add_and_search(memory):
    """Adding sessions while others search neither fails nor loses one (MEM-004)."""
    failures = []

    def work(number):
        try:
            for i in range(20):
                memory.add_session_to_memory(session_of("x", keys=("a", "u", f"{number}-{i}")))
                assert len(found(memory, "x")) > i
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(found(memory, "x")) == 80


def test_fits_the_service_protocol(memory):
    """The service offers what a run asks of one."""
    assert isinstance(memory, MemoryService)


phrases = st.lists(st.sampled_from(["red", "Red", "blue", "green.", " "]), max_size=4).map(
    " ".join
)


@given(st.lists(st.tuples(st.sampled_from("st"), st.lists(phrases))), phrases)
def test_search_equals_a_comparison_of_words(additions, query):
    """A search finds exactly the events that share a lower-cased word with it (MEM-001 to 003)."""
    memory, last = InMemoryMemoryService(), {}
    for name, texts in additions:
        events = [Event(id=f"{i}", content=Content.of_text(text)) for i, text in enumerate(texts)]
        memory.add_session_to_memory(session_of(*events, keys=("a", "u", name)))
        last[name] = texts
    wanted = set(query.lower().split())
    expected = [
        text for texts in last.values() for text in texts if wanted & set(text.lower().split())
    ]
    entries = memory.search_memory("a", "u", query)
    assert sorted(entry.content.parts[0].text for entry in entries) == sorted(expected)
