# SPDX-License-Identifier: Apache-2.0
"""The common context: what agents, flows and nodes work with (chapter 01, 7.2).

It pairs a host context with an *inner* invocation context and adds fields of its
own.  Two of its rules surprise: :meth:`Context.with_invocation_delta` leaves the own host
context as it is (CTX-024), and :meth:`Context.with_host` adopts an invocation context
that is given as host (CTX-025).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Union

from attrs import define, frozen

from adkref.content import clone
from adkref.contexts.artifacts import TrackingArtifacts
from adkref.contexts.host import HostContext
from adkref.contexts.invocation import UNSET, InvocationContext, InvocationDelta, RunConfig
from adkref.contexts.state import State
from adkref.errors import AdkError, ProgrammingError
from adkref.events import EventActions, ToolConfirmation

if TYPE_CHECKING:
    from adkref.agents.base import Agent
    from adkref.artifacts import Artifacts
    from adkref.content import Content
    from adkref.memory import Memory, MemoryEntry
    from adkref.sessions import Session, SessionState

AnyInvocation = Union["InvocationContext", "Context"]


@frozen
class ContextDelta:
    """What :meth:`Context.with_delta` replaces; UNSET fields are kept (chapter 01, 1.8)."""

    invocation: InvocationDelta | None = None
    resume_inputs: dict[str, Any] | None = UNSET
    path: str = UNSET
    run_id: str = UNSET
    sub_scheduler: Any = UNSET
    output_for_ancestors: list[str] | None = UNSET


_OWN_REPLACEABLE = ("resume_inputs", "path", "run_id", "sub_scheduler", "output_for_ancestors")


@define(eq=False, slots=False)
class Context:
    """The full context of a running agent; see :class:`CallbackContext` for restricted ones."""

    host: HostContext
    inner: AnyInvocation
    own_artifacts: Artifacts | TrackingArtifacts | None = None
    actions: EventActions | None = None
    function_call_id: str = ""
    tool_confirmation: ToolConfirmation | None = None
    resume_inputs: dict[str, Any] | None = None
    path: str = ""
    run_id: str = ""
    sub_scheduler: Any = None
    own_output_for_ancestors: list[str] | None = None

    # --- derivation -------------------------------------------------------------------

    @classmethod
    def promote(cls, ctx: AnyInvocation) -> Context:
        """Return *ctx* itself if it is a common context, else a new one around it (CTX-020)."""
        return ctx if isinstance(ctx, Context) else cls(host=ctx.host, inner=ctx)

    @classmethod
    def fresh(cls, ctx: AnyInvocation) -> Context:
        """Return a new context with no field of its own set, not nested in *ctx* (CTX-022)."""
        inner = ctx.inner if isinstance(ctx, Context) else ctx
        return cls(host=ctx.host, inner=inner)

    def with_delta(self, delta: ContextDelta | None) -> Context:
        """Return a copy with the present fields replaced, or this object for None (CTX-023)."""
        if delta is None:
            return self
        copy = clone(self)
        if delta.invocation is not None:
            copy.inner = _derive(self.inner, delta.invocation)
            if delta.invocation.host is not UNSET:
                copy.host = delta.invocation.host
        for name in _OWN_REPLACEABLE:
            value = getattr(delta, name)
            if value is not UNSET:
                own = "own_output_for_ancestors" if name == "output_for_ancestors" else name
                setattr(copy, own, value)
        return copy

    def with_invocation_delta(self, delta: InvocationDelta | None) -> Context:
        """Replace fields of the inner context only; the own host context stays (CTX-024)."""
        if delta is None:
            return self
        copy = clone(self)
        copy.inner = _derive(self.inner, delta)
        return copy

    def with_host(self, host: HostContext | AnyInvocation) -> Context:
        """Return a copy over *host*, which becomes the inner too if it is one (CTX-025)."""
        copy = clone(self)
        if isinstance(host, HostContext):
            copy.host = host
        else:
            copy.host, copy.inner = host.host, host
        return copy

    with_agent_host = with_host

    def with_cancel(self) -> tuple[Context, Callable[[], None]]:
        """Return a copy that can be cancelled alone; the inner is shared (CTX-026)."""
        host, cancel = self.host.with_cancel()
        return self.with_host(host), cancel

    def with_timeout(self, seconds: float) -> tuple[Context, Callable[[], None]]:
        """Return a copy that dies after *seconds*; the inner is shared (CTX-026)."""
        host, cancel = self.host.with_timeout(seconds)
        return self.with_host(host), cancel

    # --- read through the inner context -----------------------------------------------

    @property
    def agent(self) -> Agent | None:
        """The running agent's base object (AGT-025)."""
        return self.inner.agent

    @property
    def session(self) -> Session | None:
        """The run's session handle."""
        return self.inner.session

    @property
    def memory(self) -> Memory | None:
        """The memory view, or None without a service."""
        return self.inner.memory

    @property
    def branch(self) -> str:
        """The dotted branch, "" outside parallel agents."""
        return self.inner.branch

    @property
    def isolation_scope(self) -> str:
        """The scope of a delegated task, or ""."""
        return self.inner.isolation_scope

    @property
    def user_content(self) -> Content | None:
        """The message that started the run."""
        return self.inner.user_content

    @property
    def run_config(self) -> RunConfig | None:
        """How the run behaves."""
        return self.inner.run_config

    @property
    def invocation_id(self) -> str:
        """The id that all events of the run share."""
        return self.inner.invocation_id

    @property
    def ended(self) -> bool:
        """Whether the invocation was ended on this agent's own flag."""
        return self.inner.ended

    @property
    def resumption_handle(self) -> str:
        """The live session's resumption handle (CTX-015)."""
        return self.inner.resumption_handle

    def end_invocation(self) -> None:
        """Set the ended flag of the inner context."""
        self.inner.end_invocation()

    def resumed_input(self, interrupt_id: str) -> tuple[Any, bool]:
        """Return the own answer to an interrupt, else the inner context's (CTX-027)."""
        if self.resume_inputs is not None and interrupt_id in self.resume_inputs:
            return self.resume_inputs[interrupt_id], True
        return self.inner.resumed_input(interrupt_id)

    # --- read through the agent and the session (CTX-032) -------------------------------

    def need_session(self) -> Session:
        """Return the session; without one this is a programming error."""
        session = self.session
        if session is None:
            raise ProgrammingError("the context has no session")
        return session

    @property
    def agent_name(self) -> str:
        """The name of the running agent."""
        agent = self.agent
        if agent is None:
            raise ProgrammingError("the context has no agent")
        return agent.name

    @property
    def app_name(self) -> str:
        """The session's application."""
        return self.need_session().app_name

    @property
    def user_id(self) -> str:
        """The session's user."""
        return self.need_session().user_id

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self.need_session().id

    @property
    def readonly_state(self) -> SessionState:
        """The session's own state object, without the delta (CTX-033)."""
        return self.need_session().state

    # --- own fields -------------------------------------------------------------------

    @property
    def state(self) -> State:
        """A view over the actions' delta and the session's state (CTX-050)."""
        return State(self.inner, self.actions)

    @property
    def artifacts(self) -> Artifacts | TrackingArtifacts | None:
        """The own artifact view, else the inner context's (CTX-029)."""
        return self.own_artifacts if self.own_artifacts is not None else self.inner.artifacts

    @property
    def output_for_ancestors(self) -> list[str] | None:
        """The own list, also when empty, else that of the context it is hosted in (CTX-028)."""
        if self.own_output_for_ancestors is not None:
            return self.own_output_for_ancestors
        if self.host is not self.inner.host:
            return None  # hosted in a plain host context, which knows no ancestors
        return getattr(self.inner, "output_for_ancestors", None)

    def search_memory(self, query: str) -> list[MemoryEntry]:
        """Search the user's memory (CTX-030)."""
        memory = self.inner.memory
        if memory is None:
            raise AdkError("memory service is not set")
        return memory.search_memory(query)

    def request_confirmation(self, hint: str, payload: Any = None) -> None:
        """Ask the user to approve this tool call (CTX-031, TOOL-100)."""
        if not self.function_call_id:
            raise AdkError("error function call id not set when requesting confirmation for tool")
        actions = self.actions
        if actions is None:
            raise ProgrammingError("the context has no actions")
        if actions.requested_tool_confirmations is None:
            actions.requested_tool_confirmations = {}
        actions.requested_tool_confirmations[self.function_call_id] = ToolConfirmation(
            hint=hint, payload=payload
        )
        actions.skip_summarization = True

    def __repr__(self) -> str:
        agent = self.agent.name if self.agent is not None else None
        return f"<Context agent={agent!r} branch={self.branch!r} ended={self.ended}>"


def _derive(inner: AnyInvocation, delta: InvocationDelta) -> AnyInvocation:
    if isinstance(inner, InvocationContext):
        return inner.with_delta(delta)
    return inner.with_invocation_delta(delta)
