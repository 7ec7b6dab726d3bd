# SPDX-License-Identifier: Apache-2.0
"""JSON in and out for the data records."""

from datetime import UTC, datetime
from typing import Any

import pytest
from attrs import define, field

from adkref import codec
from adkref.content import Jsonable
from adkref.errors import AdkError


@codec.record
@define(slots=False)
class Inner(Jsonable):
    """A record within a record."""

    some_name: str = ""
    count: int = 0


@codec.record
@define(slots=False)
class Outer(Jsonable):
    """One field of each kind."""

    text: str = ""
    flag: bool = False
    number: float = 0.0
    whole: int = 0
    data: bytes = b""
    time: datetime | None = None
    inner: Inner | None = None
    inners: list[Inner] = field(factory=list)
    free: dict[str, Any] | None = None
    anything: Any = None
    renamed: str = field(default="", metadata={"json": "HTTPName"})


FULL = Outer(
    text="t",
    flag=True,
    number=1.5,
    whole=3,
    data=b"\x00\xff",
    time=datetime(2026, 8, 1, tzinfo=UTC),
    inner=Inner("x"),
    inners=[Inner(count=1), Inner()],
    free={"a": [None, {"b": Inner("y")}]},
    anything=[1],
    renamed="r",
)
FULL_JSON = {
    "text": "t",
    "flag": True,
    "number": 1.5,
    "whole": 3,
    "data": "AP8=",
    "time": "2026-08-01T00:00:00Z",
    "inner": {"someName": "x"},
    "inners": [{"count": 1}, {}],
    "free": {"a": [None, {"b": {"someName": "y"}}]},
    "anything": [1],
    "HTTPName": "r",
}


@pytest.mark.parametrize(
    ("name", "wire"),
    [("id", "id"), ("long_running_tool_ids", "longRunningToolIds"), ("a_b", "aB")],
)
def test_camel(name, wire):
    """An attribute travels under its camelCase name."""
    assert codec.camel(name) == wire


def test_every_kind_of_field_is_written():
    """Records are nested, bytes are base64, times RFC 3339, records in free-form data too."""
    assert FULL.to_json() == codec.to_json(FULL) == FULL_JSON


def test_zero_values_are_left_out():
    """An empty record is an empty object; a present one inside stays."""
    assert Outer().to_json() == {}
    assert Outer(inner=Inner(), free={}, inners=[]).to_json() == {"inner": {}}


def test_what_was_written_is_read():
    """The JSON form gives the record back; free-form data stays plain JSON."""
    got = Outer.from_json(FULL_JSON)
    assert got.to_json() == FULL_JSON
    assert got.free == {"a": [None, {"b": {"someName": "y"}}]}
    assert (got.inner, got.data, got.time) == (FULL.inner, FULL.data, FULL.time)


def test_keys_are_folded_and_unknown_ones_ignored():
    """Keys match in any case, null is absent, unknown keys do not matter (EVT-022)."""
    assert Outer.from_json(
        {"TEXT": "t", "Inner": {"SOMENAME": "x"}, "httpname": "r", "flag": None, "more": 1}
    ) == Outer(text="t", inner=Inner("x"), renamed="r")


def test_a_record_is_taken_as_it_is():
    """A record that is already one is not copied."""
    inner = Inner("x")
    assert Outer.from_json({"inner": inner}).inner is inner
    assert Outer.from_json(FULL) is FULL


@pytest.mark.parametrize(
    ("json", "text"),
    [
        ({"text": 1}, "expected str @ Outer.text"),
        ({"text": b"x"}, "expected str @ Outer.text"),
        ({"flag": 1}, "expected bool @ Outer.flag"),
        ({"number": True}, "expected float @ Outer.number"),
        ({"whole": 1.5}, "expected int @ Outer.whole"),
        ({"whole": True}, "expected int @ Outer.whole"),
        ({"data": 1}, "expected bytes @ Outer.data"),
        ({"data": "%"}, "expected bytes @ Outer.data"),
        ({"free": []}, "expected dict[str, typing.Any] | None @ Outer.free"),
        ({"inner": "x"}, "expected test_codec.Inner | None @ Outer.inner"),
        ({"inners": "xy"}, "expected list @ Outer.inners"),
        ({"inners": {}}, "expected list @ Outer.inners"),
        ({"inners": [None]}, "expected Inner @ Outer.inners[0]"),
    ],
)
def test_wrong_types_are_refused(json, text):
    """Nothing is coerced; the error names the place."""
    with pytest.raises(codec.DecodeError) as caught:
        Outer.from_json(json)
    assert str(caught.value).endswith(text)


def test_a_malformed_time_says_so():
    """The error of a time keeps its own words (EVT-024)."""
    with pytest.raises(codec.DecodeError) as caught:
        Outer.from_json({"time": "soon"})
    assert str(caught.value) == (
        'session: decoding event timestamp "soon": expected RFC 3339 @ Outer.time'
    )


def test_several_faults_are_all_named():
    """The text of a decoding error holds every place that does not fit."""
    with pytest.raises(codec.DecodeError) as caught:
        Outer.from_json({"text": 1, "inners": [{}, {"count": "x"}]})
    assert str(caught.value) == (
        "invalid value for type, expected str @ Outer.text; "
        "invalid value for type, expected int @ Outer.inners[1].count"
    )


@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_a_record_is_an_object(value):
    """Anything but an object is no record, and the error is an error value."""
    with pytest.raises(AdkError) as caught:
        Outer.from_json(value)
    assert str(caught.value) == f"Outer: expected an object, got {type(value).__name__}"


def test_numbers_that_fit_are_taken():
    """A whole float is an int, an int a float; bytes may come as they are."""
    got = Outer.from_json({"whole": 3.0, "number": 2, "data": b"x"})
    assert (got.whole, type(got.whole), got.number, got.data) == (3, int, 2, b"x")
