# SPDX-License-Identifier: Apache-2.0
"""Times on the wire: RFC 3339 out, RFC 3339 or epoch seconds in (EVT-023, EVT-024)."""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from adkref.errors import AdkError

#: Go's zero time; an event that was never stamped carries it.
ZERO_TIME = datetime(1, 1, 1, tzinfo=UTC)

#: What fromisoformat accepts beyond this (week dates, blanks, no colons) is no RFC 3339.
_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)


def format_time(value: datetime) -> str:
    """Return RFC 3339 with as many fractional digits as needed."""
    text = value.astimezone(UTC).isoformat().removesuffix("+00:00")
    return (text.rstrip("0") if value.microsecond else text) + "Z"


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
        if not _RFC_3339.fullmatch(value):
            raise ValueError("expected RFC 3339")
        return datetime.fromisoformat(value).astimezone(UTC)
    except (TypeError, ValueError, OverflowError) as error:
        raise AdkError(f"session: decoding event timestamp {raw}: {error}") from error


def _time_of_seconds(value: float, raw: str) -> datetime:
    try:
        scaled = abs(value) * 1_000_000
        micros = math.floor(scaled)
        if scaled - micros >= 0.5:
            micros += 1
        since = timedelta(microseconds=micros if value >= 0 else -micros)
        return datetime(1970, 1, 1, tzinfo=UTC) + since
    except (OverflowError, ValueError) as error:  # NaN, infinite, or outside years 1 to 9999
        raise AdkError(f"session: event timestamp {raw} is not a plausible date") from error
