# SPDX-License-Identifier: Apache-2.0
"""Tests of telling one kind of failure from another."""

from __future__ import annotations

import pytest

from adkref.conformance.canonical import canonical
from adkref.conformance.diff import first_difference
from adkref.conformance.fuzz.signature import (
    Signature,
    of_difference,
    of_fault,
    of_order,
    plain_path,
)

START = {"at": "body", "agent": "a", "step": "start"}
END = {"at": "end"}


def append(**event):
    """Return an append."""
    return {"at": "append", "event": event}


def signature(expected, actual, *, states=({}, {})):
    """Return the signature of two traces."""
    sides = [
        canonical({"trace": trace, "final": {"state": state, "events": 1}})
        for trace, state in zip((expected, actual), states, strict=True)
    ]
    return of_difference(first_difference(*sides))


def test_another_value_has_its_record_and_its_path():
    """Places in lists do not count, since they only say which of several it was."""
    one, other = (
        append(author="a", content={"parts": [{"text": "x"}, {"text": text}]}) for text in "yz"
    )
    found = signature([START, one], [START, other])
    assert found == Signature("value", "append", "$.event.content.parts[].text")
    assert str(found) == "another value in append: $.event.content.parts[].text"
    assert found.name == "value-append-" + found.name[-6:]


def test_keys_of_the_user_do_not_count():
    """Whichever state key it is, the failure is the same."""
    found = {
        signature([append(actions={"stateDelta": {key: 1}})], [append(actions={"stateDelta": {}})])
        for key in ("k1", "user:u")
    }
    assert found == {Signature("value", "append", "$.event.actions.stateDelta")}
    assert plain_path("$.state['user:u'].n") == "$.state"
    assert plain_path("$.event.outputs[3].x") == "$.event.outputs[].x"


def test_another_record_has_the_kinds_of_both():
    """A hook has its name, a body its step."""
    hook = {"at": "hook", "hook": "before_agent", "by": "plugin:p"}
    assert signature([hook, END], [START, END]) == Signature(
        "instead", "hook before_agent / body start"
    )
    other = {**hook, "hook": "after_agent"}
    assert str(signature([hook], [other])) == (
        "another record: hook before_agent / hook after_agent"
    )


def test_one_record_too_few_or_too_many_has_its_kind():
    """A trace that ends too soon lacks a record, one that goes on has one too many."""
    assert signature([START, END], [START]) == Signature("missing", "end")
    assert signature([START], [START, END]) == Signature("extra", "end")


def test_the_final_state_comes_last():
    """Only where the traces are equal the final states are what differs."""
    assert signature([END], [END], states=({"k": 1}, {})) == Signature("final", "", "$.state")


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("silence", "no reply within 10 s", Signature("fault", "silence")),
        ("panic", "panic: KeyError: 'x' (f.py:3)", Signature("fault", "panic", "KeyError")),
        ("panic", "panic: IndexError: 3", Signature("fault", "panic", "IndexError")),
        ("crash", "the process died: signal SIGSEGV", Signature("fault", "crash", "signal")),
        ("garbage", "wrote a line that is not JSON: 'x'", Signature("fault", "garbage")),
    ],
)
def test_a_fault_has_its_word_and_a_panic_its_first(kind, text, expected):
    """Two panics of one exception are the same, whatever they tell of the scenario."""
    assert of_fault(kind, text) == expected


def test_an_impossible_order_has_the_record_that_cannot_stand_there():
    """A trace that ends too soon for any schedule has its end."""
    assert of_order(START) == Signature("order", "body start")
    assert of_order(None) == Signature("order", "end")


def test_names_of_different_signatures_differ():
    """The path counts as well, though the name does not spell it."""
    one, other = (Signature("value", "append", path) for path in ("$.a", "$.b"))
    assert one.name != other.name
    assert one.name == Signature("value", "append", "$.a").name
