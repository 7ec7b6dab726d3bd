# SPDX-License-Identifier: Apache-2.0
"""The state view: a context's delta over its session's state (chapter 01, 7.5)."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, MutableMapping, ValuesView
from typing import TYPE_CHECKING, Any

from adkref.errors import AdkError, ProgrammingError
from adkref.gotext import quote

if TYPE_CHECKING:
    from adkref.contexts.common import AnyInvocation
    from adkref.events import EventActions
    from adkref.sessions import SessionState


class State(MutableMapping[str, Any]):
    """Reads see the delta first; writes go to the delta and at once to the session.

    A write is therefore visible to everybody in this run before any event carries
    it (CTX-053), and stays visible if none ever does.
    """

    def __init__(self, inner: AnyInvocation | None, actions: EventActions | None) -> None:
        self._inner = inner
        self._actions = actions

    def _session_state(self, doing: str) -> SessionState:
        inner = self._inner
        if inner is None:
            raise AdkError(f"{doing} state: invocation context is nil")
        if inner.session is None:
            raise AdkError(f"{doing} state: session is nil")
        state = inner.session.state
        if state is None:
            raise AdkError(f"{doing} state: state is nil")
        return state

    def __getitem__(self, key: str) -> Any:
        # CTX-051
        delta = self._actions.state_delta if self._actions is not None else None
        if delta is not None and key in delta:
            return delta[key]
        return self._session_state(f"cannot get key {quote(key)} from")[key]

    def __setitem__(self, key: str, value: Any) -> None:
        # CTX-052: the delta first, and it stays when the session refuses.
        actions = self._actions
        if actions is not None:
            if actions.state_delta is None:
                actions.state_delta = {}
            actions.state_delta[key] = value
        self._session_state(f"cannot set key {quote(key)} to")[key] = value

    def __delitem__(self, key: str) -> None:
        # CTX-057
        raise ProgrammingError("state keys cannot be deleted")

    # CTX-055: whoever iterates sees the session alone, the delta is not overlaid.

    def _all(self) -> SessionState:
        session = self._inner.session if self._inner is not None else None
        if session is None:
            raise ProgrammingError("the context has no session")
        return session.state

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def keys(self) -> KeysView[str]:
        """Return the session's keys of this moment."""
        return self._all().keys()

    def values(self) -> ValuesView[Any]:
        """Return the session's values of this moment."""
        return self._all().values()

    def items(self) -> ItemsView[str, Any]:
        """Return the session's pairs of this moment."""
        return self._all().items()

    def __repr__(self) -> str:
        return f"<State delta={self._actions.state_delta if self._actions else None!r}>"
