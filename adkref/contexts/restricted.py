# SPDX-License-Identifier: Apache-2.0
"""Callback, tool and read-only contexts (chapter 01, 7.3, 7.4 and 7.7).

User code gets one of these wrappers.  Which methods they refuse is the table
CTX-040; a refused method writes one log line and answers with a zero value.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from adkref.contexts.artifacts import TrackingArtifacts
from adkref.contexts.common import AnyInvocation, Context, ContextDelta
from adkref.contexts.invocation import InvocationDelta
from adkref.errors import AdkError
from adkref.events import EventActions, ToolConfirmation

if TYPE_CHECKING:
    from adkref.artifacts import Artifacts
    from adkref.content import Content
    from adkref.contexts.host import HostContext
    from adkref.contexts.state import State
    from adkref.memory import MemoryEntry
    from adkref.sessions import SessionState

log = logging.getLogger("adkref")


class _Wrapper:
    """Holds one common context and shows the accessors that no wrapper refuses."""

    kind = ""

    def __init__(self, common: Context) -> None:
        self._common = common

    @property
    def host(self) -> HostContext:
        """Cancellation, deadline and values."""
        return self._common.host

    @property
    def agent_name(self) -> str:
        """The name of the running agent."""
        return self._common.agent_name

    @property
    def app_name(self) -> str:
        """The session's application."""
        return self._common.app_name

    @property
    def user_id(self) -> str:
        """The session's user."""
        return self._common.user_id

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self._common.session_id

    @property
    def invocation_id(self) -> str:
        """The id that all events of the run share."""
        return self._common.invocation_id

    @property
    def branch(self) -> str:
        """The dotted branch."""
        return self._common.branch

    @property
    def user_content(self) -> Content | None:
        """The message that started the run."""
        return self._common.user_content

    @property
    def readonly_state(self) -> SessionState:
        """The session's own state object."""
        return self._common.readonly_state

    @property
    def state(self) -> State:
        """A view over this phase's delta and the session's state (CTX-050)."""
        return self._common.state

    @property
    def artifacts(self) -> Artifacts | TrackingArtifacts | None:
        """The artifact view of this context (CTX-035, CTX-037)."""
        return self._common.artifacts

    def with_delta(self, delta: ContextDelta | None) -> Context:
        """Return an *unwrapped* context (CTX-042)."""
        return self._common.with_delta(delta)

    def with_invocation_delta(self, delta: InvocationDelta | None) -> Context:
        """Return an *unwrapped* context (CTX-042)."""
        return self._common.with_invocation_delta(delta)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} over {self._common!r}>"


def _refuse(method: str, kind: str, answer: Any) -> Any:
    log.warning("%s() is not supported for %s context", method, kind)
    return answer


def _refused_property(method: str, kind: str, answer: Any) -> property:
    return property(lambda _: _refuse(method, kind, answer), doc="Refused: logs and answers.")


def _refused_method(method: str, kind: str, answer: Any) -> Callable[..., Any]:
    def refused(*_args: Any, **_options: Any) -> Any:
        _refuse(method, kind, answer)
        if isinstance(answer, Exception):
            raise AdkError(str(answer))
        return answer

    refused.__doc__ = "Refused: logs and answers."
    return refused


#: Python name -> (method's name in the log line, answer); CTX-040, PLG-024, PLG-025.
_REFUSED_PROPERTIES: Mapping[str, tuple[str, Any]] = {
    "agent": ("Agent", None),
    "session": ("Session", None),
    "memory": ("Memory", None),
    "run_config": ("RunConfig", None),
    "isolation_scope": ("IsolationScope", ""),
    "ended": ("Ended", False),
    "run_id": ("RunID", ""),
    "inner": ("InvocationContext", None),
}
_REFUSED_METHODS: Mapping[str, tuple[str, Any]] = {
    "end_invocation": ("EndInvocation", None),
    "resumed_input": ("ResumedInput", (None, False)),
    "with_host": ("WithContext", None),
    "with_agent_host": ("WithAgentContext", None),
    "with_timeout": ("WithAgentTimeout", (None, None)),
    "with_branch": ("WithBranch", None),
}
_REFUSED_PROPERTIES_OF_CALLBACKS: Mapping[str, tuple[str, Any]] = {
    "path": ("Path", ""),
    "sub_scheduler": ("SubScheduler", None),
    "output_for_ancestors": ("OutputForAncestors", None),
    "function_call_id": ("FunctionCallID", ""),
    "actions": ("Actions", None),
    "tool_confirmation": ("ToolConfirmation", None),
}
_UNSUPPORTED = "{}() is not supported for callback context"
_REFUSED_METHODS_OF_CALLBACKS: Mapping[str, tuple[str, Any]] = {
    "with_cancel": ("WithAgentCancel", (None, None)),
    "request_confirmation": (
        "RequestConfirmation",
        AdkError(_UNSUPPORTED.format("RequestConfirmation")),
    ),
    "search_memory": ("SearchMemory", AdkError(_UNSUPPORTED.format("SearchMemory"))),
}


def _restrict(
    cls: type[_Wrapper],
    properties: Mapping[str, tuple[str, Any]],
    methods: Mapping[str, tuple[str, Any]],
) -> None:
    for name, (method, answer) in properties.items():
        setattr(cls, name, _refused_property(method, cls.kind, answer))
    for name, (method, answer) in methods.items():
        setattr(cls, name, _refused_method(method, cls.kind, answer))


class CallbackContext(_Wrapper):
    """What agent and model callbacks receive."""

    kind = "callback"

    if TYPE_CHECKING:
        agent: None
        session: None
        actions: None
        ended: bool
        end_invocation: Callable[[], None]
        request_confirmation: Callable[..., None]
        search_memory: Callable[[str], list[MemoryEntry]]


class ToolContext(_Wrapper):
    """What tools and tool callbacks receive: the context of one function call."""

    kind = "tool"

    if TYPE_CHECKING:
        agent: None
        session: None
        ended: bool
        end_invocation: Callable[[], None]

    @property
    def function_call_id(self) -> str:
        """The id of the call."""
        return self._common.function_call_id

    @property
    def actions(self) -> EventActions:
        """The live actions record that the response event will carry."""
        actions = self._common.actions
        assert actions is not None
        return actions

    @property
    def tool_confirmation(self) -> ToolConfirmation | None:
        """The user's answer to this call's confirmation, if there is one."""
        return self._common.tool_confirmation

    @property
    def path(self) -> str:
        """The node path."""
        return self._common.path

    @property
    def sub_scheduler(self) -> Any:
        """What runs child nodes, or None outside a dynamic node (NODE-075)."""
        return self._common.sub_scheduler

    @property
    def output_for_ancestors(self) -> list[str] | None:
        """Whose output this node's output also is."""
        return self._common.output_for_ancestors

    def search_memory(self, query: str) -> list[MemoryEntry]:
        """Search the user's memory; works although the memory handle does not (CTX-041)."""
        return self._common.search_memory(query)

    def request_confirmation(self, hint: str, payload: Any = None) -> None:
        """Ask the user to approve this call (TOOL-100)."""
        self._common.request_confirmation(hint, payload)

    def with_cancel(self) -> tuple[Context, Callable[[], None]]:
        """Return an *unwrapped* context that can be cancelled alone (CTX-041)."""
        return self._common.with_cancel()

    def unwrapped(self) -> Context:
        """Return the common context, for the framework's own tools."""
        return self._common


_restrict(
    CallbackContext,
    {**_REFUSED_PROPERTIES, **_REFUSED_PROPERTIES_OF_CALLBACKS},
    {**_REFUSED_METHODS, **_REFUSED_METHODS_OF_CALLBACKS},
)
_restrict(ToolContext, _REFUSED_PROPERTIES, _REFUSED_METHODS)


class ReadonlyContext:
    """Shows the run without any way to change it (CTX-070, CTX-071)."""

    def __init__(self, ctx: AnyInvocation | _Wrapper) -> None:
        self._ctx = ctx if isinstance(ctx, _Wrapper) else Context.promote(ctx)

    host = property(lambda self: self._ctx.host, doc="Cancellation, deadline and values.")
    agent_name = property(lambda self: self._ctx.agent_name, doc="The running agent's name.")
    app_name = property(lambda self: self._ctx.app_name, doc="The session's application.")
    user_id = property(lambda self: self._ctx.user_id, doc="The session's user.")
    session_id = property(lambda self: self._ctx.session_id, doc="The session's id.")
    invocation_id = property(lambda self: self._ctx.invocation_id, doc="The invocation's id.")
    branch = property(lambda self: self._ctx.branch, doc="The dotted branch.")
    user_content = property(lambda self: self._ctx.user_content, doc="The run's message.")
    readonly_state = property(lambda self: self._ctx.readonly_state, doc="The session's state.")


# --- making them (CTX-034 to CTX-039) ---------------------------------------------------


def _prepared(actions: EventActions | None) -> EventActions:
    """Allocate missing delta maps in the given record, or make a record (CTX-034)."""
    if actions is None:
        return EventActions.fresh()
    if actions.state_delta is None:
        actions.state_delta = {}
    if actions.artifact_delta is None:
        actions.artifact_delta = {}
    return actions


def callback_context(
    ctx: AnyInvocation | _Wrapper, actions: EventActions | None = None, *, tracking: bool = False
) -> CallbackContext:
    """Return a callback context over *ctx* and *actions* (CTX-035).

    With *tracking*, as model callbacks have it, saved artifacts are noted in *actions*.
    Over a wrapper it sees no session, agent and memory: the wrapper refuses them (CTX-043).
    """
    actions = _prepared(actions)
    artifacts = ctx.artifacts
    common = Context(
        host=ctx.host,
        inner=cast("AnyInvocation", ctx),
        actions=actions,
        own_artifacts=TrackingArtifacts(artifacts, actions) if tracking else artifacts,
    )
    return CallbackContext(common)


def tool_context(
    ctx: AnyInvocation | _Wrapper,
    function_call_id: str = "",
    actions: EventActions | None = None,
    confirmation: ToolConfirmation | None = None,
) -> ToolContext:
    """Return the tool context of one call (CTX-037); an empty id is drawn (CTX-038).

    Over a wrapper it sees as little as :func:`callback_context` (CTX-043).
    """
    actions = _prepared(actions)
    given = cast("AnyInvocation", ctx)
    # The own fields of a common context survive: path, run id, sub-scheduler, resume inputs.
    common = (
        given.with_delta(ContextDelta()) if isinstance(given, Context) else Context.fresh(given)
    )
    # CTX-064: the view below may track too; then both records note a save.
    common.own_artifacts = TrackingArtifacts(given.artifacts, actions)
    common.actions = actions
    common.function_call_id = function_call_id or given.host.platform.new_id()
    common.tool_confirmation = confirmation
    return ToolContext(common)
