# SPDX-License-Identifier: Apache-2.0
"""Calls next to their answers (chapter 02, 6.4 and 6.5; V24-004, V24-005)."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import answer, call, content, event

from adkref.content import Content, FunctionResponse, Part
from adkref.errors import AdkError
from adkref.events import Event
from adkref.flow.pairing import in_place, pair_all, pair_latest, paired, without_orphans


def calls(*ids):
    """An event of the agent that calls t with these ids."""
    return event("a", *(call("t", cid) for cid in ids))


def answers(*ids, **response):
    """An event that answers these ids."""
    return event("a", *(answer("t", cid, **response) for cid in ids), role="user")


def text(words, author="user"):
    """An event of plain text."""
    return event(author, words)


def brief(events):
    """Events as words: ``C:1,2`` calls, ``R:1`` responses, else the text."""
    out = []
    for item in events:
        words = [
            f"C:{part.function_call.id}"
            if part.function_call
            else f"R:{part.function_response.id}"
            if part.function_response
            else part.text
            for part in item.content.parts
        ]
        out.append(" ".join(words))
    return out


def fault(function, events):
    """The text of the error that it raises."""
    with pytest.raises(AdkError) as caught:
        function(events)
    return str(caught.value)


# --- orphans (V24-004) -------------------------------------------------------------------------


def test_orphans_disappear():
    """Responses to unknown ids go; other parts of the event stay; copies are made (V24-004)."""
    mixed = event("user", answer("t", "9"), "note", answer("t", "1"))
    events = [answers("7"), calls("1"), mixed, answers("8", "9"), text("x")]
    before = copy.deepcopy(events)
    assert brief(without_orphans(events)) == ["C:1", "note R:1", "x"]
    assert events == before


def test_an_orphan_that_carries_other_data_keeps_it():
    """Only the response is taken out of such a part (V24-004)."""
    part = answer("t", "9")
    part.text = "kept"
    (got,) = without_orphans([event("user", part)])
    assert got.content == content("kept")
    assert part.function_response is not None


def test_the_place_of_the_call_does_not_matter():
    """A call that comes later, or in the same event, is a call (V24-004)."""
    events = [answers("1"), calls("1"), event("a", answer("t", "2"), call("t", "2"))]
    assert without_orphans(events) == events


def test_a_response_without_id_is_no_orphan():
    """Only responses with an id are removed (V24-004)."""
    events = [answers(""), text("x")]
    assert without_orphans(events) == events


# --- pass 1 (CNT-040 to CNT-042) -----------------------------------------------------------------


@pytest.mark.parametrize(
    "events",
    [
        [],
        [answers("1")],
        [calls("1"), answers("1")],
        [text("x"), calls("1", "2"), answers("1")],
        [calls("1"), answers("1"), text("y")],
        [text("x"), text("y")],
    ],
)
def test_nothing_to_do(events):
    """Short lists, no newest response, or its call right before it (CNT-040)."""
    assert pair_latest(events) == events


@pytest.mark.parametrize(
    ("events", "result"),
    [
        ([calls("1"), text("x"), answers("1")], ["C:1", "R:1"]),
        ([text("w"), calls("1"), text("x", "a"), answers("1")], ["w", "C:1", "R:1"]),
        (
            [calls("1", "2"), answers("1"), text("x"), answers("2")],
            ["C:1 C:2", "R:1 R:2"],
        ),
        (
            [calls("1"), calls("2"), answers("2"), text("x"), answers("1")],
            ["C:1", "C:2", "R:2", "R:1"],
        ),
        (
            [calls("1"), answers("1"), calls("2"), answers("2"), answers("1")],
            ["C:1", "C:2", "R:2", "R:1"],
        ),
        (
            [calls("1"), event("a", "hm", call("t", "2")), answers("1")],
            ["C:1", "hm C:2", "R:1"],
        ),
        # The newest event with one of the ids is the call event.
        ([calls("1"), calls("1"), text("x"), answers("1")], ["C:1", "C:1", "R:1"]),
    ],
)
def test_the_newest_answer_comes_to_its_call(events, result):
    """What lies between keeps calls and other answers, plain text is dropped (CNT-042)."""
    before = copy.deepcopy(events)
    assert brief(pair_latest(events)) == result
    assert events == before


def test_later_answers_replace_earlier_ones():
    """Of the collected answers the last to an id counts; new ids and other parts follow (CNT-046)."""
    pending = event("a", answer("t", "1", n=1), answer("t", "2", n=1), role="user", branch="b")
    final = event("user", "done", answer("t", "1", n=2), answer("t", "3", n=2))
    got = pair_latest([calls("1", "2", "3"), text("x"), pending, text("y"), final])
    merged = event(
        "a",
        answer("t", "1", n=2),
        answer("t", "2", n=1),
        "done",
        answer("t", "3", n=2),
        role="user",
        branch="b",
    )
    assert got == [calls("1", "2", "3"), merged]
    assert pending.content.parts[0] == answer("t", "1", n=1)


def test_an_answer_without_a_call():
    """The error names the ids in sorted map form (CNT-041)."""
    assert fault(pair_latest, [text("x"), answers("b", "a")]) == (
        "no function call event found for function responses ids: map[a:{} b:{}]"
    )


def test_an_answer_to_calls_of_two_events():
    """Not all ids are the call event's (CNT-041)."""
    assert fault(pair_latest, [calls("1"), calls("2", "3"), text("x"), answers("2", "1")]) == (
        "validation failed: last response event has IDs not in the matching call event. "
        "Call IDs: map[2:{} 3:{}], Response IDs: map[1:{} 2:{}]"
    )


# --- pass 2 (CNT-043, CNT-044, V24-005) ----------------------------------------------------------


@pytest.mark.parametrize(
    ("events", "result"),
    [
        ([], []),
        ([answers("1")], ["R:1"]),
        ([calls("1")], ["C:1"]),
        # Answers move to their calls.
        ([calls("1"), text("x"), answers("1"), text("y")], ["C:1", "R:1", "x", "y"]),
        # Of several answers the last event counts.
        ([calls("1"), answers("1"), answers("1"), text("y")], ["C:1", "R:1", "y"]),
        # Orphans in the middle vanish, unanswered calls stay.
        ([calls("1"), answers("9"), text("y")], ["C:1", "y"]),
        # Answers in two events are merged in their order.
        (
            [calls("1", "2"), answers("2"), text("x"), answers("1"), text("y")],
            ["C:1 C:2", "R:2 R:1", "x", "y"],
        ),
        # An event that answers calls of two events appears twice.
        (
            [calls("1"), calls("2"), answers("1", "2"), text("y")],
            ["C:1", "R:1 R:2", "C:2", "R:1 R:2", "y"],
        ),
        # What has a response is skipped, its calls and texts too.
        (
            [
                calls("1"),
                event("a", answer("t", "1"), call("t", "2"), "z"),
                answers("2"),
                text("y"),
            ],
            ["C:1", "R:1 C:2 z", "y"],
        ),
        # The pair that the last event answers comes last, in the old order.
        (
            [calls("1"), answers("1"), calls("2"), answers("2"), answers("1")],
            ["C:2", "R:2", "C:1", "R:1"],
        ),
        (
            [calls("1"), text("x"), calls("2"), text("y"), answers("2", "1")],
            ["x", "y", "C:1", "R:2 R:1", "C:2", "R:2 R:1"],
        ),
    ],
)
def test_every_answer_comes_to_its_call(events, result):
    """Each call is followed by its newest answers (CNT-043, CNT-044, V24-005)."""
    before = copy.deepcopy(events)
    assert brief(pair_all(events)) == result
    assert events == before


class Stripped(Event):
    """An event that answered a call before its content was taken away."""

    def responses(self):
        """Return what it answered."""
        return [FunctionResponse(self.id, "t")]


@pytest.mark.parametrize(
    ("events", "text"),
    [
        ([Stripped(id="1"), answers("2")], "content for the first event should not be nil"),
        (
            [Stripped(id="1", content=Content("user")), answers("2")],
            "there should be at least one function_response part",
        ),
        ([answers("1"), Stripped(id="2")], "event should contain at least one part"),
        (
            [answers("1"), Stripped(id="2", content=Content("user"))],
            "event should contain at least one part",
        ),
    ],
)
def test_merging_needs_parts(events, text):
    """The texts of a merge that cannot be made (CNT-046)."""
    assert fault(pair_all, [calls("1", "2"), *events, event("user", "y")]) == (
        f"failed to merge response events: {text}"
    )


# --- both ------------------------------------------------------------------------------------------


def test_a_long_running_call():
    """CALL(long), pending, CALL(s), RESP(s), final answer: the pair goes last (V24-005)."""
    events = [
        calls("long"),
        answers("long", status="pending"),
        calls("s"),
        answers("s"),
        answers("long", status="done"),
    ]
    got = paired(events)
    assert brief(got) == ["C:s", "R:s", "C:long", "R:long"]
    assert got[-1].content.parts == [answer("t", "long", status="done")]


@pytest.mark.parametrize(
    ("events", "already"),
    [
        ([], True),
        ([text("x")], True),
        ([calls("1", "2"), answers("1", "2"), text("x"), calls("3")], True),
        ([calls("1"), calls("2"), answers("2")], True),
        ([calls("1", "2"), answers("2", "1")], False),
        ([calls("1", "2"), answers("1")], False),
        ([calls("1"), text("x"), answers("1")], False),
        ([answers("1")], False),
        ([answers("")], False),
        ([calls("1"), answers("1"), answers("1")], False),
        ([calls("1"), answers("1"), calls("1"), answers("1")], False),
        ([calls("1", "1"), answers("1", "1")], False),
        ([event("a", call("t", "1"), answer("t", "1"))], False),
    ],
)
def test_histories_that_are_in_place(events, already):
    """Every answer right behind its call, each id once: nothing to do."""
    assert in_place(events) is already
    if already:
        assert paired(events) is events


IDS = st.sampled_from(["1", "2", "3", ""])
PARTS = st.one_of(
    st.builds(lambda cid: call("t", cid), IDS),
    st.builds(lambda cid: answer("t", cid), IDS),
    st.just(Part(text="x")),
)
ROUNDS = st.lists(IDS, min_size=1, max_size=2).map(lambda ids: [calls(*ids), answers(*ids)])
HISTORIES = st.lists(
    st.one_of(
        st.lists(PARTS, min_size=1, max_size=3).map(lambda parts: [event("a", *parts)]), ROUNDS
    ),
    max_size=6,
).map(lambda groups: [item for group in groups for item in group])


@given(HISTORIES)
def test_sparing_the_passes_changes_nothing(events):
    """Where the short way is taken, the passes would change nothing."""
    if in_place(events):
        assert pair_all(pair_latest(without_orphans(events))) == events
