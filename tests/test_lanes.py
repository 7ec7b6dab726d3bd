# SPDX-License-Identifier: Apache-2.0
"""Lanes as threads: one item at a time, an ack for each, none left behind (PAR-020 to PAR-064)."""

import threading

import pytest

from adkref.lanes import THREADS, Finished, Liberty, Offered, ThreadGroup

#: No test waits that long; a defect ends in a failure instead of a hang.
SOON = 30


def offering(log, name, *items):
    """A lane that offers *items* until one is refused, notes each answer, and returns its name."""

    def body(hand):
        try:
            for item in items:
                go_on = hand(item)
                log.append((name, item, go_on))
                if not go_on:
                    break
            return name
        finally:
            log.append((name, "clean"))

    return body


def alive():
    """The lanes' threads that still run."""
    return [thread for thread in threading.enumerate() if thread.name.startswith("adkref-")]


def test_an_empty_group_has_nothing_to_take():
    """Without lanes there is nothing to wait for (PAR-028)."""
    group = THREADS.group(lambda: None)
    assert group.take() is None
    group.close()


def test_each_group_is_a_new_one():
    """Groups share nothing, and an LLM root runs in its consumer's thread (RUN-072)."""
    assert THREADS.group(lambda: None) is not THREADS.group(lambda: None)
    assert not THREADS.runs_nodes_beside


def test_a_lane_hands_over_item_by_item():
    """The lane stays at its item until that item is answered (PAR-022, PAR-023)."""
    log, group = [], ThreadGroup()
    group.spawn("a", offering(log, "a", 1, 2))
    assert group.take() == Offered(0, 1)
    assert log == []
    group.answer(0, go_on=True)
    assert group.take() == Offered(0, 2)
    assert log == [("a", 1, True)]
    group.answer(0, go_on=True)
    assert group.take() == Finished(0, "a")
    assert log == [("a", 1, True), ("a", 2, True), ("a", "clean")]
    assert group.take() is None
    group.close()
    assert alive() == []


def test_a_refused_lane_stops():
    """The answer "stop" reaches the lane that offered the item."""
    log, group = [], ThreadGroup()
    group.spawn("a", offering(log, "a", 1, 2))
    assert group.take() == Offered(0, 1)
    group.answer(0, go_on=False)
    assert group.take() == Finished(0, "a")
    assert log == [("a", 1, False), ("a", "clean")]
    group.close()


def test_a_posted_item_is_waited_for_too():
    """Threads acknowledge every item, also one that the rules would let them queue (NODE-062)."""
    log, group = [], ThreadGroup()
    group.spawn("a", lambda hand: log.extend([hand.post(1), hand.post(2)]))
    assert group.take() == Offered(0, 1)
    group.answer(0, go_on=True)
    assert group.take() == Offered(0, 2)
    group.answer(0, go_on=False)
    assert group.take() == Finished(0, None)
    assert log == [True, False]
    group.close()


def test_threads_take_no_liberty():
    """Where the rules leave a choice, threads choose the same in every run (PAR-045, PAR-063)."""
    group = ThreadGroup()
    assert [group.takes(liberty) for liberty in Liberty] == [False] * len(Liberty)


def test_lanes_are_numbered_as_they_are_started():
    """Each item and each end says whose it is; every lane runs whether another is answered or not."""
    log, group = [], ThreadGroup()
    for name in "abc":
        group.spawn(name, offering(log, name, name.upper()))
    offered = sorted((group.take() for _ in range(3)), key=lambda message: message.lane)
    assert offered == [Offered(0, "A"), Offered(1, "B"), Offered(2, "C")]
    assert log == []
    ends = []
    for lane in (2, 0, 1):
        group.answer(lane, go_on=True)
        ends.append(group.take())
    assert ends == [Finished(2, "c"), Finished(0, "a"), Finished(1, "b")]
    group.close()


def test_lanes_run_at_the_same_time():
    """A lane that waits for another lane does not hold it up (PAR-030)."""
    group, gate = ThreadGroup(), threading.Event()
    group.spawn("waits", lambda hand: gate.wait(SOON))
    group.spawn("opens", lambda hand: gate.set())
    ends = sorted((group.take() for _ in range(2)), key=lambda message: message.lane)
    assert ends == [Finished(0, result=True), Finished(1, None)]
    group.close()


def test_lanes_are_named_daemons():
    """A thread tells whose lane it is, and never keeps the interpreter alive."""
    group = ThreadGroup()

    def body(hand):
        thread = threading.current_thread()
        return thread.name, thread.daemon

    group.spawn("weather", body)
    assert group.take() == Finished(0, ("adkref-weather", True))
    group.close()


@pytest.mark.parametrize("fault", [ValueError("boom"), SystemExit(1)])
def test_a_fault_reaches_the_consumer(fault):
    """What a body raises, whatever it is, is handed over and told once (PAR-048)."""
    group = ThreadGroup()

    def body(hand):
        raise fault

    group.spawn("a", body)
    assert group.take() == Finished(0, fault=fault)
    assert group.take() is None
    group.close()


def test_close_refuses_what_is_offered_and_waits():
    """Pending items are refused, and every lane has cleaned up when close returns (PAR-060, PAR-061)."""
    log, group = [], ThreadGroup()
    for name in "ab":
        group.spawn(name, offering(log, name, 1, 2))
    first = group.take()
    group.answer(first.lane, go_on=True)
    group.close()
    assert alive() == []
    mine, other = "ab"[first.lane], "ab"[1 - first.lane]
    assert [entry for entry in log if entry[0] == mine] == [
        (mine, 1, True),
        (mine, 2, False),
        (mine, "clean"),
    ]
    assert [entry for entry in log if entry[0] == other] == [(other, 1, False), (other, "clean")]


def test_an_item_offered_after_close_is_refused_at_once():
    """A lane that ignores a stop gets no more than the same answer again (PAR-062)."""
    answers, group = [], ThreadGroup()
    group.spawn("a", lambda hand: answers.extend(hand(n) for n in range(4)))
    assert group.take() == Offered(0, 0)
    group.answer(0, go_on=True)
    assert group.take() == Offered(0, 1)
    group.answer(0, go_on=False)
    group.close()
    assert answers == [True, False, False, False]


def test_close_waits_for_a_cleanup_that_takes_its_time():
    """A lane that is in its own code is waited for (PAR-061)."""
    group, started, gate, closed = ThreadGroup(), threading.Event(), threading.Event(), []

    def body(hand):
        started.set()
        gate.wait(SOON)
        closed.append("lane")

    def close():
        group.close()
        closed.append("close")

    group.spawn("a", body)
    assert started.wait(SOON)
    closing = threading.Thread(target=close)
    closing.start()
    gate.set()
    closing.join(SOON)
    assert closed == ["lane", "close"]


def test_close_raises_a_fault_that_nobody_was_told_of():
    """What breaks while lanes are closed is not swallowed; the first one counts (PAR-048)."""
    group, boom = ThreadGroup(), ValueError("boom")

    def body(hand):
        hand(1)
        raise boom

    group.spawn("a", body)
    assert group.take() == Offered(0, 1)
    group.answer(0, go_on=False)
    group.spawn("b", body)
    with pytest.raises(ValueError, match=r"^boom$") as caught:
        group.close()
    assert caught.value is boom
    assert alive() == []


def test_close_does_not_repeat_what_it_has_told():
    """After one fault was taken, the others are consequences (PAR-048)."""
    group, faults = ThreadGroup(), [ValueError("first"), ValueError("second")]

    def body(hand):
        hand(1)
        raise faults.pop(0)

    for name in "ab":
        group.spawn(name, body)
    offered = [group.take(), group.take()]
    assert {type(message) for message in offered} == {Offered}
    group.answer(0, go_on=False)
    (told,) = [group.take()]
    assert (told.lane, str(told.fault)) == (0, "first")
    group.close()
    assert faults == []
    assert alive() == []


def test_close_refuses_an_item_that_was_taken_and_not_answered():
    """A consumer that is interrupted between taking and answering leaves no lane behind (PAR-064)."""
    log, group = [], ThreadGroup()
    group.spawn("a", offering(log, "a", 1, 2))
    assert group.take() == Offered(0, 1)
    group.close()
    assert log == [("a", 1, False), ("a", "clean")]
    assert alive() == []


def test_a_thread_that_cannot_start_is_no_lane(monkeypatch):
    """A machine out of threads makes spawn fail, and the group can still be closed."""

    class Exhausted(threading.Thread):
        def start(self):
            raise RuntimeError("can't start new thread")

    log, group = [], ThreadGroup()
    group.spawn("a", offering(log, "a", 1))
    with monkeypatch.context() as patch:
        patch.setattr("adkref.lanes.threading.Thread", Exhausted)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            group.spawn("b", offering(log, "b", 1))
    assert group.take() == Offered(0, 1)
    group.answer(0, go_on=True)
    group.spawn("c", offering(log, "c"))
    ends = sorted((group.take(), group.take()), key=lambda message: message.lane)
    assert ends == [Finished(0, "a"), Finished(1, "c")]
    assert group.take() is None
    group.close()
    assert alive() == []
