# SPDX-License-Identifier: Apache-2.0
"""Snapshots of a handle's events (SES-060)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adkref.events import Event
from adkref.sessions import Events


def log_of(length):
    """A list of events with ids from 0 on, by user and root in turn."""
    return [Event(id=str(i), author="user" if i % 2 == 0 else "root") for i in range(length)]


def test_later_events_do_not_show():
    """What is appended after the snapshot is in no kind of reading (SES-060)."""
    log = log_of(2)
    before = list(log)
    events = Events(log)
    walk, backwards = iter(events), reversed(events)
    log.extend(log_of(3))
    assert list(walk) == before
    assert list(backwards) == before[::-1]
    assert len(events) == 2
    assert events[:] == before
    assert events[-1] is before[-1]
    assert events.at(2) is None


def test_appending_while_iterating_ends():
    """A loop that appends sees only the events of the snapshot (SES-060)."""
    log = log_of(3)
    for event in Events(log):
        log.append(event)
    assert len(log) == 6


@pytest.mark.parametrize(("index", "found"), [(-1, None), (0, "0"), (1, "1"), (2, None)])
def test_at_out_of_range_is_none(index, found):
    """``at`` counts from 0 and answers None outside, negative indexes included (SES-060)."""
    event = Events(log_of(2)).at(index)
    assert (event and event.id) == found


@pytest.mark.parametrize("index", [2, -3])
def test_index_out_of_range_raises(index):
    """Python's own indexing raises IndexError outside the snapshot."""
    with pytest.raises(IndexError, match=f"event {index} of 2"):
        Events(log_of(2))[index]


def test_stops_when_the_consumer_stops():
    """Iteration hands out one event at a time, in order (SES-060)."""
    log = log_of(3)
    walk = iter(Events(log))
    assert next(walk) is log[0]
    assert next(walk) is log[1]


def test_compares_with_lists_and_snapshots():
    """Snapshots are equal by their events, and unequal to everything else."""
    log = log_of(2)
    assert Events(log) == log
    assert Events(log) == Events(log_of(2))
    assert Events(log) != log[:1]
    assert Events(log) != "events"


def test_repr_names_length_and_authors():
    """The printed form says how many events there are and who wrote them."""
    assert repr(Events(log_of(4))) == "<Events: 4 by user, root>"


optional = st.none() | st.integers(-7, 7)


@given(st.integers(0, 5), st.integers(0, 5), optional, optional, optional)
def test_reads_as_a_copy_of_the_list(length, later, start, stop, step):
    """A snapshot reads like a copy of the list, whatever is appended afterwards (SES-060)."""
    log = log_of(length)
    events, model = Events(log), list(log)
    log.extend(log_of(later))
    part = slice(start, stop, step or None)
    assert list(events) == model
    assert list(reversed(events)) == model[::-1]
    assert events[part] == model[part]
    for index in range(-length, length):
        assert events[index] is model[index]
        assert events.at(index) is (model[index] if index >= 0 else None)
