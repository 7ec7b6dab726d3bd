# SPDX-License-Identifier: Apache-2.0
"""The pair stream: the mirror of Go's ``iter.Seq2[*session.Event, error]``.

* An item is a pair ``(event, error)``; either half may be None.  An error is a value
  that travels in the stream, and only the consumer decides to stop.
* **A yield that returns is the acknowledgement**: everything the consumer does with
  the item has happened before the producer resumes.
* A consumer that stops calls ``close()``.  ``GeneratorExit`` at the yield is Go's
  ``yield`` returning false; what still has to happen stands in ``finally``.
* Whoever opens a stream closes it; none is left to the garbage collector.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from types import TracebackType
from typing import Any, Self, TypeVar

from adkref.events import Event

R = TypeVar("R")

Pair = tuple[Event | None, Exception | None]
Stream = Generator[Pair, None, None]
#: A stream that also returns a value to whoever forwards it.
Returning = Generator[Pair, None, R]


class Emitted(tuple[Event | None, Exception | None]):
    """An item of a child node on its way to the runner.

    It passes through the streams of the agents around it, but is none of theirs: no
    agent takes it for an event of its own (NODE-072).
    """

    __slots__ = ()


def failed(error: Exception) -> Pair:
    """Return the item that carries *error* and no event."""
    return None, error


class Events(Iterator[Event]):
    """A pair stream as Python users expect it: yields events and raises errors.

    Use it as a context manager, or exhaust or :meth:`close` it; the first error ends
    the run.
    """

    def __init__(self, stream: Generator[Pair, None, Any]) -> None:
        self._stream = stream

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event:
        for event, error in self._stream:
            if error is not None:
                self._stream.close()
                if isinstance(error, StopIteration):  # else it would pass for the end
                    raise RuntimeError("the run raised StopIteration") from error
                raise error
            if event is not None:
                return event
        raise StopIteration

    def close(self) -> None:
        """Stop the run; what it opened is closed before this returns."""
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
