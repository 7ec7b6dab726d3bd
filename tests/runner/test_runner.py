# SPDX-License-Identifier: Apache-2.0
"""The runner (chapter 03, 3.1 and 3.2)."""

import pytest
from kit import World, call, content, counting_host, event, reply, said, shown

from adkref.agents import Agent, LlmAgent, ParallelAgent, SequentialAgent
from adkref.errors import AdkError, ProgrammingError
from adkref.memory import InMemoryMemoryService
from adkref.models import ScriptedModel
from adkref.plugins import Plugin
from adkref.runner import Runner
from adkref.sessions import InMemorySessionService
from adkref.tools import FunctionTool


def custom(*events, name="a"):
    """A custom agent that yields events."""
    return Agent(name, run=lambda ctx: iter(events))


def llm(*script, name="a", **options):
    """An LLM agent."""
    return LlmAgent(name, model=ScriptedModel(script or ["x"]), **options)


# --- construction (RUN-001 to RUN-005) ----------------------------------------------------------------

SHARED = LlmAgent("shared")
TWICE = SequentialAgent("root", sub_agents=[LlmAgent("p", sub_agents=[SHARED]), SHARED])
SAME_NAMES = LlmAgent(
    "root", sub_agents=[LlmAgent("x"), LlmAgent("y", sub_agents=[LlmAgent("x")])]
)


@pytest.mark.parametrize(
    ("agent", "service", "plugins", "text"),
    [
        (None, None, [None], "root agent is required"),
        (TWICE, None, [None], "session service is required"),
        (
            TWICE,
            InMemorySessionService(),
            [None],
            'failed to create agent tree: "shared" agent cannot have >1 parents, found: "p", "root"',
        ),
        (
            SAME_NAMES,
            InMemorySessionService(),
            [],
            (
                "failed to create agent tree: agent names must be unique in the agent tree, "
                'found duplicate: "x"'
            ),
        ),
        (
            LlmAgent("a"),
            InMemorySessionService(),
            [None],
            "failed to create plugin manager: cannot register nil plugin",
        ),
        (
            LlmAgent("a"),
            InMemorySessionService(),
            [Plugin("p"), Plugin("q"), Plugin("p")],
            "failed to create plugin manager: plugin with name 'p' already registered",
        ),
        (
            LlmAgent("a"),
            InMemorySessionService(),
            [Plugin(), Plugin()],
            "failed to create plugin manager: plugin with name '' already registered",
        ),
    ],
)
def test_construction_errors(agent, service, plugins, text):
    """The first problem, in this order, with its literal text (RUN-001 to RUN-003)."""
    with pytest.raises(AdkError) as caught:
        Runner("app", agent, service, plugins=plugins)
    assert str(caught.value) == text


def test_what_a_runner_shows():
    """Its application, agent, plugins and store."""
    agent, service, plugin = LlmAgent("a"), InMemorySessionService(), Plugin("p")
    runner = Runner("app", agent, service, plugins=[plugin])
    assert (runner.app_name, runner.agent, runner.session_service) == ("app", agent, service)
    assert runner.plugins.plugins == [plugin]


def test_in_memory():
    """Fresh services, sessions are created, no plugins (RUN-005)."""
    seen = []

    def body(ctx):
        seen.append((ctx.artifacts is not None, ctx.memory is not None))
        yield event("a", "x")

    runner = Runner.in_memory("app", Agent("a", run=body))
    assert [it.author for it in runner.run("user", "s", "hi")] == ["a"]
    assert seen == [(True, True)]
    assert runner.plugins.plugins == []
    assert len(runner.session_service.get("app", "user", "s").events) == 2
    given = InMemorySessionService()
    assert Runner.in_memory("app", LlmAgent("a"), session_service=given).session_service is given


def test_closing():
    """Runs never close plugins; the runner does so as a context manager (RUN-006)."""
    closed = []
    plugin = Plugin("p", close=lambda: closed.append(1))
    service = InMemorySessionService()
    with Runner("app", llm(), service, plugins=[plugin], auto_create_session=True) as runner:
        list(runner.run("user", "s", "hi"))
        assert closed == []
    assert closed == [1]


# --- sessions (RUN-010 to RUN-013) ---------------------------------------------------------------------


class Watched(InMemorySessionService):
    """Notes what is asked of it."""

    def __init__(self, broken=()):
        super().__init__()
        self.log, self.broken = [], broken

    def get(self, *args, **options):
        """Note, or fail."""
        self.log.append(("get", args, options))
        if "get" in self.broken:
            raise ValueError("get failed")
        return super().get(*args, **options)

    def create(self, *args, **options):
        """Note, or fail."""
        self.log.append(("create", args))
        if "create" in self.broken:
            raise ValueError("create failed")
        return super().create(*args, **options)


def started(service, session_id="s", **options):
    """What a run on a store yields, and whether AfterRun was told."""
    after = []
    plugin = Plugin("p", after_run_callback=lambda ctx: after.append(ctx.session_id))
    runner = Runner("app", custom(event("a", "x")), service, plugins=[plugin], **options)
    host = counting_host()
    got = [shown(item) for item in runner.stream("user", session_id, content("hi"), host=host)]
    return got, after


def test_nothing_happens_before_iteration():
    """A stream that is not iterated asks for nothing (RUN-010)."""
    service = Watched()
    runner = Runner("app", llm(), service, auto_create_session=True)
    stream = runner.stream("user", "s", content("hi"))
    assert service.log == []
    stream.close()
    assert service.log == []


def test_each_call_is_another_run():
    """A new invocation each time, the message stored again (RUN-010)."""
    world = World(custom(event("a", "x")))
    message = content("hi")
    first, second = world.turn(message), world.turn(message)
    assert first == second == [said("a", "x")]
    ids = [it.invocation_id for it in world.session.events if it.author == "user"]
    assert len(world.stored) == 4
    assert len(set(ids)) == 2


def test_the_session_is_asked_for_first():
    """With the three keys and no filter (RUN-011)."""
    service = Watched()
    service.create("app", "user", "s")
    service.log.clear()
    assert started(service) == ([said("a", "x")], ["s"])
    assert service.log == [("get", ("app", "user", "s"), {})]


@pytest.mark.parametrize(
    ("broken", "text"), [((), "session s not found"), (("get",), "get failed")]
)
def test_a_session_that_is_not_there(broken, text):
    """The error is yielded unchanged; no hook runs (RUN-011, RUN-013)."""
    assert started(Watched(broken)) == ([text], [])


def test_sessions_are_created():
    """After any error of get, with the same keys and no state (RUN-012)."""
    service = Watched()
    assert started(service, auto_create_session=True) == ([said("a", "x")], ["s"])
    assert service.log == [
        ("get", ("app", "user", "s"), {}),
        ("create", ("app", "user", "s")),
    ]
    assert service.get("app", "user", "s").state.copy() == {}


@pytest.mark.parametrize(
    ("broken", "text"),
    [(("create",), "create failed"), (("get", "create"), "create failed"), (("get",), None)],
)
def test_a_session_that_cannot_be_created(broken, text):
    """The create's error is yielded unchanged; no hook runs (RUN-012, RUN-013)."""
    service = Watched(broken)
    if text is None:
        InMemorySessionService.create(service, "app", "user", "s")
        text = "session s already exists"
    assert started(service, auto_create_session=True) == ([text], [])


def test_an_empty_session_id():
    """Every such run gets a new session, its id drawn from the run's providers (RUN-012)."""
    service = InMemorySessionService()
    assert started(service, "", auto_create_session=True) == ([said("a", "x")], ["id-1"])
    background = Runner("app", custom(event("a", "x")), service, auto_create_session=True)
    for _ in range(2):
        list(background.stream("other", "", content("hi")))
    assert len(service.list("app", "other")) == 2


def test_misuse_of_the_store_passes():
    """A store that panics is no missing session."""

    class Broken(InMemorySessionService):
        """Panics."""

        def get(self, *_, **__):
            """Panic."""
            raise ProgrammingError("misuse")

    class BrokenCreate(Watched):
        """Panics when it creates."""

        def create(self, *_, **__):
            """Panic."""
            raise ProgrammingError("misuse")

    for service in (Broken(), BrokenCreate()):
        with pytest.raises(ProgrammingError, match=r"^misuse$"):
            started(service, auto_create_session=True)


# --- the path (RUN-014 to RUN-016) -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("root", "path"),
    [
        (llm("x"), {"nodeInfo": {"path": "a"}}),
        (llm("x", mode="chat"), {"nodeInfo": {"path": "a"}}),
        (custom(event("a", "x")), {}),
        (SequentialAgent("r", sub_agents=[llm("x")]), {}),
        (ParallelAgent("r", sub_agents=[llm("x")]), {"branch": "r.a"}),
    ],
)
def test_which_path(root, path):
    """An LLM root is a node, any other root is run as it is (RUN-014)."""
    assert World(root).turn() == [said("a", "x", **path)]


@pytest.mark.parametrize("mode", ["task", "single_turn", "nonsense"])
def test_a_root_must_chat(mode):
    """The error is the only item; the session may have been created, nothing else (RUN-015)."""
    log = []
    plugin = Plugin(
        "p",
        on_user_message_callback=lambda *_: log.append(1),
        after_run_callback=lambda ctx: log.append(2),
    )
    service = InMemorySessionService()
    runner = Runner("app", llm(mode=mode), service, plugins=[plugin], auto_create_session=True)
    items = list(runner.stream("user", "s", content("hi")))
    assert [shown(item) for item in items] == [
        f"root agent a must be a chat LlmAgent, but has mode {mode}"
    ]
    assert log == []
    assert len(service.get("app", "user", "s").events) == 0


def test_the_mode_is_not_written():
    """A root with unset mode chats, and stays unset (RUN-015, RUN-004)."""
    root = llm()
    World(root).turn()
    assert root.mode == ""


# --- run and stream --------------------------------------------------------------------------------------------


def test_run_yields_events():
    """Texts are user contents; the yielded events are stored (RUN-065)."""
    world = World(custom(event("a", "x"), event("a", "y")))
    got = list(world.runner.run("user", "s", "hi", host=world.host))
    assert [it.content.parts[0].text for it in got] == ["x", "y"]
    assert [it["author"] for it in world.stored] == ["user", "a", "a"]
    assert world.stored[0] == said("user", "hi", role="user")


def test_run_raises_the_first_error():
    """The error itself; what came before was yielded, the run is closed."""
    boom, closed = ValueError("boom"), []

    def body(ctx):
        try:
            yield event("a", "x")
            yield None, boom
            closed.append("went on")
        finally:
            closed.append("closed")

    events = World(Agent("a", run=body)).runner.run("user", "s", content("hi"))
    assert next(events).author == "a"
    with pytest.raises(ValueError, match=r"^boom$") as caught:
        next(events)
    assert caught.value is boom
    assert closed == ["closed"]
    assert list(events) == []


def test_run_without_message_and_with_options():
    """All options of a stream are those of run."""
    world = World(llm())
    got = list(
        world.runner.run(
            "user", "s", "hi", state_delta={"k": 1}, yield_user_message=True, host=world.host
        )
    )
    assert [it.author for it in got] == ["user", "a"]
    assert world.state == {"k": 1}
    assert [it.author for it in world.runner.run("user", "s", None)] == ["a"]


def test_leaving_a_run_early():
    """A with block, or close, stops the agent before it returns."""
    closed = []

    def body(ctx):
        try:
            while True:
                yield event("a", "x")
        finally:
            closed.append(1)

    runner = World(Agent("a", run=body)).runner
    with runner.run("user", "s", "hi") as events:
        next(events)
    assert closed == [1]
    events = runner.run("user", "s", "hi")
    next(events)
    events.close()
    assert closed == [1, 1]
    runner.run("user", "s", "hi").close()
    assert closed == [1, 1]


def test_runs_do_not_disturb_each_other():
    """Two runs of one runner, interleaved, on two sessions (RUN-004)."""
    tool = FunctionTool(
        lambda ctx, args: {"s": ctx.session_id}, name="t", parameters={"type": "object"}
    )

    class Model:
        """Calls a tool, then answers."""

        name = "m"

        def generate(self, ctx, request, stream):
            """Look at the request alone."""
            yield reply("done") if len(request.contents) > 1 else reply(call("t"))

    service = InMemorySessionService()
    runner = Runner(
        "app", LlmAgent("a", model=Model(), tools=[tool]), service, auto_create_session=True
    )
    streams = {sid: runner.stream("user", sid, content("hi")) for sid in ("s1", "s2")}
    seen = {sid: [] for sid in streams}
    for _ in range(3):
        for sid, stream in streams.items():
            seen[sid].append(next(stream)[0])
    for sid, stream in streams.items():
        assert list(stream) == []
        assert seen[sid][1].responses()[0].response == {"s": sid}
        assert [it.author for it in service.get("app", "user", sid).events] == [
            "user",
            "a",
            "a",
            "a",
        ]


def test_memory_of_a_run():
    """A runner with a memory service gives its agents the user's memories."""
    memory = InMemoryMemoryService()
    found = []

    def body(ctx):
        found.append([entry.content.parts[0].text for entry in ctx.search_memory("hi")])
        yield event("a", "x")

    world = World(Agent("a", run=body), memory_service=memory)
    world.turn("hi there")
    memory.add_session_to_memory(world.session)
    world.turn("again")
    assert found == [[], ["hi there"]]
