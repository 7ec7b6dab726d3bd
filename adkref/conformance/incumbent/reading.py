# SPDX-License-Identifier: Apache-2.0
"""Reading the folders of google-adk's conformance cases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from adkref.conformance.faults import JsonPath, ScenarioError, json_path
from adkref.conformance.rules.registry import load_yaml

Data = dict[str, Any]

SPEC: Final = "spec.yaml"
#: The two kinds of runs that are recorded, by the ending of their files' names.
MODES: Final[Mapping[str, str]] = {"": "", "-sse": "sse"}


class Unsupported(Exception):
    """What a scenario cannot express, and where it stands."""

    def __init__(self, file: str, path: JsonPath, problem: str) -> None:
        super().__init__(f"{file}: {json_path(path)}: {problem}")
        self.file = file
        self.path = path
        self.problem = problem


@frozen
class Recording:
    """What a model or a tool was asked, and what it answered."""

    #: Its number in the file, from 0.
    number: int
    #: Which of the user's messages it belongs to, from 0.
    message: int
    agent: str
    #: ``{"request", "responses"}`` of a model, or None.
    model: Data | None = None
    #: ``{"call", "response"}`` of a tool, or None.
    tool: Data | None = None


@frozen
class Case:
    """One folder, recorded in one mode."""

    #: Category and name, with the mode.
    id: str
    streaming: str
    spec: Data
    #: The name of the file with the recordings.
    file: str
    recordings: tuple[Recording, ...]
    #: The name of the file with the session, and its events, if there is one.
    session_file: str = ""
    events: tuple[Data, ...] | None = None
    state: Data | None = None


def folders(root: Path) -> list[Path]:
    """Return the folders below *root* that hold a case; none is a :class:`ScenarioError`."""
    found = sorted(file.parent for file in root.rglob(SPEC))
    if not found:
        problem = "no such folder" if not root.is_dir() else f"holds no {SPEC}"
        raise ScenarioError(problem, file=str(root))
    return found


def name_of(folder: Path) -> str:
    """Return category and name of a case, which its folders are named after."""
    return f"{folder.parent.name}/{folder.name}"


def read(folder: Path) -> Iterator[Case | Unsupported]:
    """Yield the cases of a folder, one for each mode in which it was recorded."""
    try:
        spec = _spec(folder)
        modes = [mode for mode in MODES if (folder / f"generated-recordings{mode}.yaml").exists()]
        if not modes:
            raise Unsupported(
                "generated-recordings.yaml",
                (),
                "is not there, and without it nobody knows what the models answered",
            )
    except Unsupported as problem:
        yield problem
        return
    for mode in modes:
        try:
            yield _case(folder, spec, mode)
        except Unsupported as problem:
            yield problem


def _case(folder: Path, spec: Data, mode: str) -> Case:
    file = f"generated-recordings{mode}.yaml"
    session_file = f"generated-session{mode}.yaml"
    session: Data = {}
    if (folder / session_file).exists():
        session = _load(folder, session_file)
    return Case(
        id=name_of(folder) + mode,
        streaming=MODES[mode],
        spec=spec,
        file=file,
        recordings=tuple(_recordings(_load(folder, file), file)),
        session_file=session_file if session else "",
        events=tuple(session.get("events") or ()) if session else None,
        state=session.get("state") or {} if session else None,
    )


_SPEC_KEYS: Final = ("description", "agent", "initial_state", "user_messages")
_MESSAGE_KEYS: Final = ("text", "content", "state_delta")


def _spec(folder: Path) -> Data:
    spec = _load(folder, SPEC)
    _known(spec, _SPEC_KEYS, SPEC, ())
    if not isinstance(spec.get("agent"), str):
        raise Unsupported(SPEC, ("agent",), "is no name of an agent")
    for number, message in enumerate(spec.get("user_messages") or ()):
        path = ("user_messages", number)
        if not isinstance(message, dict):
            raise Unsupported(SPEC, path, "is no message")
        _known(message, _MESSAGE_KEYS, SPEC, path)
        if ("text" in message) == ("content" in message):
            raise Unsupported(SPEC, path, "has not exactly one of text and content")
    return spec


_RECORDING_KEYS: Final = ("user_message_index", "agent_name", "llm_recording", "tool_recording")


def _recordings(data: Data, file: str) -> Iterator[Recording]:
    _known(data, ("recordings",), file, ())
    for number, item in enumerate(data.get("recordings") or ()):
        path = ("recordings", number)
        if not isinstance(item, dict):
            raise Unsupported(file, path, "is no recording")
        _known(item, _RECORDING_KEYS, file, path)
        model, tool = item.get("llm_recording"), item.get("tool_recording")
        if (model is None) == (tool is None):
            raise Unsupported(file, path, "has not exactly one of llm_recording, tool_recording")
        for key, value, keys in (
            ("llm_recording", model, ("llm_request", "llm_responses")),
            ("tool_recording", tool, ("tool_call", "tool_response")),
        ):
            if value is not None:
                _known(value, keys, file, (*path, key))
        yield Recording(
            number=number,
            message=item.get("user_message_index", 0),
            agent=str(item.get("agent_name", "")),
            model=model,
            tool=tool,
        )


def _known(data: Any, keys: tuple[str, ...], file: str, path: JsonPath) -> None:
    if not isinstance(data, dict):
        raise Unsupported(file, path, "is no object")
    for key in data:
        if key not in keys:
            raise Unsupported(file, (*path, key), f"is unknown here; known are {', '.join(keys)}")


def _load(folder: Path, name: str) -> Data:
    try:
        # Dates are the only thing in YAML that JSON has not.
        data = json.loads(json.dumps(load_yaml(folder / name), default=str))
    except ScenarioError as error:
        place = f"line {error.line}: " if error.line else ""
        raise Unsupported(name, (), f"{place}{error.problem}") from error
    except TypeError as error:
        raise Unsupported(name, (), f"has a key that is no text: {error}") from error
    if not isinstance(data, dict):
        raise Unsupported(name, (), "is no object")
    return data
