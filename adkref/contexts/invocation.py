# SPDX-License-Identifier: Apache-2.0
"""The base invocation context: one record a run is about (chapter 01, 7.1).

Copying it is how the *ended* flag stays private to an agent: every derivation
below copies the flag, and nothing ever writes it back (AGT-043, CTX-002).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from adkref.contexts.host import HostContext
from adkref.errors import ProgrammingError

if TYPE_CHECKING:
    from collections.abc import Callable

    from adkref.agents.base import Agent
    from adkref.artifacts import Artifacts
    from adkref.content import Content
    from adkref.memory import Memory
    from adkref.sessions import Session


@frozen
class RunConfig:
    """How one run behaves: ``streaming_mode`` is "", "none" or "sse"."""

    streaming_mode: str = ""
    save_input_blobs_as_artifacts: bool = False

    def __attrs_post_init__(self) -> None:
        if self.streaming_mode not in _STREAMING_MODES:
            raise ProgrammingError(
                f"streaming_mode is {self.streaming_mode!r}, expected '', 'none' or 'sse'"
            )


_STREAMING_MODES = ("", "none", "sse")


class _Unset:
    """The absent field of a delta; None is a replacement by None."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Any = _Unset()


@frozen
class InvocationDelta:
    """What a derived invocation context replaces; UNSET fields are kept (chapter 01, 1.8)."""

    host: HostContext = UNSET
    user_content: Content | None = UNSET
    agent: Agent | None = UNSET
    branch: str = UNSET
    isolation_scope: str = UNSET


@define(eq=False)
class InvocationContext:
    """The run's session, agent, branch and services, and whether it was ended."""

    host: HostContext = field(factory=HostContext.background)
    session: Session | None = None
    agent: Agent | None = None
    artifacts: Artifacts | None = None
    memory: Memory | None = None
    branch: str = ""
    isolation_scope: str = ""
    user_content: Content | None = None
    run_config: RunConfig | None = None
    invocation_id: str = ""
    ended: bool = False
    resumption_handle: str = ""

    def __attrs_post_init__(self) -> None:
        if not self.invocation_id:  # CTX-010
            self.invocation_id = "e-" + self.host.platform.new_id()

    def end_invocation(self) -> None:
        """Set the ended flag; nothing resets it on this object (CTX-001)."""
        self.ended = True

    def resumed_input(self, interrupt_id: str) -> tuple[Any, bool]:
        """Return the answer to an interrupt; the base context never has one (CTX-012)."""
        del interrupt_id
        return None, False

    def with_host(self, host: HostContext) -> InvocationContext:
        """Return a copy over *host*; the ended flag is copied (CTX-013)."""
        copy = self._copy()
        copy.host = host
        return copy

    def with_delta(self, delta: InvocationDelta | None) -> InvocationContext:
        """Return this object for None, else a copy with each present field replaced (CTX-014)."""
        if delta is None:
            return self
        copy = self._copy()
        for name in _REPLACEABLE:
            value = getattr(delta, name)
            if value is not UNSET:
                setattr(copy, name, value)
        return copy

    def _copy(self) -> InvocationContext:
        copy = object.__new__(InvocationContext)
        for name in _FIELDS:
            setattr(copy, name, getattr(self, name))
        return copy


_FIELDS: tuple[str, ...] = tuple(f.name for f in InvocationContext.__attrs_attrs__)
_REPLACEABLE = ("host", "user_content", "agent", "branch", "isolation_scope")

if TYPE_CHECKING:
    CancelFunction = Callable[[], None]
