# SPDX-License-Identifier: Apache-2.0
"""Agent trees: which agents stand below which, and what each of them does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attrs import evolve, field, frozen
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from adkref.strategies.bodies import bodies
from adkref.strategies.draws import Scope, Spec, Specs, cached, optional, some, weighted
from adkref.strategies.hooks import CALLBACKS, callback_rows
from adkref.strategies.models import Callee, callees, models
from adkref.strategies.placeholders import SELF, agent_tool, any_agent, settled, sub_agent
from adkref.strategies.schemas import answers, objects, schemas
from adkref.strategies.tools import several_tools
from adkref.strategies.values import WORDS, labelled, texts

# --- which agents stand below which ---------------------------------------------------------


@frozen
class Below:
    """What may stand below an agent of a kind."""

    kinds: tuple[str, ...]
    least: int = 1
    most: int = 3


#: What may stand below each kind; a kind that is not there is a leaf.
Grammar = Mapping[str, Below]

#: Kinds that need nobody below.
_LEAVES: Final = ("custom", "llm")


@frozen
class Tree:
    """Which trees are drawn."""

    #: What the root may be.
    kinds: tuple[str, ...]
    #: What may stand below each kind, and what an LLM agent may have as tools.
    below: tuple[tuple[str, Below], ...] = ()
    tools: Below | None = None
    #: So many levels below the root at most.
    depth: int = 3

    @classmethod
    def of(cls, *kinds: str, tools: Below | None = None, depth: int = 3, **below: Below) -> Tree:
        """Return trees whose root is one of *kinds*, with what may stand *below* each kind."""
        return cls(kinds, tuple(below.items()), tools, depth)

    def under(self, kind: str) -> tuple[Below, Tree] | None:
        """Return what may stand below an agent of that kind, and its trees."""
        return self._inner(dict(self.below).get(kind))

    def as_tools(self, kind: str) -> tuple[Below, Tree] | None:
        """Return what an agent of that kind may have as tools, and its trees."""
        return self._inner(self.tools if kind == "llm" else None)

    def _inner(self, below: Below | None) -> tuple[Below, Tree] | None:
        if below is None or not self.depth:
            return None
        kinds = tuple(each for each in below.kinds if self.depth > 1 or each in _LEAVES)
        return below, evolve(self, kinds=kinds, depth=self.depth - 1)


# --- what each agent does -----------------------------------------------------------------


@frozen(kw_only=True, eq=False)
class Style:
    """How the agents of a group are filled; numbers are chances in percent."""

    #: Of the lists ``before`` and ``after``.
    agent_callbacks: int = 30
    #: Of each list of model and tool callbacks of an LLM agent.
    model_callbacks: int = 10
    #: At most and at least so many plain tools.
    tools: int = 2
    least_tools: int = 0
    pausing: int = 0
    confirming: int = 0
    #: Of ten turns of a model so many call something.
    calling: int = 6
    #: Several calls in one turn of a model.
    several: bool = False
    #: Partial responses.
    streamed: bool = False
    #: Calls of a tool that is not there.
    missing: bool = True
    #: Calls of ``transfer_to_agent``.
    transfers: bool = False
    #: Modes of agents below an LLM agent.
    modes: tuple[str, ...] = ()
    #: Of an output schema; an input schema is half as likely.
    schemas: int = 0
    instructions: SearchStrategy[str] = field(
        factory=lambda: st.sampled_from(
            ("Be brief.", "Use {k1} and {app:a?}.", "City {k1?} now.", "{not a var} {9x} ok")
        )
    )
    model_names: SearchStrategy[str] | None = None


PLAIN: Final = Style()
#: What stands for an agent in its own parts.
_SCOPE: Final = Scope(agent=SELF, others=tuple(map(any_agent, range(4))))
_SCOPE_BESIDE: Final = Scope(agent=SELF, own=SELF, beside=True)
#: Beside others nothing may be read from the state that they share.
_QUIET: Final = st.just("Be brief.")


def agents(tree: Tree, style: Style = PLAIN, *, beside: bool = False) -> Specs:
    """Draw an agent with all below it; *beside* says that others run at the same time."""
    return _agents(tree, style, beside=beside).map(settled)


def in_a_row(middle: Tree, ends: Tree, style: Style = PLAIN, *, beside: bool = False) -> Specs:
    """Draw a sequential agent over one of *middle*, mostly with one of *ends* on a side."""
    return _row(middle, ends, style, beside=beside).map(settled)


@cached
@st.composite
def _row(draw: DrawFn, middle: Tree, ends: Tree, style: Style, *, beside: bool) -> Spec:
    agent = _head(draw, "sequential", style, beside=beside)
    end = some(_agents(ends, style, beside=beside), 1)
    one = _agents(middle, style, beside=beside)
    agent["sub_agents"] = [*draw(end), draw(one), *draw(end)]
    return agent


@cached
@st.composite
def _agents(
    draw: DrawFn, tree: Tree, style: Style, *, beside: bool = False, as_child: bool = False
) -> Spec:
    kind = draw(st.sampled_from(tree.kinds))
    if kind == "llm":
        return draw(_llm(tree, style, beside=beside, as_child=as_child))
    return draw((_custom if kind == "custom" else _composite)(kind, tree, style, beside=beside))


def _head(draw: DrawFn, kind: str, style: Style, *, beside: bool) -> Spec:
    """Return what all kinds have in common."""
    return {"kind": kind, **draw(_agent_callbacks(style.agent_callbacks, beside=beside))}


@cached
def _agent_callbacks(percent: int, *, beside: bool) -> Specs:
    return optional(callback_rows(("before", "after"), _scope(beside), percent))


def _scope(beside: bool) -> Scope:
    return _SCOPE_BESIDE if beside else _SCOPE


@cached
@st.composite
def _custom(draw: DrawFn, kind: str, tree: Tree, style: Style, *, beside: bool) -> Spec:
    """Draw a custom agent, which runs the agents below it."""
    agent = _head(draw, kind, style, beside=beside)
    under = tree.under(kind)
    inner = None if under is None else _agents(under[1], style, beside=beside)
    agent["body"] = draw(bodies(_scope(beside), runs=inner))
    return agent


@cached
@st.composite
def _composite(draw: DrawFn, kind: str, tree: Tree, style: Style, *, beside: bool) -> Spec:
    """Draw a sequential, loop or parallel agent."""
    agent = _head(draw, kind, style, beside=beside)
    if kind == "loop":
        # Without a limit a loop may never end.
        agent["max_iterations"] = draw(st.integers(1, 3))
    under = tree.under(kind)
    assert under is not None
    below, trees = under
    inner = _agents(trees, style, beside=beside or kind == "parallel")
    agent["sub_agents"] = draw(some(inner, below.most, least=below.least))
    return agent


# --- LLM agents ---------------------------------------------------------------------------

#: The callback lists of an LLM agent beside those that all agents have.
_MODEL_KEYS: Final = tuple(CALLBACKS)[2:]


@cached
@st.composite
def _llm(draw: DrawFn, tree: Tree, style: Style, *, beside: bool, as_child: bool) -> Spec:
    """Draw an LLM agent; *as_child* says that it stands below another, where it has a mode."""
    agent = _head(draw, "llm", style, beside=beside)
    outer = evolve(_scope(beside), several=style.several and not beside)
    tools = draw(
        several_tools(
            style.tools,
            outer,
            least=style.least_tools,
            pausing=style.pausing,
            confirming=style.confirming,
        )
    )
    plain = tuple(tool["name"] for tool in tools)
    scope = evolve(outer, tools=plain)
    agent |= draw(_settings(style, beside=beside, as_child=as_child))
    if as_child and style.modes:
        agent["mode"] = draw(st.sampled_from(style.modes))
    below = draw(_below(tree.under("llm"), style, beside=beside))
    as_tools = draw(_below(tree.as_tools("llm"), evolve(style, modes=()), beside=beside))
    whom = (
        *callees(plain, missing=style.missing),
        *_agent_callees(agent, below, as_tools, style),
    )
    agent["model"] = draw(_model(agent, whom, scope, style))
    tools += [{"kind": "agent", "agent": each} for each in as_tools]
    if tools:
        agent["tools"] = tools
    if below:
        agent["sub_agents"] = below
    return agent | draw(_model_callbacks(scope, style.model_callbacks))


@cached
def _model_callbacks(scope: Scope, percent: int) -> Specs:
    return optional(callback_rows(_MODEL_KEYS, scope, percent))


@cached
def _below(
    under: tuple[Below, Tree] | None, style: Style, *, beside: bool
) -> SearchStrategy[list[Spec]]:
    if under is None:
        return st.just([])
    below, trees = under
    inner = _agents(trees, style, beside=beside, as_child=True)
    return some(inner, below.most, least=below.least)


@cached
def _settings(style: Style, *, beside: bool, as_child: bool) -> Specs:
    own = st.just(f"{SELF}_answer")
    shared = st.sampled_from(("answer", "temp:answer", "k1"))
    percent = style.schemas
    return optional(
        {
            "description": (20, labelled("agent")),
            "instruction": (30, _QUIET if beside else style.instructions),
            "global_instruction": (0 if beside else 8, st.just("Global {user:u?}.")),
            "output_key": (20, own if beside else shared),
            "output_schema": (percent, schemas()),
            "input_schema": (percent // 2 if as_child else 0, schemas()),
            "include_contents": (8, st.just("none")),
            "disallow_transfer_to_parent": (6, st.just(True)),
            "disallow_transfer_to_peers": (6, st.just(True)),
        }
    )


def _agent_callees(
    agent: Spec, below: list[Spec], as_tools: list[Spec], style: Style
) -> list[Callee]:
    """Return what a model may call beside plain tools."""
    found = [Callee(agent_tool(at), _requests(each)) for at, each in enumerate(as_tools)]
    for at, child in enumerate(below):
        if "mode" in child:
            found += [Callee(sub_agent(at), _requests(child))] * 2
    if style.transfers:
        found += [Callee("transfer_to_agent", _targets())] * 2
    if agent.get("mode") == "task":
        found.append(Callee("finish_task", _results(agent)))
    if "output_schema" in agent:
        found.append(Callee("set_model_response", objects(agent["output_schema"])))
    return found


@cached
def _targets() -> Specs:
    return st.integers(0, 5).map(lambda number: {"agent_name": any_agent(number)})


def _requests(agent: Spec) -> Specs:
    """Draw the arguments of an agent that is called like a tool."""
    return objects(agent["input_schema"]) if "input_schema" in agent else _plain_requests()


@cached
def _plain_requests() -> Specs:
    request = texts().map(lambda text: {"request": text})
    return weighted((request, request, request, st.just({"other": 1}), st.just({})))


def _results(agent: Spec) -> Specs:
    return objects(agent["output_schema"]) if "output_schema" in agent else _plain_results()


@cached
def _plain_results() -> Specs:
    words = st.sampled_from(WORDS)
    return st.one_of(
        words.map(lambda word: {"result": word}),
        words.map(lambda word: {"output": word}),
        st.just({}),
    )


def _model(agent: Spec, whom: tuple[Callee, ...], scope: Scope, style: Style) -> Specs:
    options: dict[str, Any] = {}
    if "output_schema" in agent:
        options["said"] = answers(agent["output_schema"])
    return models(
        whom,
        name=style.model_names,
        calling=style.calling,
        several=scope.several,
        streamed=style.streamed,
        # A model's error beside other agents cancels them.
        errors=not scope.beside,
        **options,
    )
