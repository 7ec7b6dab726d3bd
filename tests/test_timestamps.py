# SPDX-License-Identifier: Apache-2.0
"""Times on the wire (EVT-023, EVT-024)."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adkref.errors import AdkError
from adkref.timestamps import ZERO_TIME, format_time, parse_time

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (ZERO_TIME, "0001-01-01T00:00:00Z"),
        (datetime(1, 1, 1, 0, 0, 0, 500000, UTC), "0001-01-01T00:00:00.5Z"),
        (datetime(999, 12, 31, 23, 59, 59, 1, UTC), "0999-12-31T23:59:59.000001Z"),
        (datetime(2026, 8, 1, 12, 0, 10, tzinfo=UTC), "2026-08-01T12:00:10Z"),
        (datetime(2026, 8, 1, 12, 0, 0, 120000, UTC), "2026-08-01T12:00:00.12Z"),
        (datetime(2026, 8, 1, 12, 0, 0, 123456, UTC), "2026-08-01T12:00:00.123456Z"),
        (
            datetime(2026, 8, 1, 12, tzinfo=timezone(timedelta(hours=2))),
            "2026-08-01T10:00:00Z",
        ),
        (datetime(9999, 12, 31, 23, 59, 59, 999999, UTC), "9999-12-31T23:59:59.999999Z"),
    ],
)
def test_times_are_written_in_utc_with_the_digits_they_need(value, text):
    """A time is RFC 3339 in UTC; its fraction has no more digits than needed."""
    assert format_time(value) == text


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (None, ZERO_TIME),
        (EPOCH, EPOCH),
        ("2026-08-01T12:00:00Z", datetime(2026, 8, 1, 12, tzinfo=UTC)),
        ("2026-08-01T12:00:00+02:30", datetime(2026, 8, 1, 9, 30, tzinfo=UTC)),
        ("2026-08-01T12:00:00.5Z", datetime(2026, 8, 1, 12, 0, 0, 500000, UTC)),
        ("2026-08-01T12:00:00.1234567Z", datetime(2026, 8, 1, 12, 0, 0, 123456, UTC)),
        ("0001-01-01T00:00:00Z", ZERO_TIME),
        (0, EPOCH),
        (1754049600, datetime(2025, 8, 1, 12, tzinfo=UTC)),
        (1754049600.25, datetime(2025, 8, 1, 12, 0, 0, 250000, UTC)),
        (0.0000004, EPOCH),
        (0.0000005, EPOCH + timedelta(microseconds=1)),
        (0.0000015, EPOCH + timedelta(microseconds=2)),
        (-0.0000005, EPOCH - timedelta(microseconds=1)),
        (0.0000014999, EPOCH + timedelta(microseconds=1)),
        (-62135596800, ZERO_TIME),
        (253402300799, datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_times_are_read(raw, value):
    """RFC 3339, epoch seconds to the nearest microsecond, null for no time (EVT-023)."""
    got = parse_time(raw)
    assert (got, got.tzinfo) == (value, UTC)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (1754049600000, "1754049600000"),
        (-62135596801, "-62135596801"),
        (253402300800, "253402300800"),
        (1e30, "1e+30"),
        (10**400, "1" + "0" * 400),
        (float("inf"), "Infinity"),
        (float("nan"), "NaN"),
    ],
)
def test_implausible_numbers_are_refused(raw, shown):
    """A number outside years 1 to 9999 names itself, milliseconds too (EVT-024)."""
    with pytest.raises(AdkError) as caught:
        parse_time(raw)
    assert str(caught.value) == f"session: event timestamp {shown} is not a plausible date"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("soon", '"soon": expected RFC 3339'),
        ("", '"": expected RFC 3339'),
        ("2026-08-01", '"2026-08-01": expected RFC 3339'),
        ("2026-08-01T12:00:00", '"2026-08-01T12:00:00": expected RFC 3339'),
        ("2026-08-01 12:00:00Z", '"2026-08-01 12:00:00Z": expected RFC 3339'),
        ("2026-08-01T12:00Z", '"2026-08-01T12:00Z": expected RFC 3339'),
        ("2026-08-01T12:00:00,5Z", '"2026-08-01T12:00:00,5Z": expected RFC 3339'),
        ("20260801T120000Z", '"20260801T120000Z": expected RFC 3339'),
        ("2026-W31-6T12:00:00Z", '"2026-W31-6T12:00:00Z": expected RFC 3339'),
        ("２026-08-01T12:00:00Z", '"\\uff12026-08-01T12:00:00Z": expected RFC 3339'),
        ("2026-02-30T12:00:00Z", '"2026-02-30T12:00:00Z": day is out of range for month'),
        (
            "9999-12-31T23:59:59-01:00",
            '"9999-12-31T23:59:59-01:00": date value out of range',
        ),
        (True, "true: expected a string, got bool"),
        ([1], "[1]: expected a string, got list"),
        ({"a": 1}, '{"a": 1}: expected a string, got dict'),
    ],
)
def test_malformed_times_are_refused(raw, text):
    """Other strings and other types fail with the raw value in the text (EVT-024)."""
    with pytest.raises(AdkError) as caught:
        parse_time(raw)
    assert str(caught.value) == f"session: decoding event timestamp {text}"


@given(st.datetimes(timezones=st.just(UTC)))
def test_what_is_written_is_read_back(value):
    """Every time survives the way out and in (EVT-023)."""
    assert parse_time(format_time(value)) == value
