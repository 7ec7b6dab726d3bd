# SPDX-License-Identifier: Apache-2.0
"""What the agent path and the node path have in common (chapter 03, 3.4 to 3.6).

An :class:`Invocation` is one iteration of a run: its services, its options and the
context that the run hooks see.  The paths call its steps in the order of their rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attrs import define

from adkref.agents.base import Agent
from adkref.agents.tree import PARENTS, Parents
from adkref.artifacts import Artifacts, ArtifactService
from adkref.content import ROLE_USER, Content, Part, clone
from adkref.contexts import Context, HostContext, InvocationContext, InvocationDelta, RunConfig
from adkref.errors import AdkError, ProgrammingError, wrap
from adkref.events import Event, new_event
from adkref.flow.delegation import FINISH_TASK, TASK_COMPLETED
from adkref.memory import Memory, MemoryService
from adkref.plugins import PLUGINS, PluginManager
from adkref.runner.selection import reused_invocation_id
from adkref.streams import Pair

if TYPE_CHECKING:
    from adkref.sessions import Session, SessionService


@define
class Services:
    """The stores that a runner works with; artifacts and memory are optional."""

    sessions: SessionService
    artifacts: ArtifactService | None = None
    memory: MemoryService | None = None


@define
class Options:
    """What the caller asked of one run (chapter 03, 1.1)."""

    message: Content | None
    config: RunConfig
    state_delta: dict[str, Any] | None = None
    yield_user_message: bool = False


@define
class Invocation:
    """One run: *session* is its private handle, *context* what its hooks see."""

    services: Services
    plugins: PluginManager
    options: Options
    session: Session
    context: Context

    @classmethod
    def begin(
        cls,
        services: Services,
        plugins: PluginManager,
        parents: Parents,
        options: Options,
        session: Session,
        agent: Agent,
        host: HostContext,
    ) -> Invocation:
        """Return an invocation with its context (RUN-030 to RUN-032)."""
        host = host.with_value(PLUGINS, plugins).with_value(PARENTS, parents)
        names = session.app_name, session.user_id, session.id
        base = InvocationContext(
            host=host,
            session=session,
            agent=agent,
            artifacts=Artifacts(services.artifacts, *names) if services.artifacts else None,
            memory=Memory(services.memory, *names[:2]) if services.memory else None,
            user_content=options.message,
            run_config=options.config,
            invocation_id=reused_invocation_id(session.events, options.message),
        )
        return cls(services, plugins, options, session, Context.promote(base))

    # --- the user's message (3.5) ---------------------------------------------------------

    def take_message(self) -> Event | None:
        """Store the user's message and return its event, None without a message (RUN-040).

        Raises AdkError with the literal text of RUN-041, RUN-044 or RUN-048.
        """
        message = self.options.message
        if message is None:
            return None
        answer, error = self.plugins.ask("on_user_message", self.context, message)
        if error is not None:
            raise wrap("error running on run user message callback ", error) from error
        if answer is not None:  # RUN-042: a new context, the same invocation
            message = answer
            self.context = self.context.with_invocation_delta(
                InvocationDelta(user_content=message)
            )
        if self.options.config.save_input_blobs_as_artifacts:
            self._save_blobs(message)
        event = self._user_event(message)
        event.isolation_scope = active_task_scope(self.session.events)
        if self.options.state_delta is not None:
            event.actions.state_delta = self.options.state_delta
        self.append(event, "failed to append event to sessionService")
        return event

    def _save_blobs(self, message: Content) -> None:
        """Move inline data into artifacts, in place in the message in use (RUN-043)."""
        artifacts = self.context.artifacts
        if artifacts is None:
            return
        for index, part in enumerate(message.parts):
            if part.inline_data is None:
                continue
            name = f"artifact_{self.context.invocation_id}_{index}"
            try:
                artifacts.save(name, part)
            except ProgrammingError:
                raise
            except Exception as error:
                raise wrap(f"failed to save artifact {name}", error) from error
            message.parts[index] = Part(
                text=f"Uploaded file: {name}. It has been saved to the artifacts"
            )

    def _user_event(self, content: Content | None) -> Event:
        event = new_event(self.context.invocation_id, self.context.host.platform)
        event.author = ROLE_USER
        event.content = content  # RUN-046: the object itself
        return event

    def append(self, event: Event, failing: str) -> None:
        """Store *event*; raises AdkError ``<failing>: <cause>``."""
        try:
            self._store(event)
        except ProgrammingError:
            raise
        except Exception as error:
            raise wrap(failing, error) from error

    def _store(self, event: Event) -> None:
        platform = self.context.host.platform  # an event without id gets one of the run's
        self.services.sessions.append_event(self.session, event, platform=platform)

    # --- before_run and after_run (3.6) ----------------------------------------------------

    def early_exit(self) -> Pair | None:
        """Ask before_run; an answer or an error ends the run with one item (RUN-052 to RUN-054).

        The item's event is the user's *original* message again, stored once more.
        """
        answer, error = self.plugins.ask("before_run", self.context)
        if answer is None and error is None:
            return None
        event = self._user_event(self.options.message)  # RUN-053
        try:
            self.append(event, "failed to add event to session")
        except AdkError as failure:
            return None, failure
        return event, error

    def after_run(self) -> None:
        """Tell every plugin that the run is over (RUN-051)."""
        self.plugins.tell("after_run", self.context)

    # --- one event (3.7) -------------------------------------------------------------------

    def accept(self, event: Event) -> tuple[Event | None, Exception | None, bool]:
        """Offer *event* to the plugins and store it: OnEvent, then append (RUN-066).

        Returns ``(event to yield, error to yield, fatal)``; a fatal error ends the stream
        (RUN-064), an OnEvent error only drops this event (RUN-062).
        """
        info = event.node_info
        if (
            info is not None
            and info.message_as_output
            and not event.partial
            and event.content is not None
        ):  # RUN-061: the producer's object keeps its output
            event = clone(event)
            event.output = None
        if self.plugins.has("on_event"):
            record = event.actions.compaction
            answer, error = self.plugins.ask("on_event", self.context, event)
            if error is not None:
                return None, error, False
            if answer is not None:
                event = answer
            event.actions.compaction = record  # PLG-058
        if not event.partial:  # judged on the resulting event
            try:
                self._store(event)
            except ProgrammingError:
                raise
            except Exception as error:
                return None, wrap("failed to add event to session", error), True
        return event, None, False


def active_task_scope(events: Sequence[Event]) -> str:
    """Return the scope of the task that still waits for the user, or "" (RUN-049)."""
    finished: set[str] = set()
    for event in reversed(events):
        scope = event.isolation_scope
        if not scope:
            continue
        for response in event.responses():
            if response.name == FINISH_TASK:
                if (response.response or {}).get("result") == TASK_COMPLETED:
                    finished.add(scope)
                break  # the first one decides
        if scope not in finished:
            return scope
    return ""
