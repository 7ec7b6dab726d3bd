# SPDX-License-Identifier: Apache-2.0
"""Sessions: the handle that a run works on, and the services that store events."""

from adkref.sessions.history import Events
from adkref.sessions.in_memory import InMemorySessionService
from adkref.sessions.scopes import APP_PREFIX, TEMP_PREFIX, USER_PREFIX
from adkref.sessions.service import SessionService
from adkref.sessions.session import Session
from adkref.sessions.state import SessionState

__all__ = [
    "APP_PREFIX",
    "TEMP_PREFIX",
    "USER_PREFIX",
    "Events",
    "InMemorySessionService",
    "Session",
    "SessionService",
    "SessionState",
]
