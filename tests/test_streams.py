# SPDX-License-Identifier: Apache-2.0
"""The pair stream and its view for Python users (chapter 01, section 0)."""

import pytest

from adkref.errors import AdkError
from adkref.events import Event
from adkref.streams import Emitted, Events, failed

ONE, TWO = Event(id="1"), Event(id="2")
BOOM = AdkError("boom")


def stream(log, *items):
    """A stream of pairs that notes where it was resumed and how it ended."""
    try:
        for number, item in enumerate(items):
            yield item
            log.append(f"resumed {number}")
        log.append("exhausted")
    finally:
        log.append("closed")


def test_failed_is_an_item_without_event():
    """The error half alone."""
    assert failed(BOOM) == (None, BOOM)


def test_an_emitted_item_is_a_pair_that_can_be_told_apart():
    """It unpacks and compares like a pair; only its type is another (NODE-072)."""
    item = Emitted((ONE, None))
    assert item == (ONE, None)
    event, error = item
    assert (event, error) == (ONE, None)
    assert type(item) is not tuple


def test_events_come_one_by_one():
    """The stream is resumed only when the next event is asked for."""
    log = []
    events = Events(stream(log, (ONE, None), (TWO, None)))
    assert log == []
    assert next(events) is ONE
    assert log == []
    assert next(events) is TWO
    assert log == ["resumed 0"]
    assert list(events) == []
    assert log == ["resumed 0", "resumed 1", "exhausted", "closed"]
    assert list(events) == []


def test_an_item_without_event_and_error_is_passed_over():
    """Python users never see an empty item."""
    log = []
    assert list(Events(stream(log, (None, None), (ONE, None), (None, None)))) == [ONE]
    assert log == ["resumed 0", "resumed 1", "resumed 2", "exhausted", "closed"]


@pytest.mark.parametrize("event", [None, TWO])
def test_the_first_error_is_raised_and_ends_the_run(event):
    """The error is raised as it came, an event beside it is dropped, the stream is closed."""
    log = []
    events = Events(stream(log, (ONE, None), (event, BOOM), (TWO, None)))
    assert next(events) is ONE
    with pytest.raises(AdkError) as caught:
        next(events)
    assert caught.value is BOOM
    assert log == ["resumed 0", "closed"]
    assert list(events) == []


def test_close_ends_the_run_at_once():
    """What the run opened is closed when close returns; closing again does nothing."""
    log = []
    events = Events(stream(log, (ONE, None), (TWO, None)))
    assert next(events) is ONE
    events.close()
    assert log == ["closed"]
    events.close()
    assert list(events) == []
    assert log == ["closed"]


def test_a_with_block_closes():
    """Leaving the block ends the run, also through an exception, which goes on."""
    log = []
    with Events(stream(log, (ONE, None), (TWO, None))) as events:
        assert next(events) is ONE
    assert log == ["closed"]
    with pytest.raises(KeyError), Events(stream(log, (ONE, None))) as events:
        raise KeyError(next(events).id)
    assert log == ["closed", "closed"]
