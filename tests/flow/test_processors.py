# SPDX-License-Identifier: Apache-2.0
"""The request processors (chapter 02, section 5)."""

import copy
from types import SimpleNamespace

import pytest
from kit import (
    Scene,
    answer,
    call,
    content,
    contents_of,
    declared,
    event,
    reply,
    run,
    said,
    system_of,
)

from adkref.agents import LlmAgent
from adkref.content import Blob, FileData, Part
from adkref.contexts import Context, ReadonlyContext, ToolContext
from adkref.errors import ProgrammingError
from adkref.flow.placement import PLACEMENT, Placement
from adkref.models import (
    FunctionDeclaration,
    GenerateContentConfig,
    ScriptedModel,
    ToolDeclarations,
)
from adkref.tools import FunctionTool, StaticToolset

ANY = {"type": "object"}
CITY = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}
IDENTITY = 'You are an agent. Your internal name is "a".'


def tool(name="t", **options):
    """A function tool."""
    return FunctionTool(
        lambda ctx, args: {"ok": 1}, name=name, description="", parameters=ANY, **options
    )


class Recorder:
    """A tool or toolset that notes when it is asked, and does what it is told."""

    description, is_long_running = "", False

    def __init__(self, name, log, process=None, tools=()):
        self.name, self.log, self._process, self._tools = name, log, process, tools

    def process_request(self, ctx, request):
        """Note, then do."""
        self.log.append((self.name, ctx))
        if self._process is not None:
            self._process(ctx, request)

    def tools(self, ctx):
        """Return the tools of a toolset."""
        self.log.append((f"{self.name}.tools", ctx))
        return self._tools


def asked(*script, scene=None, **options):
    """The requests that agent a makes, or the error that it yields."""
    model = options.pop("model", None) or ScriptedModel(script or ["x"])
    given = LlmAgent("a", model=model, **options)
    got = (scene or Scene(given)).run(given)
    return model.requests or got


# --- basic configuration -----------------------------------------------------------------------


def test_the_configuration_is_a_copy():
    """Deep, and anew in every step (REQ-010)."""
    config = GenerateContentConfig(
        system_instruction=content("c"),
        tools=[ToolDeclarations(), ToolDeclarations([FunctionDeclaration("given")])],
        options={"temperature": 0.5},
    )
    before = copy.deepcopy(config)
    one, two = asked(reply(call("t")), "x", generate_content_config=config, tools=[tool()])
    for request in (one, two):
        assert request.config.options == {"temperature": 0.5}
        assert declared(request) == ["given", "t"]
        assert system_of(request) == [f"c\n\n{IDENTITY}"]
    assert one.config is not two.config
    assert config == before


def test_without_a_configuration_there_is_an_empty_one():
    """Nothing but what the flow puts in (REQ-010)."""
    (request,) = asked()
    assert request.config == GenerateContentConfig(system_instruction=content(IDENTITY))


@pytest.mark.parametrize("tools", [[], [tool()]])
def test_an_output_schema_is_a_response_schema(tools):
    """The object itself, as JSON, in place of what was configured (REQ-011)."""
    config = GenerateContentConfig(
        response_schema={"type": "STRING"}, response_mime_type="text/plain"
    )
    (request,) = asked(output_schema=CITY, generate_content_config=config, tools=tools)
    assert request.config.response_schema is CITY
    assert request.config.response_mime_type == "application/json"


@pytest.mark.parametrize("placed", [False, True])
def test_a_task_agent_has_no_response_schema(placed):
    """Its output comes by finish_task, whether declared or placed so (REQ-011)."""
    model = ScriptedModel(["x"])
    given = LlmAgent("a", model=model, output_schema=CITY, mode="" if placed else "task")
    scene = Scene(given)
    if placed:
        scene.ctx.host = scene.ctx.host.with_value(PLACEMENT, Placement(given, "task"))
    scene.run(given)
    assert model.requests[0].config.response_schema is None
    assert model.requests[0].config.response_mime_type == ""


# --- tools ----------------------------------------------------------------------------------------


def test_the_order_of_declarations():
    """Configured, structured output, transfer, own tools, delegation tools, toolsets (REQ-003)."""
    config = GenerateContentConfig(tools=[ToolDeclarations([FunctionDeclaration("given")])])
    (request,) = asked(
        model=ScriptedModel(["x"], name="gemini-1.5"),
        generate_content_config=config,
        output_schema=CITY,
        tools=[tool("own")],
        toolsets=[StaticToolset("s", [tool("s1"), tool("s2")]), StaticToolset("u", [tool("u1")])],
        sub_agents=[
            LlmAgent("chat"),
            LlmAgent("once", mode="single_turn"),
            LlmAgent("job", mode="task"),
        ],
    )
    names = [
        "given",
        "set_model_response",
        "transfer_to_agent",
        "own",
        "once",
        "job",
        "s1",
        "s2",
        "u1",
    ]
    assert declared(request) == names
    assert list(request.tools) == names[1:]
    assert len(request.config.tools) == 1


def test_toolsets_are_asked_once_per_run():
    """For a readonly context; their tools serve all steps (REQ-020, REQ-021)."""
    log = []
    requests = asked(reply(call("t")), "x", toolsets=[Recorder("s", log, tools=[tool()])])
    assert len(requests) == 2
    assert [name for name, _ in log] == ["s.tools", "s", "s"]
    assert isinstance(log[0][1], ReadonlyContext)


def test_empty_toolsets_are_asked_again():
    """While there is no tool at all they are asked in each step (REQ-021)."""
    log = []
    asked(reply(Part(thought=True, text="hm")), "x", toolsets=[Recorder("s", log)])
    assert [name for name, _ in log] == ["s.tools", "s", "s.tools", "s"]


def test_the_agents_list_stays_its_own():
    """A run's list of tools is private (REQ-021)."""
    own, model = [tool("t1")], ScriptedModel(["x", "y"])
    given = LlmAgent("a", model=model, tools=own, toolsets=[StaticToolset("s", [tool("t2")])])
    for _ in range(2):
        Scene(given).run(given)
    assert [it.name for it in given.tools] == ["t1"]
    assert [declared(request) for request in model.requests] == [["t1", "t2"]] * 2


def failing(error):
    """A toolset whose tools raises."""

    def tools(ctx):
        raise error

    return SimpleNamespace(name='s"', tools=tools)


def test_a_toolset_that_fails():
    """The error names the toolset (REQ-020)."""
    assert asked(toolsets=[failing(ValueError("boom"))]) == [
        'failed to extract tools from the tool set "s\\"": boom'
    ]
    none = SimpleNamespace(name="s", tools=lambda ctx: None)
    assert asked(toolsets=[none]) == [
        "failed to extract tools from the tool set \"s\": 'NoneType' object is not iterable"
    ]
    with pytest.raises(ProgrammingError, match=r"^misuse$"):
        asked(toolsets=[failing(ProgrammingError("misuse"))])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"tools": [tool(), tool()]}, 'duplicate tool: "t"'),
        ({"tools": [tool()], "toolsets": [StaticToolset("s", [tool()])]}, 'duplicate tool: "t"'),
        (
            {
                "tools": [tool("transfer_to_agent")],
                "sub_agents": [LlmAgent("b")],
            },
            'duplicate tool: "transfer_to_agent"',
        ),
        (
            {
                "model": ScriptedModel(["x"], name="gemini-1"),
                "tools": [tool("set_model_response")],
                "output_schema": CITY,
            },
            'duplicate tool: "set_model_response"',
        ),
        (
            {"tools": [tool("b")], "sub_agents": [LlmAgent("b", mode="task")]},
            'duplicate tool: "b"',
        ),
    ],
)
def test_a_name_is_taken_once(options, text):
    """A second tool of the same name ends the step (REQ-004)."""
    assert asked(**options) == [text]


def test_a_user_tool_may_have_a_framework_name_while_it_is_free():
    """Only when the framework adds its own is the name taken (REQ-004)."""
    (request,) = asked(tools=[tool("transfer_to_agent"), tool("set_model_response")])
    assert declared(request) == ["transfer_to_agent", "set_model_response"]


# --- tools' own request processing ----------------------------------------------------------------------


def test_tools_then_toolsets_process_the_request():
    """In order, in every step, each with a tool context of its own (REQ-060, REQ-062)."""
    log = []
    inner = Recorder("inner", log)
    asked(
        reply(Part(thought=True, text="hm")),
        "x",
        tools=[Recorder("t1", log), Recorder("t2", log)],
        toolsets=[
            Recorder("s1", log, tools=[inner]),
            StaticToolset("s2", []),
            Recorder("s3", log),
        ],
    )
    step = ["t1", "t2", "inner", "s1", "s3"]
    assert [name for name, _ in log if not name.endswith(".tools")] == step * 2
    contexts = [ctx for name, ctx in log if not name.endswith(".tools")]
    assert all(isinstance(ctx, ToolContext) for ctx in contexts)
    assert len({ctx.function_call_id for ctx in contexts}) == 10


def test_actions_of_processing_are_lost():
    """State is written to the session at once, deltas reach no event (REQ-060)."""

    def process(ctx, request):
        ctx.state["k"] = 1
        ctx.actions.escalate = True

    given = LlmAgent("a", model=ScriptedModel(["x"]), tools=[Recorder("t", [], process)])
    scene = Scene(given)
    assert scene.run(given) == [said("a", "x")]
    assert scene.session.state["k"] == 1


def raising(error):
    """Process by raising."""

    def process(ctx, request):
        raise error

    return process


def test_errors_of_processing_end_the_step():
    """A tool's is unwrapped, a toolset's is not; nobody behind it is asked (REQ-060, REQ-062)."""
    log = []
    bad = raising(ValueError("boom"))
    tools = [Recorder("t1", log, bad), Recorder("t2", log)]
    assert asked(tools=tools, toolsets=[Recorder("s", log)]) == ["boom"]
    assert [name for name, _ in log] == ["s.tools", "t1"]
    log.clear()
    assert asked(toolsets=[Recorder("s1", log, bad), Recorder("s2", log)]) == [
        'process request by toolset "s1": boom'
    ]
    for options in (
        {"tools": [Recorder("t", log, raising(ProgrammingError("misuse")))]},
        {"toolsets": [Recorder("s", log, raising(ProgrammingError("misuse")))]},
    ):
        with pytest.raises(ProgrammingError, match=r"^misuse$"):
            asked(**options)


def test_a_tool_without_request_processing():
    """The step ends with the tool's name (REQ-061)."""
    bare = SimpleNamespace(name='t"', description="", is_long_running=False)
    assert asked(tools=[bare]) == ['tool "t\\"" does not implement RequestProcessor() method']
    assert asked(toolsets=[StaticToolset("s", [5])]) == [
        'tool "int" does not implement RequestProcessor() method'
    ]


# --- identity ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "description", "texts"),
    [
        ("", "", [IDENTITY]),
        ("chat", 'says "hi"', [f'{IDENTITY} The description about you is "says \\"hi\\"".']),
        ("single_turn", "d", []),
    ],
)
def test_identity(mode, description, texts):
    """Name and description, quoted; not for a single-turn agent (REQ-045)."""
    (request,) = asked(mode=mode, description=description)
    assert system_of(request) == texts


@pytest.mark.parametrize(
    ("declared_mode", "bound"), [("", "single_turn"), ("single_turn", "chat")]
)
def test_the_bound_mode_counts(declared_mode, bound):
    """A placement's mode goes before the declared one (V24-006)."""
    model = ScriptedModel(["x"])
    given = LlmAgent("a", model=model, mode=declared_mode)
    scene = Scene(given)
    scene.ctx.host = scene.ctx.host.with_value(PLACEMENT, Placement(given, bound))
    scene.run(given)
    assert system_of(model.requests[0]) == ([] if bound == "single_turn" else [IDENTITY])


# --- contents ------------------------------------------------------------------------------------------------


def test_the_history_is_the_viewers():
    """Branch, scope, the current turn and the user's content are the run's (CNT-001, CNT-002)."""
    model = ScriptedModel(["x", "y"])
    events = [
        event("user", "far", branch="z", isolation_scope="s"),
        event("user", "old", branch="b", isolation_scope="s"),
        event("a", "answer", branch="b", isolation_scope="s"),
        event("user", "new", branch="b", isolation_scope="s"),
    ]
    for include, shown in (("", ["task", "old", "answer", "new"]), ("none", ["task", "new"])):
        given = LlmAgent("a", model=model, include_contents=include)
        run(given, events=events, message="task", branch="b", isolation_scope="s")
        assert [part.text for it in model.requests[-1].contents for part in it.parts] == shown


def test_without_a_session_there_is_no_history():
    """Nil session, no events (CNT-001)."""
    model = ScriptedModel(["x"])
    given = LlmAgent("a", model=model)
    scene = Scene(given)
    scene.ctx.session = None
    assert len(scene.ctx.session or ()) == 0
    items = list(given.run(Context.promote(scene.ctx)))
    assert items[0][0].content == content("x", role="model")
    assert contents_of(model.requests[0]) == []


def test_a_history_that_cannot_be_built_ends_the_step():
    """The error is unchanged (CNT-002)."""
    events = [
        event("a", call("t", "1")),
        event("a", call("t", "2")),
        event("user", "x"),
        event("user", answer("t", "1"), answer("t", "2")),
    ]
    (got,) = run(LlmAgent("a", model=ScriptedModel(["x"])), events=events)
    assert got.startswith("validation failed: last response event has IDs not in the matching")


# --- display names ---------------------------------------------------------------------------------------------


def data_parts():
    """A blob and a file with display names."""
    return [
        Part(text="see"),
        Part(inline_data=Blob("a/b", b"x", "blob")),
        Part(file_data=FileData("gs://x", "a/b", "file")),
    ]


@pytest.mark.parametrize(("backend", "kept"), [("gemini", False), ("vertex", True), ("", True)])
def test_display_names(backend, kept):
    """The Gemini API does not know them; the session's own stay (REQ-055)."""
    model = ScriptedModel(["x"])
    model.backend = backend
    events = [event("user", *data_parts())]
    before = copy.deepcopy(events)
    run(LlmAgent("a", model=model), events=events)
    (shown,) = model.requests[0].contents
    names = [
        data.display_name
        for part in shown.parts
        for data in (part.inline_data, part.file_data)
        if data
    ]
    assert names == (["blob", "file"] if kept else ["", ""])
    assert events == before


def test_the_leading_content_is_the_callers():
    """Of a scoped agent's user content the names are blanked in place (REQ-055, CNT-050)."""
    model = ScriptedModel(["x"])
    model.backend = "gemini"
    message = content(*data_parts())
    run(LlmAgent("a", model=model), message=message, isolation_scope="s")
    assert message.parts[1].inline_data.display_name == ""
    assert message.parts[2].file_data.display_name == ""
