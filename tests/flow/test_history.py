# SPDX-License-Identifier: Apache-2.0
"""The history that a model is shown (chapter 02, section 6)."""

import copy

import pytest
from kit import answer, call, content, event, nil_call, thought

from adkref.content import (
    Blob,
    Content,
    FileData,
    FunctionCall,
    FunctionResponse,
    NilMap,
    Part,
    Transcription,
)
from adkref.errors import AdkError
from adkref.events import Event, EventActions, EventCompaction
from adkref.flow.history import CONTINUE, SINGLE_TURN_NUDGE, Viewer, build_contents, foreign
from adkref.timestamps import parse_time


def built(*events, agent="a", **viewer):
    """The contents as JSON."""
    return [it.to_json() for it in build_contents(events, Viewer(agent, **viewer))]


def user(*parts):
    """A user content as JSON."""
    return content(*parts).to_json()


def model(*parts):
    """A model content as JSON."""
    return content(*parts, role="model").to_json()


GO_ON = user(
    "Continue processing previous requests as instructed. "
    "Exit or provide a summary if no more outputs are needed."
)


def spoken(author="user", heard=None, said=None, *parts, **fields):
    """An event with transcriptions."""
    return event(
        author,
        *parts,
        input_transcription=None if heard is None else Transcription(heard),
        output_transcription=None if said is None else Transcription(said),
        **fields,
    )


# --- selection (6.1) ------------------------------------------------------------------------------


def test_nothing_makes_nothing():
    """Without events there are no contents, and none is added (CNT-060)."""
    assert built() == []
    assert built(event("a")) == []


@pytest.mark.parametrize(
    "dropped",
    [
        Event(author="user"),
        Event(author="user", content=Content("user")),
        Event(author="user", content=Content("", [Part(text="x")])),
        event("user", "x", actions=EventActions(compaction=EventCompaction())),
        event("user", Part()),
        event("user", "x", branch="b.c"),
        event("user", "x", branch="bb"),
        event("user", "x", isolation_scope="s"),
        event("a", call("adk_request_confirmation"), "x"),
        event("user", "text", answer("adk_request_confirmation")),
        event("a", call("adk_request_credential")),
        event("other", answer("adk_request_credential")),
    ],
)
def test_what_is_dropped(dropped):
    """No content, another branch or scope, a question to the user, a record (CNT-001, CNT-010 to 013)."""
    assert built(dropped, event("user", "y"), branch="b") == [user("y")]


@pytest.mark.parametrize("branch", ["", "b", "b.c"])
def test_what_a_branch_sees(branch):
    """Its own and its ancestors' events; without a branch all of them (CNT-011)."""
    events = [event("user", name, branch=name) for name in ("b", "b.c", "b.d", "c")]
    seen = {"": ["b", "b.c", "b.d", "c"], "b": ["b"], "b.c": ["b", "b.c"]}[branch]
    assert built(*events, branch=branch) == [user(name) for name in seen]


def test_a_scope_is_matched_exactly():
    """A scoped agent sees its scope alone, an unscoped one nothing of it (CNT-012, NODE-083)."""
    events = [event("user", "0"), event("user", "1", isolation_scope="s")]
    assert built(*events) == [user("0")]
    assert built(*events, scope="s") == [user("1")]


def test_authors_count_not_roles():
    """Own events and the user's are shown as they are, whatever their role (CNT-014)."""
    events = [event("a", "x", role="user"), event("user", "y", role="model"), event("b", "z")]
    assert built(*events) == [user("x"), model("y"), user("For context:", "[b] said: z")]


# --- transcriptions (CNT-016) ---------------------------------------------------------------------


def test_transcriptions_are_joined():
    """Runs of one kind become one content, without separator (CNT-016)."""
    assert built(
        spoken(heard="he"),
        spoken(heard="llo"),
        spoken("a", said="hi "),
        spoken("a", said="you"),
        spoken(heard="bye"),
    ) == [user("hello"), model("hi you"), user("bye")]


def test_input_is_tested_first():
    """An event with both texts counts as heard; its output is lost (CNT-016)."""
    assert built(spoken(heard="in", said="out")) == [user("in")]


def test_a_following_content_with_a_transcription_holds_back():
    """The text waits for the next transcription alone when content follows that has one (CNT-016)."""
    events = [spoken("user", "a"), spoken("user", "b", None, "text"), spoken("user", "c")]
    assert built(*events) == [user("text"), user("ac")]
    assert built(*events[:2]) == [user("text")]


def test_empty_transcriptions_say_nothing():
    """An event with empty texts is kept, and dropped for want of parts (CNT-010, CNT-048)."""
    events = [
        spoken("user", "a"),
        spoken("user", ""),
        spoken("a", None, "b"),
        spoken("a", "", ""),
        Event(author="a", content=Content("model"), output_transcription=Transcription("c")),
    ]
    assert built(*events) == [user("a"), model("b"), model("c"), GO_ON]


def test_another_agents_transcription_is_not_quoted():
    """An event without parts has no foreign form (CNT-021)."""
    assert built(spoken("b", None, "hi")) == [model("hi"), GO_ON]


def test_transcriptions_leave_the_events_alone():
    """The content is made on a copy (CNT-016)."""
    given = spoken("user", "a")
    built(given)
    assert given == spoken("user", "a")


# --- other agents (6.2) ---------------------------------------------------------------------------


def test_foreign_forms():
    """Texts and thoughts are said, calls and results told as JSON, the rest stays (CNT-020)."""
    blob = Part(inline_data=Blob("a/b", b"x"))
    given = event(
        "b",
        "hi",
        thought("hm"),
        call("t", b=1, a="<x>"),
        nil_call("n"),
        answer("t", r=[None]),
        Part(function_response=FunctionResponse("2", "n")),
        blob,
        Part(text="both", function_call=FunctionCall("3", "lost")),
    )
    assert built(given) == [
        user(
            "For context:",
            "[b] said: hi",
            "[b] said: hm",
            '[b] called tool `t` with parameters: {"a":"\\u003cx\\u003e","b":1}',
            "[b] called tool `n` with parameters: null",
            '[b] `t` tool returned result: {"r":[null]}',
            "[b] `n` tool returned result: null",
            blob,
            "[b] said: both",
        )
    ]


def test_what_a_foreign_event_keeps():
    """Time, invocation and branch stay, everything else goes, the author is the user (CNT-021)."""
    time = parse_time(5)
    given = event(
        "b",
        "hi",
        id="e",
        timestamp=time,
        invocation_id="inv",
        branch="x",
        isolation_scope="s",
        actions=EventActions(escalate=True),
        long_running_tool_ids=["1"],
        partial=True,
    )
    before = copy.deepcopy(given)
    assert foreign(given) == Event(
        timestamp=time,
        invocation_id="inv",
        branch="x",
        author="user",
        content=content("For context:", "[b] said: hi"),
    )
    assert given == before
    for bare in (Event(author="b"), Event(author="b", content=Content("model"))):
        assert foreign(bare) is bare


def test_foreign_calls_take_no_part_in_pairing():
    """A quoted answer neither needs nor finds a call (CNT-021)."""
    assert built(event("b", answer("t", "9")), event("user", "x")) == [
        user("For context:", "[b] `t` tool returned result: {}"),
        user("x"),
    ]


def test_what_cannot_be_quoted_is_an_error():
    """Arguments that are no JSON have no text (CNT-020)."""
    with pytest.raises(TypeError, match="json: unsupported type: set"):
        built(event("b", call("t", x={1})))


# --- the current turn (6.3) -----------------------------------------------------------------------


def test_the_current_turn_starts_at_the_newest_event_of_somebody_else():
    """A user's or another agent's event is the pivot; without one all is shown (CNT-030)."""
    events = [event("user", "1"), event("a", "2"), event("user", "3"), event("a", "4")]
    assert built(*events, current_turn_only=True) == [user("3"), model("4"), GO_ON]
    assert built(*events[:3], event("b", "4"), event("a", "5"), current_turn_only=True) == [
        user("For context:", "[b] said: 4"),
        model("5"),
        GO_ON,
    ]
    own = [event("a", "1"), event("a", "2")]
    assert built(*own, current_turn_only=True) == [model("1"), model("2"), GO_ON]


def test_the_pivot_is_visible_and_in_scope():
    """Events of other branches and scopes are no pivot (CNT-030, NODE-082)."""
    events = [
        event("user", "1", branch="x"),
        event("a", "2", branch="x"),
        event("user", "3", branch="y"),
        event("user", "4", isolation_scope="s", branch="x"),
    ]
    assert built(*events, branch="x", current_turn_only=True) == [user("1"), model("2"), GO_ON]


def test_a_hidden_event_can_be_the_pivot():
    """The scan does not look at contents (CNT-030)."""
    events = [
        event("user", "1"),
        event("user", answer("adk_request_confirmation", "q")),
        event("a", "2"),
    ]
    assert built(*events, current_turn_only=True) == [model("2"), GO_ON]


def test_a_compaction_record_is_no_pivot():
    """Events with a record are gone before the cut (CNT-001)."""
    record = event("user", "sum", actions=EventActions(compaction=EventCompaction()))
    events = [event("user", "1"), event("a", "2"), record]
    assert built(*events, current_turn_only=True) == [user("1"), model("2"), GO_ON]


def test_a_task_response_is_the_pivot():
    """A none-agent that delegated sees the response without its call, so nothing of it (CNT-031)."""
    events = [
        event("user", "1"),
        event("a", call("task", "t1", request="do")),
        event("user", answer("task", "t1", output="x")),
        event("a", "2"),
    ]
    assert built(*events, current_turn_only=True) == [model("2"), GO_ON]
    assert built(*events) == [
        user("1"),
        model(call("task", "t1", request="do")),
        user(answer("task", "t1", output="x")),
        model("2"),
        GO_ON,
    ]


# --- pairing ----------------------------------------------------------------------------------------


def test_the_newest_answer_stands_last():
    """A later answer replaces the first one and comes after everything else (V24-005)."""
    events = [
        event("user", "go"),
        event("a", call("long", "1")),
        event("a", answer("long", "1", status="pending"), role="user"),
        event("a", "wait"),
        event("user", answer("long", "1", status="done")),
    ]
    assert built(*events) == [
        user("go"),
        model(call("long", "1")),
        user(answer("long", "1", status="done")),
    ]


def test_orphans_are_removed():
    """An answer to an unknown call is no error and not shown (V24-004)."""
    assert built(event("user", "x"), event("user", answer("t", "9"))) == [user("x")]
    assert built(event("user", answer("t", "9"))) == []


def test_what_cannot_be_paired_is_an_error():
    """The newest answers must be to the calls of one event (CNT-041)."""
    events = [
        event("a", call("t", "1")),
        event("a", call("t", "2")),
        event("user", "x"),
        event("user", answer("t", "1"), answer("t", "2")),
    ]
    with pytest.raises(AdkError) as caught:
        built(*events)
    assert str(caught.value) == (
        "validation failed: last response event has IDs not in the matching call event. "
        "Call IDs: map[2:{}], Response IDs: map[1:{} 2:{}]"
    )


def test_an_approval_is_invisible():
    """Question and reply are hidden, the resumed answer replaces the first (TOOL-111)."""
    events = [
        event("user", "go"),
        event("a", call("t", "1")),
        event("a", answer("t", "1", error="asks"), role="user"),
        event("a", call("adk_request_confirmation", "adk-2")),
        event("user", "yes!", answer("adk_request_confirmation", "adk-2", confirmed=True)),
        event("a", answer("t", "1", ok=1), role="user"),
    ]
    assert built(*events) == [
        user("go"),
        model(call("t", "1")),
        user(answer("t", "1", ok=1)),
    ]


# --- output (6.6) -------------------------------------------------------------------------------------


def test_client_made_ids_are_blank():
    """Ids that start with ``adk-`` go from calls and responses, others stay (CNT-048)."""
    events = [
        event("a", call("t", "adk-1"), call("t", "2"), call("t", "xadk-3")),
        event("a", answer("t", "adk-1"), answer("t", "2"), answer("t", "xadk-3"), role="user"),
    ]
    assert built(*events) == [
        model(call("t", ""), call("t", "2"), call("t", "xadk-3")),
        user(answer("t", ""), answer("t", "2"), answer("t", "xadk-3")),
    ]


def test_empty_parts_are_removed():
    """Zero parts go, and a content that had no other; thoughts and signatures stay (CNT-048)."""
    signed = Part(thought_signature=b"s")
    events = [
        event("user", Part(), "x", Part()),
        event("a", Part()),
        event("a", thought("hm"), signed, Part(thought=True)),
    ]
    assert built(*events) == [user("x"), model(thought("hm"), signed, Part(thought=True)), GO_ON]


def test_contents_of_one_role_are_not_merged():
    """Each event has its own content (CNT-048)."""
    assert built(event("user", "1"), event("user", "2")) == [user("1"), user("2")]


def test_the_sessions_objects_stay_apart():
    """Whatever is done to the contents, the events stay as they were (CNT-048)."""
    nested = {"deep": 1}
    events = [
        event(
            "user",
            Part(inline_data=Blob("a/b", b"x", "name")),
            Part(file_data=FileData("gs://x", "a/b", "name")),
        ),
        event("a", call("t", "adk-1", x=nested)),
        event("a", answer("t", "adk-1", y=nested), role="user"),
    ]
    before = copy.deepcopy(events)
    contents = build_contents(events, Viewer("a"))
    blob, file = contents[0].parts
    blob.inline_data.display_name = file.file_data.display_name = ""
    asked, answered = contents[1].parts[0].function_call, contents[2].parts[0].function_response
    assert asked.args["x"] is answered.response["y"] is nested
    asked.args["z"] = answered.response["z"] = 1
    for it in contents:
        it.role = "x"
        it.parts.clear()
    assert events == before


def test_a_nil_map_stays_nil():
    """Arguments and responses that were never sent are null in the copy, too (CNT-048)."""
    events = [
        event("a", nil_call("t", "1")),
        event("a", Part(function_response=FunctionResponse("1", "t", NilMap())), role="user"),
    ]
    asked, answered = build_contents(events, Viewer("a"))
    assert asked.parts[0].function_call.args is None
    assert isinstance(answered.parts[0].function_response.response, NilMap)


def test_the_texts():
    """The literal texts of CNT-060 and CNT-050."""
    assert user(CONTINUE) == GO_ON
    assert SINGLE_TURN_NUDGE == (
        "Important: You will not receive any user replies or clarifications. "
        "Complete the task using only the information provided above."
    )


@pytest.mark.parametrize(
    ("last", "more"),
    [
        (event("user", "x"), []),
        (event("a", "x", role="user"), []),
        (event("a", "x"), [GO_ON]),
        (event("user", "x", role="model"), [GO_ON]),
        (event("a", "x", role="system"), [GO_ON]),
        (event("a", call("t")), [GO_ON]),
    ],
)
def test_the_last_content_is_the_users(last, more):
    """Behind another role the model is asked to go on (CNT-060)."""
    assert built(last) == [last.content.to_json(), *more]


# --- the leading content (CNT-050) --------------------------------------------------------------------

TASK = [
    event("user", "do it"),
    event("c", call("other", "s0"), call("task", "s", request="<x>")),
    event("a", "working", isolation_scope="s"),
]


def test_a_scoped_agents_task_comes_first():
    """The arguments of the call whose id is the scope, as JSON (CNT-050, NODE-080)."""
    assert built(*TASK, scope="s") == [
        user('{"request":"\\u003cx\\u003e"}'),
        model("working"),
        GO_ON,
    ]


def test_the_first_call_with_arguments_counts():
    """Calls without arguments are passed by; branch and scope do not matter (CNT-050)."""
    events = [
        event("c", nil_call("task", "s")),
        event("c", call("task", "s")),
        event("c", call("task", "s", n=1), branch="far", isolation_scope="other"),
        event("c", call("task", "s", n=2)),
    ]
    assert built(*events, scope="s", branch="near") == [user('{"n":1}')]


def test_without_a_call_the_users_content_comes_first():
    """Its parts, shared; without parts there is nothing (CNT-050)."""
    message = content("hi", "there")
    assert built(scope="s", user_content=message) == [user("hi", "there")]
    (leading,) = build_contents([], Viewer("a", scope="s", user_content=message))
    assert leading.parts[0] is message.parts[0]
    assert built(scope="s", user_content=Content("user")) == []
    assert built(scope="s") == []
    assert built(user_content=message) == []


def test_single_turn_adds_a_nudge():
    """The leading content of a scoped single-turn agent ends with the nudge (CNT-050, NODE-081)."""
    message = content("hi")
    options = {"single_turn": True, "user_content": message}
    assert built(*TASK, scope="s", **options)[0] == user(
        '{"request":"\\u003cx\\u003e"}', SINGLE_TURN_NUDGE
    )
    assert built(scope="s", **options) == [user("hi", SINGLE_TURN_NUDGE)]
    assert built(event("user", "x"), **options) == [user("x")]
    assert message == content("hi")


def test_the_cut_comes_before_the_search():
    """In the current turn alone, the call may be out of reach (CNT-050)."""
    events = [*TASK[:2], event("user", "more", isolation_scope="s")]
    options = {"scope": "s", "user_content": content("hi"), "current_turn_only": True}
    assert built(*events, **options) == [user("hi"), user("more")]
