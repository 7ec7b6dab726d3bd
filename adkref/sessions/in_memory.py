# SPDX-License-Identifier: Apache-2.0
"""The session service that keeps everything in memory (chapter 03, 6.1)."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from threading import Lock
from typing import Any

from attrs import define

from adkref.errors import AdkError
from adkref.events import Event
from adkref.gotext import quote, type_name
from adkref.platform import DEFAULT_PLATFORM, Platform
from adkref.sessions.copies import stored_copy
from adkref.sessions.scopes import State, merged, persist
from adkref.sessions.service import Sessions
from adkref.sessions.session import Session
from adkref.sessions.state import SessionState

Key = tuple[str, str, str]
Log = list[Event]


@define(eq=False)
class _Stored:
    """What the service keeps of one session."""

    state: State
    updated: datetime
    events: Log


class InMemorySessionService:
    """Keeps sessions for as long as the object lives; any number of threads may use it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._sessions: dict[Key, _Stored] = {}
        self._app_state: defaultdict[str, State] = defaultdict(dict)
        self._user_state: defaultdict[tuple[str, str], State] = defaultdict(dict)

    def create(
        self,
        app_name: str,
        user_id: str,
        session_id: str = "",
        state: Mapping[str, Any] | None = None,
        *,
        platform: Platform | None = None,
    ) -> Session:
        """Store a new session and return a handle on it, without events (SES-001 to SES-005).

        Every key of *state* is kept under its full name in the session's own
        state, so a ``temp:`` key that is given here comes back with each handle.
        """
        if not app_name or not user_id:  # SES-001
            raise AdkError(
                "app_name and user_id are required, "
                f"got app_name: {quote(app_name)}, user_id: {quote(user_id)}"
            )
        platform = platform or DEFAULT_PLATFORM
        key = app_name, user_id, session_id or platform.new_id()  # SES-002
        given = state or {}
        with self._lock:
            if key in self._sessions:
                raise AdkError(f"session {session_id} already exists")  # SES-002
            app, user = self._app_state[app_name], self._user_state[app_name, user_id]
            # SES-003: shared keys go to their scopes, and the session keeps them all the same.
            persist(given, app, user, {})
            stored = _Stored(state=merged(given, app, user), updated=platform.now(), events=[])
            self._sessions[key] = stored
            return Session(*key, SessionState(stored.state.copy()), [], stored.updated)  # SES-005

    def get(
        self,
        app_name: str,
        user_id: str,
        session_id: str,
        *,
        num_recent_events: int = 0,
        after: datetime | None = None,
    ) -> Session:
        """Return a new handle on a session (SES-010 to SES-013).

        *num_recent_events* keeps that many of the last events, unless it is zero
        or negative; of these, *after* keeps the ones from the first that is not
        earlier on.  The handle's list is new, its events are the stored objects.
        """
        key = _required(app_name, user_id, session_id)
        with self._lock:
            stored = self._sessions.get(key)
            if stored is None:
                raise AdkError(f"session {session_id} not found")  # SES-010
            # SES-012: first the count, then the time; nothing is before the zero time.
            log = stored.events[-num_recent_events if num_recent_events > 0 else 0 :]
            if after is not None:
                log = log[bisect_left(log, after, key=lambda event: event.timestamp) :]
            return self._handle(key, stored, log)

    def list(self, app_name: str, user_id: str = "") -> Sessions:
        """Return handles without events, ordered by user id, then session id (SES-020)."""
        if not app_name:
            raise AdkError(f"app_name is required, got app_name: {quote(app_name)}")
        with self._lock:
            # Python orders texts by code point, which is the order of their bytes in UTF-8.
            return [
                self._handle(key, self._sessions[key], [])
                for key in sorted(self._sessions)
                if key[0] == app_name and user_id in ("", key[1])
            ]

    def delete(self, app_name: str, user_id: str, session_id: str) -> None:
        """Forget a session if it is there; app and user state survive (SES-030)."""
        key = _required(app_name, user_id, session_id)
        with self._lock:
            self._sessions.pop(key, None)

    def append_event(
        self, session: Session, event: Event, *, platform: Platform | None = None
    ) -> None:
        """Store a copy of *event* and bring the handle up to date (SES-040 to SES-050).

        An empty event id is filled in on the caller's object, its timestamp is
        taken as it is (SES-042), and any handle of the session will do, however
        old it is (SES-049).
        """
        if session is None:  # SES-040
            raise AdkError("session is nil")
        if event is None:
            raise AdkError("event is nil")
        if event.partial:
            return
        if not event.id:
            event.id = (platform or DEFAULT_PLATFORM).new_id()
        # The handle's own type decides, so a service that wraps this one may hand its calls
        # on, while a view over a handle is refused.
        if type(session) is not Session:  # SES-041
            raise AdkError(
                f"unexpected session type {type_name(session)} for session ID {session.id}"
            )
        key = session.app_name, session.user_id, session.id
        copy = stored_copy(event)  # SES-045
        with self._lock:  # SES-050
            stored = self._sessions.get(key)
            if stored is None:
                raise AdkError("session not found, cannot apply event")  # SES-043
            session.apply(event)  # SES-044
            stored.events.append(copy)
            stored.updated = copy.timestamp
            if delta := copy.actions.state_delta:
                self._persist(key, delta, stored.state)

    def _persist(self, key: Key, delta: State, state: State) -> None:
        app_name, user_id, _ = key
        app, user = self._app_state[app_name], self._user_state[app_name, user_id]
        persist(delta, app, user, state)  # SES-047

    def _handle(self, key: Key, stored: _Stored, log: Log) -> Session:
        app_name, user_id, _ = key
        app, user = self._app_state[app_name], self._user_state[app_name, user_id]
        state = SessionState(merged(stored.state, app, user))  # SES-011
        return Session(*key, state, log, stored.updated)

    def __repr__(self) -> str:
        return f"<InMemorySessionService: {len(self._sessions)} sessions>"


def _required(app_name: str, user_id: str, session_id: str) -> Key:
    if not app_name or not user_id or not session_id:  # SES-010, SES-030
        raise AdkError(
            "app_name, user_id, session_id are required, "
            f"got app_name: {quote(app_name)}, user_id: {quote(user_id)}, "
            f"session_id: {quote(session_id)}"
        )
    return app_name, user_id, session_id
