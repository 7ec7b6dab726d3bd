# SPDX-License-Identifier: Apache-2.0
"""Running the calls of one model turn (chapter 02, 9.3)."""

import threading
from types import SimpleNamespace

import pytest
from kit import (
    Scene,
    answer,
    call,
    content,
    contents_of,
    counting_host,
    event,
    nil_call,
    reply,
    run,
    said,
)

from adkref.agents import LlmAgent
from adkref.artifacts import Artifacts, InMemoryArtifactService
from adkref.content import NilMap, Part
from adkref.contexts import Context, ToolContext
from adkref.errors import AdkError, ProgrammingError
from adkref.events import EventActions, EventCompaction, ToolConfirmation
from adkref.flow.tool_calls import ToolCalls
from adkref.models import ScriptedModel
from adkref.plugins import Plugin
from adkref.streams import Emitted
from adkref.tools import FunctionTool

ANY = {"type": "object"}
HOOKS = ("before_tool", "on_tool_error", "after_tool")


def tool(name="t", handler=lambda ctx, args: {"ok": 1}, **options):
    """A function tool."""
    return FunctionTool(handler, name=name, description="", parameters=ANY, **options)


class Bare:
    """A tool of another make: it runs what it is given."""

    description = ""
    is_long_running = False

    def __init__(self, run, name="t", **more):
        self.run, self.name = run, name
        self.__dict__.update(more)

    def declaration(self):
        """Declare nothing."""


def results(tools, *calls, **options):
    """Run calls directly; return the merged event and the scene."""
    scene = Scene(host=counting_host(), **options.pop("scene", {}))
    agent = LlmAgent("a", **options)
    scene.ctx.agent = agent
    batch = ToolCalls(agent, Context.promote(scene.ctx), {it.name: it for it in tools})
    return finish(batch.run([part.function_call for part in calls])), scene


def finish(items):
    """Exhaust a generator and return its result."""
    while True:
        try:
            next(items)
        except StopIteration as end:
            return end.value


def response(tools, *calls, **options):
    """The content of the merged event."""
    return results(tools, *calls, **options)[0].content


# --- the event ---------------------------------------------------------------------------------


def test_the_response_event():
    """Id and time are fresh, invocation, branch and author the run's, the actions the call's (FLOW-026)."""

    def handler(ctx, args):
        ctx.state["k"] = 1
        ctx.actions.escalate = True
        ctx.actions.compaction = EventCompaction()
        return {"ok": 1}

    got, _ = results([tool(handler=handler)], call("t", "c9"), scene={"branch": "b"})
    assert got.to_json() == {
        "id": "id-1",
        "timestamp": "2026-08-01T12:00:01Z",
        "invocationId": "inv",
        "branch": "b",
        "author": "a",
        "content": content(answer("t", "c9", ok=1)).to_json(),
        "actions": {"stateDelta": {"k": 1}, "artifactDelta": {}, "escalate": True},
    }


def test_no_calls_are_no_event():
    """Nothing to run, nothing to answer (TOOL-030)."""
    assert results([])[0] is None


def test_a_call_without_arguments():
    """Its tool and callbacks get an empty map, never None (TOOL-015)."""
    seen = []

    def note(ctx, tool, args, *_):
        seen.append(args)

    run_it = Bare(lambda ctx, args: seen.append(args) or {"got": args})
    got = response(
        [run_it], nil_call("t"), before_tool_callbacks=[note], after_tool_callbacks=[note]
    )
    assert [type(args) for args in seen] == [NilMap] * 3
    assert got.responses()[0].response == {"got": {}}
    assert got.to_json()["parts"][0]["functionResponse"]["response"] == {"got": {}}


def test_all_parts_that_call_are_calls():
    """In part order, calls inside thoughts too (TOOL-015)."""
    hidden = call("t", "c2")
    hidden.thought = True
    model = ScriptedModel([reply("x", call("t", "c1"), hidden, "y"), "done"])
    got = run(LlmAgent("a", model=model, tools=[tool()]))
    assert got[1] == said("a", answer("t", "c1", ok=1), answer("t", "c2", ok=1), role="user")


# --- the tool context --------------------------------------------------------------------------


def test_the_context_of_a_call():
    """Call id, the call's own actions and the shared state (TOOL-017)."""
    seen = []

    def handler(ctx, args):
        assert isinstance(ctx, ToolContext)
        seen.append((ctx.function_call_id, ctx.tool_confirmation, ctx.actions.state_delta))
        ctx.state["n"] = ctx.state.get("n", 0) + 1
        return {"n": ctx.state["n"]}

    got, scene = results([tool(handler=handler)], call("t", "c1"), scene={"state": {"n": 1}})
    assert seen == [("c1", None, {"n": 2})]
    assert got.actions == EventActions(state_delta={"n": 2}, artifact_delta={})
    assert scene.session.state["n"] == 2


def test_saved_artifacts_are_on_the_event():
    """Their versions go into the call's delta (TOOL-017)."""
    service = InMemoryArtifactService()

    def handler(ctx, args):
        return {"version": ctx.artifacts.save("f", Part(text="x"))}

    got, _ = results(
        [tool(handler=handler)],
        call("t"),
        scene={"artifacts": Artifacts(service, "app", "user", "s")},
    )
    assert got.actions.artifact_delta == {"f": 1}
    assert service.load("app", "user", "s", "f") == Part(text="x")


def test_calls_see_each_others_writes():
    """Actions are apart, the state is shared (TOOL-017)."""
    wrote = threading.Event()

    def writer(ctx, args):
        ctx.state["k"] = "w"
        wrote.set()
        return {}

    def reader(ctx, args):
        assert wrote.wait(10)
        return {"k": ctx.state["k"], "own": dict(ctx.actions.state_delta)}

    got, _ = results([tool("w", writer), tool("r", reader)], call("r", "c1"), call("w", "c2"))
    assert got.content == content(answer("r", "c1", k="w", own={}), answer("w", "c2"))
    assert got.actions.state_delta == {"k": "w"}


def test_answers_come_in_call_order():
    """Whichever ends first, the parts stand in the order of the calls (TOOL-016, TOOL-030)."""
    second_done = threading.Event()

    def slow(ctx, args):
        assert second_done.wait(10)
        return {"n": 1}

    def quick(ctx, args):
        second_done.set()
        return {"n": 2}

    got = response([tool("s", slow), tool("q", quick)], call("s", "c1"), call("q", "c2"))
    assert got == content(answer("s", "c1", n=1), answer("q", "c2", n=2))


def test_the_model_event_is_acknowledged_first():
    """No tool starts before the consumer is done with the model event (TOOL-016, FLOW-021)."""
    log = []
    model = ScriptedModel([reply(call("t")), "done"])
    agent = LlmAgent("a", model=model, tools=[tool(handler=lambda ctx, args: log.append("tool"))])
    scene = Scene()
    for found, _ in agent.run(scene.ctx):
        log.append(found.content.parts[0].function_call and "model event")
        scene.session.apply(found)
    assert log == ["model event", "tool", None, None]


# --- resolution -----------------------------------------------------------------------------------

NOT_FOUND = """tool 'x' not found.
Available tools: {}

Possible causes:
  1. LLM hallucinated the function name - review agent instruction clarity
  2. Tool not registered - verify agent.tools list
  3. Name mismatch - check for typos

Suggested fixes:
  - Review agent instruction to ensure tool usage is clear
  - Verify tool is included in agent.tools list
  - Check for typos in function name"""


@pytest.mark.parametrize(
    ("tools", "names"),
    [
        ([], ""),
        ([tool("b"), tool("a")], "a, b"),
        # A tool that cannot be called is not found either.
        ([SimpleNamespace(name="x", description="", is_long_running=True)], "x"),
    ],
)
def test_an_unknown_tool(tools, names):
    """The literal text lists what there is (TOOL-025, TOOL-019)."""
    got = response(tools, call("x"))
    assert got == content(answer("x", error=NOT_FOUND.format(names)))


def test_an_unknown_tool_asks_for_recovery_only():
    """OnToolError gets a stand-in and the error; before and after are not asked (TOOL-025)."""
    log = []

    def note(hook, result=None):
        def asked(ctx, tool, args, *more):
            log.append(
                (hook, tool.name, tool.description, tool.is_long_running, args, *map(str, more))
            )
            return result

        return asked

    text = NOT_FOUND.format("t")
    plugin = Plugin("p", **{f"{hook}_callback": note(f"p {hook}") for hook in HOOKS})
    got = response(
        [tool()],
        call("x", n=1),
        scene={"plugins": [plugin]},
        before_tool_callbacks=[note("before")],
        after_tool_callbacks=[note("after")],
        on_tool_error_callbacks=[note("error"), note("saved", {"r": 1}), note("never")],
    )
    shown = ("x", "Tool not found", False, {"n": 1}, text)
    assert log == [("p on_tool_error", *shown), ("error", *shown), ("saved", *shown)]
    assert got == content(answer("x", r=1))


def test_recovery_may_replace_the_error():
    """An error of the callback is what the model reads (TOOL-025)."""

    def worse(*_):
        raise ValueError("worse")

    got = response([], call("x"), on_tool_error_callbacks=[worse])
    assert got == content(answer("x", error="worse"))


@pytest.mark.parametrize(
    ("args", "name"),
    [
        ({"function_name": "f"}, "f"),
        ({}, ""),
        ({"function_name": 5}, ""),
        ({"function_name": None}, ""),
    ],
)
def test_stop_streaming_is_answered_by_the_flow(args, name):
    """A tool of that name is never run, and no callback is asked (TOOL-018)."""
    log = []
    mine = tool("stop_streaming", lambda ctx, args: log.append("ran"))
    got = response(
        [mine],
        call("stop_streaming", **args),
        before_tool_callbacks=[lambda *_: log.append("asked")],
    )
    status = f"No active streaming function named {name} found"
    assert got == content(answer("stop_streaming", status=status))
    assert log == []


# --- streaming tools (9.2) --------------------------------------------------------------------------


class Streaming:
    """A tool that answers in pieces."""

    name, description, is_long_running = "t", "", False

    def __init__(self, run_stream):
        self.run_stream = run_stream

    def declaration(self):
        """Declare nothing."""


def pieces(*items):
    """A run_stream that yields texts and raises errors."""

    def run_stream(ctx, args):
        for item in items:
            if isinstance(item, Exception):
                raise item
            yield item

    return run_stream


def raises(error):
    """A function that raises at once."""

    def raising(ctx, args):
        raise error

    return raising


@pytest.mark.parametrize(
    ("run_stream", "result"),
    [
        (pieces(), {"result": ""}),
        (pieces("a", "", "b"), {"result": "ab"}),
        (pieces("a", ValueError("boom"), "b"), {"error": "boom"}),
        (pieces(ValueError()), {"error": "ValueError"}),
        (raises(ValueError("at once")), {"error": "at once"}),
        (lambda ctx, args: ["a", "b"], {"result": "ab"}),
        (pieces("a", 1), {"error": "sequence item 1: expected str instance, int found"}),
    ],
)
def test_a_streaming_tool(run_stream, result):
    """Pieces are joined; the first error discards them; no callback is asked (TOOL-011)."""
    log = []

    def note(*_):
        log.append("asked")

    got = response(
        [Streaming(run_stream)],
        call("t"),
        before_tool_callbacks=[note],
        on_tool_error_callbacks=[note],
        after_tool_callbacks=[note],
    )
    assert got == content(answer("t", **result))
    assert log == []


def test_a_panic_of_a_streaming_tool_passes():
    """Misuse is no result (TOOL-006)."""
    with pytest.raises(ProgrammingError, match=r"^misuse$"):
        response([Streaming(raises(ProgrammingError("misuse")))], call("t"))


# --- no answer (TOOL-020, TOOL-021) --------------------------------------------------------------------


def silent(ctx, args):
    """Leave all kinds of actions behind and return nothing."""
    ctx.state["k"] = 1
    ctx.actions.transfer_to_agent = "b"
    ctx.actions.escalate = ctx.actions.skip_summarization = True
    ctx.request_confirmation("h")


@pytest.mark.parametrize(
    "given",
    [
        tool(handler=silent, is_long_running=True),
        Bare(silent, defers_response=lambda: True),
    ],
)
def test_a_nil_result_may_mean_no_answer(given):
    """Of long-running and deferring tools; everything on its actions is lost (TOOL-020, TOOL-021)."""
    got, scene = results([given], call("t"))
    assert got is None
    assert scene.session.state["k"] == 1
    both, _ = results([given, tool("u")], call("t", "c1"), call("u", "c2"))
    assert both.content == content(answer("u", "c2", ok=1))
    assert both.actions == EventActions.fresh()


@pytest.mark.parametrize("result", [{}, {"error": "x"}, {"status": "pending"}])
def test_any_other_result_is_an_answer(result):
    """An empty map counts, too (TOOL-020, TOOL-040)."""
    for given in (
        tool(handler=lambda ctx, args: result, is_long_running=True),
        Bare(lambda ctx, args: result, defers_response=lambda: True),
    ):
        assert response([given], call("t")) == content(answer("t", **result))


def test_a_nil_result_of_an_ordinary_tool():
    """It is answered with a nil response (TOOL-020)."""
    got = response([tool(handler=lambda ctx, args: None)], call("t"))
    assert got.responses()[0].response is None
    assert got.to_json()["parts"] == [{"functionResponse": {"id": "c1", "name": "t"}}]


def test_a_long_running_call_that_stays_open():
    """Nil ends the run with the call on the model event, a later turn may answer (TOOL-040)."""
    model = ScriptedModel([reply(call("t"))])
    agent = LlmAgent("a", model=model, tools=[tool(handler=lambda *_: None, is_long_running=True)])
    assert run(agent) == [said("a", call("t"), longRunningToolIds=["c1"])]


def test_a_long_running_call_with_a_first_answer():
    """A map is a response, and the model is called again (TOOL-040)."""
    model = ScriptedModel([reply(call("t")), "wait"])
    pending = tool(handler=lambda *_: {"status": "pending"}, is_long_running=True)
    assert run(LlmAgent("a", model=model, tools=[pending])) == [
        said("a", call("t"), longRunningToolIds=["c1"]),
        said("a", answer("t", status="pending"), role="user"),
        said("a", "wait"),
    ]


def test_mixed_with_others_the_run_goes_on():
    """The merged event has the answered calls; the open one stays in the history (TOOL-040)."""
    model = ScriptedModel([reply(call("t", "c1"), call("u", "c2")), "go on"])
    tools = [tool(handler=lambda *_: None, is_long_running=True), tool("u")]
    assert run(LlmAgent("a", model=model, tools=tools)) == [
        said("a", call("t", "c1"), call("u", "c2"), longRunningToolIds=["c1"]),
        said("a", answer("u", "c2", ok=1), role="user"),
        said("a", "go on"),
    ]
    assert contents_of(model.requests[1])[0]["parts"][0]["functionCall"]["id"] == "c1"


# --- the chain (TOOL-022, TOOL-023) -----------------------------------------------------------------


class Chain:
    """Notes who is asked about a call, and lets each answer."""

    def __init__(self, tool_result=None, **answers):
        self.log = []
        self.tool_result = tool_result
        self.answers = answers

    def said(self, who, *seen):
        """Note *who*, and answer for it."""
        self.log.append((who, *(str(it) if isinstance(it, Exception) else it for it in seen)))
        found = self.answers.get(who)
        if isinstance(found, Exception):
            raise found
        return found

    def hook(self, who):
        """A callback called *who*."""
        return lambda ctx, tool, args, *more: self.said(who, *more)

    def run(self):
        """Run one call and return its response."""

        def handler(ctx, args):
            self.log.append(("tool",))
            if isinstance(self.tool_result, Exception):
                raise self.tool_result
            return self.tool_result

        plugins = [
            Plugin(name, **{f"{hook}_callback": self.hook(f"{hook} {name}") for hook in HOOKS})
            for name in "pq"
        ]
        own = {
            f"{hook}_callbacks": [self.hook(f"{hook} 1"), self.hook(f"{hook} 2")] for hook in HOOKS
        }
        got = response([Bare(handler)], call("t"), scene={"plugins": plugins}, **own)
        return got.responses()[0].response


def everybody(hook, *seen):
    """All four callbacks of a hook."""
    return [(f"{hook} {who}", *seen) for who in ("p", "q", "1", "2")]


BOOM = ValueError("boom")
WORSE = ValueError("worse")


@pytest.mark.parametrize(
    ("tool_result", "answers", "result", "log"),
    [
        # The tool answers.
        (
            {"r": 1},
            {},
            {"r": 1},
            [*everybody("before_tool"), ("tool",), *everybody("after_tool", {"r": 1}, None)],
        ),
        (
            None,
            {},
            None,
            [*everybody("before_tool"), ("tool",), *everybody("after_tool", None, None)],
        ),
        # Before answers, even with an empty map: the tool is skipped, after is not.
        (
            {"r": 1},
            {"before_tool q": {}},
            {},
            [("before_tool p",), ("before_tool q",), *everybody("after_tool", {}, None)],
        ),
        (
            {"r": 1},
            {"before_tool 1": {"b": 1}, "before_tool 2": {"b": 2}},
            {"b": 1},
            [*everybody("before_tool")[:3], *everybody("after_tool", {"b": 1}, None)],
        ),
        # Before fails: recovery and after are asked.
        (
            {"r": 1},
            {"before_tool p": BOOM},
            {"error": "boom"},
            [
                ("before_tool p",),
                *everybody("on_tool_error", "boom"),
                *everybody("after_tool", None, "boom"),
            ],
        ),
        # The tool fails and nobody helps.
        (
            BOOM,
            {},
            {"error": "boom"},
            [
                *everybody("before_tool"),
                ("tool",),
                *everybody("on_tool_error", "boom"),
                *everybody("after_tool", None, "boom"),
            ],
        ),
        # The tool fails and somebody recovers, also with an empty map.
        (
            BOOM,
            {"on_tool_error q": {}},
            {},
            [
                *everybody("before_tool"),
                ("tool",),
                *everybody("on_tool_error", "boom")[:2],
                *everybody("after_tool", {}, None),
            ],
        ),
        # Recovery replaces the error.
        (
            BOOM,
            {"on_tool_error 2": WORSE},
            {"error": "worse"},
            [
                *everybody("before_tool"),
                ("tool",),
                *everybody("on_tool_error", "boom"),
                *everybody("after_tool", None, "worse"),
            ],
        ),
        # After turns an error into a result, and a result into an error.
        (
            BOOM,
            {"after_tool 1": {"a": 1}},
            {"a": 1},
            [
                *everybody("before_tool"),
                ("tool",),
                *everybody("on_tool_error", "boom"),
                *everybody("after_tool", None, "boom")[:3],
            ],
        ),
        (
            {"r": 1},
            {"after_tool p": WORSE, "after_tool 1": {"a": 1}},
            {"error": "worse"},
            [*everybody("before_tool"), ("tool",), ("after_tool p", {"r": 1}, None)],
        ),
        (
            {"r": 1},
            {"after_tool 2": {}},
            {},
            [*everybody("before_tool"), ("tool",), *everybody("after_tool", {"r": 1}, None)],
        ),
    ],
)
def test_the_chain(tool_result, answers, result, log):
    """Before, tool, on error, after; plugins first; the first answer of each wins (TOOL-022, TOOL-023)."""
    chain = Chain(tool_result, **answers)
    assert chain.run() == result
    assert chain.log == log


def test_one_context_and_one_map_of_arguments():
    """Everybody in the chain has the same two objects; before may change the arguments (TOOL-022)."""
    seen = []

    def before(ctx, tool, args):
        seen.append((ctx, args, tool))
        args["more"] = 1

    def handler(ctx, args):
        seen.append((ctx, args))
        return {"got": dict(args)}

    def after(ctx, tool, args, result, error):
        seen.append((ctx, args, tool))

    given = Bare(handler)
    plugin = Plugin("p", before_tool_callback=before, after_tool_callback=after)
    part = call("t", n=1)
    got = response(
        [given],
        part,
        scene={"plugins": [plugin]},
        before_tool_callbacks=[before],
        after_tool_callbacks=[after],
    )
    assert got == content(answer("t", got={"n": 1, "more": 1}))
    assert len({id(entry[0]) for entry in seen}) == 1
    assert all(entry[1] is part.function_call.args for entry in seen)
    assert all(entry[2] is given for entry in seen if len(entry) == 3)


def test_actions_of_the_chain_are_on_the_event():
    """Whatever callbacks and tool set there, also when the tool was skipped (TOOL-024)."""

    def before(ctx, tool, args):
        ctx.state["b"] = 1
        ctx.actions.transfer_to_agent = "x"
        return {"skipped": True}

    def after(ctx, tool, args, result, error):
        ctx.actions.escalate = True
        ctx.request_confirmation("h", {"p": 1})

    got, _ = results(
        [tool()], call("t"), before_tool_callbacks=[before], after_tool_callbacks=[after]
    )
    assert got.actions == EventActions(
        state_delta={"b": 1},
        artifact_delta={},
        transfer_to_agent="x",
        escalate=True,
        skip_summarization=True,
        requested_tool_confirmations={"c1": ToolConfirmation("h", payload={"p": 1})},
    )


def test_a_given_confirmation_is_seen():
    """The batch knows the user's answer to each call (TOOL-017)."""
    seen = []
    given = tool(handler=lambda ctx, args: seen.append(ctx.tool_confirmation))
    scene = Scene()
    agent = LlmAgent("a")
    yes = ToolConfirmation(confirmed=True, payload=1)
    batch = ToolCalls(agent, Context.promote(scene.ctx), {"t": given}, {"c2": yes})
    for cid in ("c1", "c2"):
        finish(batch.run([call("t", cid).function_call]))
    assert seen == [None, yes]


# --- bad tools and callbacks ------------------------------------------------------------------------


@pytest.mark.parametrize("result", [[], "x", 0, False, {1, 2}, object()])
def test_a_result_is_a_map(result):
    """A tool of another make must return a map or None; otherwise it is misuse."""
    with pytest.raises(ProgrammingError) as caught:
        response([Bare(lambda ctx, args: result)], call("t"))
    assert (
        str(caught.value) == f"tool 't' returned {type(result).__name__}, expected a dict or None"
    )


@pytest.mark.parametrize("hook", HOOKS)
def test_a_callback_answers_with_a_map(hook):
    """Another type is misuse, and nothing is stored."""
    scene = Scene()
    model = ScriptedModel([reply(call("t"))])
    agent = LlmAgent(
        "a",
        model=model,
        tools=[tool(handler=raises(BOOM))],
        **{f"{hook}_callbacks": [lambda *_: "text"]},
    )
    with pytest.raises(
        ProgrammingError, match=rf"^{hook} callback .* returned str, expected dict or None$"
    ):
        scene.run(agent)
    assert len(scene.session.events) == 1


def test_a_panic_of_another_make_passes():
    """Only function tools turn misuse into an error (TOOL-006)."""
    for calls in ([call("t")], [call("t", "c1"), call("u", "c2")]):
        with pytest.raises(ProgrammingError, match=r"^misuse$"):
            response([Bare(raises(ProgrammingError("misuse"))), tool("u")], *calls)


@pytest.mark.parametrize(
    ("handler", "text"),
    [
        (lambda ctx, args: {1}, 'tool "t" returned no JSON: $: set is not JSON'),
        (lambda ctx, args: {"x": float("nan")}, 'tool "t" returned no JSON: $.x: NaN is not JSON'),
        (raises(KeyError("k")), "'k'"),
        (raises(ValueError()), "ValueError"),
        (raises(AdkError("adk")), "adk"),
    ],
)
def test_tool_errors_go_to_the_model(handler, text):
    """They never end the run; the model sees them in the next request (TOOL-026)."""
    model = ScriptedModel([reply(call("t")), "sorry"])
    got = run(LlmAgent("a", model=model, tools=[tool(handler=handler)]))
    assert got == [
        said("a", call("t")),
        said("a", answer("t", error=text), role="user"),
        said("a", "sorry"),
    ]
    assert contents_of(model.requests[1])[-1] == content(answer("t", error=text)).to_json()


def test_arguments_that_fail_the_schema():
    """The error is the response, and the handler did not run (TOOL-003, TOOL-026)."""
    ran = []
    strict = FunctionTool(
        lambda ctx, args: ran.append(1),
        name="t",
        parameters={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    )
    assert response([strict], call("t", n="1")) == content(
        answer(
            "t",
            error='validating root: validating /properties/n: type: 1 has type "string", want "integer"',
        )
    )
    assert ran == []


# --- tools that run agents ---------------------------------------------------------------------------


def emitting(name, *texts):
    """A tool that hands events upward before it answers."""

    def run_it(ctx, args):
        for text in texts:
            yield Emitted((event(name, text), None))
        return {"from": name}

    return Bare(run_it, name)


def emitted(tools, *calls):
    """What is handed upward, by author, and the content of the merged event."""
    scene = Scene()
    batch = ToolCalls(LlmAgent("a"), Context.promote(scene.ctx), {it.name: it for it in tools})
    items = batch.run([part.function_call for part in calls])
    seen = {}
    while True:
        try:
            item = next(items)
        except StopIteration as end:
            return seen, end.value.content
        assert type(item) is Emitted
        seen.setdefault(item[0].author, []).append(item[0].content.parts[0].text)


def test_a_tool_may_hand_events_upward():
    """They pass before the response; several tools hand over one at a time (NODE-063)."""
    x, y = emitting("x", "1", "2"), emitting("y", "3")
    assert emitted([x], call("x")) == ({"x": ["1", "2"]}, content(answer("x", **{"from": "x"})))
    assert emitted([x, y], call("x", "c1"), call("y", "c2")) == (
        {"x": ["1", "2"], "y": ["3"]},
        content(answer("x", "c1", **{"from": "x"}), answer("y", "c2", **{"from": "y"})),
    )


@pytest.mark.parametrize("calls", [[call("x", "c1")], [call("x", "c1"), call("y", "c2")]])
def test_a_consumer_that_stops_closes_the_tools(calls):
    """Stopping at an event that was handed upward ends every lane (FLOW-024, NODE-063)."""
    closed = []

    def forever(name):
        def run_it(ctx, args):
            try:
                while True:
                    yield Emitted((event(name, "tick"), None))
            finally:
                closed.append(name)

        return Bare(run_it, name)

    scene = Scene()
    tools = {"x": forever("x"), "y": forever("y")}
    items = ToolCalls(LlmAgent("a"), Context.promote(scene.ctx), tools).run(
        [part.function_call for part in calls]
    )
    assert type(next(items)) is Emitted
    items.close()
    assert sorted(closed) == [part.function_call.name for part in calls]


def test_what_such_a_tool_raises_is_its_error():
    """An error behind an event is the tool's error (TOOL-022)."""

    def run_it(ctx, args):
        yield Emitted((event("x", "1"), None))
        raise BOOM

    assert emitted([Bare(run_it, "x")], call("x")) == (
        {"x": ["1"]},
        content(answer("x", error="boom")),
    )
