# SPDX-License-Identifier: Apache-2.0
"""Whatever the history is, a request's contents keep their promises (chapter 02, section 6)."""

import copy

from hypothesis import event as note
from hypothesis import given, settings
from hypothesis import strategies as st

from adkref.content import (
    ROLE_USER,
    Blob,
    Content,
    FunctionCall,
    FunctionResponse,
    Part,
    Transcription,
)
from adkref.errors import AdkError
from adkref.events import Event, EventActions, EventCompaction
from adkref.flow.history import HIDDEN_CALLS, Viewer, build_contents

DOCUMENTED = (
    "no function call event found for function responses ids: map[",
    "validation failed: last response event has IDs not in the matching call event. Call IDs: ",
    "failed to merge response events: ",
)

# --- histories --------------------------------------------------------------------------------

AUTHORS = st.sampled_from(["user", "user", "a", "a", "b"])
BRANCHES = st.sampled_from([""] * 6 + ["x", "x.y", "xy"])
SCOPES = st.sampled_from([""] * 7 + ["s"])
IDS = st.sampled_from(["1", "2", "adk-3", "adk-4", "s", ""])
JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text("ab<"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("kl"), inner, max_size=2),
    max_leaves=3,
)
OBJECTS = st.none() | st.dictionaries(st.text("kl", max_size=2), JSON, max_size=2)
WORDS = st.text("xyz ", max_size=3)


@st.composite
def call_parts(draw, ids=IDS):
    """A call whose name tells its id, so that it is known when the id is blanked."""
    cid = draw(ids)
    return Part(function_call=FunctionCall(cid, f"tool_{cid}", draw(OBJECTS)))


@st.composite
def response_parts(draw, ids=IDS):
    """An answer whose name tells its id."""
    cid = draw(ids)
    return Part(function_response=FunctionResponse(cid, f"tool_{cid}", draw(OBJECTS)))


OTHER_PARTS = st.one_of(
    st.builds(Part, text=WORDS),
    st.builds(Part, text=WORDS, thought=st.just(True)),
    st.builds(lambda name: Part(inline_data=Blob("a/b", b"x", name)), WORDS),
    st.builds(lambda code: Part(executable_code={"code": code}), WORDS),
    st.just(Part()),
    st.builds(
        lambda name: Part(function_call=FunctionCall("adk-9", name)),
        st.sampled_from(sorted(HIDDEN_CALLS)),
    ),
    st.builds(
        lambda name: Part(function_response=FunctionResponse("adk-9", name, {"confirmed": True})),
        st.sampled_from(sorted(HIDDEN_CALLS)),
    ),
)
TRANSCRIPTIONS = st.none() | st.builds(Transcription, text=st.text("hm", max_size=2))


@st.composite
def events_of(draw, parts):
    """An event around *parts*, a list or None for no content."""
    return Event(
        author=draw(AUTHORS),
        branch=draw(BRANCHES),
        isolation_scope=draw(SCOPES),
        partial=draw(st.booleans()),
        content=(
            None
            if parts is None
            else Content(
                draw(st.sampled_from(["user", "user", "model", "model", "model", ""])), parts
            )
        ),
        actions=EventActions(
            compaction=draw(st.sampled_from([None] * 9 + [EventCompaction()])),
            state_delta={"k": draw(WORDS)},
        ),
        long_running_tool_ids=draw(st.none() | st.lists(IDS, max_size=1)),
        input_transcription=draw(TRANSCRIPTIONS),
        output_transcription=draw(TRANSCRIPTIONS),
    )


@st.composite
def any_histories(draw):
    """Events of any parts in any order."""
    anything = st.lists(
        st.one_of(call_parts(), response_parts(), OTHER_PARTS), min_size=1, max_size=3
    )
    return [
        draw(events_of(draw(st.one_of(anything, anything, anything, st.none()))))
        for _ in range(draw(st.integers(0, 10)))
    ]


@st.composite
def orderly_histories(draw):
    """Every id is called once, and each answering event answers calls of one event.

    Calls may stay open, be answered late, in pieces, and more than once, as long-running
    ones are; texts, thoughts and other agents' words stand between.
    """
    history, asked = [], []
    for number in range(draw(st.integers(0, 11))):
        kind = draw(st.sampled_from(["text", "call", "answer", "answer"]))
        if kind == "call":
            prefix = draw(st.sampled_from(["", "adk-"]))
            ids = [f"{prefix}{number}.{n}" for n in range(draw(st.integers(1, 3)))]
            parts = [draw(call_parts(st.just(cid))) for cid in ids]
            asked.append(ids)
        elif kind == "answer" and asked:
            ids = draw(
                st.lists(st.sampled_from(draw(st.sampled_from(asked))), min_size=1, unique=True)
            )
            parts = [draw(response_parts(st.just(cid))) for cid in ids]
        else:
            parts = draw(st.lists(OTHER_PARTS, max_size=3))
        history.append(draw(events_of(parts)))
    return history


VIEWERS = st.builds(
    Viewer,
    agent_name=st.just("a"),
    branch=st.sampled_from(["", "", "x", "x.y"]),
    scope=st.sampled_from(["", "", "", "s"]),
    current_turn_only=st.booleans(),
    single_turn=st.booleans(),
    user_content=st.none()
    | st.builds(Content, st.just("user"), st.lists(st.builds(Part, text=WORDS))),
)


# --- promises ------------------------------------------------------------------------------------


def contents_or_error(events, viewer):
    """Build the contents; the arguments stay as they were, an error is a documented one."""
    before = copy.deepcopy((events, viewer))
    contents, failure = None, ""
    try:
        contents = build_contents(events, viewer)
    except AdkError as error:
        failure = str(error)
    assert contents is not None or failure.startswith(DOCUMENTED)
    # CNT-048: before, and whatever is done to the contents afterwards.
    assert (events, viewer) == before
    note("error" if contents is None else "empty" if not contents else "contents")
    return contents


def check_common(contents, viewer):
    """What holds of every request's contents."""
    assert all(content.parts for content in contents)
    assert not contents or contents[-1].role == ROLE_USER  # CNT-060
    # The leading content of a scoped agent is the user's own (CNT-050).
    built = contents[1:] if viewer.scope else contents
    for content in built:
        for part in content.parts:
            assert not part.is_zero()
            function = part.function_call or part.function_response
            if function is not None:
                assert not function.id.startswith("adk-")  # CNT-048
                assert function.name not in HIDDEN_CALLS  # CNT-013


def called(content):
    """The names of the calls in a content."""
    return {call.name for call in content.calls()}


def answered(content):
    """The names of the answers in a content, but for those without an id."""
    return {answer.name for answer in content.responses()} - {"tool_"}


@settings(max_examples=500, deadline=None)
@given(any_histories(), VIEWERS)
def test_any_history(events, viewer):
    """Contents or a documented error; each answer stands right behind an event of its calls."""
    contents = contents_or_error(events, viewer)
    if contents is None:
        return
    check_common(contents, viewer)
    for index, content in enumerate(contents):
        names = answered(content)
        if names:
            # CNT-043; an event that calls and answers at once is shown only when it is alone.
            before = contents[index - 1] if index else Content()
            assert names & (called(before) | called(content))


@settings(max_examples=500, deadline=None)
@given(orderly_histories(), VIEWERS)
def test_orderly_histories(events, viewer):
    """Every answer follows its call, and no call is answered twice (CNT-043 to CNT-046)."""
    contents = contents_or_error(events, viewer)
    if contents is None:
        return
    check_common(contents, viewer)
    open_calls, done = set(), []
    for content in contents:
        names = [answer.name for answer in content.responses()]
        assert open_calls.issuperset(names)
        done += names
        open_calls = called(content)  # answers come right behind
    assert len(done) == len(set(done))


@settings(max_examples=150, deadline=None)
@given(any_histories(), VIEWERS)
def test_what_is_done_to_the_contents_stays_there(events, viewer):
    """Emptying contents, parts, calls and answers changes no event (CNT-048)."""
    before = copy.deepcopy(events)
    for content in contents_or_error(events, viewer) or ():
        for part in content.parts:
            if part.function_call is not None:
                (part.function_call.args or {}).clear()
                part.function_call.id = "changed"
            if part.function_response is not None:
                (part.function_response.response or {}).clear()
                part.function_response.name = "changed"
            if part.inline_data is not None:
                part.inline_data.display_name = "changed"
        content.parts.clear()
        content.role = "changed"
    assert events == before


@settings(max_examples=100, deadline=None)
@given(any_histories(), VIEWERS)
def test_building_twice_gives_the_same(events, viewer):
    """Nothing is remembered from one request to the next."""
    assert contents_or_error(events, viewer) == contents_or_error(events, viewer)
