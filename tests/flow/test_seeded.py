# SPDX-License-Identifier: Apache-2.0
"""A session as a single-turn agent sees it (NODE-036, LLM-027)."""

import pytest
from kit import Scene, event

from adkref.flow.seeded import SeededSession

SEED = event("user", "seed")


def texts(events):
    """The texts of some events."""
    return [it.content.parts[0].text for it in events]


def seeded(*names):
    """A scene with stored events, and a view made over it."""
    scene = Scene(state={"k": 1}, events=[event("user", name) for name in names])
    return scene, SeededSession(scene.session, SEED)


def test_the_seed_stands_where_the_history_ended():
    """Events that are stored later follow it; the seed itself is never stored (NODE-036)."""
    scene, view = seeded("1", "2")
    assert texts(view.events) == ["1", "2", "seed"]
    scene.session.apply(event("a", "3"))
    assert texts(view.events) == ["1", "2", "seed", "3"]
    scene.session.apply(event("a", "4"))
    assert texts(view.events) == ["1", "2", "seed", "3", "4"]
    assert texts(scene.session.events) == ["1", "2", "3", "4"]


def test_an_empty_history():
    """The seed comes first (NODE-036)."""
    scene, view = seeded()
    assert texts(view.events) == ["seed"]
    scene.session.apply(event("a", "1"))
    assert texts(view.events) == ["seed", "1"]


def test_length_and_index():
    """One more than stored; below, at and above the seed, nil beyond (NODE-036)."""
    scene, view = seeded("1", "2")
    scene.session.apply(event("a", "3"))
    events = view.events
    assert len(events) == 4
    assert [texts([events.at(i)])[0] for i in range(4)] == ["1", "2", "seed", "3"]
    assert events.at(2) is SEED
    assert (events.at(4), events.at(-1)) == (None, None)


def test_everything_else_is_the_underlying_sessions():
    """Ids, state and times pass through (NODE-036)."""
    scene, view = seeded("1")
    session = scene.session
    assert (view.id, view.app_name, view.user_id) == ("s", "app", "user")
    assert view.state is session.state
    assert view.last_update_time == session.last_update_time
    view.state["k"] = 2
    assert session.state["k"] == 2


def test_the_view_is_a_sequence():
    """Indices, slices and both directions, as of a handle's own events (NODE-036)."""
    scene, view = seeded("1", "2")
    scene.session.apply(event("a", "3"))
    events = view.events
    assert texts([events[0], events[-1], events[2]]) == ["1", "3", "seed"]
    assert texts(events[1:3]) == ["2", "seed"]
    assert texts(reversed(events)) == ["3", "seed", "2", "1"]
    with pytest.raises(IndexError):
        events[4]
