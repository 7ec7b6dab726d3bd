# SPDX-License-Identifier: Apache-2.0
"""Calling user code: the first answer wins, and what is raised becomes a value.

Plugins and an agent's own callbacks follow the same rule, so both walk their lists
with :func:`first_answer` (PLG-010, CB-003).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from adkref.errors import ProgrammingError, note_missing_service

T = TypeVar("T")

#: What a round of callbacks came to: at most one of the two is present.
Answer = tuple[T | None, Exception | None]


def first_answer(
    what: str, expected: type[T], callbacks: Iterable[Callable[..., T | None]], *arguments: Any
) -> Answer[T]:
    """Call *callbacks* in order with the same *arguments* until one answers or raises.

    Returns ``(value, None)`` for the first value that is not None (an empty one counts,
    CB-005, PLG-012), ``(None, error)`` for the first exception, else ``(None, None)``.
    A value that is no *expected* is a programming error of *what*.
    """
    for callback in callbacks:
        if callback is None:  # CB-007
            raise ProgrammingError(f"a {what} callback is None")
        try:
            value = callback(*arguments)
        except ProgrammingError:
            raise  # PLG-017: a panic is not an answer.
        except Exception as error:
            note_missing_service(error)
            return None, error
        if value is not None:
            if not isinstance(value, expected):
                raise ProgrammingError(
                    f"{what} callback {_name_of(callback)} returned {type(value).__name__}, "
                    f"expected {expected.__name__} or None"
                )
            return value, None
    return None, None


def _name_of(callback: Callable[..., Any]) -> str:
    return getattr(callback, "__qualname__", None) or repr(callback)
