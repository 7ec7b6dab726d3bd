# SPDX-License-Identifier: Apache-2.0
"""The model that answers from a script."""

import pytest
from kit import content, reply

from adkref.content import FunctionCall, Part
from adkref.models import LlmRequest, Model, ScriptedModel


def answers(model, count=1):
    """The answers to some calls, each a list."""
    return [list(model.generate(None, LlmRequest(), False)) for _ in range(count)]


def test_each_call_has_its_entry():
    """Texts and responses, alone or in lists; past the end a text says so."""
    two = reply("c")
    model = ScriptedModel(["a", reply("b", partial=True), ["x", two], []], name="m")
    assert model.name == "m"
    assert isinstance(model, Model)
    assert answers(model, 5) == [
        [reply("a")],
        [reply("b", partial=True)],
        [reply("x"), two],
        [],
        [reply("[end of script]")],
    ]


def test_an_exception_is_raised_where_it_stands():
    """What comes before it is yielded; the next call has the next entry."""
    boom = ValueError("boom")
    model = ScriptedModel([["a", boom, "never"], boom, "b"])
    items = model.generate(None, LlmRequest(), True)
    assert next(items) == reply("a")
    for stream in (items, model.generate(None, LlmRequest(), True)):
        with pytest.raises(ValueError, match=r"^boom$") as caught:
            next(stream)
        assert caught.value is boom
    assert answers(model) == [[reply("b")]]


def test_requests_are_kept():
    """Every request so far can be looked at."""
    model = ScriptedModel()
    first, second = LlmRequest("x"), LlmRequest("y", [content("z")])
    for request in (first, second):
        list(model.generate(None, request, False))
    assert model.requests == [first, second]
    assert model.requests[0] is first


def test_the_script_is_copied():
    """A list that is changed later changes nothing."""
    script = ["a"]
    model = ScriptedModel(script)
    script.clear()
    assert answers(model) == [[reply("a")]]


def test_a_function_call_is_a_response_that_makes_it():
    """Each answer is a response of its own, so an id that is filled in stays there."""
    call = FunctionCall("", "t", {"a": 1})
    model = ScriptedModel([call, ["x", call]])
    first, second = answers(model, 2)
    assert first == [reply(Part(function_call=FunctionCall("", "t", {"a": 1})))]
    assert second == [reply("x"), *first]
    first[0].content.parts[0].function_call.id = "filled"
    assert (call.id, second[1].content.parts[0].function_call.id) == ("", "")
