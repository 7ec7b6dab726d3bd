# SPDX-License-Identifier: Apache-2.0
"""The runner: from a user's message to stored events (chapter 03, section 3)."""

from __future__ import annotations

from collections.abc import Iterable
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Self

from adkref.agents.base import Agent
from adkref.agents.llm import LlmAgent
from adkref.agents.tree import parent_map
from adkref.artifacts import ArtifactService, InMemoryArtifactService
from adkref.content import ROLE_USER, Content
from adkref.contexts import HostContext, RunConfig
from adkref.errors import AdkError, ProgrammingError, describe, wrap
from adkref.flow.placement import CHAT
from adkref.memory import InMemoryMemoryService, MemoryService
from adkref.plugins import Plugin, PluginManager
from adkref.runner.agent_path import agent_path
from adkref.runner.invocation import Invocation, Options, Services
from adkref.runner.node_path import node_path
from adkref.runner.selection import select_agent
from adkref.sessions import InMemorySessionService
from adkref.streams import Events, Stream

if TYPE_CHECKING:
    from adkref.sessions import Session, SessionService


class Runner:
    """Runs one agent tree for many sessions; it holds no state of a run (RUN-004).

    Raises AdkError, in this order: ``root agent is required``, ``session service is
    required``, ``failed to create agent tree: …``, ``failed to create plugin manager: …``
    (RUN-001).  It never closes plugins (RUN-006); use it as a context manager to do so.
    """

    def __init__(
        self,
        app_name: str,
        agent: Agent,
        session_service: SessionService,
        *,
        artifact_service: ArtifactService | None = None,
        memory_service: MemoryService | None = None,
        plugins: Iterable[Plugin] = (),
        auto_create_session: bool = False,
    ) -> None:
        if agent is None:
            raise AdkError("root agent is required")
        if not isinstance(agent, Agent):
            raise ProgrammingError(f"the root agent is {describe(agent)}, expected an Agent")
        if session_service is None:
            raise AdkError("session service is required")
        _check(app_name, "app_name", str)
        for what, service, methods in (
            ("session service", session_service, ("get", "create", "append_event")),
            ("artifact service", artifact_service, ("save", "load", "list")),
            ("memory service", memory_service, ("search_memory",)),
        ):
            _check_service(what, service, methods)
        try:
            self._parents = parent_map(agent)
        except AdkError as error:
            raise wrap("failed to create agent tree", error) from error
        try:
            self.plugins = PluginManager(plugins)
        except AdkError as error:
            raise wrap("failed to create plugin manager", error) from error
        self.app_name = app_name
        self.agent = agent
        self._services = Services(session_service, artifact_service, memory_service)
        self._auto_create = auto_create_session

    @classmethod
    def in_memory(
        cls,
        app_name: str,
        agent: Agent,
        *,
        session_service: SessionService | None = None,
        artifact_service: ArtifactService | None = None,
        memory_service: MemoryService | None = None,
        plugins: Iterable[Plugin] = (),
    ) -> Runner:
        """Return a runner that creates sessions; a service not given is in memory (RUN-005)."""
        return cls(
            app_name,
            agent,
            session_service if session_service is not None else InMemorySessionService(),
            artifact_service=(
                artifact_service if artifact_service is not None else InMemoryArtifactService()
            ),
            memory_service=(
                memory_service if memory_service is not None else InMemoryMemoryService()
            ),
            plugins=plugins,
            auto_create_session=True,
        )

    @property
    def session_service(self) -> SessionService:
        """Where the runs are stored."""
        return self._services.sessions

    def run(
        self,
        user_id: str,
        session_id: str,
        message: Content | str | None,
        *,
        config: RunConfig | None = None,
        state_delta: dict[str, Any] | None = None,
        yield_user_message: bool = False,
        host: HostContext | None = None,
    ) -> Events:
        """Run one turn; yields events, and raises the first error.

        A text *message* is a user content.  What is yielded has been stored (partial events
        are not).  Stop early with ``close()`` or a ``with`` block.
        """
        return Events(
            self.stream(
                user_id,
                session_id,
                Content.of_text(message, ROLE_USER) if isinstance(message, str) else message,
                config=config,
                state_delta=state_delta,
                yield_user_message=yield_user_message,
                host=host,
            )
        )

    def stream(
        self,
        user_id: str,
        session_id: str,
        message: Content | None,
        *,
        config: RunConfig | None = None,
        state_delta: dict[str, Any] | None = None,
        yield_user_message: bool = False,
        host: HostContext | None = None,
    ) -> Stream:
        """Run one turn as pairs of an event and an error; nothing happens before iteration.

        Call again for another run (RUN-010).  Which items come and what follows a stop is
        the table RUN-080.
        """
        if message is not None and not isinstance(message, Content):
            raise ProgrammingError(f"the message is {describe(message)}, expected a Content")
        _check(user_id, "user_id", str)
        _check(session_id, "session_id", str)
        _check(config, "config", RunConfig | None)
        _check(state_delta, "state_delta", dict | None)
        _check(host, "host", HostContext | None)
        for key in state_delta or ():
            _check(key, "a key of state_delta", str)
        # SESSION
        host = host if host is not None else HostContext.background()
        try:
            session = self._session(user_id, session_id, host)
        except ProgrammingError:
            raise
        except Exception as error:
            yield None, error
            return

        # PATH
        options = Options(message, config or RunConfig(), state_delta, yield_user_message)
        root = self.agent
        agent: Agent = root
        if isinstance(root, LlmAgent):  # RUN-014
            mode = root.mode or CHAT
            if mode != CHAT:  # RUN-015
                yield (
                    None,
                    AdkError(
                        f"root agent {root.name} must be a chat LlmAgent, but has mode {mode}"
                    ),
                )
                return
            agent = select_agent(root, self._parents, session.events, message)
        run = Invocation.begin(
            self._services, self.plugins, self._parents, options, session, agent, host
        )
        path = node_path if isinstance(root, LlmAgent) else agent_path
        items = path(run, agent)
        try:
            yield from items
        finally:
            items.close()

    def _session(self, user_id: str, session_id: str, host: HostContext) -> Session:
        """Get the session, or create it after any failure to get it (RUN-011, RUN-012)."""
        service = self._services.sessions
        try:
            return service.get(self.app_name, user_id, session_id)
        except ProgrammingError:
            raise
        except Exception:
            if not self._auto_create:
                raise
        return service.create(self.app_name, user_id, session_id, platform=host.platform)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.plugins.close()


def _check(value: object, what: str, kind: type | UnionType) -> None:
    """Refuse a value of another type."""
    if not isinstance(value, kind):
        expected = kind.__name__ if isinstance(kind, type) else _words(kind)
        raise ProgrammingError(f"{what} is {describe(value)}, expected {expected}")


def _words(kind: UnionType) -> str:
    return " or ".join("None" if it is NoneType else it.__name__ for it in kind.__args__)


def _check_service(what: str, service: object, methods: Iterable[str]) -> None:
    """Refuse what is no service, or the class of one."""
    if service is None:
        return
    lacking = [name for name in methods if not callable(getattr(service, name, None))]
    if lacking or isinstance(service, type):
        raise ProgrammingError(
            f"the {what} is {describe(service)}, expected an object with the methods "
            + ", ".join(methods)
        )
