# SPDX-License-Identifier: Apache-2.0
"""The events of a session handle, as they stood at one moment (SES-060)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import overload

from adkref.events import Event


class Events(Sequence[Event]):
    """A snapshot of an append-only list of events; making one copies nothing.

    The list below only ever grows at its end, so the list and its length of the
    moment say all there is to know.
    """

    __slots__ = ("_length", "_log")

    def __init__(self, log: list[Event]) -> None:
        self._log = log
        self._length = len(log)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Event]:
        # A plain iterator of the list would go on into what is appended meanwhile.
        return islice(self._log, self._length)

    def __reversed__(self) -> Iterator[Event]:
        return map(self._log.__getitem__, range(self._length - 1, -1, -1))

    @overload
    def __getitem__(self, index: int) -> Event: ...

    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...

    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        # A range knows what an index or a slice means for a list of this length.
        try:
            wanted = range(self._length)[index]
        except IndexError:
            raise IndexError(f"event {index} of {self._length}") from None
        if isinstance(wanted, range):
            return [self._log[i] for i in wanted]
        return self._log[wanted]

    def at(self, index: int) -> Event | None:
        """Return the event at *index*, counted from 0, or None out of range (SES-060)."""
        return self._log[index] if 0 <= index < self._length else None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Events | list):
            return list(self) == list(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # events change in place

    def __repr__(self) -> str:
        return f"<Events: {self._length} by {', '.join(dict.fromkeys(e.author for e in self))}>"
