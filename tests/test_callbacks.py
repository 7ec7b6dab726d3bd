# SPDX-License-Identifier: Apache-2.0
"""A round of callbacks (CB-003 to CB-007, PLG-010).

In Go a callback may return a content and an error at once (CB-004).  In Python it returns
or raises, so that case does not exist.
"""

from functools import partial

import pytest

from adkref.callbacks import first_answer
from adkref.content import Content
from adkref.errors import ProgrammingError


def recording(log, name, answer=None):
    """A callback that notes its name and arguments, then answers or raises."""

    def callback(*arguments):
        log.append((name, *arguments))
        if isinstance(answer, Exception):
            raise answer
        return answer

    return callback


def test_everybody_is_asked_when_nobody_answers():
    """Callbacks are called in list order with the same arguments (CB-003, CB-007)."""
    log, argument = [], object()
    callbacks = [recording(log, name) for name in "abc"]
    assert first_answer("before_agent", Content, callbacks, argument, 1) == (None, None)
    assert log == [("a", argument, 1), ("b", argument, 1), ("c", argument, 1)]


def test_no_callbacks_no_answer():
    """An empty list answers nothing."""
    assert first_answer("before_agent", Content, []) == (None, None)


@pytest.mark.parametrize("answer", [Content.of_text("x"), Content()])
def test_the_first_value_ends_the_round(answer):
    """The very object is the answer, an empty one counts, and nobody after it is asked (CB-003, CB-005)."""
    log = []
    callbacks = [recording(log, "a"), recording(log, "b", answer), recording(log, "c")]
    value, error = first_answer("before_agent", Content, callbacks)
    assert value is answer
    assert error is None
    assert log == [("a",), ("b",)]


def test_the_first_error_ends_the_round():
    """What a callback raises becomes a value, and nobody after it is asked (CB-003)."""
    log, boom = [], ValueError("boom")
    callbacks = [recording(log, "a", boom), recording(log, "b", Content())]
    assert first_answer("before_agent", Content, callbacks) == (None, boom)
    assert log == [("a",)]


def test_a_missing_callback_is_a_programming_error_when_it_is_reached():
    """None in the list fails only when its turn comes (CB-007)."""
    log, answer = [], Content()
    reached = [recording(log, "a"), None]
    with pytest.raises(ProgrammingError, match=r"^a before_agent callback is None$"):
        first_answer("before_agent", Content, reached)
    assert log == [("a",)]
    assert first_answer("before_agent", Content, [recording(log, "b", answer), None]) == (
        answer,
        None,
    )


def test_a_value_of_another_type_is_a_programming_error():
    """The message names the callback, what it gave, and what was expected."""

    def wrong(_):
        return "text"

    text = (
        "before_agent callback "
        "test_a_value_of_another_type_is_a_programming_error.<locals>.wrong "
        "returned str, expected Content or None"
    )
    with pytest.raises(ProgrammingError) as caught:
        first_answer("before_agent", Content, [wrong], 1)
    assert str(caught.value) == text


def test_a_callback_without_a_name_is_shown_as_it_is():
    """A partial has no name of its own, so the message shows the object."""
    nameless = partial(int, "7")
    with pytest.raises(ProgrammingError, match=r"functools\.partial.* returned int"):
        first_answer("before_agent", Content, [nameless])


@pytest.mark.parametrize("panic", [ProgrammingError("misuse"), KeyboardInterrupt()])
def test_a_panic_is_no_answer(panic):
    """Programming errors and interruptions travel up to the consumer (AGT-057, PLG-017)."""

    def callback():
        raise panic

    with pytest.raises(type(panic)) as caught:
        first_answer("before_agent", Content, [callback])
    assert caught.value is panic
