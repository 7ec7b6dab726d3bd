# SPDX-License-Identifier: Apache-2.0
"""The in-memory session service (chapter 03, 6.1)."""

import threading
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from adkref.content import Content, clone
from adkref.errors import AdkError
from adkref.events import Event, EventActions, new_event
from adkref.platform import Platform
from adkref.sessions import InMemorySessionService, Session, SessionService
from adkref.timestamps import ZERO_TIME

START = datetime(2026, 8, 1, 12, tzinfo=UTC)


def at(seconds):
    """A time so many seconds after the start."""
    return START + timedelta(seconds=seconds)


class Calls:
    """Providers that count: ids are id-1, id-2, …, times one second apart."""

    def __init__(self):
        self.log = []
        ids, seconds = count(1), count(1)

        def new_id():
            self.log.append("id")
            return f"id-{next(ids)}"

        def now():
            self.log.append("now")
            return at(next(seconds))

        self.platform = Platform(new_id, now)


@pytest.fixture
def service():
    """A new service."""
    return InMemorySessionService()


def delta_event(delta, id="e", timestamp=START):
    """An event that carries a state delta."""
    return Event(id=id, timestamp=timestamp, actions=EventActions(state_delta=delta))


def text_of(call, *args, **kwargs):
    """The text of the error that the call raises."""
    with pytest.raises(AdkError) as caught:
        call(*args, **kwargs)
    return str(caught.value)


def shown(session):
    """All that a handle shows, as plain values."""
    return (
        session.app_name,
        session.user_id,
        session.id,
        session.state.copy(),
        list(session.events),
        session.last_update_time,
    )


# --- create ----------------------------------------------------------------------------


@pytest.mark.parametrize(("app", "user"), [("", "u"), ("a", ""), ("", "")])
def test_create_requires_app_and_user(service, app, user):
    """Create without app or user fails and stores nothing (SES-001)."""
    assert text_of(service.create, app, user, "s") == (
        f'app_name and user_id are required, got app_name: "{app}", user_id: "{user}"'
    )
    assert repr(service) == "<InMemorySessionService: 0 sessions>"


def test_create_returns_an_empty_handle(service):
    """The handle has the given ids, the state, no events and now as its update time (SES-005)."""
    calls = Calls()
    session = service.create("a", "u", "s", {"k": 1}, platform=calls.platform)
    assert type(session) is Session
    assert shown(session) == ("a", "u", "s", {"k": 1}, [], at(1))
    assert calls.log == ["now"]
    assert shown(service.get("a", "u", "s")) == shown(session)


def test_create_generates_an_id(service):
    """An empty session id is replaced by a new one, drawn before the time (SES-002)."""
    calls = Calls()
    session = service.create("a", "u", platform=calls.platform)
    assert session.id == "id-1"
    assert calls.log == ["id", "now"]
    assert len(service.create("a", "u").id) == 36


def test_create_refuses_a_known_triple(service):
    """The text names the requested id, and the stored session and states stay (SES-002)."""
    service.create("a", "u", "s", {"k": 1, "app:x": 1})
    calls = Calls()
    again = {"k": 2, "app:x": 2, "user:y": 2}
    assert text_of(service.create, "a", "u", "s", again, platform=calls.platform) == (
        "session s already exists"
    )
    assert calls.log == []
    assert service.get("a", "u", "s").state == {"k": 1, "app:x": 1}
    same_id = Platform(lambda: "s", lambda: START)
    # The requested id is empty, and so it stands in the text.
    assert text_of(service.create, "a", "u", platform=same_id) == "session  already exists"


def test_same_id_of_another_user_or_app_is_another_session(service):
    """A session is known by all three keys (SES-002, SES-010)."""
    for app, user in (("a", "u"), ("a", "v"), ("b", "u")):
        service.create(app, user, "s", {"who": app + user})
    assert service.get("a", "v", "s").state == {"who": "av"}


def test_create_hands_out_shared_keys_and_keeps_all(service):
    """Shared keys reach their scope, and the session keeps every key, ``temp:`` too (SES-003)."""
    service.create("a", "u", "first", {"app:x": 1, "user:y": 2, "app:z": 3})
    session = service.create("a", "u", "second", {"app:x": 4, "temp:t": 5, "k": 6})
    state = {"app:x": 4, "user:y": 2, "app:z": 3, "temp:t": 5, "k": 6}
    assert session.state == state
    assert service.get("a", "u", "second").state == state
    assert service.get("a", "u", "first").state == {"app:x": 4, "user:y": 2, "app:z": 3}
    assert service.create("a", "v", "third").state == {"app:x": 4, "app:z": 3}


def test_created_state_is_not_the_callers(service):
    """The given map is not retained, its values are shared (SES-004, SES-005)."""
    given = {"list": []}
    session = service.create("a", "u", "s", given)
    given["more"] = 1
    session.state["mine"] = 1
    stored = service.get("a", "u", "s")
    assert stored.state == {"list": []}
    assert stored.state["list"] is given["list"] is session.state["list"]


# --- get -------------------------------------------------------------------------------


@pytest.mark.parametrize("call", ["get", "delete"])
@pytest.mark.parametrize("keys", [("", "u", "s"), ("a", "", "s"), ("a", "u", ""), ("", "", "")])
def test_three_keys_are_required(service, call, keys):
    """Get and Delete with an empty key fail with one text (SES-010, SES-030)."""
    assert text_of(getattr(service, call), *keys) == (
        "app_name, user_id, session_id are required, "
        f'got app_name: "{keys[0]}", user_id: "{keys[1]}", session_id: "{keys[2]}"'
    )


@pytest.mark.parametrize("keys", [("a", "u", "other"), ("a", "v", "s"), ("b", "u", "s")])
def test_unknown_session_is_not_found(service, keys):
    """Another user's session is as unknown as one that never was (SES-010, SES-070)."""
    service.create("a", "u", "s")
    assert text_of(service.get, *keys) == f"session {keys[2]} not found"


def test_get_returns_new_state_and_list_of_stored_events(service):
    """Handles share the stored event objects, but neither list nor state (SES-011, SES-013)."""
    writer = service.create("a", "u", "s")
    event = Event(id="e", content=Content.of_text("hi"))
    service.append_event(writer, event)
    one, two = service.get("a", "u", "s"), service.get("a", "u", "s")
    assert one.events[0] is two.events[0]
    assert one.events[0] is not event
    one.events[0].author = "changed"
    assert service.get("a", "u", "s").events[0].author == "changed"
    assert event.author == ""
    one.state["k"] = 1
    service.append_event(one, Event(id="f"))
    assert "k" not in two.state
    assert [e.id for e in two.events] == ["e"]


@pytest.mark.parametrize(
    ("recent", "after", "kept"),
    [
        (0, None, "01234"),
        (-2, None, "01234"),
        (2, None, "34"),
        (9, None, "01234"),
        (0, ZERO_TIME, "01234"),
        (0, at(-1), "01234"),
        (0, at(2), "234"),
        (0, at(2.5), "34"),
        (0, at(9), ""),
        (4, at(3), "34"),
        (1, at(3), "4"),
    ],
)
def test_get_filters_by_count_then_time(service, recent, after, kept):
    """The count keeps the last events, then the time drops the earlier of them (SES-012)."""
    session = service.create("a", "u", "s")
    for i in range(5):
        service.append_event(session, Event(id=str(i), timestamp=at(i)))
    found = service.get("a", "u", "s", num_recent_events=recent, after=after)
    assert "".join(event.id for event in found.events) == kept
    assert found.last_update_time == at(4)


def test_time_filter_keeps_equal_times_together(service):
    """All events at the very time of the filter are kept (SES-012)."""
    session = service.create("a", "u", "s")
    for i, second in enumerate((0, 1, 1, 2)):
        service.append_event(session, Event(id=str(i), timestamp=at(second)))
    assert [e.id for e in service.get("a", "u", "s", after=at(1)).events] == ["1", "2", "3"]


# --- list ------------------------------------------------------------------------------


def test_list_requires_the_app(service):
    """List without app fails (SES-020)."""
    assert text_of(service.list, "") == 'app_name is required, got app_name: ""'


def test_list_is_ordered_and_merged(service):
    """List returns merged handles without events, by user id, then session id (SES-020)."""
    for user, name in (("v", "1"), ("u", "é"), ("u", "z"), ("u", "Z"), ("ü", "1")):
        session = service.create("a", user, name)
        service.append_event(session, delta_event({"app:x": user, "k": name}, timestamp=at(5)))
    service.create("b", "u", "0")
    listed = [shown(session) for session in service.list("a")]
    assert listed == [
        ("a", user, name, {"app:x": "ü", "k": name}, [], at(5))
        for user, name in (("u", "Z"), ("u", "z"), ("u", "é"), ("v", "1"), ("ü", "1"))
    ]
    assert [session.id for session in service.list("a", "u")] == ["Z", "z", "é"]


def test_list_without_match_is_empty(service):
    """No match is an empty list and no error (SES-020)."""
    service.create("a", "u", "s")
    assert service.list("b") == []
    assert service.list("a", "v") == []


def test_listed_handles_can_be_appended_through(service):
    """A listed handle is a handle like any other (SES-020, SES-049)."""
    service.create("a", "u", "s")
    (handle,) = service.list("a")
    service.append_event(handle, Event(id="e"))
    assert service.get("a", "u", "s").events == [Event(id="e")]


# --- delete ----------------------------------------------------------------------------


def test_delete_forgets_the_session_but_not_shared_state(service):
    """App and user state survive, and handles go on as local copies (SES-030)."""
    session = service.create("a", "u", "s", {"app:x": 1, "user:y": 2, "k": 3})
    service.delete("a", "u", "s")
    assert text_of(service.get, "a", "u", "s") == "session s not found"
    assert session.state == {"app:x": 1, "user:y": 2, "k": 3}
    session.state["k"] = 4
    assert session.state["k"] == 4
    assert text_of(service.append_event, session, Event(id="e")) == (
        "session not found, cannot apply event"
    )
    assert service.create("a", "u", "s").state == {"app:x": 1, "user:y": 2}


def test_delete_of_an_unknown_session_succeeds(service):
    """Deleting nothing is no error, and another user's session stays (SES-030, SES-070)."""
    service.create("a", "u", "s")
    service.delete("a", "v", "s")
    service.delete("a", "u", "other")
    assert [session.id for session in service.list("a")] == ["s"]


def test_old_handle_works_on_a_recreated_session(service):
    """A handle is known by its keys, so it serves a session made anew (SES-049)."""
    old = service.create("a", "u", "s")
    service.append_event(old, Event(id="before"))
    service.delete("a", "u", "s")
    service.create("a", "u", "s")
    service.append_event(old, Event(id="after"))
    assert [e.id for e in service.get("a", "u", "s").events] == ["after"]
    assert [e.id for e in old.events] == ["before", "after"]


# --- append ----------------------------------------------------------------------------


class View(Session):
    """Stands for a view over a handle, as single-turn agents get one."""


def view_of(session):
    """A session of another type with the same keys."""
    return View(session.app_name, session.user_id, session.id, session.state, [], START)


def test_append_checks_in_order(service):
    """Absent session, absent event, partial event: in this order (SES-040)."""
    session = service.create("a", "u", "s")
    partial = Event(partial=True)
    assert text_of(service.append_event, None, None) == "session is nil"
    assert text_of(service.append_event, session, None) == "event is nil"
    calls = Calls()
    service.append_event(session, partial, platform=calls.platform)
    service.append_event(view_of(session), partial)
    assert partial == Event(partial=True)
    assert calls.log == []
    assert service.get("a", "u", "s").events == session.events == []


def test_append_fills_in_the_id_on_the_callers_object(service):
    """An empty id is replaced in place, a given one stays (SES-040, SES-070)."""
    session, calls = service.create("a", "u", "s"), Calls()
    without, given = Event(), Event(id="e")
    service.append_event(session, without, platform=calls.platform)
    service.append_event(session, given, platform=calls.platform)
    assert (without.id, given.id, calls.log) == ("id-1", "e", ["id"])
    assert service.get("a", "u", "s").events == [without, given]
    generated = Event()
    service.append_event(session, generated)
    assert len(generated.id) == 36


def test_append_refuses_a_view(service):
    """A session of another type is refused, after the id was filled in (SES-041)."""
    session = service.create("a", "u", "s")
    event = Event()
    assert (
        text_of(service.append_event, view_of(session), event, platform=Calls().platform)
        == "unexpected session type View for session ID s"
    )
    assert event.id == "id-1"
    assert service.get("a", "u", "s").events == []


def test_append_through_a_wrapping_service(service):
    """A service that hands its calls on works with the handles of the inner one (SES-041)."""

    class Recording:
        def __init__(self, inner):
            self.inner, self.seen = inner, []

        def __getattr__(self, name):
            return getattr(self.inner, name)

        def append_event(self, session, event, *, platform=None):
            self.inner.append_event(session, event, platform=platform)
            self.seen.append(event.id)

    outer = Recording(service)
    session = outer.create("a", "u", "s")
    outer.append_event(session, Event(id="e"))
    assert outer.seen == ["e"]
    assert outer.get("a", "u", "s").events == [Event(id="e")]


def test_append_to_a_missing_session_leaves_the_handle(service):
    """When the session is gone, neither handle nor shared state changes (SES-043)."""
    session = service.create("a", "u", "s", {"k": 1})
    before = shown(session)
    service.delete("a", "u", "s")
    event = delta_event({"k": 2, "app:x": 2})
    assert text_of(service.append_event, session, event) == "session not found, cannot apply event"
    assert shown(session) == before
    assert service.create("a", "u", "s").state == {}


def test_append_updates_handle_and_store(service):
    """The handle lists the object, the store a copy, both take its time (SES-042 to SES-045)."""
    session = service.create("a", "u", "s")
    event = new_event("i", Platform(lambda: "e", lambda: at(9)))
    service.append_event(session, event)
    assert session.events[0] is event
    stored = service.get("a", "u", "s")
    assert stored.events == [event]
    assert stored.events[0] is not event
    assert session.last_update_time == stored.last_update_time == at(9)
    earlier = Event(id="f", timestamp=at(3))
    service.append_event(session, earlier)
    assert earlier.timestamp == at(3)
    assert service.get("a", "u", "s").last_update_time == session.last_update_time == at(3)


def test_stored_event_keeps_temporary_delta_keys(service):
    """Stored deltas are untrimmed, the handle's own are trimmed (SES-044, SES-046)."""
    session = service.create("a", "u", "s")
    delta = {"k": 1, "temp:t": 2}
    service.append_event(session, delta_event(delta))
    assert session.events == [delta_event({"k": 1})]
    assert service.get("a", "u", "s").events == [delta_event({"k": 1, "temp:t": 2})]
    assert delta == {"k": 1, "temp:t": 2}


def test_state_is_persisted_by_scope(service):
    """Each key is seen by those who share its scope, None included (SES-047, SES-070)."""
    session = service.create("a", "u", "s")
    service.create("a", "u", "t")
    service.create("a", "v", "s")
    service.create("b", "u", "s")
    service.append_event(session, delta_event({"app:x": 1, "user:y": None, "temp:t": 3, "k": 4}))
    assert session.state == {"app:x": 1, "user:y": None, "temp:t": 3, "k": 4}
    assert service.get("a", "u", "s").state == {"app:x": 1, "user:y": None, "k": 4}
    assert service.get("a", "u", "t").state == {"app:x": 1, "user:y": None}
    assert service.get("a", "v", "s").state == {"app:x": 1}
    assert service.get("b", "u", "s").state == {}


def test_persisted_value_survives_none(service):
    """A later None overwrites the value and does not remove the key (SES-047)."""
    session = service.create("a", "u", "s", {"k": 1})
    service.append_event(session, delta_event({"k": None}))
    assert service.get("a", "u", "s").state == {"k": None}


def test_created_temporary_key_is_never_updated(service):
    """A ``temp:`` key given at creation persists, and appends do not touch it (SES-003, SES-047)."""
    session = service.create("a", "u", "s", {"temp:t": "created"})
    service.append_event(session, delta_event({"temp:t": "run"}))
    assert session.state["temp:t"] == "run"
    assert service.get("a", "u", "s").state == {"temp:t": "created"}


def test_existing_handles_do_not_see_others(service):
    """Shared state that another session changed shows only in a new handle (SES-048)."""
    first, second = service.create("a", "u", "1"), service.create("a", "u", "2")
    service.append_event(first, delta_event({"app:x": 1, "user:y": 1}))
    assert second.state == {}
    assert service.get("a", "u", "2").state == {"app:x": 1, "user:y": 1}


def test_stale_handles_are_accepted(service):
    """Appends through several handles are stored in call order, whoever is older (SES-049)."""
    one = service.create("a", "u", "s")
    two = service.get("a", "u", "s")
    for name, handle in (("1", one), ("2", two), ("3", one)):
        service.append_event(handle, Event(id=name))
    assert [e.id for e in service.get("a", "u", "s").events] == ["1", "2", "3"]
    assert [e.id for e in one.events] == ["1", "3"]
    assert [e.id for e in two.events] == ["2"]


def test_set_changes_only_the_handle(service):
    """A value set on the handle's state is not persisted (SES-061, SES-062)."""
    session = service.create("a", "u", "s")
    session.state["k"] = 1
    session.state["temp:t"] = 2
    service.append_event(session, Event(id="e"))
    assert session.state == {"k": 1, "temp:t": 2}
    assert service.get("a", "u", "s").state == {}


def test_appends_of_many_threads_are_atomic(service):
    """Threads that append through their own and a shared handle lose nothing (SES-050)."""
    shared = service.create("a", "u", "s")
    workers, each = 4, 50
    start = threading.Barrier(workers)

    def work(number):
        own = service.get("a", "u", "s")
        start.wait()
        for i in range(each):
            for handle in (own, shared):
                service.append_event(handle, delta_event({f"{number}": i}, id=f"{number}-{i}"))
            assert len(own.events) == i + 1
            service.get("a", "u", "s")
            own.state.copy()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stored = service.get("a", "u", "s")
    assert stored.state == shared.state == {f"{number}": each - 1 for number in range(workers)}
    assert len(stored.events) == 2 * workers * each
    assert len(shared.events) == workers * each
    for number in range(workers):
        own = [e.id for e in shared.events if e.id.startswith(f"{number}-")]
        assert own == [f"{number}-{i}" for i in range(each)]


def test_fits_the_service_protocol(service):
    """The service offers what a runner asks of one."""
    assert isinstance(service, SessionService)


def test_event_of_the_caller_may_be_appended_twice(service):
    """Every append stores one more event, the same object or not (SES-049)."""
    session, event = service.create("a", "u", "s"), Event(id="e")
    service.append_event(session, event)
    service.append_event(session, event)
    service.append_event(session, clone(event))
    assert [e.id for e in service.get("a", "u", "s").events] == ["e", "e", "e"]
