# SPDX-License-Identifier: Apache-2.0
"""The base agent: before callbacks, body, after callbacks (chapter 01, sections 3, 5 and 6).

Every agent kind is this class with another body.  One run is::

    before phase -> its item -> ended? -> body items -> ended? -> after phase -> its item

A run works on a context of its own, so ending it concerns no other agent.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, field

from adkref.callbacks import first_answer
from adkref.content import ROLE_USER, Content, Part, clone, content_fault
from adkref.contexts import (
    AnyInvocation,
    CallbackContext,
    Context,
    ContextDelta,
    InvocationDelta,
    ToolContext,
    callback_context,
)
from adkref.errors import AdkError, ProgrammingError, describe, note_missing_service, wrap
from adkref.events import Event, EventActions, new_event
from adkref.gotext import quote
from adkref.plugins import plugins_of
from adkref.streams import Emitted, Pair, Stream

if TYPE_CHECKING:
    from collections.abc import Iterator

AgentCallback = Callable[[CallbackContext], Content | None]
#: A body yields events, or pairs where it wants to go on after an error.
Body = Callable[[Context], Iterable[Event | Pair]]


def list_of(what: str, items: Any) -> list[Any]:
    """Return *items* as a list of its own; one item, a text or a dict is no list of *what*."""
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise ProgrammingError(f"expected a list of {what}, got an object {describe(items)}")
    return list(items)


def callback_list(items: Any) -> list[Any]:
    """Return a list of callbacks; what cannot be called is refused, None when it runs (CB-007)."""
    callbacks = list_of("callbacks", items)
    for callback in callbacks:
        if callback is not None and not callable(callback):
            raise ProgrammingError(f"a callback is {describe(callback)}, expected a function")
    return callbacks


def _agent_list(items: Any) -> list[Any]:
    agents = list_of("agents", items)
    for agent in agents:
        if agent is not None and not isinstance(agent, Agent):  # AGT-009
            raise ProgrammingError(f"a sub-agent is {describe(agent)}, expected an Agent")
    return agents


@define(eq=False, slots=False, repr=False)
class Agent:
    """An agent with a body of its own.

    ``run`` is a generator over a :class:`~adkref.contexts.Context`; it yields events (or
    pairs) and raises to end with an error.  When a yield returns, the event is in the
    session.  Neither the name nor the body is checked here (AGT-001, AGT-002); the same
    agent object twice among ``sub_agents`` is refused with ``error creating agent:
    subagent "<name>" appears multiple times in subAgents`` (AGT-003).
    """

    name: str
    description: str = field(default="", kw_only=True)
    sub_agents: list[Agent] = field(factory=list, kw_only=True, converter=_agent_list)
    body: Body | None = field(default=None, kw_only=True, alias="run")
    before_agent_callbacks: list[AgentCallback] = field(
        factory=list, kw_only=True, converter=callback_list
    )
    after_agent_callbacks: list[AgentCallback] = field(
        factory=list, kw_only=True, converter=callback_list
    )

    agent_type: ClassVar[str] = "CustomAgent"  # AGT-007

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ProgrammingError(f"an agent's name is {describe(self.name)}, expected a str")
        _refuse_repeated(self.sub_agents)

    # --- looking up -------------------------------------------------------------------

    def find_agent(self, name: str) -> Agent | None:
        """Return this agent or the first descendant called *name*, in pre-order (AGT-020)."""
        return self if self.name == name else self.find_sub_agent(name)

    def find_sub_agent(self, name: str) -> Agent | None:
        """Return the first descendant called *name*, never this agent (AGT-021)."""
        for sub in self.sub_agents:
            if (found := sub.find_agent(name)) is not None:
                return found
        return None

    # --- running ----------------------------------------------------------------------

    def run(self, ctx: AnyInvocation) -> Stream:
        """Run once, lazily (AGT-040); call again for another run (AGT-041).

        Yields the before phase's item, the body's items and the after phase's item
        (AGT-044).  Neither cancellation nor a final response ends the stream (AGT-056,
        AGT-058).
        """
        if isinstance(ctx, CallbackContext | ToolContext):  # AGT-059
            raise ProgrammingError(f"an agent cannot run with a {type(ctx).__name__}")
        # AGT-042, AGT-043: a context of this run's own, with a copy of the ended flag.
        node = Context.promote(ctx).with_delta(
            ContextDelta(invocation=InvocationDelta(agent=self))
        )

        # BEFORE: also when the caller has already ended (AGT-046).
        item = self._before(node)
        if item is not None:
            yield item
        if node.ended:
            return

        # BODY
        name = self.name
        items = self._items(node)
        try:
            for item in items:
                event = item[0]
                if event is not None and not event.author:
                    # AGT-051, AGT-053: in place, on the producer's own object.
                    content = event.content
                    from_user = content is not None and content.role == ROLE_USER
                    event.author = ROLE_USER if from_user else name
                yield item
        finally:
            items.close()
        if node.ended:
            return

        # AFTER: errors of the body do not prevent it (AGT-048).
        item = self._after(node)
        if item is not None:
            yield item

    def _items(self, node: Context) -> Stream:
        """Yield what the body yields, as pairs; what it raises is the last one."""
        if self.body is None:  # AGT-049
            raise ProgrammingError(f"agent {self.name!r} has no body")
        return _pairs_of(self.name, self.body, node)

    def _before(self, node: Context) -> Pair | None:
        item = self._phase(node, "before", self.before_agent_callbacks)
        if item is not None and item[0] is not None and item[0].content is not None:
            node.end_invocation()  # CB-010: content takes the place of the body
        return item

    def _after(self, node: Context) -> Pair | None:
        return self._phase(node, "after", self.after_agent_callbacks)  # CB-011: never ends

    def _phase(self, node: Context, phase: str, callbacks: Sequence[AgentCallback]) -> Pair | None:
        """Ask the plugins, then the own callbacks; at most one item comes of it (CB-014)."""
        manager = plugins_of(node.host)
        if not callbacks and not manager.has(f"{phase}_agent"):
            return None
        # CB-001: one actions record and one context for everybody in this phase.
        actions = EventActions.fresh()
        ctx = callback_context(node, actions)
        for prefix, ask in (
            (f"failed to run plugin {phase} agent callback", manager.ask),
            (f"failed to run {phase} agent callback", _own(callbacks)),
        ):  # CB-002: plugins first
            content, error = ask(f"{phase}_agent", ctx)
            if error is not None:
                return None, wrap(prefix, error)  # CB-013; what was written is lost, CB-015
            if content is not None:
                return self._callback_event(node, actions, content), None
        if actions.state_delta:  # CB-012
            return self._callback_event(node, actions, None), None
        return None

    def _callback_event(
        self, node: Context, actions: EventActions, content: Content | None
    ) -> Event:
        """Build the event of a phase, field by field as CB-020 says."""
        event = new_event(node.invocation_id, node.host.platform)
        event.author = self.name
        event.branch = node.branch
        event.content = content
        event.actions = clone(actions)  # CB-021, CB-022: the maps are shared
        event.actions.compaction = None  # CB-023
        return event

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


def _own(callbacks: Sequence[AgentCallback]) -> Callable[..., Any]:
    return lambda hook, ctx: first_answer(hook, Content, callbacks, ctx)


def _refuse_repeated(sub_agents: Sequence[Agent | None]) -> None:
    seen: set[int] = set()
    for sub in sub_agents:  # AGT-003 to AGT-005: direct list, by identity
        if id(sub) in seen:
            if sub is None:  # AGT-009
                raise ProgrammingError("sub_agents holds None twice")
            raise AdkError(
                f"error creating agent: subagent {quote(sub.name)} appears multiple times "
                "in subAgents"
            )
        seen.add(id(sub))


def _check_pair(name: str, item: tuple[Any, ...]) -> None:
    """Refuse a tuple that is no pair of the stream."""
    if (
        len(item) != 2
        or not (item[0] is None or isinstance(item[0], Event))
        or not (item[1] is None or isinstance(item[1], Exception))
    ):
        raise ProgrammingError(
            f"the body of agent {name!r} yielded ({', '.join(map(_shown, item))}), "
            "expected a pair of an Event or None and an exception or None"
        )
    if item[0] is not None:
        _check_event(name, item[0])


def _shown(value: object) -> str:
    return describe(value) if isinstance(value, type) else type(value).__name__


def _check_event(name: str, event: Event) -> None:
    """Refuse an event whose records are none."""
    if fault := content_fault(event.content):
        raise ProgrammingError(
            f"the body of agent {name!r} yielded an event whose content is {fault}"
        )
    if not isinstance(event.actions, EventActions):
        raise ProgrammingError(
            f"the body of agent {name!r} yielded an event whose actions are "
            f"{describe(event.actions)}, expected EventActions"
        )


#: A body of which so many runs are open when the stack is full has filled it itself.
_ENDLESS = 10


def _depth_of(body: Body) -> int:
    """Return how many runs of *body* are open."""
    frame, depth = inspect.currentframe(), 0
    while frame is not None:
        if frame.f_code is _pairs_of.__code__ and frame.f_locals.get("body") is body:
            depth += 1
        frame = frame.f_back
    return depth


def _pairs_of(name: str, body: Body, node: Context) -> Stream:
    """Turn what a user's body yields and raises into pairs."""
    items: Iterator[Any] = iter(())
    try:
        # A body need not be a generator: it may raise before there is anything to iterate.
        produced = body(node)
        if not isinstance(produced, Iterable):  # AGT-049
            raise ProgrammingError(
                f"the body of agent {name!r} returned {type(produced).__name__}, "
                "expected a generator"
            )
        items = iter(produced)
        for item in items:
            if isinstance(item, tuple):  # an item of a child's stream stays what it is
                if type(item) is not Emitted:
                    _check_pair(name, item)
                yield item
            elif isinstance(item, Event):
                content = item.content
                if type(item.actions) is not EventActions or (
                    content is not None
                    and (
                        type(content) is not Content
                        or (content.parts and type(content.parts[0]) is not Part)
                    )
                ):
                    # Only what looks odd is worth a closer look: every event comes along here.
                    _check_event(name, item)
                yield item, None
            elif item is None:
                yield None, None
            else:
                raise ProgrammingError(
                    f"the body of agent {name!r} yielded {type(item).__name__}, "
                    "expected an Event or a pair of an event and an error"
                )
    except ProgrammingError:
        raise
    except RecursionError as error:
        if (depth := _depth_of(body)) >= _ENDLESS:
            raise ProgrammingError(
                f"agent {name!r} runs itself without end: {depth} runs of it are open"
            ) from error
        yield None, error
    except Exception as error:
        note_missing_service(error)
        yield None, error
    finally:
        # A list has nothing to close; a generator and a run of another runner have.
        close = getattr(items, "close", None)
        if close is not None:
            close()
