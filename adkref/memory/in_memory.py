# SPDX-License-Identifier: Apache-2.0
"""The memory service that keeps everything in memory (MEM-001 to MEM-003)."""

from __future__ import annotations

from threading import Lock

from attrs import frozen

from adkref.content import texts
from adkref.memory.service import MemoryEntry
from adkref.sessions import Session


@frozen
class _Remembered:
    entry: MemoryEntry
    words: set[str]


class InMemoryMemoryService:
    """Finds events by whole words; any number of threads may use it."""

    def __init__(self) -> None:
        self._lock = Lock()
        # by (app, user), then by session id
        self._users: dict[tuple[str, str], dict[str, list[_Remembered]]] = {}

    def add_session_to_memory(self, session: Session) -> None:
        """Replace what is stored of the session by its events that hold words (MEM-001).

        Every part's text counts, thoughts too.  Only the events of the given
        handle are seen.
        """
        remembered = []
        for event in session.events:
            words = {word for text in texts(event.content) for word in words_of(text)}
            if event.content is not None and words:
                entry = MemoryEntry(
                    id=event.id,
                    content=event.content,
                    author=event.author,
                    timestamp=event.timestamp,
                    custom_metadata=event.custom_metadata,
                )
                remembered.append(_Remembered(entry, words))
        with self._lock:
            sessions = self._users.setdefault((session.app_name, session.user_id), {})
            sessions[session.id] = remembered

    def search_memory(self, app: str, user: str, query: str) -> list[MemoryEntry]:
        """Return the user's entries that share a word with *query* (MEM-003).

        The sessions come in the order in which they were first added, each
        session's entries in event order.  No match is an empty list.
        """
        wanted = words_of(query)
        with self._lock:
            sessions = self._users.get((app, user), {})
            return [
                item.entry
                for remembered in sessions.values()
                for item in remembered
                if not wanted.isdisjoint(item.words)
            ]

    def __repr__(self) -> str:
        return f"<InMemoryMemoryService: {sum(map(len, self._users.values()))} sessions>"


def words_of(text: str) -> set[str]:
    """Return the lower-cased words of *text*, parted by the space sign only (MEM-002)."""
    return {_lower(word) for word in text.split(" ") if word}


def _lower(word: str) -> str:
    # Go lowers one letter at a time. Python looks at a capital sigma's neighbours, and makes
    # two letters of the only one that has a longer lower case, the dotted capital I.
    if word.isascii():
        return word.lower()
    return "".join("i" if letter == "\u0130" else letter.lower() for letter in word)
