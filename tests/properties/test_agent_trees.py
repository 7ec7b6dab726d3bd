# SPDX-License-Identifier: Apache-2.0
"""Random agent trees, run by a runner and compared with a model that knows only the rules.

A tree is made of custom bodies (events, partial events, errors, ending), bodies that run other
agents, sequential, loop and parallel agents.  Every agent has callbacks, and there are plugins,
which answer, raise or write state.

The *trace* of a run holds, in the order of happening, who was asked, which step a body took, and
which items the consumer got.  :func:`expected` tells it beforehand; what is open between the
lanes of a parallel agent stands there as a :class:`Par`.
"""

import inspect
import threading
from contextlib import contextmanager
from itertools import count

from attrs import define, field, frozen
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st

from adkref.agents import Agent, LoopAgent, ParallelAgent, SequentialAgent
from adkref.agents.sequential import _SequentialBase
from adkref.content import Content, Part
from adkref.events import Event, EventActions
from adkref.plugins import Plugin
from adkref.runner import Runner
from adkref.sessions import InMemorySessionService

HI = Content.of_text("hi", "user")
PHASES = ("before", "after")


# --- what a tree is made of ------------------------------------------------------------------


@frozen
class Say:
    """A step that yields an event."""

    role: str | None = "model"
    author: str = ""
    partial: bool = False
    escalate: bool = False


FAIL, RAISE, END = "fail", "raise", "end"
PASS, WRITE, ANSWER = "pass", "write", "answer"


@define
class Node:
    """An agent to be made; ``before`` and ``after`` say what its callbacks do."""

    kind: str
    steps: list = field(factory=list)
    children: list["Node"] = field(factory=list)
    limit: int = 1
    before: list[str] = field(factory=list)
    after: list[str] = field(factory=list)
    name: str = ""

    def walk(self):
        """This node and all below, in pre-order."""
        yield self
        for child in self.children:
            yield from child.walk()


@frozen
class Hooks:
    """A plugin to be made: what it does in each phase, for one agent or for all (None)."""

    before: str | None
    after: str | None
    only: int | None


@frozen
class Case:
    """A tree with its plugins."""

    root: Node
    plugins: list[Hooks]

    @property
    def has_parallel(self):
        """Whether anything runs side by side."""
        return any(node.kind == "parallel" for node in self.root.walk())

    def does(self, number, phase, agent):
        """What a plugin does in a phase of an agent, None if it takes no part."""
        plugin = self.plugins[number]
        does = getattr(plugin, phase)
        names = [node.name for node in self.root.walk()]
        if does is None or plugin.only is None or names[plugin.only % len(names)] == agent:
            return does
        return PASS


says = st.builds(
    Say,
    role=st.sampled_from(["model", "model", "user", "", None]),
    author=st.sampled_from(["", "", "", "someone"]),
    partial=st.sampled_from([False, False, False, True]),
    escalate=st.sampled_from([False, False, False, False, True]),
)
bodies = st.lists(says | says | st.sampled_from([FAIL, END]), max_size=4).flatmap(
    lambda steps: st.sampled_from([steps, steps, steps, [*steps, RAISE]])
)
quiet_bodies = st.lists(says | says | st.just(END), max_size=4)
actions = st.lists(st.sampled_from([PASS, PASS, PASS, WRITE, WRITE, ANSWER, RAISE]), max_size=2)
quiet_actions = st.lists(st.sampled_from([PASS, WRITE, WRITE, ANSWER]), max_size=1)


def nodes(kinds, steps, does):
    """Trees whose root is a composite of one of these kinds, and of at most four levels."""

    def composites(below):
        return st.builds(
            Node,
            st.sampled_from(kinds),
            children=st.lists(below, min_size=1, max_size=3) | st.lists(below, max_size=3),
            limit=st.integers(1, 2),
            before=does,
            after=does,
        )

    leaf = st.builds(Node, st.just("custom"), steps=steps, before=does, after=does)
    one = composites(leaf)
    two = composites(leaf | one)
    return one | two | composites(leaf | two)


def cases(kinds, steps=bodies, does=actions):
    """Trees with up to two plugins; agents are numbered in pre-order."""

    def named(root, plugins):
        for number, node in enumerate(root.walk()):
            node.name = f"a{number}"
        return Case(root, plugins)

    action = st.none() | st.sampled_from([PASS, WRITE, ANSWER, RAISE])
    plugin = st.builds(Hooks, action, action, st.integers(0, 5))
    everywhere = st.builds(Hooks, *[st.sampled_from([None, PASS, WRITE])] * 2, st.none())
    return st.builds(named, nodes(kinds, steps, does), st.lists(plugin | everywhere, max_size=2))


SERIAL = ["sequential", "sequential", "loop", "loop", "relay"]
ALL = ["parallel", "parallel", "parallel", "sequential", "loop", "relay"]


# --- the model ---------------------------------------------------------------------------------


@frozen
class Par:
    """Lanes of a parallel agent: the agents of each, and its trace up to its first error.

    ``errors`` are the texts that the one error item may have, none if no lane fails.
    """

    lanes: list[tuple[set[str], list]]
    errors: list[str]


class UnpredictableError(Exception):
    """Whether a loop ends depends on how far a lane comes."""


def event(agent, text, author, keys=(), *, partial=False):
    """The trace of an event that the consumer gets."""
    return "event", agent, text, author, partial, tuple(sorted(keys))


def expected(case, node):
    """The trace of one run of *node*, and whether an event escalates."""
    trace, loud, ended = [], False, False

    def phase(which):
        """Who is asked, the phase's item, and whether it is a content (CB-001 to CB-013)."""
        keys = []
        asked = [
            (f"p{number}", "plugin ", case.does(number, which, node.name))
            for number in range(len(case.plugins))
        ]
        asked += [(f"c{number}", "", does) for number, does in enumerate(getattr(node, which))]
        for who, part, does in asked:
            if does is None:
                continue
            trace.append(("asked", node.name, which, who))
            if does == WRITE:
                keys.append(who)
            elif does == RAISE:
                trace.append(
                    ("error", f"failed to run {part}{which} agent callback: {node.name}/{who}")
                )
                return False
            elif does == ANSWER:
                trace.append(event(node.name, f"{node.name}/{which}/{who}", node.name, keys))
                return True
        if keys:
            trace.append(event(node.name, "", node.name, keys))
        return False

    def steps():
        """A custom body (AGT-047, AGT-050, AGT-051)."""
        nonlocal loud, ended
        for number, step in enumerate(node.steps):
            trace.append(("step", node.name, number))
            if step == END:
                ended = True
            elif step in (FAIL, RAISE):
                trace.append(("error", f"{node.name}.{number}"))
            else:
                loud = loud or step.escalate
                author = step.author or ("user" if step.role == "user" else node.name)
                text = "" if step.role is None else f"{node.name}.{number}"
                trace.append(event(node.name, text, author, partial=step.partial))

    def children():
        """One after the other (SEQ-001, SEQ-002); whether one has escalated."""
        for child in node.children:
            below, louder = expected(case, child)
            trace.extend(below)
            yield louder

    if phase("before"):  # CB-010
        return trace, loud
    if node.kind == "custom":
        steps()
    elif node.kind == "parallel":
        lanes = [(child, *expected(case, child)) for child in node.children]
        cut = [
            ({below.name for below in child.walk()}, *up_to_error(trace_of))
            for child, trace_of, _ in lanes
        ]
        errors = [
            f'failed to run sub-agent "{child.name}": {text}'
            for child, (_, _, texts) in zip(node.children, cut, strict=True)
            for text in texts
        ]
        loud = any(louder for _, _, louder in lanes)
        if errors and loud:
            raise UnpredictableError
        trace.append(Par([(names, until) for names, until, _ in cut], errors))
    elif node.kind == "loop":
        for _ in range(node.limit):  # LOOP-002
            for louder in children():
                if louder:  # LOOP-003, LOOP-006
                    loud = True
                    break
            if loud:
                break
    else:
        loud = any([*children()])
    if not ended:
        phase("after")
    return trace, loud


def up_to_error(trace):
    """A lane's trace before its first error, and the texts that this error may have (PAR-040)."""
    for position, element in enumerate(trace):
        if isinstance(element, Par):
            if element.errors:
                return trace[: position + 1], element.errors
        elif element[0] == "error":
            return trace[:position], [element[1]]
    return trace, []


def size(trace):
    """How many entries a trace without errors has."""
    return sum(
        sum(size(lane) for _, lane in element.lanes) if isinstance(element, Par) else 1
        for element in trace
    )


def flat(trace):
    """Whether nothing of it is open."""
    return not any(isinstance(element, Par) for element in trace)


def check(trace, found):
    """Assert that *found* begins as the model says; return what follows."""
    for element in trace:
        if isinstance(element, Par):
            found = check_lanes(element, found)
        else:
            assert found[:1] == [element]
            found = found[1:]
    return found


def check_lanes(par, found):
    """Assert that every lane is as the model says, whatever their order (PAR-024, PAR-043)."""
    if not par.errors:
        length = sum(size(lane) for _, lane in par.lanes)
        mine, rest = found[:length], found[length:]
        for names, lane in par.lanes:
            assert check(lane, [entry for entry in mine if entry[1] in names]) == []
        return rest
    end = next(
        i for i, entry in enumerate(found) if entry[0] == "error" and entry[1] in par.errors
    )
    for names, lane in par.lanes:
        own = [entry for entry in found[:end] if entry[1] in names]
        # A lane that was stopped got less far; within a nested parallel agent all is open.
        assert not flat(lane) or own == lane[: len(own)]
    return found[end + 1 :]


# --- the run -----------------------------------------------------------------------------------


class Run:
    """One run of a case: its trace, what was opened and closed, and what was broken."""

    def __init__(self, case):
        self.case = case
        self.trace = []
        self.opened = []
        self.closed = []
        self.faults = []
        self.items = []
        self._serials = count()
        plugins = [self._plugin(number) for number in range(len(case.plugins))]
        self.service = InMemorySessionService()
        self.runner = Runner(
            "app",
            self._agent(case.root),
            self.service,
            plugins=plugins,
            auto_create_session=True,
        )

    # What the user would write

    def _plugin(self, number):
        def callback(which):
            does = getattr(self.case.plugins[number], which)
            if does is None:
                return None

            def ask(ctx):
                does = self.case.does(number, which, ctx.agent_name)
                return self._act(ctx, which, f"p{number}", does)

            return ask

        return Plugin(
            f"p{number}",
            before_agent_callback=callback("before"),
            after_agent_callback=callback("after"),
        )

    def _act(self, ctx, which, who, does):
        name = ctx.agent_name
        self.trace.append(("asked", name, which, who))
        if does == WRITE:
            ctx.state[who] = name
        if does == RAISE:
            raise ValueError(f"{name}/{who}")
        return Content.of_text(f"{name}/{which}/{who}") if does == ANSWER else None

    def _agent(self, node):
        def callback(which, number, does):
            return lambda ctx: self._act(ctx, which, f"c{number}", does)

        options = {
            f"{which}_agent_callbacks": [
                callback(which, number, does) for number, does in enumerate(getattr(node, which))
            ]
            for which in PHASES
        }
        subs = [self._agent(child) for child in node.children]
        if node.kind == "sequential":
            return SequentialAgent(node.name, sub_agents=subs, **options)
        if node.kind == "loop":
            return LoopAgent(node.name, sub_agents=subs, max_iterations=node.limit, **options)
        if node.kind == "parallel":
            return ParallelAgent(node.name, sub_agents=subs, **options)
        body = self._speak(node) if node.kind == "custom" else self._relay(node, subs)
        return Agent(node.name, sub_agents=subs, run=body, **options)

    def _speak(self, node):
        def run(ctx):
            self.opened.append(node.name)
            try:
                for number, step in enumerate(node.steps):
                    self.trace.append(("step", node.name, number))
                    if step == END:
                        ctx.end_invocation()
                    elif step == FAIL:
                        yield None, ValueError(f"{node.name}.{number}")
                    elif step == RAISE:
                        raise ValueError(f"{node.name}.{number}")
                    else:
                        yield from self._say(ctx, node, number, step)
            finally:
                self.closed.append(node.name)

        return run

    def _say(self, ctx, node, number, step):
        """Yield an event, then look whether it was stored."""
        text = f"{node.name}.{number}"
        serial = next(self._serials)
        yield Event(
            content=None if step.role is None else Content(step.role, [Part(text=text)]),
            author=step.author,
            partial=step.partial,
            actions=EventActions(escalate=step.escalate),
            custom_metadata={"serial": serial, "agent": node.name},
        )
        stored = [it.custom_metadata["serial"] for it in ctx.session.events if it.custom_metadata]
        if (serial in stored) is step.partial:
            self.faults.append(f"{text} was resumed, stored: {stored}")
        if not step.partial and not self.case.has_parallel and stored[-1] != serial:
            self.faults.append(f"{text} is not the last event")

    def _relay(self, node, subs):
        def run(ctx):
            self.opened.append(node.name)
            try:
                for sub in subs:
                    items = sub.run(ctx)
                    try:
                        yield from items
                    finally:
                        items.close()
            finally:
                self.closed.append(node.name)

        return run

    # What the consumer does

    def take(self, limit=None):
        """Take all items, or stop at the *limit*-th."""
        stream = self.runner.stream("u", "s", HI)
        try:
            while limit is None or len(self.items) < limit:
                item = next(stream, None)
                if item is None:
                    break
                self.items.append(item)
                self.trace.append(self._entry(item))
        finally:
            stream.close()
        return self

    def _entry(self, item):
        it, error = item
        if error is not None:
            assert it is None
            return "error", str(error)
        text = it.content.spoken_text() if it.content is not None else ""
        agent = (it.custom_metadata or {}).get("agent")
        if agent is None:
            agent = text.split("/")[0] or it.author
        keys = it.actions.state_delta or ()
        return event(agent, text, it.author, keys, partial=it.partial)

    # What is left

    def stored(self):
        """The events of the session after the user's message."""
        return list(self.service.get("app", "u", "s").events)[1:]

    def check_invariants(self):
        """Assert what holds for every run, however it ended."""
        assert self.faults == []
        assert sorted(self.opened) == sorted(self.closed)
        assert [it.name for it in threading.enumerate() if it.name.startswith("adkref-")] == []
        events = [it for it, _ in self.items if it is not None]
        assert [it for it in events if not it.author] == []
        whole = [it for it in events if not it.partial]
        assert self.stored() == whole


quick = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def up_to(trace, items):
    """The part of a trace that ends with the *items*-th item."""
    for position, entry in enumerate(trace):
        if entry[0] in ("event", "error"):
            items -= 1
            if not items:
                return trace[: position + 1]
    raise AssertionError


# --- properties ----------------------------------------------------------------------------------


@quick
@given(cases(SERIAL))
def test_a_serial_run_is_as_the_rules_say(case):
    """Callbacks, steps and items come in the one order there is (AGT-043 to AGT-052, CB, SEQ, LOOP).

    What a producer has yielded is in the session when it resumes (RUN-066).
    """
    run = Run(case).take()
    trace, _ = expected(case, case.root)
    note(f"expected {trace}")
    assert run.trace == trace
    run.check_invariants()


@quick
@given(cases(SERIAL), st.data())
def test_a_stop_leaves_a_prefix(case, data):
    """Stopped at item k, the session holds what the whole run had stored by then (RUN-080).

    Nobody is asked and no body takes a step afterwards; bodies close from the inside
    (AGT-055, SEQ-003, LOOP-013).
    """
    whole = Run(case).take()
    assume(whole.items)
    k = data.draw(st.integers(1, len(whole.items)), "k")
    run = Run(case).take(k)
    assert run.trace == up_to(whole.trace, k)
    stored = [plain(it) for it in run.stored()]
    assert stored == [plain(it) for it in whole.stored()][: len(stored)]
    still_open = run.opened[:]
    for name in run.closed:
        # An agent may have been opened several times; what is open is closed in reverse.
        position = len(still_open) - 1 - still_open[::-1].index(name)
        del still_open[position]
    assert still_open == []
    run.check_invariants()


def plain(it):
    """An event without what is drawn at random."""
    return {k: v for k, v in it.to_json().items() if k not in ("id", "timestamp", "invocationId")}


@quick
@given(cases(ALL, quiet_bodies, quiet_actions))
def test_lanes_are_as_the_rules_say(case):
    """Without errors each lane of a parallel agent is what the agent would do alone (PAR-020 to PAR-028)."""
    assume(case.has_parallel)
    run = Run(case).take()
    try:
        trace, _ = expected(case, case.root)
    except UnpredictableError:
        assume(False)  # a plugin raised in a lane
    note(f"expected {trace}")
    assert check(trace, run.trace) == []
    run.check_invariants()


@quick
@given(cases(ALL))
def test_errors_in_lanes_are_as_the_rules_say(case):
    """One error item comes last of a parallel agent, and no lane gets further than alone (PAR-040 to PAR-047)."""
    assume(case.has_parallel)
    run = Run(case).take()
    run.check_invariants()
    try:
        trace, _ = expected(case, case.root)
    except UnpredictableError:
        return
    note(f"expected {trace}")
    assert check(trace, run.trace) == []


@quick
@given(cases(ALL), st.integers(1, 12))
def test_a_stop_leaves_nothing_behind(case, k):
    """Stopped anywhere, every body is closed, no thread lives, and what was given is what is stored (PAR-060 to PAR-063)."""
    run = Run(case).take(k)
    assert len(run.items) <= k
    run.check_invariants()


KINDS = (Agent, LoopAgent, ParallelAgent, _SequentialBase)
#: What makes the framework's streams.
MAKERS = [(Agent, "run"), *((kind, "_items") for kind in KINDS)]


@contextmanager
def every_stream_kept():
    """Hold on to every stream that an agent makes, so that no count of references closes it."""
    kept = []
    before = [(kind, name, getattr(kind, name)) for kind, name in MAKERS]

    def keeping(make):
        def made(*arguments):
            kept.append(make(*arguments))
            return kept[-1]

        return made

    for kind, name, make in before:
        setattr(kind, name, keeping(make))
    try:
        yield kept
    finally:
        for kind, name, make in before:
            setattr(kind, name, make)


@quick
@given(cases(ALL), st.none() | st.integers(1, 8))
def test_every_stream_is_closed(case, k):
    """Whoever opens a stream closes it, none is left to the garbage collector (section 0)."""
    with every_stream_kept() as kept:
        run = Run(case).take(k)
        states = [(it.gi_code.co_qualname, inspect.getgeneratorstate(it)) for it in kept]
    assert [it for it in states if it[1] != inspect.GEN_CLOSED] == []
    run.check_invariants()
