# SPDX-License-Identifier: Apache-2.0
"""The script of a scenario on the port: the trace, rules and ops, contexts to run ops on."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from google.adk.events import EventActions
from google.adk.models import LlmResponse
from google.genai import types

from snapshots import Record, shown

FORMAT = "adk-scenario/1"

#: What cannot be played: the features of the format's further pages, then what the port lacks.
SKIPS = (
    "live",
    "executor",
    "remote_a2a",
    "gemini",
    "workflow",
    "compaction",
    "streaming",
    "cancel_after",
    "faults.get",
    "mask_errors",
    "function_call_modifier",
)

Spec = dict[str, Any]


class Skip(Exception):
    """The scenario needs a feature of SKIPS."""

    def __init__(self, feature: str) -> None:
        assert feature in SKIPS, feature
        super().__init__(feature)


def check_features(scenario: Spec) -> None:
    """Raise Skip for what the keys of a scenario and its turns show."""
    for key, feature in (
        ("executor", "executor"),
        ("peer", "remote_a2a"),
        ("compaction", "compaction"),
        ("mask_errors", "mask_errors"),
    ):
        if scenario.get(key) not in (None, False, []):
            raise Skip(feature)
    if scenario.get("faults", {}).get("get"):
        raise Skip("faults.get")
    for turn in scenario.get("turns", ()):
        for key, feature in (
            ("live", "live"),
            ("execute", "executor"),
            ("stream", "streaming"),
            ("cancel_after", "cancel_after"),
        ):
            if turn.get(key) not in (None, False, 0):
                raise Skip(feature)


# Scenario pieces


def content_of(spec: Any, role: str = "model") -> types.Content:
    """Return a content from a text or a content object."""
    if isinstance(spec, str):
        return types.Content(role=role, parts=[types.Part(text=spec)])
    return types.Content.model_validate(copy.deepcopy(spec))


def response_of(spec: Any) -> LlmResponse:
    """Return an LLM response from a text or its JSON."""
    if isinstance(spec, str):
        return LlmResponse(content=content_of(spec))
    return LlmResponse.model_validate(copy.deepcopy(spec))


def patch_event(event: Any, patch: Spec) -> None:
    """Apply a PATCH of on_event in place."""
    if "author" in patch:
        event.author = patch["author"]
    if "text" in patch:
        role = (event.content and event.content.role) or "model"
        event.content = content_of(patch["text"], role)
    if "stateDelta" in patch:
        event.actions.state_delta = copy.deepcopy(patch["stateDelta"])
    if "partial" in patch:
        event.partial = patch["partial"]


class Rules:
    """The rules of one callback, and how often it was called."""

    def __init__(self, rules: Iterable[Spec] | None) -> None:
        self._rules = list(rules or ())
        self._calls: Counter[tuple[str, str]] = Counter()

    def next(self, agent: str, tool: str = "") -> list[Spec]:
        """Count a call and return the ops of the first rule that matches it."""
        self._calls[agent, tool] += 1
        call = self._calls[agent, tool]
        for rule in self._rules:
            if (
                rule.get("agent") in (None, "", agent)
                and rule.get("tool") in (None, "", tool)
                and rule.get("call") in (None, 0, call)
            ):
                ops: list[Spec] = rule.get("do", [])
                return ops
        return []


#: Says whether it took care of an op.
Special = Callable[[str, Any], bool]


@dataclass
class Place:
    """Where ops run: what the port's context offers, and how its records are marked."""

    agent: str
    branch: str | None
    state: Any
    save: Callable[[str, types.Part], Awaitable[Any]]
    load: Callable[[str], Awaitable[Any]]
    end: Callable[[], None]
    special: Special = lambda name, arg: False
    extra: Record = field(default_factory=dict)


@dataclass
class Result:
    """What the ops returned; ``given`` tells a null from nothing."""

    given: bool = False
    value: Any = None


class Script:
    """The trace of one run, and the ops that write to it."""

    def __init__(self) -> None:
        self.trace: list[Record] = []

    def add(self, at: str, **fields: Any) -> None:
        """Record that *at* happened; fields that are None or "" are left out."""
        kept = {key: value for key, value in fields.items() if value is not None and value != ""}
        self.trace.append({"at": at, **kept})

    async def run(self, place: Place, ops: Iterable[Spec]) -> Result:
        """Run *ops* until one returns or raises."""

        def record(at: str, **fields: Any) -> None:
            self.add(at, agent=place.agent, branch=place.branch, **place.extra, **fields)

        for op in ops:
            ((name, arg),) = op.items()
            if place.special(name, arg):
                continue
            match name:
                case "set_state":
                    for key in sorted(arg):
                        try:
                            place.state[key] = copy.deepcopy(arg[key])
                        except Exception as error:
                            record("state_error", key=key, error=text_of(error))
                case "get_state":
                    try:
                        value = copy.deepcopy(place.state[arg])
                    except Exception as error:
                        record("state", key=arg, error=text_of(error))
                    else:
                        record("state", key=arg, value=value)
                case "save_artifact":
                    name_, part = arg["name"], types.Part(text=arg["text"])
                    try:
                        version = await place.save(name_, part)
                    except Exception as error:
                        record("artifact", op="save", name=name_, error=text_of(error))
                    else:
                        record("artifact", op="save", name=name_, version=version)
                case "load_artifact":
                    try:
                        part = await place.load(arg)
                    except Exception as error:
                        record("artifact", op="load", name=arg, error=text_of(error))
                    else:
                        # The port returns nothing where ADK-Go returns an error.
                        seen = {"text": part.text} if part else {"error": "not found"}
                        record("artifact", op="load", name=arg, **seen)
                case "end_invocation":
                    place.end()
                case "return":
                    return Result(True, arg)
                case "raise":
                    raise ScriptedError(arg)
                case _:
                    raise ValueError(f"bad scenario: unknown op {name!r}")
        return Result()

    # Places

    def callback_place(self, context: Any, special: Special | None = None, **extra: Any) -> Place:
        """Return the place of a callback's or a tool's context."""
        invocation = context.get_invocation_context()
        return Place(
            agent=context.agent_name,
            branch=invocation.branch,
            state=context.state,
            save=context.save_artifact,
            load=context.load_artifact,
            end=lambda: setattr(invocation, "end_invocation", True),
            special=special or (lambda name, arg: False),
            extra=extra,
        )

    def invocation_place(self, invocation: Any, special: Special | None = None) -> Place:
        """Return the place of an invocation context: custom bodies, the plugins' run hooks."""
        session = invocation.session
        key = {"app_name": session.app_name, "user_id": session.user_id, "session_id": session.id}
        artifacts = invocation.artifact_service
        return Place(
            agent=invocation.agent.name,
            branch=invocation.branch,
            state=session.state,
            save=lambda name, part: artifacts.save_artifact(**key, filename=name, artifact=part),
            load=lambda name: artifacts.load_artifact(**key, filename=name),
            end=lambda: setattr(invocation, "end_invocation", True),
            special=special or (lambda name, arg: False),
        )

    def tool_place(self, context: Any, tool: str, args: Spec) -> Place:
        """Return the place of a tool, or of a hook around one."""

        def special(name: str, arg: Any) -> bool:
            match name:
                case "set_args":
                    args.update(copy.deepcopy(arg))
                case "actions":
                    wanted = EventActions.model_validate(arg)
                    for key in wanted.model_fields_set:
                        setattr(context.actions, key, getattr(wanted, key))
                case "request_confirmation":
                    error = None
                    try:
                        context.request_confirmation(
                            hint=arg.get("hint"), payload=arg.get("payload")
                        )
                    except Exception as caught:
                        error = text_of(caught)
                    self.add("confirmation", op="request", **mark, error=error)
                case "get_confirmation":
                    seen = shown(context.tool_confirmation)
                    self.add("confirmation", op="get", **mark, value=seen)
                case _:
                    return False
            return True

        mark = {"tool": tool, "call_id": context.function_call_id}
        return self.callback_place(context, special, **mark)


class ScriptedError(Exception):
    """What a scenario raises."""


def text_of(error: BaseException | None) -> str | None:
    """Return an error's text; that of the first one of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return None if error is None else str(error) or type(error).__name__
