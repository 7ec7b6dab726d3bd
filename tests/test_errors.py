# SPDX-License-Identifier: Apache-2.0
"""Error values and their texts (chapter 01, section 0)."""

import pytest

from adkref.errors import (
    AdkError,
    ArtifactNotFound,
    Cancelled,
    ConfirmationRejected,
    ConfirmationRequired,
    DeadlineExceeded,
    ModelNotConfigured,
    NodeCancelled,
    NodeInterrupted,
    ProgrammingError,
    StateKeyError,
    find,
    text_of,
    wrap,
)


@pytest.mark.parametrize(
    ("error", "text", "also"),
    [
        (AdkError("boom"), "boom", Exception),
        (Cancelled(), "context canceled", AdkError),
        (DeadlineExceeded(), "context deadline exceeded", AdkError),
        (StateKeyError(), "state key does not exist", KeyError),
        (StateKeyError("no 'k'"), "no 'k'", KeyError),
        (ArtifactNotFound(), "artifact not found: file does not exist", FileNotFoundError),
        (ArtifactNotFound("gone"), "gone", OSError),
    ],
)
def test_texts_are_literal(error, text, also):
    """Each error value shows its text and nothing else, and is the Python error it stands for."""
    assert str(error) == text
    assert text_of(error) == text
    assert isinstance(error, AdkError)
    assert isinstance(error, also)


@pytest.mark.parametrize(
    "kind",
    [
        ConfirmationRequired,
        ConfirmationRejected,
        ModelNotConfigured,
        NodeInterrupted,
        NodeCancelled,
    ],
)
def test_kinds_are_error_values(kind):
    """The kinds that only the framework tells apart carry any text."""
    assert isinstance(kind("text"), AdkError)
    assert str(kind("text")) == "text"


def test_a_programming_error_is_no_error_value():
    """What a Go port panics with can never be caught as an error value."""
    assert not issubclass(ProgrammingError, AdkError)
    assert not issubclass(AdkError, ProgrammingError)


def test_wrap_shows_both_texts_and_keeps_the_cause():
    """A wrapped text is prefix and cause; the cause stays reachable (section 0)."""
    cause = ValueError("boom")
    error = wrap("failed to do it", cause)
    assert type(error) is AdkError
    assert str(error) == "failed to do it: boom"
    assert error.__cause__ is cause


def test_wrap_makes_the_kind_that_is_asked_for():
    """A wrapper can be an error of a kind of its own."""
    error = wrap("node", AdkError("paused"), NodeInterrupted)
    assert type(error) is NodeInterrupted
    assert str(error) == "node: paused"


def test_an_error_without_text_is_named_by_its_class():
    """Python's errors may be empty; a wrapped text still says what it was."""
    assert text_of(ZeroDivisionError()) == "ZeroDivisionError"
    assert str(wrap("failed", TimeoutError())) == "failed: TimeoutError"


def test_find_walks_the_causes():
    """The nearest error of a kind on the chain of causes is found, the error itself first."""
    inner = Cancelled()
    middle = wrap("middle", inner)
    outer = wrap("outer", middle)
    assert find(outer, Cancelled) is inner
    assert find(outer, AdkError) is outer
    assert find(outer, DeadlineExceeded) is None
    assert find(None, AdkError) is None


def test_find_does_not_follow_what_merely_happened_before():
    """An error that was being handled is no cause of the one that followed."""
    error = AdkError("another")
    error.__context__ = Cancelled()
    assert find(error, Cancelled) is None
