# SPDX-License-Identifier: Apache-2.0
"""The four scopes of state, told apart by a key's prefix (chapter 03, 1.3).

A key that starts with ``app:`` belongs to all sessions of an application, one
with ``user:`` to all sessions of a user in it, one with ``temp:`` to a single
run; every other key belongs to its session.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

APP_PREFIX = "app:"
USER_PREFIX = "user:"
TEMP_PREFIX = "temp:"

State = dict[str, Any]


def merged(session: Mapping[str, Any], app: State, user: State) -> State:
    """Return a new map of the session's state, overlaid by app, then user state (SES-011)."""
    out = dict(session)
    for name, value in app.items():
        out[APP_PREFIX + name] = value
    for name, value in user.items():
        out[USER_PREFIX + name] = value
    return out


def persist(delta: Mapping[str, Any], app: State, user: State, session: State) -> None:
    """Write every key of *delta* to the scope that it belongs to, its prefix cut (SES-047).

    None is a value like any other, and no key is ever removed.
    """
    for key, value in delta.items():
        if key.startswith(APP_PREFIX):
            app[key[len(APP_PREFIX) :]] = value
        elif key.startswith(USER_PREFIX):
            user[key[len(USER_PREFIX) :]] = value
        # What is temporary is written nowhere; the handle alone shows it (SES-062).
        elif not key.startswith(TEMP_PREFIX):
            session[key] = value


def without_temp(delta: State) -> State:
    """Return *delta* itself when no key is temporary, else a new map without those keys."""
    kept = {key: value for key, value in delta.items() if not key.startswith(TEMP_PREFIX)}
    return delta if len(kept) == len(delta) else kept
