# SPDX-License-Identifier: Apache-2.0
"""Tests of the assertions: what they compare, and how they tell of a difference."""

from __future__ import annotations

import pytest

from adkref import Agent, Event
from adkref.content import Content
from adkref.testing import RecordedRunner, assert_events, assert_trace


@pytest.fixture
def runner():
    """Return a runner after one run of an agent that says hello."""

    def run(ctx):
        yield Event(author="a", content=Content.of_text("hello"))

    found = RecordedRunner(Agent("a", run=run))
    found.run("hi")
    return found


USER = {"author": "user", "content": {"parts": [{"text": "hi"}], "role": "user"}}
SAID = {"author": "a", "content": {"parts": [{"text": "hello"}], "role": "model"}}


def test_what_is_expected_passes(runner):
    """Whole traces, chosen kinds of records, and events."""
    assert_trace(runner, runner.trace.records)
    assert_trace(runner.trace, [{"at": "end"}], only="end")
    hook = {"at": "hook", "by": "plugin:trace", "agent": "a"}
    assert_trace(
        runner.trace.records,
        [{**hook, "hook": "before_agent"}, {**hook, "hook": "after_agent"}],
        only=("before_agent", "after_agent"),
    )
    assert_events(runner, [USER, SAID])
    assert_events(runner.events[1:], [SAID])


def test_a_difference_is_told_with_its_place_and_both_records(runner):
    """The message has the path, the two values, and what happened in words."""
    other = {**SAID, "content": {"parts": [{"text": "bye"}], "role": "model"}}
    with pytest.raises(AssertionError) as caught:
        assert_events(runner, [USER, other])
    assert str(caught.value).splitlines()[0] == (
        "another event than expected: record 2, $.event.content.parts[0].text"
    )
    for line in ('    expected "bye"', '    actual   "hello"', "what happened:"):
        assert line in str(caught.value).splitlines()


def test_too_few_and_too_many_records_are_told_of(runner):
    """The end of the shorter one is where they part."""
    with pytest.raises(AssertionError, match=r"\(the lane has ended\)"):
        assert_trace(runner, [], only="end")
    with pytest.raises(AssertionError, match=r"\(the lane has ended\)"):
        assert_trace(runner, [{"at": "end"}, {"at": "end"}], only="end")


def test_lanes_may_come_in_any_order():
    """With lanes only the order inside each counts."""
    one, other = (
        {"at": "body", "agent": name, "branch": f"p.{name}", "step": "start"} for name in "ab"
    )
    assert_trace([one, other], [other, one], ordering="lanes")
    with pytest.raises(AssertionError):
        assert_trace([one, other], [other, one])
