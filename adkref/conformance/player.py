# SPDX-License-Identifier: Apache-2.0
"""Playing a scenario: a whole run on the public API, and the trace of what happened.

:func:`play` is the heart of the driver.  It never raises: whatever goes wrong is one of
the protocol's answers.  A time limit is not its business; see :mod:`adkref.conformance.driver`.
"""

from __future__ import annotations

import gc
import traceback
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from adkref.artifacts import InMemoryArtifactService
from adkref.conformance.build import Build
from adkref.conformance.faults import HarnessError, ScenarioError
from adkref.conformance.scenario import Scenario, check, skip_reason
from adkref.conformance.script import CallCounter, content_of, fill_event
from adkref.conformance.trace import Names, Tracer, event_json, plain
from adkref.content import ROLE_USER, Content
from adkref.contexts import HostContext, RunConfig
from adkref.errors import AdkError
from adkref.events import Event, EventCompaction, EventReference, new_event
from adkref.gotext import numbers_as_go
from adkref.memory import InMemoryMemoryService
from adkref.platform import DEFAULT_PLATFORM, Platform
from adkref.runner import Runner
from adkref.sessions import InMemorySessionService, Session, SessionService

#: A trace is a mass of objects that stay; looking them through as often as Python does by
#: default takes as long as playing.
_GC_THRESHOLDS: Final = (100_000, 20, 100)

Answer = dict[str, Any]
Spec = Mapping[str, Any]

#: After so many items of a turn the consumer loses patience.
MAX_ITEMS: Final = 400


def play(scenario: Any) -> Answer:
    """Play *scenario* and return a driver's answer.

    That is ``{"id", "trace", "final"}``, or ``{"id", "skip"}`` for what cannot be played
    yet, ``{"id", "error"}`` for a bad scenario or a defect of the kit, ``{"id", "panic"}``
    when the implementation crashed.  A value without an id is answered with the error alone.
    """
    identity = scenario.get("id") if isinstance(scenario, dict) else None
    known = {"id": identity} if isinstance(identity, str) else {}
    thresholds = gc.get_threshold()
    try:
        check(scenario)
        if reason := skip_reason(scenario):
            return {**known, "skip": reason}
        gc.set_threshold(*_GC_THRESHOLDS)
        return Play(scenario).answer()
    except ScenarioError as error:
        return {**known, "error": f"bad scenario: {error}"}
    except HarnessError as error:
        return {**known, "error": f"harness: {error}"}
    except Exception as error:
        return {**known, "panic": f"{type(error).__name__}: {error}{_where(error)}"}
    finally:
        gc.set_threshold(*thresholds)


def _where(error: BaseException) -> str:
    """Say where an unexpected exception was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""


class Play:
    """One scenario on its way: what its parts need to know of each other."""

    def __init__(
        self,
        scenario: Scenario,
        tracer: Tracer | None = None,
        host: HostContext | None = None,
    ) -> None:
        self.scenario = scenario
        self.tracer = tracer if tracer is not None else Tracer()
        self.host = host
        self.build = Build(self.tracer)
        self.service = InMemorySessionService()
        self.sessions = TracedSessions(
            self.service, self.tracer, scenario.get("faults", {}).get("append", ())
        )
        session = scenario.get("session", {})
        self.key = session.get("app", ""), session.get("user", ""), session.get("id", "")

    def answer(self) -> Answer:
        """Play and return the answer."""
        try:
            runner = self._set_up()
        except AdkError as error:
            self.tracer.add("construct_error", error=str(error))
            return self._finished(None)
        self.sessions.traced = True
        for number, turn in enumerate(self.scenario.get("turns", ()), 1):
            self.tracer.add("turn", n=number)
            self._turn(runner, turn)
        self.sessions.traced = False
        return self._finished(self._final())

    def _finished(self, final: dict[str, Any] | None) -> Answer:
        if self.tracer.fault is not None:
            raise self.tracer.fault
        names = Names(self.sessions.times)
        answer = {
            "id": self.scenario["id"],
            "trace": names.records(self.tracer.finished()),
        }
        if final is not None:
            answer["final"] = names.final(final)
        return answer

    def digest(self) -> tuple[Any, ...]:
        """Return what the stores hold, for a scheduler that compares moments of runs."""
        return self.sessions.digest()

    # --- before the first turn ----------------------------------------------------------

    def _set_up(self) -> Runner:
        """Build agents, plugins, runner and session, in this order."""
        root = self.build.agent(self.scenario["agent"])
        plugins = [self.build.plugin(spec) for spec in self.scenario.get("plugins", ())]
        session = self.scenario.get("session", {})
        runner = Runner(
            self.key[0],
            root,
            self.sessions,
            artifact_service=InMemoryArtifactService(),
            memory_service=InMemoryMemoryService(),
            plugins=plugins,
            auto_create_session=session.get("auto_create", False),
        )
        if not session.get("skip_create", False):
            state = session.get("state")
            handle = self.service.create(
                *self.key, None if state is None else numbers_as_go(state)
            )
            self._store_history(handle, session.get("events", ()))
        return runner

    def _store_history(self, session: Session, specs: Sequence[Spec]) -> None:
        """Store the events of earlier days, one second apart, an hour ago."""
        start = DEFAULT_PLATFORM.now() - timedelta(hours=1)
        for number, spec in enumerate(specs):
            event = new_event("inv-history")
            fill_event(event, spec)
            event.timestamp = start + timedelta(seconds=spec.get("at", number))
            if "compaction" in spec:
                event.actions.compaction = self._compaction(spec["compaction"], start)
            self.service.append_event(session, event)
            self.sessions.note(event)

    def _compaction(self, spec: Spec, start: datetime) -> EventCompaction:
        """Build a compaction record over the times of history events before it."""

        def time(edge: str) -> datetime:
            seconds = spec.get(f"{edge}_at")
            if seconds is not None:
                return start + timedelta(seconds=seconds)
            return self.sessions.stored(spec.get(edge, 0))[0]

        references = [
            EventReference(invocation_id=invocation_id, timestamp=timestamp)
            for timestamp, invocation_id in map(self.sessions.stored, spec.get("excluded", ()))
        ]
        return EventCompaction(
            start_timestamp=time("from"),
            end_timestamp=time("to"),
            compacted_content=content_of(spec["summary"]) if "summary" in spec else None,
            excluded_events=references,
        )

    # --- turns --------------------------------------------------------------------------

    def _turn(self, runner: Runner, turn: Spec) -> None:
        """Run one turn as its consumer: take items, record them, stop where the turn says so."""
        _, user, session = self.key
        stop_after = turn.get("stop_after", 0)
        go_on = turn.get("on_error") == "continue"
        state_delta = turn.get("state_delta")
        stream = runner.stream(
            user,
            session,
            self._message(turn.get("user")),
            config=RunConfig(
                streaming_mode=turn.get("streaming", ""),
                save_input_blobs_as_artifacts=turn.get("save_input_blobs_as_artifacts", False),
            ),
            state_delta=None if state_delta is None else numbers_as_go(state_delta),
            yield_user_message=turn.get("yield_user_message", False),
            host=self.host,
        )
        add = self.tracer.add
        try:
            for number, (event, error) in enumerate(stream, 1):
                text = None if error is None else str(error)
                add("yield", event=event_json(event), error=text)
                if number == stop_after or (error is not None and not go_on):
                    add("stop")
                    stream.close()  # what unwinds is recorded after the stop
                    return
                if number > MAX_ITEMS:
                    add("runaway")
                    break
        finally:
            stream.close()
        add("end")

    def _message(self, spec: Any) -> Content | None:
        if spec is None:
            return None
        message = content_of(spec, ROLE_USER)
        for part in message.parts:
            response = part.function_response
            if response is not None and response.id.startswith("$id:"):
                stored = self._last_call(response.id.removeprefix("$id:"))
                response.id = response.id if stored is None else stored
        return message

    def _last_call(self, name: str) -> str | None:
        """Return the id of the last stored call of the function *name*, if there is one."""
        try:
            events = self.service.get(*self.key).events
        except AdkError:
            return None
        for event in reversed(events):
            for call in reversed(event.calls()):
                if call.name == name:
                    return call.id
        return None

    def _final(self) -> dict[str, Any]:
        try:
            session = self.service.get(*self.key)
        except AdkError as error:
            return {"error": str(error)}
        return {"state": plain(dict(session.state.items())), "events": len(session.events)}


class TracedSessions(SessionService):
    """A session service that records every append and fails where the scenario says so."""

    def __init__(self, inner: SessionService, tracer: Tracer, faults: Sequence[Spec]) -> None:
        self._inner = inner
        self._tracer = tracer
        self._faults = {fault["nth"]: fault["error"] for fault in reversed(faults)}
        self._appends = CallCounter()
        self._stored: list[tuple[datetime, str]] = []
        #: Whether appends are recorded; history and the final reading are not.
        self.traced = False
        self._handle: Session | None = None

    @property
    def times(self) -> list[datetime]:
        """The times of the stored events, in order."""
        return [time for time, _ in self._stored]

    def stored(self, number: int) -> tuple[datetime, str]:
        """Return time and invocation of the stored event *number*, counted from 1."""
        if not 1 <= number <= len(self._stored):
            raise ScenarioError(
                f"there is no history event {number} before",
                path=("session", "events"),
                expected=f"1 to {len(self._stored)}",
            )
        return self._stored[number - 1]

    def note(self, event: Event) -> None:
        """Remember the time of a stored event."""
        if not event.partial:
            self._stored.append((event.timestamp, event.invocation_id))

    def digest(self) -> tuple[Any, ...]:
        """Return the events' ids and the state of the handle that was last appended to."""
        if self._handle is None:
            return ()
        ids = tuple(event.id for event in self._handle.events)
        return ids, repr(sorted(self._handle.state.items(), key=lambda item: item[0]))

    def create(self, *args: Any, **options: Any) -> Session:
        """Hand on."""
        return self._inner.create(*args, **options)

    def get(self, *args: Any, **options: Any) -> Session:
        """Hand on."""
        return self._inner.get(*args, **options)

    def list(self, *args: Any, **options: Any) -> list[Session]:
        """Hand on."""
        return self._inner.list(*args, **options)

    def delete(self, *args: Any, **options: Any) -> None:
        """Hand on."""
        self._inner.delete(*args, **options)

    def append_event(
        self, session: Session, event: Event, *, platform: Platform | None = None
    ) -> None:
        """Store *event*, or fail as the scenario says, and record which."""
        if not self.traced:
            self._inner.append_event(session, event, platform=platform)
            return
        self._handle = session
        fault = self._faults.get(self._appends.next())
        if fault is not None:
            self._tracer.add("append", event=event_json(event), error=fault)
            raise AdkError(fault)
        try:
            self._inner.append_event(session, event, platform=platform)
        except Exception as error:
            self._tracer.add("append", event=event_json(event), error=str(error))
            raise
        self.note(event)
        self._tracer.add("append", event=event_json(event))
