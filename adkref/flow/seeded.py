# SPDX-License-Identifier: Apache-2.0
"""A session as a single-turn agent sees it: with its input as one more event (NODE-036)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from adkref.events import Event
    from adkref.sessions import Session


class SeededSession:
    """A view with *seed* where the history ended when the view was made.

    The seed is never stored; everything else is the underlying session's.
    """

    def __init__(self, inner: Session, seed: Event) -> None:
        self.inner = inner
        self._seed = seed
        self._place = len(inner.events)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    @property
    def events(self) -> SeededEvents:
        """The events with the seed among them."""
        return SeededEvents(self.inner.events, self._seed, self._place)


class SeededEvents(Sequence["Event"]):
    """The events of a seeded view; a handle's own events are such a sequence, too."""

    def __init__(self, events: Any, seed: Event, place: int) -> None:
        self._events, self._seed, self._place = events, seed, place

    def __len__(self) -> int:
        return len(self._events) + 1

    def __iter__(self) -> Iterator[Event]:
        for index, event in enumerate(self._events):
            if index == self._place:
                yield self._seed
            yield event
        if self._place >= len(self._events):
            yield self._seed

    def at(self, index: int) -> Event | None:
        """Return one event, None beyond the ends."""
        if index == self._place:
            return self._seed
        event: Event | None = self._events.at(index if index < self._place else index - 1)
        return event

    @overload
    def __getitem__(self, index: int) -> Event: ...

    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...

    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        events = list(self)
        return events[index]
