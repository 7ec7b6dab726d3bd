# SPDX-License-Identifier: Apache-2.0
"""What both paths have in common: the message, the run hooks, one event (chapter 03, 3.4 to 3.7)."""

import logging

import pytest
from kit import (
    START,
    World,
    answer,
    call,
    content,
    event,
    reply,
    said,
)

from adkref.agents import Agent, LlmAgent
from adkref.artifacts import InMemoryArtifactService
from adkref.content import Blob, Part
from adkref.contexts import Context, RunConfig
from adkref.errors import ProgrammingError
from adkref.events import EventActions, EventCompaction, NodeInfo
from adkref.memory import InMemoryMemoryService
from adkref.models import ScriptedModel
from adkref.plugins import Plugin
from adkref.runner import Runner
from adkref.runner.invocation import active_task_scope
from adkref.sessions import InMemorySessionService

BLOBS = RunConfig(save_input_blobs_as_artifacts=True)


def custom(*events, log=None):
    """A custom agent that yields events, and notes how it ended."""

    def body(ctx):
        if log is not None:
            log.append(("run", plain_text(ctx.user_content)))
        try:
            for it in events:
                if isinstance(it, Exception):
                    yield None, it
                else:
                    yield it
        finally:
            if log is not None:
                log.append(("closed",))

    return Agent("a", run=body)


def llm(*script, **options):
    """An LLM agent a."""
    return LlmAgent("a", model=ScriptedModel(script or ["x"]), **options)


def plain_text(given):
    """The texts of a content."""
    return None if given is None else [part.text for part in given.parts]


@pytest.fixture(params=["agent path", "node path"])
def make(request):
    """Makes a root that answers x, on either path."""
    if request.param == "agent path":
        return lambda: custom(event("a", "x"))
    return lambda: llm("x")


def raising(text="boom"):
    """A callback that raises."""

    def boom(*_):
        raise ValueError(text)

    return boom


class Failing(InMemorySessionService):
    """A store whose nth append fails."""

    def __init__(self, nth):
        super().__init__()
        self.left = nth

    def append_event(self, session, event, *, platform=None):
        """Append, or fail."""
        self.left -= 1
        if self.left == 0:
            raise ValueError("disk full")
        super().append_event(session, event, platform=platform)


# --- the context (RUN-031, RUN-032) -------------------------------------------------------------------


def test_the_context_of_a_run():
    """Handle, agent, message, configuration, services bound to the session (RUN-031)."""
    seen = []
    world = World(
        custom(event("a", "x")),
        plugins=[Plugin("p", before_run_callback=seen.append)],
        artifact_service=InMemoryArtifactService(),
        memory_service=InMemoryMemoryService(),
    )
    message, config = content("hi"), RunConfig("sse")
    world.turn(message, config=config)
    (ctx,) = seen
    assert isinstance(ctx, Context)
    assert (ctx.app_name, ctx.user_id, ctx.session_id) == ("app", "user", "s")
    assert (ctx.agent, ctx.branch, ctx.isolation_scope, ctx.ended) == (
        world.runner.agent,
        "",
        "",
        False,
    )
    assert (ctx.run_config, ctx.invocation_id) == (config, "e-id-1")
    assert ctx.user_content is message
    ctx.artifacts.save("f", Part(text="x"))
    assert ctx.artifacts.list() == ["f"]
    assert ctx.search_memory("x") == []


def test_without_services():
    """Artifacts and memory are absent (RUN-031)."""
    seen = []
    plugin = Plugin(
        "p",
        before_run_callback=lambda ctx: seen.append((ctx.artifacts, ctx.memory, ctx.run_config)),
    )
    World(llm(), plugins=[plugin]).turn()
    assert seen == [(None, None, RunConfig())]


# --- the message (3.5) ----------------------------------------------------------------------------------


def test_the_user_event(make):
    """New, by the user, around the very message; no plugin sees it (RUN-046)."""
    seen = []
    world = World(
        make(), plugins=[Plugin("p", on_event_callback=lambda ctx, it: seen.append(it.author))]
    )
    message = content("hi")
    world.turn(message)
    first = world.session.events[0]
    assert first.to_json() == {
        "id": "id-2",
        "timestamp": "2026-08-01T12:00:01Z",
        "invocationId": "e-id-1",
        "author": "user",
        "content": {"role": "user", "parts": [{"text": "hi"}]},
        "actions": {"stateDelta": {}, "artifactDelta": {}},
    }
    assert first.content is message
    assert first.timestamp > START
    assert seen == ["a"]


def test_no_message(make):
    """No callback, no event, no delta; the run goes on (RUN-040)."""
    asked = []
    world = World(
        make(), plugins=[Plugin("p", on_user_message_callback=lambda *_: asked.append(1))]
    )
    got = world.turn(None, state_delta={"k": 1}, yield_user_message=True)
    assert [it["author"] for it in got] == ["a"]
    assert (asked, world.state) == ([], {})
    assert [it["author"] for it in world.stored] == ["a"]


def test_a_message_may_be_replaced(make):
    """The first plugin that answers; the run has it as its content (RUN-041, RUN-042)."""
    log = []
    new = content("new")

    def hook(name, result):
        def asked(ctx, given):
            log.append((name, plain_text(given), plain_text(ctx.user_content)))
            return result

        return Plugin(name, on_user_message_callback=asked)

    after = Plugin(
        "after",
        before_run_callback=lambda ctx: log.append(
            ("before", plain_text(ctx.user_content), ctx.invocation_id)
        ),
        after_run_callback=lambda ctx: log.append(("after", plain_text(ctx.user_content))),
    )
    world = World(
        make(), plugins=[hook("p", None), hook("q", new), hook("r", content("no")), after]
    )
    world.turn("old")
    assert log == [
        ("p", ["old"], ["old"]),
        ("q", ["old"], ["old"]),
        ("before", ["new"], "e-id-1"),
        ("after", ["new"]),
    ]
    assert world.stored[0] == said("user", "new", role="user")
    assert world.session.events[0].content is new


def test_an_error_about_the_message(make):
    """The literal text with its blank; nothing is stored, AfterRun does not run (RUN-041, RUN-048)."""
    log = []
    plugin = Plugin(
        "p", on_user_message_callback=raising(), after_run_callback=lambda ctx: log.append("after")
    )
    world = World(make(), plugins=[plugin])
    assert world.turn() == ["error running on run user message callback : boom"]
    assert (world.stored, log) == ([], [])


def test_a_message_of_the_wrong_type(make):
    """A plugin that answers with something else misuses the hook; nothing is stored."""
    world = World(make(), plugins=[Plugin("p", on_user_message_callback=lambda *_: "text")])
    with pytest.raises(ProgrammingError, match="returned str, expected Content or None"):
        world.turn()
    assert world.stored == []


def test_the_state_delta(make):
    """It is on the user event, the very map, and in the state before anything runs (RUN-046)."""
    seen = []
    delta = {"k": 1, "temp:t": 2, "user:u": 3}
    plugin = Plugin("p", before_run_callback=lambda ctx: seen.append(ctx.session.state.copy()))
    world = World(make(), plugins=[plugin])
    world.turn(state_delta=delta)
    assert seen == [delta]
    assert world.state == {"k": 1, "user:u": 3}
    assert world.stored[0]["actions"] == {"stateDelta": delta}
    assert delta == {"k": 1, "temp:t": 2, "user:u": 3}
    assert "actions" not in World(make()).stored


def test_an_append_that_fails(make):
    """The message could not be stored: the literal text, no hooks behind it (RUN-048)."""
    log = []
    plugin = Plugin(
        "p",
        before_run_callback=lambda ctx: log.append("before"),
        after_run_callback=lambda ctx: log.append("after"),
    )
    world = World(make(), sessions=Failing(1), plugins=[plugin])
    assert world.turn() == ["failed to append event to sessionService: disk full"]
    assert (world.stored, log) == ([], [])


# --- blobs (RUN-043 to RUN-045) ---------------------------------------------------------------------------


def blob(data=b"x"):
    """A part with data."""
    return Part(inline_data=Blob("a/b", data))


def uploaded(name):
    """The text that stands for a saved blob."""
    return f"Uploaded file: {name}. It has been saved to the artifacts"


def test_blobs_are_saved(make):
    """Under the invocation and the part's index; the message is changed in place (RUN-043, RUN-045)."""
    artifacts = InMemoryArtifactService()
    world = World(make(), artifact_service=artifacts)
    message = content("see", blob(b"1"), blob(b"2"))
    world.turn(message, config=BLOBS)
    names = ["artifact_e-id-1_1", "artifact_e-id-1_2"]
    assert artifacts.list("app", "user", "s") == names
    assert artifacts.load("app", "user", "s", names[1]) == blob(b"2")
    assert message == content("see", *map(uploaded, names))
    assert world.stored[0] == said("user", "see", *map(uploaded, names), role="user")


def test_blobs_stay_where_they_are_not_wanted(make):
    """Without the option, or without artifacts (RUN-043)."""
    for options, config in (
        ({"artifact_service": InMemoryArtifactService()}, RunConfig()),
        ({}, BLOBS),
    ):
        world = World(make(), **options)
        world.turn(content(blob()), config=config)
        assert world.stored[0] == said("user", blob(), role="user")


def test_the_replaced_messages_blobs_are_saved():
    """The plugin's content is the one that is changed (RUN-043)."""
    new = content(blob())
    world = World(
        llm(),
        artifact_service=InMemoryArtifactService(),
        plugins=[Plugin("p", on_user_message_callback=lambda *_: new)],
    )
    old = content(blob(b"old"))
    world.turn(old, config=BLOBS)
    assert new == content(uploaded("artifact_e-id-1_0"))
    assert old == content(blob(b"old"))


class FullArtifacts(InMemoryArtifactService):
    """Refuses the second artifact."""

    def save(self, app_name, user_id, session_id, name, part, version=0):
        """Save, or fail."""
        if name.endswith("_1"):
            raise ValueError("disk full")
        return super().save(app_name, user_id, session_id, name, part, version)


def test_a_blob_that_cannot_be_saved(make):
    """What is saved stays saved and replaced; no event, no hooks (RUN-044, RUN-048)."""
    log = []
    artifacts = FullArtifacts()
    plugin = Plugin("p", after_run_callback=lambda ctx: log.append("after"))
    world = World(make(), artifact_service=artifacts, plugins=[plugin])
    message = content(blob(b"0"), blob(b"1"))
    assert world.turn(message, config=BLOBS) == [
        "failed to save artifact artifact_e-id-1_1: disk full"
    ]
    assert message == content(uploaded("artifact_e-id-1_0"), blob(b"1"))
    assert artifacts.list("app", "user", "s") == ["artifact_e-id-1_0"]
    assert (world.stored, log) == ([], [])


# --- the yielded user message (RUN-050) ------------------------------------------------------------------------


def test_the_user_event_may_be_yielded():
    """On the node path right behind the append, temporary keys included (RUN-050)."""
    log = []
    plugin = Plugin(
        "p",
        before_run_callback=lambda ctx: log.append("before"),
        after_run_callback=lambda ctx: log.append("after"),
    )
    world = World(llm("x"), plugins=[plugin])
    options = {"yield_user_message": True, "state_delta": {"temp:t": 1}}
    first = said("user", "hi", role="user", actions={"stateDelta": {"temp:t": 1}})
    assert world.turn(**options) == [first, said("a", "x", nodeInfo={"path": "a"})]
    assert log == ["before", "after"]
    log.clear()
    # Stopped there, neither hook runs.
    assert world.turn(stop_after=1, **options) == [first]
    assert log == []
    assert len(world.stored) == 3


def test_on_the_agent_path_it_is_not():
    """The option has no effect (RUN-050)."""
    assert World(custom(event("a", "x"))).turn(yield_user_message=True) == [said("a", "x")]


# --- before_run and after_run (3.6) ------------------------------------------------------------------------------


def hooks(log, before=None):
    """Two plugins with both run hooks."""
    made = []
    for name in "pq":

        def asked(ctx, name=name):
            log.append(f"before {name}")
            if name == "p" and isinstance(before, Exception):
                raise before
            return before if name == "p" else None

        made.append(
            Plugin(
                name,
                before_run_callback=asked,
                after_run_callback=lambda ctx, name=name: log.append(f"after {name}"),
            )
        )
    return made


def test_hooks_around_a_run(make):
    """Before in order, after in order at the end (RUN-051, RUN-052)."""
    log = []
    world = World(make(), plugins=hooks(log))
    assert [it["author"] for it in world.turn()] == ["a"]
    assert log == ["before p", "before q", "after p", "after q"]


@pytest.mark.parametrize(
    ("before", "error"), [(content("no"), None), (ValueError("boom"), "boom")]
)
def test_an_early_exit(make, before, error):
    """An answer or an error: the original message once more, and nothing else (RUN-053 to RUN-056)."""
    log = []
    message = content("hi")
    swap = Plugin("swap", on_user_message_callback=lambda *_: content("swapped"))
    world = World(make(), plugins=[swap, *hooks(log, before)])
    again = said("user", "hi", role="user")
    assert world.turn(message) == [again if error is None else (again, error)]
    assert log == ["before p", "after p", "after q"]
    assert world.stored == [said("user", "swapped", role="user"), again]
    first, second = world.session.events
    assert second.content is message
    assert first.id != second.id


def test_an_early_exit_without_a_message(make):
    """The event has no content (RUN-053)."""
    world = World(make(), plugins=hooks([], content("no")))
    assert world.turn(None) == [{"author": "user"}]
    assert world.stored == [{"author": "user"}]


def test_an_early_exit_that_cannot_be_stored(make):
    """The append's error is yielded, that of before_run is lost; AfterRun runs (RUN-054)."""
    log = []
    world = World(make(), sessions=Failing(2), plugins=hooks(log, ValueError("boom")))
    assert world.turn() == ["failed to add event to session: disk full"]
    assert log[-2:] == ["after p", "after q"]
    assert len(world.stored) == 1


def test_after_run_errors_are_logged(make, caplog):
    """A hook without an answer cannot fail a run (PLG-049)."""
    world = World(make(), plugins=[Plugin("p", after_run_callback=raising())])
    with caplog.at_level(logging.ERROR, "adkref"):
        assert [it["author"] for it in world.turn()] == ["a"]
    assert caplog.messages == ["plugin after_run callback failed"]


# --- one event (3.7) ---------------------------------------------------------------------------------------------


def test_the_order_per_event(make):
    """OnEvent, append, yield, for every event (RUN-066)."""
    log = []

    class Logging(InMemorySessionService):
        """Notes what is appended."""

        def append_event(self, session, event, *, platform=None):
            """Note."""
            super().append_event(session, event, platform=platform)
            log.append(("append", event.author))

    plugin = Plugin("p", on_event_callback=lambda ctx, it: log.append(("on_event", it.author)))
    world = World(make(), sessions=Logging(), plugins=[plugin])
    for found, _ in world.stream():
        log.append(("yield", found.author))
    assert log == [("append", "user"), ("on_event", "a"), ("append", "a"), ("yield", "a")]


def test_an_event_may_be_replaced():
    """By the first plugin that answers; the agent's own object stays (RUN-062, RUN-065)."""
    original, other = event("a", "x"), event("b", "y")
    asked = []
    world = World(
        custom(original),
        plugins=[
            Plugin("p", on_event_callback=lambda ctx, it: other if it is original else None),
            Plugin("q", on_event_callback=lambda ctx, it: asked.append(it)),
        ],
    )
    ((found, error),) = world.stream()
    assert (found, error) == (other, None)
    assert found is other
    assert world.stored[1:] == [said("b", "y")]
    assert asked == []


def test_an_event_may_be_changed_in_place(make):
    """Without an answer the changed object goes on (RUN-062)."""

    def change(ctx, it):
        it.content = content("changed")

    world = World(make(), plugins=[Plugin("p", on_event_callback=change)])
    (got,) = world.turn()
    assert got["content"] == content("changed").to_json()
    assert world.stored[-1] == got


@pytest.mark.parametrize("replace", [False, True])
def test_a_compaction_record_is_put_back(replace):
    """Whatever the plugin did, the reference from before counts (RUN-062, PLG-058)."""
    record = EventCompaction(compacted_content=content("sum"))

    def change(ctx, it):
        if replace:
            return event("b", "y", actions=EventActions(compaction=EventCompaction()))
        it.actions.compaction = None
        return None

    given = event("a", "x", actions=EventActions(compaction=record))
    world = World(custom(given), plugins=[Plugin("p", on_event_callback=change)])
    ((found, _),) = world.stream()
    assert found.actions.compaction is record
    # An event without a record gets none.
    bare = World(custom(event("a", "x")), plugins=[Plugin("p", on_event_callback=change)])
    ((found, _),) = bare.stream()
    assert found.actions.compaction is None


def test_partial_events_are_offered_but_not_stored(make):
    """Whether an event is partial is judged behind the plugins (RUN-063, RUN-064)."""
    seen = []

    def flip(ctx, it):
        seen.append(it.partial)
        it.partial = not it.partial

    root = custom(event("a", "1", partial=True), event("a", "2"))
    world = World(root, plugins=[Plugin("p", on_event_callback=flip)])
    assert [it.get("partial", False) for it in world.turn()] == [False, True]
    assert seen == [True, False]
    assert world.stored[1:] == [said("a", "1")]


def test_an_on_event_error_drops_the_event():
    """It is neither stored nor yielded, and the run goes on (RUN-062)."""

    def picky(ctx, it):
        if it.content.parts[0].text == "2":
            raise ValueError("no twos")

    plugins = [Plugin("p", on_event_callback=picky)]
    world = World(custom(*[event("a", n) for n in "123"]), plugins=plugins)
    assert world.turn() == [said("a", "1"), "no twos", said("a", "3")]
    assert world.stored[1:] == [said("a", "1"), said("a", "3")]
    # On the node path, too.
    asking = World(llm(reply(call("t")), "2"), plugins=plugins)
    asking.runner.agent.model._script[0].content.parts.insert(0, Part(text="1"))
    got = asking.turn()
    assert got[-1] == "no twos"


def test_an_event_that_cannot_be_stored(make):
    """The error ends the stream, whatever the consumer says; AfterRun runs (RUN-064)."""
    log = []
    world = World(make(), sessions=Failing(2), plugins=hooks(log))
    assert world.turn() == ["failed to add event to session: disk full"]
    assert log[-2:] == ["after p", "after q"]
    assert len(world.stored) == 1
    more = World(custom(event("a", "1"), event("a", "2"), event("a", "3")), sessions=Failing(3))
    assert more.turn() == [said("a", "1"), "failed to add event to session: disk full"]


def test_an_event_that_stands_for_its_output():
    """Stored and yielded is a copy without output; the producer's object keeps it (RUN-061)."""
    info = {"node_info": NodeInfo(message_as_output=True)}
    whole = event("a", "x", output="x", **info)
    partial = event("a", "y", output="y", partial=True, **info)
    bare = event("a", output="z", **info)
    plainly = event("a", "w", output="w", node_info=NodeInfo("p"))
    world = World(custom(whole, partial, bare, plainly))
    got = [found for found, _ in world.stream()]
    assert [it.output for it in got] == [None, "y", "z", "w"]
    assert got[0] is not whole
    assert got[1:] == [partial, bare, plainly]
    assert [it.output for it in (whole, partial, bare, plainly)] == ["x", "y", "z", "w"]


def test_an_event_without_id_gets_one_of_the_runs():
    """It is filled in on the yielded object, from the installed providers (RUN-065)."""
    world = World(custom(event("a", "x")))
    ((found, _),) = world.stream()
    assert found.id == "id-3"
    assert world.session.events[-1].id == "id-3"


@pytest.mark.parametrize("hook", ["on_event", "before_run"])
def test_wrong_answers_of_plugins(make, hook):
    """Another type is misuse; AfterRun still runs (RUN-069)."""
    log = []
    plugin = Plugin(
        "p",
        after_run_callback=lambda ctx: log.append("after"),
        **{f"{hook}_callback": lambda *_: 5},
    )
    world = World(make(), plugins=[plugin])
    with pytest.raises(ProgrammingError, match="returned int, expected"):
        world.turn()
    assert log == ["after"]
    assert len(world.stored) == 1


def test_misuse_of_a_store_passes(make):
    """A store that panics is no failed append."""

    class Broken(InMemorySessionService):
        """Panics when it appends."""

        def append_event(self, session, event, *, platform=None):
            """Panic."""
            raise ProgrammingError("misuse")

    with pytest.raises(ProgrammingError, match=r"^misuse$"):
        World(make(), sessions=Broken()).turn()

    class Later(Broken):
        """Panics at the second append."""

        def append_event(self, session, event, *, platform=None):
            """Panic for the agent's events."""
            if event.author == "a":
                raise ProgrammingError("misuse")
            InMemorySessionService.append_event(self, session, event, platform=platform)

    with pytest.raises(ProgrammingError, match=r"^misuse$"):
        World(make(), sessions=Later()).turn()

    class Artifacts(InMemoryArtifactService):
        """Panics when it saves."""

        def save(self, *_, **__):
            """Panic."""
            raise ProgrammingError("misuse")

    with pytest.raises(ProgrammingError, match=r"^misuse$"):
        World(make(), artifact_service=Artifacts()).turn(content(blob()), config=BLOBS)


# --- task scopes (RUN-047, RUN-049) -------------------------------------------------------------------------------


def done(scope, **response):
    """The response that finishes a task."""
    return event(
        "a",
        answer("finish_task", **(response or {"result": "Task completed."})),
        isolation_scope=scope,
    )


def at(scope):
    """Any event in a scope."""
    return event("a", "x", isolation_scope=scope)


@pytest.mark.parametrize(
    ("events", "scope"),
    [
        ([], ""),
        ([at("")], ""),
        ([at("s")], "s"),
        ([at("s"), at("")], "s"),
        ([at("s"), at("t")], "t"),
        ([at("s"), done("s")], ""),
        ([at("s"), at("t"), done("t")], "s"),
        ([done("s"), at("s")], "s"),
        ([done("s", result="nearly")], "s"),
        ([done("s", error="x")], "s"),
        ([done("s", result=True)], "s"),
        # The first finish response decides.
        (
            [
                event(
                    "a",
                    answer("finish_task", result="no"),
                    answer("finish_task", result="Task completed."),
                    isolation_scope="s",
                )
            ],
            "s",
        ),
        (
            [
                event(
                    "a",
                    answer("t", result="x"),
                    answer("finish_task", result="Task completed."),
                    isolation_scope="s",
                )
            ],
            "",
        ),
        ([event("a", answer("t", result="Task completed."), isolation_scope="s")], "s"),
        # Nil is no success.
        (
            [
                event(
                    "a",
                    Part(function_response=answer("finish_task").function_response),
                    isolation_scope="s",
                )
            ],
            "s",
        ),
    ],
)
def test_the_active_task_scope(events, scope):
    """The newest scope that no later success has closed (RUN-049)."""
    assert active_task_scope(events) == scope


def test_the_message_goes_to_the_active_task():
    """The user event is stamped with its scope, computed before the append (RUN-047)."""
    world = World(custom(event("a", "x")), events=[at("s")])
    world.turn("hi")
    assert world.stored[1] == said("user", "hi", role="user", isolationScope="s")


def test_a_runner_of_its_own_providers():
    """Runs on the background context draw random ids (RUN-030)."""
    runner = Runner(
        "app", custom(event("a", "x")), InMemorySessionService(), auto_create_session=True
    )
    ids = set()
    for _ in range(2):
        for found, error in runner.stream("user", "s", content("hi")):
            assert error is None
            ids.add(found.id)
    session = runner.session_service.get("app", "user", "s")
    invocations = [it.invocation_id for it in session.events if it.author == "user"]
    assert len(set(invocations)) == 2
    assert all(it.startswith("e-") for it in invocations)
    assert len(ids) == 1  # the event's own, filled in at the first append
