# SPDX-License-Identifier: Apache-2.0
"""What a runner asks of a session service (chapter 03, 1.3 and 6.3)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from adkref.events import Event
from adkref.platform import Platform
from adkref.sessions.session import Session

# Inside a class that has a method of this name, ``list`` means the method.
Sessions = list[Session]


@runtime_checkable
class SessionService(Protocol):
    """A store of sessions; every method raises :class:`~adkref.errors.AdkError` on failure.

    Whatever the store is, an appended event keeps its bytes, every field of the
    model's response, both deltas and its compaction record; events keep the
    order in which they were appended; and keys of the three persistent scopes
    are seen by the sessions that share the scope (SES-070).
    """

    def create(
        self,
        app_name: str,
        user_id: str,
        session_id: str = "",
        state: Mapping[str, Any] | None = None,
        *,
        platform: Platform | None = None,
    ) -> Session:
        """Store a new session and return a handle on it; an empty id is generated."""

    def get(
        self,
        app_name: str,
        user_id: str,
        session_id: str,
        *,
        num_recent_events: int = 0,
        after: datetime | None = None,
    ) -> Session:
        """Return a new handle with the last events, or those not before *after*."""

    def list(self, app_name: str, user_id: str = "") -> Sessions:
        """Return handles without events, of one user, or of all when *user_id* is empty."""

    def delete(self, app_name: str, user_id: str, session_id: str) -> None:
        """Forget a session; the state of its app and user stays."""

    def append_event(
        self, session: Session, event: Event, *, platform: Platform | None = None
    ) -> None:
        """Store a whole event and bring the handle up to date; a partial one is passed over."""
