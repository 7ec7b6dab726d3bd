# SPDX-License-Identifier: Apache-2.0
"""Callback, tool and read-only contexts (CTX-034 to CTX-043, CTX-070, CTX-071).

Python spells Go's methods without arguments as properties; "returns an error" is raising,
so there is no result beside the error of ``SearchMemory``.  The wrappers are no classes
over each other: what a read-only context cannot do, it has no attribute for (CTX-070).
"""

import logging

import pytest
from attrs import frozen

from adkref.agents import Agent
from adkref.artifacts import Artifacts, InMemoryArtifactService
from adkref.content import Content, Part
from adkref.contexts import (
    PLATFORM,
    CallbackContext,
    Context,
    ContextDelta,
    HostContext,
    InvocationContext,
    InvocationDelta,
    ReadonlyContext,
    RunConfig,
    ToolContext,
    TrackingArtifacts,
    callback_context,
    tool_context,
)
from adkref.errors import AdkError, Cancelled, ProgrammingError
from adkref.events import Event, EventActions, ToolConfirmation
from adkref.memory import InMemoryMemoryService, Memory
from adkref.platform import Platform
from adkref.sessions import InMemorySessionService

HOST = HostContext.background().with_value(PLATFORM, Platform(new_id=lambda: "fresh"))
AGENT = Agent("a")
HI = Content.of_text("hi", "user")
RAIN = Event(id="e", author="user", content=Content.of_text("rain in Rome", "user"))
CONFIG = RunConfig("sse")
CONFIRMATION = ToolConfirmation("sure?", confirmed=True)
SCHEDULER = object()
PART = Part(text="data")


def base(**replaced):
    """An ended base context with every field set; its memory knows about rain."""
    session = InMemorySessionService().create("app", "user", "s", {"k": 1})
    session.apply(RAIN)
    memory = InMemoryMemoryService()
    memory.add_session_to_memory(session)
    values = {
        "host": HOST,
        "session": session,
        "agent": AGENT,
        "artifacts": Artifacts(InMemoryArtifactService(), "app", "user", "s"),
        "memory": Memory(memory, "app", "user"),
        "branch": "P.a",
        "isolation_scope": "scope",
        "user_content": HI,
        "run_config": CONFIG,
        "invocation_id": "inv",
        "ended": True,
    }
    return InvocationContext(**(values | replaced))


def node(**replaced):
    """A common context with every own field set but actions and artifacts."""
    inner = base(**replaced)
    return Context(
        host=inner.host,
        inner=inner,
        function_call_id="own call",
        tool_confirmation=ToolConfirmation("own"),
        resume_inputs={"q": "yes"},
        path="root",
        run_id="1",
        sub_scheduler=SCHEDULER,
        own_output_for_ancestors=["root"],
    )


# --- the method table ----------------------------------------------------------------------------


@frozen
class Log:
    """The context logs one line and gives *answer*; an AdkError is raised."""

    answer: object


@frozen
class Row:
    """One line of the table: what each form of context answers.

    ``call`` is how Python asks; ``name`` is the method's name in the table and the log.
    An answer that can be called tells whether what came is right.
    """

    name: str
    call: object
    common: object
    callback: object
    tool: object

    def __str__(self):
        return self.name


def everywhere(name, call, answer):
    """A row whose method all three forms support with one answer."""
    return Row(name, call, answer, answer, answer)


def wrappers_refuse(name, call, common, answer):
    """A row whose method both wrappers refuse with *answer*."""
    return Row(name, call, common, Log(answer), Log(answer))


def unwrapped(found):
    """Whether a context is a common one without restriction."""
    return type(found) is Context and found.agent is AGENT and found.path == "root"


def unwrapped_callback(found):
    """The same for a callback context, over which own fields are unset."""
    return type(found) is Context and found.agent is AGENT and found.path == ""


def cancellable(found):
    """Whether a pair of a context and the function that cancels it works."""
    ctx, cancel = found
    alive = unwrapped(ctx) and ctx.host.error() is None
    cancel()
    return alive and isinstance(ctx.host.error(), Cancelled)


def refused_error(method):
    """The error of a method that only tools have."""
    return AdkError(f"{method}() is not supported for callback context")


TABLE = [
    everywhere("Deadline", lambda ctx: ctx.host.deadline, None),
    everywhere("Done", lambda ctx: ctx.host.on_cancel(list)(), None),
    everywhere("Err", lambda ctx: ctx.host.error(), None),
    everywhere("Value", lambda ctx: ctx.host.value(PLATFORM), HOST.platform),
    everywhere("AgentName", lambda ctx: ctx.agent_name, "a"),
    everywhere("AppName", lambda ctx: ctx.app_name, "app"),
    everywhere("UserID", lambda ctx: ctx.user_id, "user"),
    everywhere("SessionID", lambda ctx: ctx.session_id, "s"),
    everywhere("InvocationID", lambda ctx: ctx.invocation_id, "inv"),
    everywhere("Branch", lambda ctx: ctx.branch, "P.a"),
    everywhere("UserContent", lambda ctx: ctx.user_content, HI),
    everywhere("ReadonlyState", lambda ctx: dict(ctx.readonly_state), {"k": 1}),
    everywhere("State", lambda ctx: ctx.state["k"], 1),
    Row(
        "Artifacts",
        lambda ctx: type(ctx.artifacts),
        common=Artifacts,
        callback=Artifacts,
        tool=TrackingArtifacts,
    ),
    Row(
        "WithDelta",
        lambda ctx: ctx.with_delta(ContextDelta()),
        common=unwrapped,
        callback=unwrapped_callback,
        tool=unwrapped,
    ),
    Row(
        "WithICDelta",
        lambda ctx: ctx.with_invocation_delta(InvocationDelta()),
        common=unwrapped,
        callback=unwrapped_callback,
        tool=unwrapped,
    ),
    wrappers_refuse("Agent", lambda ctx: ctx.agent, AGENT, None),
    wrappers_refuse("Session", lambda ctx: ctx.session, lambda it: it.id == "s", None),
    wrappers_refuse("Memory", lambda ctx: ctx.memory, lambda it: it.user == "user", None),
    wrappers_refuse("RunConfig", lambda ctx: ctx.run_config, CONFIG, None),
    wrappers_refuse("IsolationScope", lambda ctx: ctx.isolation_scope, "scope", ""),
    wrappers_refuse("EndInvocation", lambda ctx: ctx.end_invocation(), None, None),
    wrappers_refuse("Ended", lambda ctx: ctx.ended, common=True, answer=False),
    wrappers_refuse(
        "ResumedInput", lambda ctx: ctx.resumed_input("q"), ("yes", True), (None, False)
    ),
    wrappers_refuse("WithContext", lambda ctx: ctx.with_host(HOST), unwrapped, None),
    wrappers_refuse("WithAgentContext", lambda ctx: ctx.with_agent_host(HOST), unwrapped, None),
    wrappers_refuse(
        "WithAgentTimeout", lambda ctx: ctx.with_timeout(1000), cancellable, (None, None)
    ),
    Row(
        "WithAgentCancel",
        lambda ctx: ctx.with_cancel(),
        common=cancellable,
        callback=Log((None, None)),
        tool=cancellable,
    ),
    Row("Path", lambda ctx: ctx.path, common="root", callback=Log(""), tool="root"),
    wrappers_refuse("RunID", lambda ctx: ctx.run_id, "1", ""),
    Row(
        "SubScheduler",
        lambda ctx: ctx.sub_scheduler,
        common=SCHEDULER,
        callback=Log(None),
        tool=SCHEDULER,
    ),
    Row(
        "OutputForAncestors",
        lambda ctx: ctx.output_for_ancestors,
        common=["root"],
        callback=Log(None),
        tool=["root"],
    ),
    Row(
        "FunctionCallID",
        lambda ctx: ctx.function_call_id,
        common="own call",
        callback=Log(""),
        tool="call",
    ),
    Row(
        "Actions",
        lambda ctx: ctx.actions,
        common=None,
        callback=Log(None),
        tool=EventActions.fresh(),
    ),
    Row(
        "ToolConfirmation",
        lambda ctx: ctx.tool_confirmation,
        common=ToolConfirmation("own"),
        callback=Log(None),
        tool=CONFIRMATION,
    ),
    Row(
        "RequestConfirmation",
        lambda ctx: ctx.request_confirmation("sure?", 1),
        common=ProgrammingError("the context has no actions"),
        callback=Log(refused_error("RequestConfirmation")),
        tool=None,
    ),
    Row(
        "SearchMemory",
        lambda ctx: [entry.content for entry in ctx.search_memory("rain")],
        common=[RAIN.content],
        callback=Log(refused_error("SearchMemory")),
        tool=[RAIN.content],
    ),
    wrappers_refuse(
        "InvocationContext", lambda ctx: ctx.inner, lambda it: it.session.id == "s", None
    ),
    Row(
        "WithBranch",
        lambda ctx: ctx.with_branch("x"),
        common=AttributeError("'Context' object has no attribute 'with_branch'"),
        callback=Log(None),
        tool=Log(None),
    ),
]

FORMS = {
    "common": lambda actions: node(),
    "callback": lambda actions: callback_context(node(), actions),
    "tool": lambda actions: tool_context(node(), "call", actions, CONFIRMATION),
}


def check(call, answer):
    """Assert that *call* gives *answer*, or raises it."""
    if isinstance(answer, Exception):
        with pytest.raises(type(answer)) as caught:
            call()
        assert str(caught.value) == str(answer)
        return
    found = call()
    if callable(answer) and not isinstance(answer, type):
        assert answer(found)
    else:
        assert found == answer


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("row", TABLE, ids=str)
def test_method_table(row, form, caplog):
    """Each form answers as its column says; refusals log one literal line, others none (CTX-040)."""
    expected = getattr(row, form)
    ctx = FORMS[form](EventActions.fresh())
    with caplog.at_level(logging.DEBUG):
        if isinstance(expected, Log):
            check(lambda: row.call(ctx), expected.answer)
            lines = [f"{row.name}() is not supported for {form} context"]
        else:
            check(lambda: row.call(ctx), expected)
            lines = []
    assert caplog.messages == lines


def test_the_table_is_complete():
    """Every public attribute of the contexts is in the table, or is one of the three named here."""
    ours = {"unwrapped", "kind", "need_session", "resumption_handle"}
    makers = {"promote", "fresh", "own_artifacts", "own_output_for_ancestors", "resume_inputs"}
    public = {
        name
        for cls in (Context, CallbackContext, ToolContext)
        for name in dir(cls)
        if not name.startswith("_")
    }
    used = {name for row in TABLE for name in row.call.__code__.co_names}
    assert public - ours - makers - used == set()


def test_what_only_seems_to_be_supported_for_tools():
    """Search works without the handle, cancel without timeout, path without run id (CTX-041)."""
    by_name = {row.name: row for row in TABLE}
    pairs = [
        ("SearchMemory", "Memory"),
        ("WithAgentCancel", "WithAgentTimeout"),
        ("Path", "RunID"),
    ]
    refused = [[isinstance(by_name[name].tool, Log) for name in pair] for pair in pairs]
    assert refused == [[False, True]] * 3


def test_ending_through_a_wrapper_ends_nothing(caplog):
    """The flag stays as it is, whatever a callback or tool calls (CTX-002, CTX-040)."""
    ctx = node(ended=False)
    callback_context(ctx).end_invocation()
    tool_context(ctx).end_invocation()
    assert not ctx.ended
    assert len(caplog.messages) == 2


def test_a_refused_error_is_a_new_one_each_time():
    """Two callers never share a traceback."""
    ctx = callback_context(node())
    errors = []
    for _ in range(2):
        with pytest.raises(AdkError) as caught:
            ctx.search_memory("x")
        errors.append(caught.value)
    assert errors[0] is not errors[1]


# --- unwrapping ------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [callback_context, tool_context])
def test_a_nil_delta_unwraps(make):
    """It is the wrapped object itself, with live actions and the real flag (CTX-042)."""
    ctx, actions = node(ended=False), EventActions.fresh()
    wrapper = make(ctx, actions=actions)
    inside = wrapper.with_delta(None)
    assert wrapper.with_invocation_delta(None) is inside
    assert type(inside) is Context
    assert inside.actions is actions
    assert inside.session is ctx.session
    inside.end_invocation()
    assert ctx.ended


def test_the_frameworks_own_tools_see_the_common_context():
    """What a tool of the framework unwraps is what a nil delta gives (CTX-042)."""
    ctx = tool_context(node())
    assert ctx.unwrapped() is ctx.with_delta(None)


# --- making callback and tool contexts -----------------------------------------------------------------


@pytest.mark.parametrize("make", [callback_context, tool_context])
@pytest.mark.parametrize("state", [None, {"k": 1}])
@pytest.mark.parametrize("artifacts", [None, {"f": 1}])
def test_an_actions_record_is_used_as_it_is(make, state, artifacts):
    """It is not copied; maps that are missing are allocated in it, others stay (CTX-034)."""
    given = EventActions(state, artifacts, escalate=True)
    inside = make(base(), actions=given).with_delta(None)
    assert inside.actions is given
    assert given == EventActions(state or {}, artifacts or {}, escalate=True)
    assert state is None or given.state_delta is state
    assert artifacts is None or given.artifact_delta is artifacts


@pytest.mark.parametrize("make", [callback_context, tool_context])
def test_a_missing_record_is_replaced_by_a_new_one(make):
    """Both maps are there and empty, and no two contexts share them (CTX-034, CTX-036)."""
    inside, other = make(base()).with_delta(None), make(base()).with_delta(None)
    assert inside.actions == EventActions.fresh()
    assert inside.actions is not other.actions


def test_a_callback_context_is_new_over_the_given_one():
    """Host and inner are the given context's; own fields are unset (CTX-035)."""
    ctx = node()
    inside = callback_context(ctx, tracking=True).with_delta(None)
    assert inside.inner is ctx
    assert inside.host is ctx.host
    assert (inside.path, inside.run_id, inside.function_call_id) == ("", "", "")
    assert (inside.tool_confirmation, inside.resume_inputs, inside.sub_scheduler) == (
        None,
        None,
        None,
    )


def test_plain_callbacks_do_not_track_artifacts():
    """The artifacts are the given context's own view, and saving records nothing (CTX-035, CTX-061, CB-025)."""
    ctx, actions = base(), EventActions.fresh()
    plain = callback_context(ctx, actions)
    assert plain.artifacts is ctx.artifacts
    assert plain.artifacts.save("f", PART) == 1
    assert actions == EventActions.fresh()


def test_tracking_callbacks_record_what_they_save():
    """Model callbacks have a view that notes each save in the maps they were given (CTX-035, CTX-036)."""
    state, saved = {"k": 1}, {}
    ctx = callback_context(base(), EventActions(state, saved), tracking=True)
    assert ctx.artifacts.save("f", PART) == 1
    ctx.state["k"] = 2
    assert (state, saved) == ({"k": 2}, {"f": 1})


def test_a_tool_context_keeps_the_own_fields_of_a_common_one():
    """All are copied, then actions, call, confirmation and artifacts are set (CTX-037)."""
    ctx, actions = node(), EventActions.fresh()
    inside = tool_context(ctx, "call", actions, CONFIRMATION).with_delta(None)
    assert inside is not ctx
    assert (inside.host, inside.inner) == (ctx.host, ctx.inner)
    assert (inside.path, inside.run_id) == ("root", "1")
    assert inside.sub_scheduler is SCHEDULER
    assert inside.resume_inputs is ctx.resume_inputs
    assert inside.own_output_for_ancestors is ctx.own_output_for_ancestors
    assert inside.actions is actions
    assert inside.function_call_id == "call"
    assert inside.tool_confirmation is CONFIRMATION
    assert (ctx.actions, ctx.own_artifacts, ctx.function_call_id) == (None, None, "own call")
    assert tool_context(ctx, "call").tool_confirmation is None


def test_a_tool_context_over_a_base_context_is_hosted_in_it():
    """Host and inner are the base's, other own fields are unset (CTX-037)."""
    ctx = base()
    inside = tool_context(ctx, "call").with_delta(None)
    assert (inside.host, inside.inner) == (ctx.host, ctx)
    assert (inside.path, inside.run_id, inside.sub_scheduler) == ("", "", None)


def test_an_empty_call_id_is_drawn():
    """The id comes from the provider as it is, without prefix (CTX-038)."""
    assert tool_context(node()).function_call_id == "fresh"
    assert tool_context(node(), "").function_call_id == "fresh"


def test_without_artifacts_only_the_tracking_view_exists():
    """A plain context has None; a tracking one has a view that must not be used (CTX-039)."""
    ctx = base(artifacts=None)
    assert callback_context(ctx).artifacts is None
    for tracking in (callback_context(ctx, tracking=True), tool_context(ctx)):
        view = tracking.artifacts
        assert type(view) is TrackingArtifacts
        for use in (
            lambda view=view: view.save("f", PART),
            lambda view=view: view.load("f"),
            lambda view=view: view.load_version("f", 1),
            lambda view=view: view.list(),
        ):
            with pytest.raises(ProgrammingError, match="the context has no artifact service"):
                use()


def test_nested_tracking_records_in_both():
    """A tool context on a tracking context notes each save twice (CTX-064)."""
    outer, inner = EventActions.fresh(), EventActions.fresh()
    ctx = callback_context(base(), outer, tracking=True).with_delta(None)
    tool_context(ctx, "call", inner).artifacts.save("f", PART)
    assert outer == inner == EventActions({}, {"f": 1})


# --- on top of a wrapper -------------------------------------------------------------------------------


@pytest.mark.parametrize("over", [callback_context, tool_context])
@pytest.mark.parametrize("make", [callback_context, tool_context])
def test_on_top_of_a_wrapper_there_is_no_session(make, over, caplog):
    """State, memory and names fail as they do without session, agent and memory (CTX-043)."""
    wrapper = over(node())
    ctx = make(wrapper, actions=EventActions.fresh())
    assert caplog.messages == []
    refused = f"() is not supported for {wrapper.kind} context"
    text = "cannot {} state: session is nil"

    with pytest.raises(AdkError) as caught:
        ctx.state["k"]
    assert str(caught.value) == text.format('get key "k" from')
    with pytest.raises(AdkError) as caught:
        ctx.state["new"] = 1
    assert str(caught.value) == text.format('set key "new" to')
    assert ctx.state["new"] == 1
    assert caplog.messages == [f"Session{refused}"] * 2

    caplog.clear()
    for name in ("app_name", "user_id", "session_id", "readonly_state"):
        with pytest.raises(ProgrammingError, match="the context has no session"):
            getattr(ctx, name)
    with pytest.raises(ProgrammingError, match="the context has no agent"):
        ctx.agent_name  # noqa: B018 - reading it is what fails
    assert caplog.messages == [*[f"Session{refused}"] * 4, f"Agent{refused}"]

    caplog.clear()
    with pytest.raises(AdkError, match=r"^memory service is not set$"):
        ctx.with_delta(None).search_memory("rain")
    assert caplog.messages == [f"Memory{refused}"]


@pytest.mark.parametrize("over", [callback_context, tool_context])
def test_on_top_of_a_wrapper_some_things_are_still_seen(over, caplog):
    """What the wrapper shows is shown again; its path, run id and scheduler are not (CTX-043)."""
    wrapper = over(node())
    ctx = tool_context(wrapper, "call")
    assert (ctx.branch, ctx.invocation_id, ctx.user_content) == ("P.a", "inv", HI)
    assert ctx.host is HOST
    assert (ctx.path, ctx.sub_scheduler, ctx.with_delta(None).run_id) == ("", None, "")
    assert ctx.artifacts.save("f", PART) == 1
    assert caplog.messages == []


def test_on_top_of_a_wrapper_nothing_ends(caplog):
    """The wrapper below answers for the flag, too (CTX-040, CTX-043)."""
    ctx = node(ended=False)
    inside = callback_context(callback_context(ctx)).with_delta(None)
    inside.end_invocation()
    assert (inside.ended, ctx.ended) == (False, False)
    assert [line.split("(")[0] for line in caplog.messages] == ["EndInvocation", "Ended"]


def test_a_delta_on_top_of_a_wrapper_unwraps_it():
    """What replaces the inner is no wrapper any more (CTX-042, CTX-043)."""
    ctx = callback_context(callback_context(node()))
    inside = ctx.with_invocation_delta(InvocationDelta(branch="Q"))
    assert (inside.branch, inside.session_id, inside.agent_name) == ("Q", "s", "a")


# --- the read-only context ---------------------------------------------------------------------------------

READABLE = {
    "host": HOST,
    "agent_name": "a",
    "app_name": "app",
    "user_id": "user",
    "session_id": "s",
    "invocation_id": "inv",
    "branch": "P.a",
    "user_content": HI,
}


@pytest.mark.parametrize("make", [base, node, lambda: callback_context(node())])
def test_a_readonly_context_reads(make):
    """It answers what the run says, over any kind of context (CTX-070, CTX-071)."""
    ctx = ReadonlyContext(make())
    assert {name: getattr(ctx, name) for name in READABLE} == READABLE
    assert dict(ctx.readonly_state) == {"k": 1}


def test_a_readonly_context_has_nothing_else():
    """It cannot be used as an invocation context: there is nothing to change (CTX-070)."""
    public = {name for name in dir(ReadonlyContext) if not name.startswith("_")}
    assert public == {*READABLE, "readonly_state"}
    with pytest.raises(AttributeError):
        ReadonlyContext(base()).branch = "Q"


def test_a_callback_context_can_be_read_like_a_readonly_one(caplog):
    """Every accessor of the narrow interface is supported by the wide ones (CTX-070)."""
    for make in (callback_context, tool_context):
        ctx = make(node())
        assert {name: getattr(ctx, name) for name in READABLE} == READABLE
        assert dict(ctx.readonly_state) == {"k": 1}
    assert caplog.messages == []


def test_a_readonly_context_reads_at_call_time():
    """Later changes of the run show, and the state is the session's own object (CTX-071)."""
    inner = base()
    ctx = ReadonlyContext(inner)
    inner.branch, inner.agent = "Q", Agent("b")
    inner.session.state["k"] = 2
    assert (ctx.branch, ctx.agent_name) == ("Q", "b")
    assert ctx.readonly_state is inner.session.state
    assert ctx.readonly_state["k"] == 2


# --- printed forms ------------------------------------------------------------------------------------------


def test_wrappers_show_what_they_wrap(caplog):
    """The printed form needs no agent and logs nothing."""
    ctx = node(agent=None, ended=False)
    assert repr(callback_context(ctx)) == (
        "<CallbackContext over <Context agent=None branch='P.a' ended=False>>"
    )
    assert repr(tool_context(node())) == (
        "<ToolContext over <Context agent='a' branch='P.a' ended=True>>"
    )
    assert caplog.messages == []
