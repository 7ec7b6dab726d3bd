# SPDX-License-Identifier: Apache-2.0
"""The common context (CTX-002, CTX-020 to CTX-033).

Go's host context may be an invocation context itself; here the two are always apart.  A
context is "hosted in" its inner context as long as it has that one's host (CTX-028).  A
missing agent or session is a programming error (CTX-032), as is a confirmation without an
actions record.
"""

import attrs
import pytest

from adkref.agents import Agent
from adkref.artifacts import Artifacts, InMemoryArtifactService
from adkref.content import Content
from adkref.contexts import (
    UNSET,
    Context,
    ContextDelta,
    HostContext,
    InvocationContext,
    InvocationDelta,
    Key,
    RunConfig,
    TrackingArtifacts,
    callback_context,
)
from adkref.errors import AdkError, Cancelled, DeadlineExceeded, ProgrammingError
from adkref.events import Event, EventActions, ToolConfirmation
from adkref.memory import InMemoryMemoryService, Memory
from adkref.sessions import InMemorySessionService

COLOUR: Key[str] = Key("colour")
RED = HostContext.background().with_value(COLOUR, "red")
BLUE = HostContext.background().with_value(COLOUR, "blue")


def base(**replaced):
    """A base invocation context with every field set."""
    values = {
        "host": RED,
        "session": InMemorySessionService().create("app", "user", "s", {"k": 1}),
        "agent": Agent("a"),
        "artifacts": Artifacts(InMemoryArtifactService(), "app", "user", "s"),
        "memory": Memory(InMemoryMemoryService(), "app", "user"),
        "branch": "P.a",
        "isolation_scope": "scope",
        "user_content": Content.of_text("hi", "user"),
        "run_config": RunConfig("sse"),
        "invocation_id": "inv",
        "resumption_handle": "handle",
    }
    return InvocationContext(**(values | replaced))


def full(inner=None):
    """A common context with every own field set."""
    inner = inner if inner is not None else base()
    actions = EventActions.fresh()
    return Context(
        host=inner.host,
        inner=inner,
        own_artifacts=TrackingArtifacts(inner.artifacts, actions),
        actions=actions,
        function_call_id="call",
        tool_confirmation=ToolConfirmation("sure?"),
        resume_inputs={"q": "yes"},
        path="root",
        run_id="1",
        sub_scheduler=object(),
        own_output_for_ancestors=["root"],
    )


def fields(ctx):
    """The own fields of a common context, with host and inner."""
    return {field.name: getattr(ctx, field.name) for field in attrs.fields(type(ctx))}


def same(found, expected):
    """Whether two sets of fields hold the same objects."""
    return found.keys() == expected.keys() and all(found[k] is expected[k] for k in expected)


def unset(**given):
    """The fields of a common context of which only these are set."""
    return {
        "own_artifacts": None,
        "actions": None,
        "function_call_id": "",
        "tool_confirmation": None,
        "resume_inputs": None,
        "path": "",
        "run_id": "",
        "sub_scheduler": None,
        "own_output_for_ancestors": None,
    } | given


# --- promote and fresh ---------------------------------------------------------------------


def test_promoting_a_base_context_wraps_it():
    """The new context has the base as inner and no field of its own (CTX-020)."""
    inner = base()
    assert same(fields(Context.promote(inner)), unset(host=RED, inner=inner))


def test_promoting_a_common_context_is_no_change():
    """A common context is returned itself (CTX-020)."""
    ctx = full()
    assert Context.promote(ctx) is ctx


def test_promoting_with_a_delta_is_both_in_turn():
    """First promoted, then changed (CTX-021)."""
    inner = base()
    ctx = Context.promote(inner).with_delta(ContextDelta(path="p"))
    assert same(fields(ctx), unset(host=RED, inner=inner, path="p"))


def test_a_fresh_context_is_always_new():
    """Own fields are unset, and over a common context it is not nested in it (CTX-022)."""
    inner = base()
    assert same(fields(Context.fresh(inner)), unset(host=RED, inner=inner))
    ctx = full(inner).with_host(BLUE)
    assert same(fields(Context.fresh(ctx)), unset(host=BLUE, inner=inner))


# --- deltas ----------------------------------------------------------------------------------


def test_no_delta_is_the_same_object():
    """Neither kind of missing delta makes a copy (CTX-023, CTX-024)."""
    ctx = full()
    assert ctx.with_delta(None) is ctx
    assert ctx.with_invocation_delta(None) is ctx


REPLACEMENTS = {
    "resume_inputs": {},
    "path": "other",
    "run_id": "2",
    "sub_scheduler": object(),
    "output_for_ancestors": [],
}
EMPTY = {
    "resume_inputs": None,
    "path": "",
    "run_id": "",
    "sub_scheduler": None,
    "output_for_ancestors": None,
}


@pytest.mark.parametrize(
    "replaced",
    [{}, *({name: value} for name, value in REPLACEMENTS.items()), REPLACEMENTS, EMPTY],
    ids=lambda replaced: "+".join(replaced) or "nothing",
)
def test_a_delta_replaces_own_fields_that_are_present(replaced):
    """All own fields are copied, the present ones replaced, the inner is shared (CTX-023)."""
    ctx = full()
    before = fields(ctx)
    copy = ctx.with_delta(ContextDelta(**replaced))
    expected = {
        "own_output_for_ancestors" if name == "output_for_ancestors" else name: value
        for name, value in replaced.items()
    }
    assert copy is not ctx
    assert same(fields(copy), before | expected)
    assert same(fields(ctx), before)


def test_a_delta_has_six_fields():
    """Artifacts, actions, call id and confirmation cannot be replaced (CTX-023)."""
    assert fields(ContextDelta()) == {"invocation": None} | dict.fromkeys(REPLACEMENTS, UNSET)


def test_an_invocation_delta_replaces_the_inner():
    """The inner is a changed copy; everything of its own stays the same object (CTX-023)."""
    ctx = full()
    before = fields(ctx)
    copy = ctx.with_delta(ContextDelta(invocation=InvocationDelta(branch="Q"), path="p"))
    assert same(fields(copy), before | {"inner": copy.inner, "path": "p"})
    assert copy.inner is not ctx.inner
    assert (copy.branch, ctx.branch) == ("Q", "P.a")
    assert copy.session is ctx.session


def test_a_host_in_the_delta_replaces_both_hosts():
    """With a delta of both, the own host follows the inner one (CTX-023)."""
    ctx = full()
    copy = ctx.with_delta(ContextDelta(invocation=InvocationDelta(host=BLUE)))
    assert (copy.host, copy.inner.host) == (BLUE, BLUE)
    assert (ctx.host, ctx.inner.host) == (RED, RED)


def test_an_invocation_delta_alone_leaves_the_own_host():
    """Values and cancellation keep coming from the old host (CTX-024)."""
    ctx = full()
    before = fields(ctx)
    copy = ctx.with_invocation_delta(InvocationDelta(host=BLUE, branch="Q"))
    assert same(fields(copy), before | {"inner": copy.inner})
    assert (copy.host, copy.inner.host, copy.branch) == (RED, BLUE, "Q")


def test_deltas_reach_through_nested_contexts():
    """A common context as inner is changed by its own rules: its host stays (CTX-023, CTX-024)."""
    inner = full()
    ctx = Context(host=inner.host, inner=inner)
    delta = InvocationDelta(host=BLUE, branch="Q")
    both = ctx.with_delta(ContextDelta(invocation=delta))
    assert (both.host, both.inner.host, both.inner.inner.host) == (BLUE, RED, BLUE)
    alone = ctx.with_invocation_delta(delta)
    assert (alone.host, alone.inner.host, alone.inner.inner.host) == (RED, RED, BLUE)
    assert [both.branch, alone.branch, ctx.branch] == ["Q", "Q", "P.a"]
    assert both.inner.path == "root"


# --- hosts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["with_host", "with_agent_host"])
def test_another_host_shares_the_inner(method):
    """A plain host is replaced, everything else is kept (CTX-025)."""
    ctx = full()
    before = fields(ctx)
    copy = getattr(ctx, method)(BLUE)
    assert copy is not ctx
    assert same(fields(copy), before | {"host": BLUE})
    assert same(fields(ctx), before)


@pytest.mark.parametrize("method", ["with_host", "with_agent_host"])
@pytest.mark.parametrize("make", [base, full], ids=["base", "common"])
def test_an_invocation_context_as_host_becomes_the_inner(method, make):
    """Host and inner are taken over, own fields are kept (CTX-025)."""
    ctx, other = full(), make()
    before = fields(ctx)
    copy = getattr(ctx, method)(other)
    assert same(fields(copy), before | {"host": other.host, "inner": other})


def test_a_context_can_be_cancelled_alone():
    """The copy dies, the original lives, and both share the inner (CTX-026)."""
    ctx = full()
    before = fields(ctx)
    copy, cancel = ctx.with_cancel()
    assert same(fields(copy), before | {"host": copy.host})
    assert copy.host.value(COLOUR) == "red"
    cancel()
    assert isinstance(copy.host.error(), Cancelled)
    assert ctx.host.error() is None


def test_a_context_can_be_given_a_time():
    """The copy's host has the deadline; the cancel function ends it earlier (CTX-026)."""
    ctx = full()
    before = fields(ctx)
    copy, cancel = ctx.with_timeout(1000)
    assert same(fields(copy), before | {"host": copy.host})
    assert copy.host.deadline is not None
    cancel()
    assert isinstance(copy.host.error(), Cancelled)
    gone, _ = ctx.with_timeout(0)
    assert isinstance(gone.host.error(), DeadlineExceeded)
    assert (ctx.host.error(), ctx.host.deadline) == (None, None)


# --- the ended flag --------------------------------------------------------------------------

FORK, SHARE = "fork", "share"


@pytest.mark.parametrize(
    ("derive", "how"),
    [
        (lambda ctx: ctx.with_delta(None), SHARE),
        (lambda ctx: ctx.with_invocation_delta(None), SHARE),
        (lambda ctx: ctx.with_invocation_delta(InvocationDelta()), FORK),
        (lambda ctx: ctx.with_invocation_delta(InvocationDelta(branch="x")), FORK),
        (lambda ctx: ctx.with_delta(ContextDelta()), SHARE),
        (lambda ctx: ctx.with_delta(ContextDelta(path="x")), SHARE),
        (lambda ctx: ctx.with_delta(ContextDelta(invocation=InvocationDelta())), FORK),
        (lambda ctx: ctx.with_delta(ContextDelta(invocation=InvocationDelta(branch="x"))), FORK),
        (lambda ctx: ctx.with_host(BLUE), SHARE),
        (lambda ctx: ctx.with_agent_host(BLUE), SHARE),
        (lambda ctx: ctx.with_cancel()[0], SHARE),
        (lambda ctx: ctx.with_timeout(1000)[0], SHARE),
        (Context.promote, SHARE),
        (Context.fresh, SHARE),
        (lambda ctx: callback_context(ctx).with_delta(None), SHARE),
    ],
)
@pytest.mark.parametrize("before", [False, True])
def test_who_forks_and_who_shares_the_flag(derive, how, before):
    """A fork copies the current value, a share sees later changes both ways (CTX-002)."""
    ctx = Context.promote(base(ended=before))
    derived = derive(ctx)
    assert derived.ended is before
    derived.end_invocation()
    assert ctx.ended is (before or how == SHARE)

    ctx = Context.promote(base(ended=before))
    derived = derive(ctx)
    ctx.end_invocation()
    assert derived.ended is (before or how == SHARE)


def test_a_promoted_base_context_shares_its_flag():
    """Base and common context are two views of one flag (CTX-002)."""
    inner = base()
    promoted, fresh = Context.promote(inner), Context.fresh(inner)
    fresh.end_invocation()
    assert (inner.ended, promoted.ended, fresh.ended) == (True, True, True)


def test_an_invocation_context_as_host_brings_its_flag():
    """Whoever adopts it shares that flag and leaves the old one (CTX-002)."""
    ctx, other = full(), base()
    adopted = ctx.with_host(other)
    adopted.end_invocation()
    assert (ctx.ended, other.ended, adopted.ended) == (False, True, True)


# --- reading through ---------------------------------------------------------------------------


def test_accessors_read_through_the_inner_at_each_call():
    """Nothing is remembered: what the inner says now is the answer (CTX-032)."""
    inner = base()
    ctx = Context.promote(inner)
    assert ctx.agent is inner.agent
    assert ctx.session is inner.session
    assert ctx.memory is inner.memory
    assert ctx.artifacts is inner.artifacts
    assert ctx.user_content is inner.user_content
    assert ctx.run_config is inner.run_config
    assert (ctx.branch, ctx.isolation_scope, ctx.invocation_id) == ("P.a", "scope", "inv")
    assert ctx.resumption_handle == "handle"
    assert (ctx.agent_name, ctx.app_name, ctx.user_id, ctx.session_id) == (
        "a",
        "app",
        "user",
        "s",
    )
    assert ctx.readonly_state is inner.session.state
    inner.agent = Agent("b")
    inner.session = InMemorySessionService().create("app2", "user2", "s2")
    inner.resumption_handle = "later"
    assert (ctx.agent_name, ctx.app_name, ctx.user_id, ctx.session_id) == (
        "b",
        "app2",
        "user2",
        "s2",
    )
    assert ctx.resumption_handle == "later"
    assert ctx.readonly_state is inner.session.state


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("agent_name", "the context has no agent"),
        ("app_name", "the context has no session"),
        ("user_id", "the context has no session"),
        ("session_id", "the context has no session"),
        ("readonly_state", "the context has no session"),
    ],
)
def test_a_missing_agent_or_session_is_a_programming_error(name, text):
    """Names and state cannot be read without them (CTX-032)."""
    ctx = Context.promote(InvocationContext())
    with pytest.raises(ProgrammingError) as caught:
        getattr(ctx, name)
    assert str(caught.value) == text


def test_readonly_state_does_not_show_the_delta():
    """It is the session's own object, without keys that only the delta has (CTX-033)."""
    ctx = full()
    ctx.actions.state_delta["only"] = 2
    assert ctx.readonly_state is ctx.session.state
    assert dict(ctx.readonly_state) == {"k": 1}
    assert ctx.state["only"] == 2


@pytest.mark.parametrize(
    ("inputs", "answer"),
    [
        (None, (None, False)),
        ({}, (None, False)),
        ({"other": 1}, (None, False)),
        ({"q": "yes"}, ("yes", True)),
        ({"q": None}, (None, True)),
    ],
)
def test_own_resume_inputs_answer_first(inputs, answer):
    """A key that is there counts even with None; the base context knows none (CTX-027)."""
    assert Context(RED, base(), resume_inputs=inputs).resumed_input("q") == answer


def test_the_inner_answers_what_is_not_ones_own():
    """Nested contexts are asked from outside in (CTX-027)."""
    inner = Context(RED, base(), resume_inputs={"q": "inner", "r": "inner"})
    outer = Context(RED, inner, resume_inputs={"q": "outer"})
    assert outer.resumed_input("q") == ("outer", True)
    assert outer.resumed_input("r") == ("inner", True)
    assert outer.resumed_input("s") == (None, False)


def test_outputs_for_ancestors_are_ones_own_or_the_hosts():
    """An own list counts even when empty, else the context that one is hosted in answers (CTX-028)."""
    inner = full()
    assert inner.output_for_ancestors == ["root"]
    hosted = Context(inner.host, inner)
    assert hosted.output_for_ancestors == ["root"]
    assert Context(inner.host, inner, own_output_for_ancestors=[]).output_for_ancestors == []
    assert Context.promote(base()).output_for_ancestors is None
    assert hosted.with_host(BLUE).output_for_ancestors is None
    assert hosted.with_cancel()[0].output_for_ancestors is None
    assert inner.with_host(BLUE).output_for_ancestors == ["root"]


def test_own_artifacts_hide_the_inner_ones():
    """The own view if there is one, else the inner context's (CTX-029)."""
    ctx = full()
    assert ctx.artifacts is ctx.own_artifacts
    assert Context.fresh(ctx).artifacts is ctx.inner.artifacts
    assert Context.promote(InvocationContext()).artifacts is None


def test_memory_is_searched_through_the_inner():
    """Without a service the error text is literal; with one it is asked (CTX-030)."""
    with pytest.raises(AdkError) as caught:
        Context.promote(base(memory=None)).search_memory("rain")
    assert str(caught.value) == "memory service is not set"
    ctx = full()
    event = Event(id="e", author="user", content=Content.of_text("rain in Rome", "user"))
    ctx.session.apply(event)
    ctx.memory.add_session_to_memory(ctx.session)
    assert [entry.content for entry in ctx.search_memory("rain")] == [event.content]
    assert ctx.search_memory("snow") == []


# --- confirmations -------------------------------------------------------------------------------


def test_a_confirmation_needs_a_function_call():
    """Without a call id the literal error comes and nothing is written (CTX-031)."""
    ctx = Context(RED, base(), actions=EventActions.fresh())
    with pytest.raises(AdkError) as caught:
        ctx.request_confirmation("sure?", {"n": 1})
    text = "error function call id not set when requesting confirmation for tool"
    assert str(caught.value) == text
    assert ctx.actions == EventActions.fresh()


def test_a_confirmation_is_written_at_once():
    """It goes into the live record with the skip flag; a later one replaces it (CTX-031)."""
    actions = EventActions()
    ctx = Context(RED, base(), actions=actions, function_call_id="call")
    payload = {"n": 1}
    assert ctx.request_confirmation("sure?", payload) is None
    assert actions == EventActions(
        requested_tool_confirmations={"call": ToolConfirmation("sure?", payload=payload)},
        skip_summarization=True,
    )
    assert actions.requested_tool_confirmations["call"].payload is payload
    actions.requested_tool_confirmations["other"] = ToolConfirmation("kept")
    ctx.request_confirmation("really?")
    assert actions.requested_tool_confirmations == {
        "call": ToolConfirmation("really?"),
        "other": ToolConfirmation("kept"),
    }


def test_a_confirmation_without_actions_is_a_programming_error():
    """There is no record that it could be written to."""
    ctx = Context(RED, base(), function_call_id="call")
    with pytest.raises(ProgrammingError, match="the context has no actions"):
        ctx.request_confirmation("sure?")


def test_a_context_shows_where_it_is():
    """The printed form names agent, branch and flag, also without an agent."""
    assert repr(full()) == "<Context agent='a' branch='P.a' ended=False>"
    bare = Context.promote(InvocationContext(ended=True))
    assert repr(bare) == "<Context agent=None branch='' ended=True>"
