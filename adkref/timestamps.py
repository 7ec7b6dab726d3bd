# SPDX-License-Identifier: Apache-2.0
"""Times on the wire: RFC 3339 out, RFC 3339 or epoch seconds in (EVT-023, EVT-024)."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from typing import Any

from adkref.errors import AdkError

#: Go's zero time; an event that was never stamped carries it.
ZERO_TIME = datetime(1, 1, 1, tzinfo=UTC)


def format_time(value: datetime) -> str:
    """Return RFC 3339 with as many fractional digits as needed."""
    value = value.astimezone(UTC)
    fraction = f".{value.microsecond:06d}".rstrip("0").rstrip(".") if value.microsecond else ""
    return f"{value:%Y-%m-%dT%H:%M:%S}{fraction}Z".rjust(20, "0")


def parse_time(value: Any) -> datetime:
    """Decode a timestamp: RFC 3339 text, epoch seconds, or None (EVT-023, EVT-024)."""
    if value is None:
        return ZERO_TIME
    if isinstance(value, datetime):
        return value
    raw = json.dumps(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _time_of_seconds(value, raw)
    try:
        if not isinstance(value, str):
            raise TypeError(f"expected a string, got {type(value).__name__}")
        parsed = datetime.fromisoformat(value)
        if parsed.tzinfo is None:
            raise ValueError(f"no time zone in {value!r}")
        return parsed.astimezone(UTC)
    except (TypeError, ValueError, OverflowError) as error:
        raise AdkError(f"session: decoding event timestamp {raw}: {error}") from error


def _time_of_seconds(value: float, raw: str) -> datetime:
    scaled = value * 1_000_000
    if math.isfinite(scaled):
        micros = math.floor(abs(scaled) + 0.5) * (1 if scaled >= 0 else -1)
        try:
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
        except OverflowError:
            pass  # outside years 1 to 9999, like every other implausible number
    raise AdkError(f"session: event timestamp {raw} is not a plausible date")
