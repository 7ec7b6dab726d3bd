# SPDX-License-Identifier: Apache-2.0
"""Whole scenarios, by the group of behaviour that they vary.

The groups are those of the golden corpora.  A scenario of any of them is valid by the schema,
ends, and has one canonical trace, whatever the order in which things run beside each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from adkref.conformance.canonical import LANES
from adkref.conformance.fuzz.ordering import ordering_of
from adkref.conformance.scenario import FORMAT
from adkref.conformance.script import AGENT_HOOKS, HOOKS, MODEL_HOOKS, RUN_HOOKS, TOOL_HOOKS
from adkref.strategies.draws import Scope, Spec, Specs, cached, chance, some, weighted
from adkref.strategies.hooks import builtin_plugins, plugins
from adkref.strategies.placeholders import names_of
from adkref.strategies.schemas import TEMPLATE_STATE, instructions
from adkref.strategies.sessions import faults, histories, messages, sessions, several_turns, turns
from adkref.strategies.tools import asking_tools
from adkref.strategies.trees import Below, Style, Tree, agents, in_a_row
from adkref.strategies.values import texts

# --- putting a scenario together ----------------------------------------------------------


def _scenario(group: str, agent: Spec, turns: list[Spec], session: Spec, **parts: Any) -> Spec:
    """Return a scenario; what is empty is left out."""
    made: Spec = {"format": FORMAT, "id": group, "session": session, "agent": agent}
    made |= {key: part for key, part in parts.items() if part}
    made["turns"] = turns
    if ordering_of(made) == LANES:
        made["ordering"] = LANES
    return made


# --- the groups ---------------------------------------------------------------------------


def _others(agent: Spec) -> Scope:
    """Return the scope of plugins over *agent*."""
    return Scope(others=names_of(agent))


_ANY_TREE: Final = Below(("custom", "sequential", "loop"))
_TREES: Final = Tree.of(
    *("custom", "sequential", "loop"),
    sequential=_ANY_TREE,
    loop=_ANY_TREE,
    custom=evolve(_ANY_TREE, least=0),
)


@st.composite
def agents_group(draw: DrawFn) -> Spec:
    """Draw trees of custom, sequential and loop agents, with plugins of the run's hooks."""
    agent = draw(agents(_TREES))
    return _scenario(
        "agents",
        agent,
        draw(several_turns(turns())),
        draw(sessions()),
        plugins=draw(plugins((*RUN_HOOKS, *AGENT_HOOKS), _others(agent))),
        faults=draw(faults()) if draw(chance(10)) else None,
    )


_ROW: Final = Below(("llm",), most=2)
_OVER_LLM: Final = Tree.of(*("llm", "llm", "sequential", "loop"), sequential=_ROW, loop=_ROW)
_FLOW: Final = Style(calling=7, tools=3, model_callbacks=15)
_STREAMED: Final = evolve(_FLOW, streamed=True)


@st.composite
def flow_group(draw: DrawFn) -> Spec:
    """Draw LLM agents, alone or in a row, with tools, callbacks of every kind and streaming."""
    streamed = draw(chance(40))
    agent = draw(agents(_OVER_LLM, _STREAMED if streamed else _FLOW))
    scope = evolve(_others(agent), tools=("tool1",))
    return _scenario(
        "flow",
        agent,
        draw(several_turns(turns(streams=80 if streamed else 10))),
        draw(sessions()),
        plugins=draw(plugins(HOOKS, scope, most=1, percent=25)),
    )


#: Beside each other agents keep from the hooks that an order could show.
_BESIDE_HOOKS: Final = ("on_event", *AGENT_HOOKS)
_LANES: Final = Tree.of(
    "parallel",
    parallel=Below(("custom", "llm", "sequential", "custom", "parallel"), least=2),
    sequential=Below(("custom", "custom", "llm"), most=2),
    depth=2,
)
#: Who runs before or behind lanes must not read what they have left, as a model does.
_CUSTOM: Final = Tree.of("custom")
_QUIET: Final = Style(tools=1, model_callbacks=8)


@cached
def _lanes(tree: Tree, style: Style) -> Specs:
    alone = agents(tree, style, beside=True)
    return weighted((alone, alone, in_a_row(tree, _CUSTOM, style, beside=True)))


@st.composite
def parallel_group(draw: DrawFn) -> Spec:
    """Draw a parallel agent over custom, LLM, sequential and parallel ones."""
    # All agents count as beside others: what runs before the lanes is seen by them.
    agent = draw(_lanes(_LANES, _QUIET))
    return _scenario(
        "parallel",
        agent,
        draw(several_turns(turns(stops=0))),
        draw(sessions()),
        plugins=draw(plugins(_BESIDE_HOOKS, evolve(_others(agent), beside=True), most=1)),
    )


_ONE_LLM: Final = Tree.of("llm")
_MULTITOOL: Final = Style(several=True, tools=3, least_tools=1, calling=8, model_callbacks=15)


@st.composite
def multitool_group(draw: DrawFn) -> Spec:
    """Draw an LLM agent that calls several tools in one turn."""
    agent = draw(agents(_ONE_LLM, _MULTITOOL))
    scope = evolve(_others(agent), several=True)
    return _scenario(
        "multitool",
        agent,
        draw(several_turns(turns(), most=1)),
        draw(sessions()),
        plugins=draw(plugins((*MODEL_HOOKS, *TOOL_HOOKS), scope, most=1)),
    )


_BARE: Final = Style(tools=0, agent_callbacks=0, model_callbacks=0)


@st.composite
def history_group(draw: DrawFn) -> Spec:
    """Draw a stored history of which one request is built."""
    agent = draw(agents(_ONE_LLM, _BARE))
    session = draw(sessions())
    return _scenario(
        "history",
        agent,
        [{"user": draw(messages())}],
        {**session, "events": draw(histories(agent["name"]))},
    )


_TRANSFERS: Final = Tree.of(
    *("llm", "llm", "sequential"),
    llm=Below(("llm", "llm", "custom"), least=0, most=2),
    sequential=Below(("llm",), most=1),
    depth=2,
)
_TRANSFERRING: Final = Style(transfers=True, tools=1, agent_callbacks=15, model_callbacks=5)


@st.composite
def transfer_group(draw: DrawFn) -> Spec:
    """Draw trees of LLM agents that hand control to each other, over several turns."""
    return _scenario(
        "transfer",
        draw(agents(_TRANSFERS, _TRANSFERRING)),
        draw(several_turns(turns(), most=3)),
        draw(sessions()),
    )


#: What a human answers who is asked to confirm a call.
_ANSWERS: Final = (
    {"confirmed": True},
    {"confirmed": False},
    {"confirmed": True, "payload": {"n": 1}},
    {"response": '{"confirmed": true}'},
)


@cached
def _confirmations() -> Specs:
    def turn(answer: Any) -> Spec:
        name = "adk_request_confirmation"
        response = {"id": f"$id:{name}", "name": name, "response": answer}
        return {"role": "user", "parts": [{"functionResponse": response}]}

    return st.sampled_from(_ANSWERS).map(turn)


@cached
def _replies() -> SearchStrategy[Any]:
    return weighted((_confirmations(), _confirmations(), messages()))


_CONFIRMING: Final = Style(
    confirming=80, least_tools=1, calling=8, agent_callbacks=0, model_callbacks=8, missing=False
)
_CONFIRMING_SEVERAL: Final = evolve(_CONFIRMING, several=True)


@st.composite
def confirm_group(draw: DrawFn) -> Spec:
    """Draw tools that ask a human, and what the human answers in the next turns."""
    several = draw(chance(30))
    agent = draw(agents(_ONE_LLM, _CONFIRMING_SEVERAL if several else _CONFIRMING))
    if "tools" in agent and draw(chance(20)):
        agent["tools"] = [draw(asking_tools()), *agent["tools"][1:]]
    hooks = ("on_event", *TOOL_HOOKS)
    return _scenario(
        "confirm",
        agent,
        [draw(turns(stops=0)), *draw(some(turns(stops=0, user=_replies()), 3))],
        draw(sessions()),
        plugins=draw(plugins(hooks, evolve(_others(agent), several=several), most=1)),
    )


_MODES: Final = Tree.of("llm", llm=Below(("llm",), most=2), depth=1)
_MODAL: Final = Style(
    modes=("single_turn", "task", "chat"), tools=1, agent_callbacks=15, model_callbacks=6
)
_MODAL_TRANSFERRING: Final = evolve(_MODAL, transfers=True)


@st.composite
def modes_group(draw: DrawFn) -> Spec:
    """Draw an LLM agent over agents in the modes chat, task and single turn."""
    return _scenario(
        "modes",
        draw(agents(_MODES, _MODAL_TRANSFERRING if draw(chance(25)) else _MODAL)),
        draw(several_turns(turns(stops=0), most=3)),
        draw(sessions()),
    )


#: Names of models, some of which take a schema beside tools.
_MODELS: Final = (
    "mock",
    "gemini-2.5-flash",
    "gemini-pro",
    "Gemini-2.0",
    "models/gemini-1.5-pro",
    "other/gemma-3",
)
_TYPED: Final = Tree.of(
    *("llm", "llm", "sequential"),
    llm=Below(("llm",), least=0, most=1),
    sequential=Below(("llm",), most=2),
    depth=2,
)
_SCHEMAS: Final = evolve(
    _MODAL,
    schemas=70,
    calling=5,
    agent_callbacks=8,
    model_callbacks=4,
    instructions=instructions(),
    model_names=st.sampled_from(_MODELS),
)


@st.composite
def schema_group(draw: DrawFn) -> Spec:
    """Draw agents with output and input schemas, output keys and instruction templates."""
    agent = draw(agents(_TYPED, _SCHEMAS))
    session = draw(sessions())
    keys = draw(st.lists(st.sampled_from(tuple(TEMPLATE_STATE)), max_size=4, unique=True))
    if keys:
        shown = {key: TEMPLATE_STATE[key] for key in keys}
        session = {**session, "state": {**session.get("state", {}), **shown}}
    return _scenario("schema", agent, draw(several_turns(turns(stops=5))), session)


_AS_TOOLS: Final = Tree.of(
    *("llm", "llm", "sequential"),
    sequential=Below(("llm", "custom"), most=2),
    loop=Below(("llm", "custom"), most=2),
    tools=Below(("llm", "custom", "sequential", "loop"), least=0, most=2),
    depth=2,
)
_NESTED: Final = Style(tools=1, calling=7, agent_callbacks=15, model_callbacks=5, schemas=15)


@st.composite
def agenttool_group(draw: DrawFn) -> Spec:
    """Draw LLM agents that have other agents as tools, nested, with errors inside."""
    agent = draw(agents(_AS_TOOLS, _NESTED))
    hooks = ("on_event", "before_agent", "before_model", "after_tool")
    return _scenario(
        "agenttool",
        agent,
        draw(several_turns(turns(stops=8))),
        draw(sessions()),
        plugins=draw(plugins(hooks, _others(agent), most=1)),
    )


_PLUGGED: Final = Style(tools=3, calling=7, model_callbacks=6, agent_callbacks=15)


@st.composite
def plugins_group(draw: DrawFn) -> Spec:
    """Draw up to three plugins with all twelve hooks, and the built-in ones, over a flow."""
    agent = draw(agents(_OVER_LLM, _PLUGGED))
    scope = evolve(_others(agent), tools=("tool1", "tool2"))
    found = draw(plugins(HOOKS, scope, most=3, percent=50))
    if draw(chance(40)):
        at = draw(st.integers(0, len(found)))
        found = [*found[:at], draw(builtin_plugins(scope.tools)), *found[at:]]
    return _scenario(
        "plugins", agent, draw(several_turns(turns(stops=10))), draw(sessions()), plugins=found
    )


@cached
def _tool_answers() -> Specs:
    """Draw a message that answers a long-running call."""

    def turn(text: str) -> Spec:
        response = {"id": "$id:tool1", "name": "tool1", "response": {"done": text}}
        return {"role": "user", "parts": [{"functionResponse": response}]}

    return texts().map(turn)


@cached
def _said_or_answered() -> SearchStrategy[Any]:
    return weighted([messages()] * 4 + [_tool_answers()])


_MANY: Final = Below(("custom", "llm"), most=2)
_RUNNABLE: Final = Tree.of(
    *("custom", "llm", "llm", "sequential", "loop"),
    sequential=_MANY,
    loop=_MANY,
    llm=Below(("llm", "custom"), least=0, most=2),
    depth=2,
)
_PAUSING: Final = Style(transfers=True, pausing=40, tools=1, agent_callbacks=15, model_callbacks=4)


@st.composite
def runner_group(draw: DrawFn) -> Spec:
    """Draw what a runner decides: deltas, early stops, appends that fail, who runs next."""
    agent = draw(agents(_RUNNABLE, _PAUSING))
    more = turns(stops=25, user=_said_or_answered())
    return _scenario(
        "runner",
        agent,
        [draw(turns(stops=25)), *draw(some(more, 3))],
        draw(sessions(creating=25)),
        plugins=draw(plugins((*RUN_HOOKS, "before_agent"), _others(agent))),
        faults=draw(faults()) if draw(chance(30)) else None,
    )


_MIXED: Final = Tree.of(
    *("sequential", "llm", "loop"),
    sequential=Below(("custom", "llm", "loop")),
    loop=Below(("custom", "llm"), most=2),
    llm=Below(("llm", "custom"), least=0, most=1),
)
_MIXED_LANES: Final = Tree.of(
    "parallel",
    sequential=Below(("custom", "llm", "loop"), most=2),
    loop=Below(("custom", "llm"), most=2),
    parallel=Below(("custom", "llm", "sequential", "loop"), least=2),
    llm=Below(("llm", "custom"), least=0, most=1),
)
_MIX: Final = Style(tools=1, transfers=True, agent_callbacks=20, model_callbacks=6)
_QUIET_MIX: Final = evolve(_MIX, transfers=False)


@st.composite
def mixed_group(draw: DrawFn) -> Spec:
    """Draw sequential, loop, parallel and LLM agents, three deep."""
    beside = draw(chance(40))
    if beside:
        agent = draw(_lanes(_MIXED_LANES, _QUIET_MIX))
    else:
        agent = draw(agents(_MIXED, _MIX))
    hooks = _BESIDE_HOOKS if beside else (*AGENT_HOOKS, *MODEL_HOOKS, "on_event")
    scope = evolve(_others(agent), beside=beside)
    return _scenario(
        "mixed",
        agent,
        draw(several_turns(turns(stops=0 if beside else 12))),
        draw(sessions()),
        plugins=draw(plugins(hooks, scope, most=1)),
    )


#: The groups, each with its strategy.
GROUPS: Final[Mapping[str, Callable[[], SearchStrategy[Spec]]]] = MappingProxyType(
    {
        "agents": agents_group,
        "flow": flow_group,
        "parallel": parallel_group,
        "multitool": multitool_group,
        "history": history_group,
        "transfer": transfer_group,
        "confirm": confirm_group,
        "modes": modes_group,
        "schema": schema_group,
        "agenttool": agenttool_group,
        "plugins": plugins_group,
        "runner": runner_group,
        "mixed": mixed_group,
    }
)


def scenarios(*groups: str) -> SearchStrategy[Spec]:
    """Draw scenarios of *groups*, of any without; KeyError for a group that is not there."""
    chosen = groups or tuple(GROUPS)
    return st.one_of([GROUPS[group]() for group in chosen])
