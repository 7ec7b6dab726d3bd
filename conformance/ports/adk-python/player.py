# SPDX-License-Identifier: Apache-2.0
"""Playing one scenario on the port: set up, turns, final state."""

from __future__ import annotations

import asyncio
import copy
import time
from contextlib import aclosing
from typing import Any

from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App
from google.adk.artifacts import InMemoryArtifactService
from google.adk.events import Event
from google.adk.memory import InMemoryMemoryService
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService

from agents import Build
from script import Script, ScriptedError, Skip, Spec, check_features, content_of, text_of
from snapshots import Names, Record, event_json

#: After so many items of a turn the consumer loses patience.
MAX_ITEMS = 400


def answer(scenario: Spec) -> Record:
    """Play *scenario* and return a driver's answer without the id."""
    try:
        return asyncio.run(_Play(scenario).answer())
    except Skip as skip:
        return {"skip": str(skip)}
    except ValueError as error:
        if str(error).startswith("bad scenario: "):
            return {"error": str(error)}
        return {"panic": f"{type(error).__name__}: {error}"}
    except Exception as error:
        return {"panic": f"{type(error).__name__}: {error}"}


class Sessions(InMemorySessionService):
    """The port's service in memory, which records each append and fails where it is told to."""

    def __init__(self, script: Script, faults: Any) -> None:
        super().__init__()
        self._script = script
        self._faults = {fault["nth"]: fault["error"] for fault in faults or ()}
        self._appends = 0
        self.traced = False

    async def append_event(self, session: Any, event: Event) -> Event:
        """Store *event*, or fail as the scenario says, and record which."""
        if not self.traced:
            return await super().append_event(session, event)
        self._appends += 1
        error: Exception | None = None
        if fault := self._faults.get(self._appends):
            error = ScriptedError(fault)
        else:
            try:
                stored = await super().append_event(session, event)
            except Exception as caught:
                error = caught
        self._script.add("append", event=event_json(event), error=text_of(error))
        if error is not None:
            raise error
        return stored


class _Play:
    def __init__(self, scenario: Spec) -> None:
        self.scenario = scenario
        self.build = Build()
        self.script = self.build.script
        session = scenario.get("session") or {}
        self.session = session
        self.sessions = Sessions(self.script, (scenario.get("faults") or {}).get("append"))
        self.key = {
            "app_name": session.get("app", ""),
            "user_id": session.get("user", ""),
            "session_id": session.get("id", ""),
        }

    async def answer(self) -> Record:
        check_features(self.scenario)
        try:
            runner = await self._set_up()
        except Skip:
            raise
        except Exception as error:
            if str(error).startswith("bad scenario: "):
                raise
            self.script.add("construct_error", error=text_of(error))
            return self._finished()
        self.sessions.traced = True
        for number, turn in enumerate(self.scenario.get("turns") or (), 1):
            self.script.add("turn", n=number)
            await self._turn(runner, turn)
        self.sessions.traced = False
        got = await self.sessions.get_session(**self.key)
        if got is None:
            return self._finished({"error": "session not found"})
        return self._finished({"state": got.state, "events": len(got.events)})

    def _finished(self, final: Any = None) -> Record:
        names = Names()
        out = {"trace": names.walk(self.script.trace)}
        if final is not None:
            out["final"] = names.walk(final)
        return out

    async def _set_up(self) -> Runner:
        root = self.build.agent(self.scenario["agent"])
        plugins = [self.build.hooks.plugin(spec) for spec in self.scenario.get("plugins") or ()]
        runner = Runner(
            app=App(name=self.key["app_name"], root_agent=root, plugins=plugins),
            session_service=self.sessions,
            artifact_service=InMemoryArtifactService(),
            memory_service=InMemoryMemoryService(),
            auto_create_session=bool(self.session.get("auto_create")),
        )
        if not self.session.get("skip_create"):
            state = copy.deepcopy(self.session.get("state"))
            session = await self.sessions.create_session(**self.key, state=state)
            for number, spec in enumerate(self.session.get("events") or ()):
                fields = {"invocationId": "inv-history", **copy.deepcopy(spec)}
                fields["timestamp"] = time.time() - 3600 + number
                if "content" in fields:
                    fields["content"] = content_of(fields["content"])
                await self.sessions.append_event(session, Event.model_validate(fields))
        return runner

    async def _turn(self, runner: Runner, turn: Spec) -> None:
        sse = turn.get("streaming") == "sse"
        items = runner.run_async(
            user_id=self.key["user_id"],
            session_id=self.key["session_id"],
            new_message=None if turn.get("user") is None else await self._message(turn["user"]),
            state_delta=copy.deepcopy(turn.get("state_delta")),
            run_config=RunConfig(
                streaming_mode=StreamingMode.SSE if sse else StreamingMode.NONE,
                save_input_blobs_as_artifacts=bool(turn.get("save_input_blobs_as_artifacts")),
            ),
            yield_user_message=bool(turn.get("yield_user_message")),
        )
        taken = 0
        stopped = False
        try:
            async with aclosing(items):
                async for event in items:
                    self.script.add("yield", event=event_json(event))
                    taken += 1
                    if taken == turn.get("stop_after"):
                        stopped = True
                        self.script.add("stop")
                        break
                    if taken > MAX_ITEMS:
                        self.script.add("runaway")
                        break
        except Skip:
            raise
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
                raise
            # What unwinds after a stop is nobody's item.
            if not stopped:
                # A raised error stands for an item with an error, and always ends the stream.
                self.script.add("yield", error=text_of(error))
                if turn.get("on_error") != "continue":
                    stopped = True
                    self.script.add("stop")
        if not stopped:
            self.script.add("end")

    async def _message(self, spec: Any) -> Any:
        message = content_of(spec, "user")
        for part in message.parts or ():
            answer = part.function_response
            if answer and answer.id and answer.id.startswith("$id:"):
                answer.id = await self._call_id(answer.id.removeprefix("$id:"))
        return message

    async def _call_id(self, name: str) -> str:
        """Return the id of the last stored call of that name; without one it stays as it is."""
        session = await self.sessions.get_session(**self.key)
        found = f"$id:{name}"
        for event in session.events if session else ():
            for call in event.get_function_calls():
                if call.name == name:
                    found = call.id or ""
        return found
