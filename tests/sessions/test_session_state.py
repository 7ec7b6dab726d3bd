# SPDX-License-Identifier: Apache-2.0
"""The state of a handle (SES-061)."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adkref.errors import AdkError, StateKeyError
from adkref.sessions import SessionState


def test_missing_key_fails_with_the_literal_text():
    """A missing key raises an error value that is a KeyError too (SES-061)."""
    with pytest.raises(StateKeyError) as caught:
        SessionState({})["gone"]
    assert str(caught.value) == "state key does not exist"
    assert isinstance(caught.value, AdkError)
    assert isinstance(caught.value, KeyError)


def test_stored_none_is_a_value():
    """A key whose value is None is there (SES-061)."""
    state = SessionState({"k": None})
    assert state["k"] is None
    assert "k" in state
    assert state.get("k", "default") is None
    assert (state.get("gone"), state.get("gone", 7)) == (None, 7)


def test_reads_and_writes_like_a_mapping():
    """Writing one key or several shows in every kind of reading (SES-061)."""
    state = SessionState({"a": 1})
    state["b"] = 2
    state.update({"a": 3, "c": 4})
    assert isinstance(state, Mapping)
    assert dict(state) == state.copy() == {"a": 3, "b": 2, "c": 4} == state
    assert len(state) == 3
    assert repr(state) == "SessionState({'a': 3, 'b': 2, 'c': 4})"


def test_no_key_can_be_deleted():
    """There is no way to remove a key from a handle's state (SES-061)."""
    assert not {"__delitem__", "pop", "popitem", "clear"} & set(dir(SessionState))


@pytest.mark.parametrize(
    "view", [iter, SessionState.keys, SessionState.values, SessionState.items]
)
def test_iteration_walks_a_copy(view):
    """Keys that are written after the call do not show in what it returned (SES-061)."""
    state = SessionState({"a": 1, "b": 2})
    walk = view(state)
    state["c"] = 3
    assert len(list(walk)) == 2


def test_values_of_the_copy_are_those_of_the_call():
    """An item that was taken keeps the value of its moment (SES-061)."""
    state = SessionState({"a": 1})
    items = state.items()
    state["a"] = 2
    assert list(items) == [("a", 1)]
    assert state["a"] == 2


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers())))
def test_equals_a_dict_under_any_writes(writes):
    """After any writes a state holds what a dict would hold (SES-061)."""
    state, model = SessionState({}), {}
    for key, value in writes:
        state[key] = model[key] = value
    assert state == model
    assert [state.get(key) for key in "abc"] == [model.get(key) for key in "abc"]
