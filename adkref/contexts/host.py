# SPDX-License-Identifier: Apache-2.0
"""The host context: cancellation, a deadline and the values that travel with a run.

It is the counterpart of Go's ``context.Context``.  Every derivation is a new
object, so what is installed below a point is invisible above it (CTX-081).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from attrs import field, frozen

from adkref.errors import AdkError, Cancelled, DeadlineExceeded
from adkref.lanes import THREADS, LaneStarter
from adkref.platform import DEFAULT_PLATFORM, Platform

T = TypeVar("T")


@frozen(eq=False)
class Key(Generic[T]):
    """The name of a value in a host context, private to its owner (CTX-080)."""

    name: str


#: Where ids and times come from (CTX-090).
PLATFORM: Key[Platform] = Key("platform")
#: How concurrent work is started; the conformance kit installs its own scheduler.
LANES: Key[LaneStarter] = Key("lanes")


class CancelToken:
    """One point at which a run can be cancelled; children follow their parent.

    ``error`` is the reason once there is one.  A deadline is noticed when somebody
    looks, so no timer thread is needed.
    """

    def __init__(self, parent: CancelToken | None = None, deadline: float | None = None) -> None:
        self._parent = parent
        self._deadline = deadline
        self._error: AdkError | None = None
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], object]] = []
        if parent is not None:
            parent.on_cancel(self.error)

    @property
    def deadline(self) -> float | None:
        """The nearest deadline on the way to the root, on the monotonic clock."""
        inherited = self._parent.deadline if self._parent is not None else None
        candidates = [value for value in (self._deadline, inherited) if value is not None]
        return min(candidates, default=None)

    def error(self) -> AdkError | None:
        """Return why the token is dead, or None."""
        if self._error is None:
            if self._deadline is not None and time.monotonic() >= self._deadline:
                self._die(DeadlineExceeded())
            elif self._parent is not None and (inherited := self._parent.error()) is not None:
                self._die(inherited)
        return self._error

    def cancel(self, reason: AdkError | None = None) -> None:
        """Mark the token dead, unless it is: a deadline that nobody has noticed counts."""
        if self.error() is None:
            self._die(reason if reason is not None else Cancelled())

    def _die(self, reason: AdkError) -> None:
        with self._lock:
            if self._error is not None:
                return
            self._error = reason
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def on_cancel(self, callback: Callable[[], object]) -> None:
        """Call *callback* once the token is dead, at once if it already is."""
        with self._lock:
            if self._error is None:
                self._callbacks.append(callback)
                return
        callback()

    def release(self) -> None:
        """Cut the tie to the parent, so that a long-lived parent does not keep us."""
        if self._parent is not None:
            self._parent.forget(self.error)

    def forget(self, callback: Callable[[], object]) -> None:
        """Undo :meth:`on_cancel`."""
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)


@frozen(eq=False)
class HostContext:
    """Values, cancellation and deadline of a run."""

    _values: dict[Key[Any], Any] = field(factory=dict, repr=False)
    _token: CancelToken | None = None

    @classmethod
    def background(cls) -> HostContext:
        """Return a context without values that is never cancelled."""
        return _BACKGROUND

    def value(self, key: Key[T]) -> T | None:
        """Return the value installed under *key*, or None."""
        return self._values.get(key)

    def with_value(self, key: Key[T], value: T | None) -> HostContext:
        """Return a context in which *key* holds *value* (CTX-081)."""
        return HostContext({**self._values, key: value}, self._token)

    @property
    def platform(self) -> Platform:
        """The providers of ids and times (CTX-090)."""
        return self._values.get(PLATFORM) or DEFAULT_PLATFORM

    @property
    def lanes(self) -> LaneStarter:
        """What starts concurrent work."""
        return self._values.get(LANES) or THREADS

    @property
    def deadline(self) -> float | None:
        """The deadline on the monotonic clock, or None."""
        return self._token.deadline if self._token is not None else None

    def error(self) -> AdkError | None:
        """Return :class:`Cancelled`, :class:`DeadlineExceeded`, or None while alive."""
        return self._token.error() if self._token is not None else None

    def on_cancel(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Call *callback* on cancellation; the returned function takes that back."""
        token = self._token
        if token is None:
            return lambda: None
        token.on_cancel(callback)
        return lambda: token.forget(callback)

    def with_cancel(self) -> tuple[HostContext, Callable[[], None]]:
        """Return a child and the function that cancels it; calling that is owed."""
        return self._child(None)

    def with_timeout(self, seconds: float) -> tuple[HostContext, Callable[[], None]]:
        """Return a child that dies *seconds* from now, and its cancel function."""
        return self._child(time.monotonic() + seconds)

    def _child(self, deadline: float | None) -> tuple[HostContext, Callable[[], None]]:
        token = CancelToken(self._token, deadline)

        def cancel() -> None:
            token.cancel()
            token.release()

        return HostContext(self._values, token), cancel

    def wait(self, seconds: float) -> bool:
        """Sleep until *seconds* have passed (True) or the context died (False)."""
        dead = threading.Event()
        take_back = self.on_cancel(dead.set)
        try:
            limit = time.monotonic() + seconds
            while self.error() is None:
                ends = [limit] if self.deadline is None else [limit, self.deadline]
                left = min(ends) - time.monotonic()
                if left <= 0:
                    break
                dead.wait(left)
            return self.error() is None
        finally:
            take_back()


_BACKGROUND = HostContext()
