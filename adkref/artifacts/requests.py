# SPDX-License-Identifier: Apache-2.0
"""The checks that stand before every call of an artifact service (ART-001)."""

from __future__ import annotations

from adkref.content import Part
from adkref.errors import AdkError, wrap


def check(kind: str, app: str, user: str, session: str, name: str) -> None:
    """Check a request about one artifact; *kind* is the request's name in the texts."""
    with_name = {**_keys(app, user, session), "FileName": name}
    _refuse(_missing(kind, with_name) or _bad_name(name))


def check_save(app: str, user: str, session: str, name: str, part: Part | None) -> None:
    """Check a request to save *part*, which needs data: inline, or a text that is not empty."""
    required = {**_keys(app, user, session), "FileName": name, "Part": part is not None}
    _refuse(_missing("save", required) or _no_data(part) or _bad_name(name))


def check_list(app: str, user: str, session: str) -> None:
    """Check a request that names no artifact."""
    _refuse(_missing("list", _keys(app, user, session)))


def _keys(app: str, user: str, session: str) -> dict[str, str | bool]:
    return {"AppName": app, "UserID": user, "SessionID": session}


def _missing(kind: str, required: dict[str, str | bool]) -> str:
    missing = ", ".join(field for field, value in required.items() if not value)
    return missing and f"invalid {kind} request: missing required fields: {missing}"


def _no_data(part: Part | None) -> str:
    if part is not None and not part.text and part.inline_data is None:
        return "invalid save request: Part.InlineData or Part.Text has to be set"
    return ""


def _bad_name(name: str) -> str:
    if "/" in name or "\\" in name:
        return "invalid name: filename cannot contain path separators"
    return ""


def _refuse(problem: str) -> None:
    if problem:
        raise wrap("request validation failed", AdkError(problem))
