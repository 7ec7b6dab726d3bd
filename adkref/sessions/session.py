# SPDX-License-Identifier: Apache-2.0
"""The session handle: one invocation's private copy of a session (chapter 03, 6.2)."""

from __future__ import annotations

from datetime import datetime

from attrs import define

from adkref.events import Event
from adkref.sessions.copies import without_temp_delta
from adkref.sessions.history import Events
from adkref.sessions.state import SessionState


@define(eq=False, repr=False)
class Session:
    """A handle that a session service has issued.

    It starts from what was stored and grows by the events that are appended
    through it.  What other handles append, and what they change in the state
    of the app or the user, shows only in a new handle (SES-048, SES-049).
    A view over a handle is a subclass; a service stores through its own
    handles only (SES-041).
    """

    app_name: str
    user_id: str
    id: str
    state: SessionState
    _log: list[Event]
    last_update_time: datetime

    @property
    def events(self) -> Events:
        """The events of this moment; later ones do not show in it (SES-060)."""
        return Events(self._log)

    def apply(self, event: Event) -> None:
        """Take *event* up as appended; only the issuing service calls this (SES-044).

        The whole delta goes into the state, temporary keys included.  The list
        gets the very object, or a copy without the temporary keys of its delta.
        """
        if delta := event.actions.state_delta:
            self.state.update(delta)
            event = without_temp_delta(event, delta)
        self._log.append(event)
        self.last_update_time = event.timestamp

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(app_name={self.app_name!r}, user_id={self.user_id!r}, "
            f"id={self.id!r}, events={len(self.events)}, state={self.state.copy()!r})"
        )
