# SPDX-License-Identifier: Apache-2.0
"""Error values.

Two strategies meet here.  What a *user's* callback, tool or model raises is an
error **value**: the framework puts it into the error half of a pair, wrapped
with the rule's literal text and the original as ``__cause__``.  What the
framework itself raises is a :class:`ProgrammingError`: a Go port would panic
there, so it is never turned into a value and travels up to the consumer.
"""

from __future__ import annotations

from typing import TypeVar

E = TypeVar("E", bound=BaseException)


class AdkError(Exception):
    """An error value with a literal text."""


class ProgrammingError(RuntimeError):
    """Misuse that a Go port answers with a panic; it is raised, never yielded."""


class Cancelled(AdkError):
    """The host context was cancelled; text ``context canceled``."""

    def __init__(self, text: str = "context canceled") -> None:
        super().__init__(text)


class DeadlineExceeded(AdkError):
    """The host context's deadline passed; text ``context deadline exceeded``."""

    def __init__(self, text: str = "context deadline exceeded") -> None:
        super().__init__(text)


class StateKeyError(AdkError, KeyError):
    """A state key is missing; text ``state key does not exist`` (SES-061)."""

    def __init__(self, text: str = "state key does not exist") -> None:
        super().__init__(text)

    def __str__(self) -> str:
        return str(self.args[0])


class ArtifactNotFound(AdkError, FileNotFoundError):
    """No such artifact or version (ART-004)."""

    def __init__(self, text: str = "artifact not found: file does not exist") -> None:
        super().__init__(text)


class ConfirmationRequired(AdkError):
    """A tool call waits for the user's approval (TOOL-004)."""


class ConfirmationRejected(AdkError):
    """The user rejected a tool call (TOOL-004)."""


class ModelNotConfigured(AdkError):
    """An LLM agent has no model (FLOW-010)."""


class NodeInterrupted(AdkError):
    """A node paused for the user; swallowed by the node path (NODE-022)."""


class NodeCancelled(AdkError):
    """A node was cancelled; swallowed while the run is alive (RUN-074)."""


def text_of(error: BaseException) -> str:
    """Return the text that a wrapper shows for *error*, never empty."""
    return str(error) or type(error).__name__


def describe(value: object) -> str:
    """Return what *value* is, as a message about a wrong argument says it."""
    kind, name = ("the class", value) if isinstance(value, type) else ("of type", type(value))
    return f"{kind} {name.__name__}"


#: What user code calls on a view of a service, and whose view then was None (CTX-011).
_OF_A_SERVICE = {
    **dict.fromkeys(("save", "load", "load_version", "list"), ("artifacts", "artifact_service")),
    **dict.fromkeys(("search_memory", "add_session_to_memory"), ("memory", "memory_service")),
}


def note_missing_service(error: Exception) -> None:
    """Add to an AttributeError of None that the runner may lack a service; its text stays."""
    if isinstance(error, AttributeError) and error.obj is None and error.name in _OF_A_SERVICE:
        field, option = _OF_A_SERVICE[error.name]
        error.add_note(f"ctx.{field} is None when the runner was given no {option}")


def wrap(prefix: str, cause: BaseException, kind: type[AdkError] = AdkError) -> AdkError:
    """Return ``<prefix>: <cause>`` with the cause reachable as ``__cause__``."""
    error = kind(f"{prefix}: {text_of(cause)}")
    error.__cause__ = cause
    return error


def find(error: BaseException | None, kind: type[E]) -> E | None:
    """Return the first error of *kind* on the cause chain of *error*, or None."""
    while error is not None:
        if isinstance(error, kind):
            return error
        error = error.__cause__
    return None
