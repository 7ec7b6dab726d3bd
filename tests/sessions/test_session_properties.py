# SPDX-License-Identifier: Apache-2.0
"""What handles, sessions and users see after any appends equals a simple model."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from adkref.events import Event, EventActions
from adkref.sessions import InMemorySessionService

# Four sessions that share a user, an app, or nothing.
KEYS = (("a", "u", "1"), ("a", "u", "2"), ("a", "v", "1"), ("b", "u", "1"))

names = st.builds(
    str.__add__, st.sampled_from(["", "app:", "user:", "temp:"]), st.sampled_from("xy")
)
deltas = st.none() | st.dictionaries(names, st.none() | st.integers(0, 9), max_size=4)
# Which session, through its first handle or through a new one, with which delta.
steps = st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(["first", "new"]), deltas))


class Model:
    """State by scope, as the rules tell it, without a line of the service's code."""

    def __init__(self):
        self.kept = {}  # (scope, key) -> value; the scope names whom a key belongs to

    @staticmethod
    def scope(session, key):
        """Whom the key belongs to."""
        app, user, _ = session
        return {"app": (app,), "user": (app, user)}.get(key.split(":")[0], session)

    def write(self, session, delta):
        """Keep what a session's event carries."""
        for key, value in delta.items():
            if not key.startswith("temp:"):
                self.kept[self.scope(session, key), key] = value

    def seen(self, session):
        """What a new handle of the session shows."""
        kept = self.kept.items()
        return {key: value for (scope, key), value in kept if scope == self.scope(session, key)}


@given(steps)
def test_state_scopes_equal_a_model(script):
    """After any appends every new handle sees its scopes, every old one its own (SES-044 to 049)."""
    service, model = InMemorySessionService(), Model()
    first = {key: service.create(*key) for key in KEYS}
    own = {key: {} for key in KEYS}
    listed = {key: [] for key in KEYS}
    stored = {key: [] for key in KEYS}
    for number, (key, which, delta) in enumerate(script):
        event = Event(id=str(number), actions=EventActions(state_delta=delta))
        handle = first[key] if which == "first" else service.get(*key)
        service.append_event(handle, event)
        model.write(key, delta or {})
        stored[key].append((str(number), delta))
        if which == "first":
            own[key] |= delta or {}
            listed[key].append(str(number))
        for each in KEYS:
            found = service.get(*each)
            assert found.state == model.seen(each)
            assert [(e.id, e.actions.state_delta) for e in found.events] == stored[each]
            assert first[each].state == own[each]
            assert [e.id for e in first[each].events] == listed[each]


@given(st.lists(st.integers(0, 5)), st.integers(-1, 8), st.none() | st.integers(-1, 6))
def test_filters_equal_list_operations(seconds, recent, after):
    """On history in the order of time the filters are a tail, then a comparison (SES-012)."""

    def at(second):
        return datetime(2026, 8, 1, tzinfo=UTC) + timedelta(seconds=second)

    service = InMemorySessionService()
    session = service.create("a", "u", "s")
    times = [at(second) for second in sorted(seconds)]
    for time in times:
        service.append_event(session, Event(timestamp=time))
    limit = None if after is None else at(after)
    found = service.get("a", "u", "s", num_recent_events=recent, after=limit)
    tail = times[max(len(times) - recent, 0) :] if recent > 0 else times
    assert [e.timestamp for e in found.events] == [t for t in tail if not limit or t >= limit]
