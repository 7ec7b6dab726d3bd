# SPDX-License-Identifier: Apache-2.0
"""The session handle (chapter 03, 6.2)."""

from datetime import UTC, datetime

from adkref.events import Event, EventActions
from adkref.sessions import Session, SessionState
from adkref.timestamps import ZERO_TIME

NOON = datetime(2026, 8, 1, 12, tzinfo=UTC)


def handle():
    """A handle with one state key and no events."""
    return Session("app", "user", "s1", SessionState({"k": 0}), [], ZERO_TIME)


def test_apply_takes_up_the_very_event():
    """An event without delta changes the list and the update time only (SES-044)."""
    session, event = handle(), Event(id="e", timestamp=NOON)
    session.apply(event)
    assert session.events[0] is event
    assert session.state == {"k": 0}
    assert session.last_update_time == NOON


def test_apply_writes_every_key_and_lists_the_rest():
    """Temporary keys reach the state but not the listed event (SES-044, SES-062)."""
    session = handle()
    event = Event(id="e", actions=EventActions(state_delta={"k": 1, "temp:t": 2, "app:a": None}))
    session.apply(event)
    assert session.state == {"k": 1, "temp:t": 2, "app:a": None}
    assert session.events == [
        Event(id="e", actions=EventActions(state_delta={"k": 1, "app:a": None}))
    ]
    assert event.actions.state_delta == {"k": 1, "temp:t": 2, "app:a": None}


def test_events_is_a_snapshot():
    """Events applied after the call do not show in what it returned (SES-060)."""
    session = handle()
    before = session.events
    session.apply(Event(id="e"))
    assert (len(before), len(session.events)) == (0, 1)


def test_handles_are_compared_by_identity():
    """Two handles of one session are two objects (SES-049)."""
    assert handle() != handle()


def test_repr_says_which_session_it_is():
    """The printed form names the keys, the number of events and the state."""
    assert repr(handle()) == (
        "Session(app_name='app', user_id='user', id='s1', events=0, state={'k': 0})"
    )
