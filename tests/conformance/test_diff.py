# SPDX-License-Identifier: Apache-2.0
"""The first difference of two traces, as data and as text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adkref.conformance.canonical import ABSENT, LANES, canonical, same
from adkref.conformance.diff import Difference, first_difference, first_path
from adkref.conformance.faults import json_path


def said(author, text, branch=None):
    """Return the record of an event that is handed to the consumer."""
    event = {"author": author, "content": {"role": "model", "parts": [{"text": text}]}}
    return {"at": "yield", "event": event | ({"branch": branch} if branch else {})}


TRACE = [
    {"at": "turn", "n": 1},
    {"at": "body", "agent": "a", "step": "start"},
    said("a", "hi"),
    {"at": "body", "agent": "a", "step": "resumed"},
    {"at": "body", "agent": "a", "step": "end"},
    {"at": "end"},
]
FINAL = {"state": {"k": 1}, "events": 1}


def total(trace, final=ABSENT):
    """Return the canonical form of a total trace."""
    return canonical({"trace": trace} | ({} if final is ABSENT else {"final": final}))


class TestFirstPath:
    """Where two JSON values part."""

    @pytest.mark.parametrize(
        ("expected", "actual", "path", "one", "other"),
        [
            (1, 2, "$", 1, 2),
            (True, 1, "$", True, 1),
            ({"a": [1, {"b c": "x"}]}, {"a": [1, {"b c": "y"}]}, "$.a[1]['b c']", "x", "y"),
            ({"a": 1}, {}, "$.a", 1, ABSENT),
            ({}, {"a": None}, "$.a", ABSENT, None),
            ([1, 2], [1], "$[1]", 2, ABSENT),
            ([1], [1, 2], "$[1]", ABSENT, 2),
            ({"a": []}, {"a": {}}, "$.a", [], {}),
            ({"b": 1, "a": 1}, {"b": 2, "a": 2}, "$.a", 1, 2),
            ({"at": "turn", "a": 1}, {"at": "end", "a": 2}, "$.at", "turn", "end"),
            (
                {"at": "hook", "agent": "a", "hook": "x"},
                {"at": "hook", "agent": "b", "hook": "y"},
                "$.hook",
                "x",
                "y",
            ),
        ],
    )
    def test_parted(self, expected, actual, path, one, other):
        """The first key in their order, a record's kind before all, and what stands there."""
        where, here, there = first_path(expected, actual)
        assert (json_path(where), here, there) == (path, one, other)

    def test_equal(self):
        """Equal values part nowhere; 5 equals 5.0."""
        assert first_path({"a": [5, None]}, {"a": [5.0, None]}) is None


class TestFirstDifference:
    """Where two traces part."""

    def test_none(self):
        """Equal traces have no difference."""
        assert first_difference(total(TRACE, FINAL), total(TRACE, FINAL)) is None

    def test_total(self):
        """The record's number, the path in it, both values, both records and the ones before."""
        other = [*TRACE[:2], said("a", "ho"), *TRACE[3:5]]
        assert first_difference(total(TRACE), total(other)) == Difference(
            lane="",
            record=3,
            path="$.event.content.parts[0].text",
            expected="hi",
            actual="ho",
            expected_record=said("a", "hi"),
            actual_record=said("a", "ho"),
            expected_number=3,
            actual_number=3,
            before=(TRACE[0], TRACE[1]),
        )

    def test_only_three_records_before(self):
        """No more than three records are shown before the difference."""
        got = first_difference(total(TRACE), total([*TRACE[:5], {"at": "stop"}]))
        assert got == Difference(
            lane="",
            record=6,
            path="$.at",
            expected="end",
            actual="stop",
            expected_record={"at": "end"},
            actual_record={"at": "stop"},
            expected_number=6,
            actual_number=6,
            before=tuple(TRACE[2:5]),
        )

    def test_cut_short(self):
        """A trace that ends too early differs in the first record that it lacks."""
        assert first_difference(total(TRACE), total(TRACE[:5])) == Difference(
            lane="",
            record=6,
            path="$",
            expected={"at": "end"},
            actual=ABSENT,
            expected_record={"at": "end"},
            actual_record=ABSENT,
            expected_number=6,
            actual_number=None,
            before=tuple(TRACE[2:5]),
        )

    def test_too_long(self):
        """A trace that goes on differs in the first record too many."""
        assert first_difference(total([]), total(TRACE[:1])) == Difference(
            lane="",
            record=1,
            path="$",
            expected=ABSENT,
            actual=TRACE[0],
            expected_record=ABSENT,
            actual_record=TRACE[0],
            expected_number=None,
            actual_number=1,
        )

    @pytest.mark.parametrize(
        ("expected", "actual", "path", "one", "other"),
        [
            (FINAL, {"state": {"k": 1}, "events": 2}, "$.events", 1, 2),
            (FINAL, {"state": {"k": True}, "events": 1}, "$.state.k", 1, True),
            (FINAL, ABSENT, "$", FINAL, ABSENT),
            (ABSENT, FINAL, "$", ABSENT, FINAL),
        ],
    )
    def test_final(self, expected, actual, path, one, other):
        """The final state is compared when the traces are equal."""
        assert first_difference(total(TRACE, expected), total(TRACE, actual)) == Difference(
            lane="final",
            record=None,
            path=path,
            expected=one,
            actual=other,
            expected_record=expected,
            actual_record=actual,
        )

    def test_lanes(self):
        """Of several lanes the one that parts earliest in the expected trace is told."""
        expected = [
            said("a", "1", "p.a"),
            said("b", "1", "p.b"),
            said("b", "2", "p.b"),
            said("a", "2", "p.a"),
        ]
        actual = [
            said("b", "1", "p.b"),
            said("b", "x", "p.b"),
            said("a", "1", "p.a"),
            said("a", "x", "p.a"),
        ]
        got = first_difference(*(canonical({"trace": t}, LANES) for t in (expected, actual)))
        assert got == Difference(
            lane="event:p.b|b",
            record=2,
            path="$.event.content.parts[0].text",
            expected="2",
            actual="x",
            expected_record=said("b", "2", "p.b"),
            actual_record=said("b", "x", "p.b"),
            expected_number=3,
            actual_number=2,
            before=(said("b", "1", "p.b"),),
        )

    def test_a_lane_too_many(self):
        """A lane that only one side has parts in its first record."""
        expected = [said("a", "1", "p.a")]
        actual = [said("a", "1", "p.a"), said("c", "1", "p.c")]
        got = first_difference(*(canonical({"trace": t}, LANES) for t in (expected, actual)))
        assert (got.lane, got.record, got.expected_record, got.actual_number) == (
            "event:p.c|c", 1, ABSENT, 2,
        )  # fmt: skip


class TestForms:
    """A difference as JSON and as text."""

    @pytest.mark.parametrize(
        ("expected", "actual"),
        [
            (total(TRACE), total(TRACE[:3])),
            (total([]), total(TRACE)),
            (total([], {"error": None}), total([])),
            (total([], FINAL), total([], {"state": {}, "events": 1})),
        ],
    )
    def test_json_and_back(self, expected, actual):
        """What is written as JSON is read as the same difference; absent is not null."""
        difference = first_difference(expected, actual)
        assert Difference.from_json(json.loads(json.dumps(difference.to_json()))) == difference

    def test_text(self):
        """The text names record and path, tells what comes before, and shows both sides."""
        other = [*TRACE[:2], said("a", "ho")]
        assert first_difference(total(TRACE), total(other)).to_text() == (
            "record 3, $.event.content.parts[0].text\n"
            "       1  turn 1 begins\n"
            "       2  body starts\n"
            '  -    3  consumer takes a: "hi"\n'
            '  +    3  consumer takes a: "ho"\n'
            '    expected "hi"\n'
            '    actual   "ho"'
        )

    def test_text_of_a_lane(self):
        """In a lane the text names the record of each trace as well."""
        expected = [{"at": "turn", "n": 1}, said("a", "1", "p.a")]
        got = first_difference(*(canonical({"trace": t}, LANES) for t in (expected, expected[:1])))
        assert got.to_text() == (
            "record 1 of lane event:p.a|a (record 2 of the expected trace, none of the played one), $\n"
            '  -    1  consumer takes a: "1"\n'
            "  +    1  (the lane has ended)\n"
            '    expected {"at": "yield", "event": {"author": "a", "branch": "p.a", "content": {"parts": [{"text": "1"}], "role": "model"}}}\n'
            "    actual   nothing"
        )

    def test_text_of_a_final_state(self):
        """The text of a final state shows the path and the two values."""
        got = first_difference(total([], FINAL), total([], {"state": {"k": None}, "events": 1}))
        assert got.to_text() == ("final state, $.state.k\n    expected 1\n    actual   null")


values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.floats(0, 2) | st.sampled_from("ab"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner),
    max_leaves=6,
)


@given(values, values)
def test_parted_is_not_the_same(one, other):
    """Two values part somewhere exactly if they are not the same, and what parts is not."""
    parted = first_path(one, other)
    assert (parted is None) == same(one, other)
    if parted is not None:
        path, here, there = parted
        assert not same(here, there)
        for value, found in ((one, here), (other, there)):
            if found is not ABSENT:
                for step in path:
                    value = value[step]  # noqa: PLW2901
                assert value is found
