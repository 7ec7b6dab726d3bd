# SPDX-License-Identifier: Apache-2.0
"""The state of a session handle (SES-061)."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from threading import Lock
from typing import Any

from adkref.errors import StateKeyError


class SessionState(Mapping[str, Any]):
    """A handle's own map of state keys: it can be read and written, never deleted from.

    What is written here is seen through this handle only: nothing is persisted
    and no event is made.  A value that is to outlive the handle travels in the
    state delta of an event.
    """

    __slots__ = ("_lock", "_values")

    def __init__(self, values: dict[str, Any]) -> None:
        # The map becomes ours; the service has made it for this handle (SES-005, SES-011).
        self._values = values
        self._lock = Lock()

    def __getitem__(self, key: str) -> Any:
        # One look-up in a dict is whole by itself, so readers of a key need no lock.
        try:
            return self._values[key]
        except KeyError:
            raise StateKeyError from None  # SES-061

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of *key*, or *default* when the key is missing."""
        return self._values.get(key, default)

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)

    def __setitem__(self, key: str, value: Any) -> None:
        with self._lock:
            self._values[key] = value

    def update(self, values: Mapping[str, Any]) -> None:
        """Write all of *values* at once: no copy shows only some of them (SES-050)."""
        with self._lock:
            self._values.update(values)

    def copy(self) -> dict[str, Any]:
        """Return the keys and values of this moment as a dict."""
        with self._lock:
            return self._values.copy()

    # Whoever iterates walks a copy taken at the call (SES-061), so keys may be
    # written meanwhile, by the loop's own body or by another thread.

    def __iter__(self) -> Iterator[str]:
        return iter(self.copy())

    def keys(self) -> KeysView[str]:
        """Return the keys of this moment."""
        return self.copy().keys()

    def values(self) -> ValuesView[Any]:
        """Return the values of this moment."""
        return self.copy().values()

    def items(self) -> ItemsView[str, Any]:
        """Return the pairs of this moment."""
        return self.copy().items()

    def __repr__(self) -> str:
        return f"SessionState({self.copy()!r})"
