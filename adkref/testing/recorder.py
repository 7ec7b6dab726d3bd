# SPDX-License-Identifier: Apache-2.0
"""A runner whose runs are recorded: which hooks were called, what was stored, what was taken."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from adkref.agents import Agent
from adkref.artifacts import InMemoryArtifactService
from adkref.conformance.build import Build
from adkref.conformance.player import TracedSessions
from adkref.conformance.script import HOOKS
from adkref.conformance.trace import Names, Record, Tracer, event_json
from adkref.content import ROLE_USER, Content
from adkref.contexts import HostContext, RunConfig
from adkref.events import Event
from adkref.memory import InMemoryMemoryService
from adkref.plugins import Plugin
from adkref.runner import Runner
from adkref.sessions import InMemorySessionService, Session, SessionService

#: The name of the plugin that records hooks.
NAME: Final = "trace"


class Recorder:
    """Keeps what happens in runs as records of a trace.

    ``plugin`` records hooks and answers none; it has to be the first of a runner's plugins, as
    one that answers keeps the later ones from being asked.  ``sessions`` wraps a session
    service to record appends, and ``note`` records what a consumer was given.
    """

    def __init__(self) -> None:
        self._tracer = Tracer()
        self._services: list[TracedSessions] = []
        self.plugin: Plugin = Build(self._tracer).plugin({"name": NAME, **{h: [] for h in HOOKS}})

    @property
    def records(self) -> list[Record]:
        """What happened so far, in order.

        Generated ids are named in the order in which they appear: ``inv-1``, ``adk-1``.
        """
        times = [time for service in self._services for time in service.times]
        return Names(times).records(list(self._tracer.records))

    def sessions(self, inner: SessionService | None = None) -> SessionService:
        """Return a session service that records each append to *inner*, or to a new store."""
        service = TracedSessions(inner or InMemorySessionService(), self._tracer, ())
        service.traced = True
        self._services.append(service)
        return service

    def note(self, at: str, **fields: Any) -> None:
        """Record something of one's own; fields that are None or ``""`` are left out."""
        self._tracer.add(at, **fields)

    def clear(self) -> None:
        """Forget what happened so far."""
        self._tracer.records.clear()


class RecordedRunner:
    """Runs an agent on in-memory services in one session, and records what happens.

    The session is there before the first run, with *state*.  Other options are those of
    :class:`adkref.Runner`.
    """

    def __init__(
        self,
        agent: Agent,
        *,
        plugins: Iterable[Plugin] = (),
        state: dict[str, Any] | None = None,
        trace: Recorder | None = None,
        app_name: str = "app",
        user_id: str = "user",
        session_id: str = "session",
        **options: Any,
    ) -> None:
        self.trace = trace if trace is not None else Recorder()
        self._key = app_name, user_id, session_id
        service = self.trace.sessions(options.pop("session_service", None))
        service.create(*self._key, state)
        options.setdefault("artifact_service", InMemoryArtifactService())
        options.setdefault("memory_service", InMemoryMemoryService())
        self.runner = Runner(
            app_name, agent, service, plugins=(self.trace.plugin, *plugins), **options
        )

    def run(
        self,
        message: Content | str | None = "hi",
        *,
        stop_after: int = 0,
        config: RunConfig | None = None,
        state_delta: dict[str, Any] | None = None,
        yield_user_message: bool = False,
        host: HostContext | None = None,
    ) -> list[Event]:
        """Run one turn and return the events that the consumer was given.

        The first error is raised, after the stream was closed.  With *stop_after* the consumer
        takes so many items and closes the stream.
        """
        _, user_id, session_id = self._key
        stream = self.runner.stream(
            user_id,
            session_id,
            Content.of_text(message, ROLE_USER) if isinstance(message, str) else message,
            config=config,
            state_delta=state_delta,
            yield_user_message=yield_user_message,
            host=host,
        )
        taken: list[Event] = []
        try:
            for number, (event, error) in enumerate(stream, 1):
                text = None if error is None else str(error)
                self.trace.note("yield", event=event_json(event), error=text)
                if event is not None:
                    taken.append(event)
                if error is not None or number == stop_after:
                    self.trace.note("stop")
                    stream.close()
                    if error is not None:
                        raise error
                    return taken
        finally:
            stream.close()
        self.trace.note("end")
        return taken

    @property
    def session(self) -> Session:
        """A new handle on the session."""
        return self.runner.session_service.get(*self._key)

    @property
    def state(self) -> dict[str, Any]:
        """The state that is stored."""
        return dict(self.session.state.items())

    @property
    def events(self) -> list[Event]:
        """The events that are stored."""
        return list(self.session.events)
