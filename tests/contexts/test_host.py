# SPDX-License-Identifier: Apache-2.0
"""The host context: values, cancellation, deadlines (CTX-080, CTX-081, CTX-090)."""

import threading
import time

import pytest

from adkref.contexts import LANES, PLATFORM, HostContext, Key
from adkref.contexts.host import CancelToken
from adkref.errors import AdkError, Cancelled, DeadlineExceeded
from adkref.lanes import THREADS, ThreadStarter
from adkref.platform import DEFAULT_PLATFORM, Platform

COLOUR: Key[str] = Key("colour")
#: No test waits that long; a defect ends in a failure instead of a hang.
SOON = 30


def spelled(error):
    """The type and text of an error, or None."""
    return error and (type(error), str(error))


CANCELED = (Cancelled, "context canceled")
EXCEEDED = (DeadlineExceeded, "context deadline exceeded")


# --- values ------------------------------------------------------------------------------


def test_an_absent_value_is_none():
    """A reader finds nothing where nothing was installed (CTX-080)."""
    assert HostContext.background().value(COLOUR) is None


def test_a_value_shadows_below_and_nowhere_else():
    """What is installed again counts below that point; earlier contexts keep theirs (CTX-081)."""
    root = HostContext.background()
    red = root.with_value(COLOUR, "red")
    sibling = red.with_value(Key("size"), 1)
    blue = red.with_value(COLOUR, "blue")
    child, cancel = blue.with_cancel()
    none = child.with_value(COLOUR, None)
    seen = [context.value(COLOUR) for context in (root, red, sibling, blue, child, none)]
    assert seen == [None, "red", "red", "blue", "blue", None]
    cancel()


def test_a_key_is_private_to_its_owner():
    """Two keys of one name are two keys (CTX-080)."""
    mine, theirs = Key("plugins"), Key("plugins")
    assert mine != theirs
    assert HostContext.background().with_value(mine, 1).value(theirs) is None


def test_the_platform_comes_from_the_context():
    """Providers that are installed are used, else random ids and the wall clock (CTX-090)."""
    platform = Platform(new_id=lambda: "1")
    root = HostContext.background()
    assert root.platform is DEFAULT_PLATFORM
    assert root.with_value(PLATFORM, platform).platform is platform


def test_what_starts_lanes_comes_from_the_context():
    """Concurrent work is threads unless something else is installed."""
    starter = ThreadStarter()
    root = HostContext.background()
    assert root.lanes is THREADS
    assert root.with_value(LANES, starter).lanes is starter


def test_values_survive_cancellation_and_cancellation_survives_values():
    """The two travel together and do not touch each other."""
    host, cancel = HostContext.background().with_value(COLOUR, "red").with_cancel()
    below = host.with_value(COLOUR, "blue")
    cancel()
    assert (host.value(COLOUR), below.value(COLOUR)) == ("red", "blue")
    assert spelled(below.error()) == CANCELED


# --- cancellation --------------------------------------------------------------------------


def test_the_background_never_dies():
    """It is one object without deadline and error, and what one hangs on it is never called."""
    root = HostContext.background()
    calls = []
    take_back = root.on_cancel(lambda: calls.append(1))
    take_back()
    assert root is HostContext.background()
    assert (root.error(), root.deadline, calls) == (None, None, [])


def test_cancellation_reaches_all_below_and_nobody_above():
    """A child dies with its parent, not the other way round."""
    root = HostContext.background()
    parent, cancel_parent = root.with_cancel()
    first, cancel_first = parent.with_cancel()
    second, _ = parent.with_cancel()
    cancel_first()
    errors = [spelled(host.error()) for host in (root, parent, first, second)]
    assert errors == [None, None, CANCELED, None]
    cancel_parent()
    errors = [spelled(host.error()) for host in (root, parent, first, second)]
    assert errors == [None, CANCELED, CANCELED, CANCELED]


def test_a_child_of_the_dead_is_dead():
    """It is born with its parent's error."""
    parent, cancel = HostContext.background().with_cancel()
    cancel()
    child, _ = parent.with_cancel()
    timed, _ = parent.with_timeout(SOON)
    assert child.error() is parent.error()
    assert timed.error() is parent.error()


def test_only_the_first_reason_counts():
    """Cancelling again changes nothing."""
    host, cancel = HostContext.background().with_timeout(0)
    assert spelled(host.error()) == EXCEEDED
    cancel()
    assert spelled(host.error()) == EXCEEDED
    token = CancelToken()
    token.cancel(AdkError("mine"))
    token.cancel(AdkError("yours"))
    assert str(token.error()) == "mine"


def test_callbacks_are_called_once_in_order():
    """Whoever asks is told when the context dies, or at once if it is dead."""
    host, cancel = HostContext.background().with_cancel()
    calls = []
    host.on_cancel(lambda: calls.append("first"))
    host.on_cancel(lambda: calls.append("second"))
    assert calls == []
    cancel()
    cancel()
    host.on_cancel(lambda: calls.append("late"))
    assert calls == ["first", "second", "late"]


def test_a_callback_that_was_taken_back_is_not_called():
    """Taking back works once, and is harmless afterwards."""
    host, cancel = HostContext.background().with_cancel()
    calls = []
    take_back = host.on_cancel(lambda: calls.append("taken back"))
    host.on_cancel(lambda: calls.append("kept"))
    take_back()
    take_back()
    cancel()
    take_back()
    assert calls == ["kept"]


def test_a_parent_forgets_children_that_were_cancelled():
    """A long-lived parent does not keep what has ended."""
    parent, cancel = HostContext.background().with_cancel()
    for _ in range(3):
        _, cancel_child = parent.with_cancel()
        cancel_child()
    assert parent._token._callbacks == []
    cancel()


# --- deadlines -------------------------------------------------------------------------------


def test_the_nearest_deadline_counts():
    """A child cannot outlive its parent, and reports the earlier of the two."""
    before = time.monotonic()
    far, _ = HostContext.background().with_timeout(2000)
    near, _ = far.with_timeout(1000)
    later, _ = near.with_timeout(3000)
    cancellable, _ = near.with_cancel()
    after = time.monotonic()
    assert before + 2000 <= far.deadline <= after + 2000
    assert before + 1000 <= near.deadline <= after + 1000
    assert later.deadline == near.deadline == cancellable.deadline
    plain, _ = HostContext.background().with_cancel()
    assert plain.deadline is None


def test_a_deadline_is_noticed_by_looking():
    """The error of a child is that of the parent whose time is up; callbacks follow the look."""
    parent, _ = HostContext.background().with_timeout(0)
    child, _ = parent.with_cancel()
    calls = []
    child.on_cancel(lambda: calls.append(1))
    assert calls == []
    assert spelled(child.error()) == EXCEEDED
    assert child.error() is parent.error()
    assert calls == [1]


def test_a_deadline_that_nobody_noticed_still_counts():
    """Whoever cancels afterwards comes too late, on each level of the tree."""
    own, cancel_own = HostContext.background().with_timeout(0)
    cancel_own()
    assert spelled(own.error()) == EXCEEDED

    parent, _ = HostContext.background().with_timeout(0)
    child, cancel_child = parent.with_cancel()
    cancel_child()
    assert spelled(child.error()) == EXCEEDED

    parent, cancel_parent = HostContext.background().with_cancel()
    child, _ = parent.with_timeout(0)
    cancel_parent()
    assert [spelled(parent.error()), spelled(child.error())] == [CANCELED, EXCEEDED]


def test_only_the_child_with_the_deadline_dies():
    """A parent does not die with its child's deadline."""
    parent, cancel = HostContext.background().with_cancel()
    child, _ = parent.with_timeout(0)
    assert spelled(child.error()) == EXCEEDED
    assert parent.error() is None
    cancel()


# --- waiting ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [0, -1, 0.001])
def test_waiting_ends_when_the_time_is_up(seconds):
    """A living context lets one wait to the end."""
    host, cancel = HostContext.background().with_cancel()
    assert host.wait(seconds) is True
    assert HostContext.background().wait(seconds) is True
    cancel()


def test_waiting_in_a_dead_context_ends_at_once():
    """Whoever waits there is told so."""
    host, cancel = HostContext.background().with_cancel()
    cancel()
    assert host.wait(SOON) is False


def test_waiting_ends_with_the_context():
    """Cancellation from another thread wakes whoever waits."""
    host, cancel = HostContext.background().with_cancel()
    thread = threading.Thread(target=cancel)
    thread.start()
    before = time.monotonic()
    assert host.wait(SOON) is False
    assert time.monotonic() < before + SOON
    thread.join()
    assert host._token._callbacks == []


def test_waiting_ends_with_the_deadline():
    """A deadline before the end of the wait cuts it short."""
    host, _ = HostContext.background().with_timeout(0.001)
    before = time.monotonic()
    assert host.wait(SOON) is False
    assert time.monotonic() < before + SOON
    assert spelled(host.error()) == EXCEEDED
