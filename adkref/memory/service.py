# SPDX-License-Identifier: Apache-2.0
"""What a run asks of a memory service, and the facade it asks through (chapter 03, 8.2)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from attrs import frozen

from adkref.content import Content
from adkref.sessions import Session
from adkref.timestamps import ZERO_TIME


@frozen
class MemoryEntry:
    """One remembered event; content and metadata are the event's own objects (MEM-001)."""

    id: str
    content: Content
    author: str = ""
    timestamp: datetime = ZERO_TIME
    custom_metadata: dict[str, Any] | None = None


@runtime_checkable
class MemoryService(Protocol):
    """A store of what was said in earlier sessions; methods raise AdkError on failure."""

    def add_session_to_memory(self, session: Session) -> None:
        """Remember the events of *session* in place of what was known of it."""

    def search_memory(self, app: str, user: str, query: str) -> list[MemoryEntry]:
        """Return what the user's sessions hold that fits *query*."""


@frozen
class Memory:
    """The memory of one user of an app (MEM-004); errors pass unchanged."""

    service: MemoryService
    app: str
    user: str

    def add_session_to_memory(self, session: Session) -> None:
        """Remember *session* under its own ids, whoever asks."""
        self.service.add_session_to_memory(session)

    def search_memory(self, query: str) -> list[MemoryEntry]:
        """Return what the sessions of this app and user hold that fits *query*."""
        return self.service.search_memory(self.app, self.user, query)
