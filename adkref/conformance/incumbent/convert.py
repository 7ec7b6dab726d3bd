# SPDX-License-Identifier: Apache-2.0
"""From a recorded case to a scenario."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from adkref.conformance.canonical import LANES
from adkref.conformance.faults import JsonPath, ScenarioError
from adkref.conformance.fuzz.ordering import ordering_of
from adkref.conformance.incumbent.reading import SPEC, Case, Data, Recording, Unsupported
from adkref.conformance.incumbent.spelling import camel, content, parameters, response
from adkref.conformance.incumbent.team import TRANSFER, Member, root_of
from adkref.conformance.scenario import FORMAT, Scenario, check

#: The user of all cases.
USER: Final = "adk_conformance_test_user"
CONFIRMATION: Final = "adk_request_confirmation"
CREDENTIAL: Final = "adk_request_credential"

#: What the framework answers for a tool that waits for a human or is refused.
_CONFIRMING: Final = ("This tool call requires confirmation", "This tool call is rejected")
#: How the description of a long-running tool goes on.
_LONG_RUNNING: Final = "NOTE: This is a long-running operation"
#: Tools of the framework that a scenario gets in other ways, or not at all.
_BUILT_IN: Final = (TRANSFER, "exit_loop", "set_model_response", "finish_task")


def scenario_of(case: Case) -> Scenario:
    """Return the scenario of a case; what cannot be expressed is :class:`Unsupported`."""
    _refuse(case)
    _refuse_twins(case)
    seen = _Session(case)
    spec = case.spec
    session: Data = {"app": spec["agent"], "user": USER, "id": "s1"}
    if spec.get("initial_state"):
        session["state"] = spec["initial_state"]
    made: Scenario = {
        "format": FORMAT,
        "id": f"adk/{case.id}",
        "title": str(spec.get("description", "")),
        "session": session,
        "agent": _agent(root_of(case), case, seen),
        "turns": list(_turns(case)),
    }
    if not made["title"]:
        del made["title"]
    if ordering_of(made) == LANES:
        made["ordering"] = LANES
    try:
        return check(made)
    except ScenarioError as error:
        raise Unsupported(case.file, (), f"gives no scenario: {error}") from error


def _refuse(case: Case) -> None:
    """Refuse what the recordings show and no script can have."""
    for recording in case.recordings:
        path: JsonPath = ("recordings", recording.number, "llm_recording", "llm_request", "config")
        config: Any = ((recording.model or {}).get("llm_request") or {}).get("config") or {}
        for key in ("response_schema", "response_json_schema"):
            if config.get(key) is not None:
                raise Unsupported(
                    case.file, (*path, key), "the output schema of the agent is not recorded"
                )
        for number, entry in enumerate(config.get("tools") or ()):
            for at, declaration in enumerate(entry.get("function_declarations") or ()):
                name = declaration.get("name")
                if name in ("set_model_response", "finish_task"):
                    place = (*path, "tools", number, "function_declarations", at, "name")
                    what = "output schema" if name == "set_model_response" else "mode"
                    raise Unsupported(
                        case.file, place, f"{name!r}: the {what} of the agent is not recorded"
                    )


def _refuse_twins(case: Case) -> None:
    """Refuse two calls of one tool in one turn whose answers differ.

    Which of them a scripted tool is asked for first is left open.
    """
    tools = [each for each in case.recordings if each.tool is not None]
    answers = {_called(each).get("id", ""): _answered(each) for each in tools}
    for recording in case.recordings:
        for number, each in enumerate((recording.model or {}).get("llm_responses") or ()):
            first: dict[str, Any] = {}
            for at, part in enumerate((each.get("content") or {}).get("parts") or ()):
                call = part.get("function_call") or {}
                if not call or call.get("id", "") not in answers:
                    continue
                answer = answers[call.get("id", "")]
                if first.setdefault(call.get("name", ""), answer) != answer:
                    path = ("recordings", recording.number, "llm_recording", "llm_responses")
                    raise Unsupported(
                        case.file,
                        (*path, number, "content", "parts", at, "function_call"),
                        f"{call['name']!r} is called twice at a time, with different answers",
                    )


class _Session:
    """What the recorded session tells of calls: state that tools set, and who waits."""

    def __init__(self, case: Case) -> None:
        self.long_running: set[str] = set()
        self.confirming: set[str] = set()
        #: State that came with the answer to a call, by the call's id.
        self.state: dict[str, Data] = {}
        #: By agent: the key under which its texts are stored.
        self.keys: dict[str, str] = {}
        names: dict[str, str] = {}
        for number, event in enumerate(case.events or ()):
            self._look(case, number, event, names)

    def _look(self, case: Case, number: int, event: Data, names: dict[str, str]) -> None:
        parts = (event.get("content") or {}).get("parts") or ()
        calls = [part["function_call"] for part in parts if part.get("function_call")]
        answers = [part["function_response"] for part in parts if part.get("function_response")]
        waiting = event.get("long_running_tool_ids") or ()
        for call in calls:
            names[call.get("id", "")] = name = call.get("name", "")
            if name == CREDENTIAL:
                raise Unsupported(
                    case.session_file, ("events", number), f"{name!r}: there are no credentials"
                )
            if name == CONFIRMATION:
                original = (call.get("args") or {}).get("originalFunctionCall") or {}
                self.confirming.add(original.get("name", ""))
            elif call.get("id") in waiting:
                self.long_running.add(name)
        actions = event.get("actions") or {}
        delta = {
            key: value
            for key, value in (actions.get("state_delta") or {}).items()
            if not key.startswith("_adk_")
        }
        if not delta or event.get("author") == "user":
            return
        if answers:
            # What several tools of one turn have set is not told apart; the last one sets it.
            self.state[answers[-1].get("id", "")] = delta
        else:
            text = "".join(p.get("text") or "" for p in parts if not p.get("thought"))
            found = [key for key, value in delta.items() if text and value == text]
            if found:
                self.keys[str(event.get("author"))] = found[0]


# --- agents -------------------------------------------------------------------------------


def _agent(member: Member, case: Case, seen: _Session) -> Data:
    agent: Data = {"kind": "llm", "name": member.name, "model": _model(member, case)}
    if member.name in seen.keys:
        agent["output_key"] = seen.keys[member.name]
    parent = member.parent
    if parent is not None and member.reach is not None:
        siblings = {each.name for each in parent.children} - {member.name}
        if parent.name not in member.reach:
            agent["disallow_transfer_to_parent"] = True
        if siblings and not siblings & set(member.reach):
            agent["disallow_transfer_to_peers"] = True
    if tools := list(_tools(member, case, seen)):
        agent["tools"] = tools
    if member.children:
        agent["sub_agents"] = [_agent(child, case, seen) for child in member.children]
    return agent


def _model(member: Member, case: Case) -> Data:
    script, name = [], "recorded"
    for recording in member.models:
        recorded = recording.model or {}
        name = (recorded.get("llm_request") or {}).get("model") or name
        path = ("recordings", recording.number, "llm_recording", "llm_responses")
        script.append(
            {
                "responses": [
                    response(each, case.file, (*path, number))
                    for number, each in enumerate(recorded.get("llm_responses") or ())
                ]
            }
        )
    return {"name": name, "script": script}


# --- tools --------------------------------------------------------------------------------


def _tools(member: Member, case: Case, seen: _Session) -> Iterator[Data]:
    for declaration in member.declarations:
        name = declaration.get("name", "")
        if name == "exit_loop":
            yield {"kind": "exit_loop"}
        if name in _BUILT_IN:
            continue
        described, _, _ = str(declaration.get("description") or "").partition(_LONG_RUNNING)
        tool: Data = {"name": name}
        if described.strip():
            tool["description"] = described.strip()
        if (schema := parameters(declaration)) is not None:
            tool["parameters"] = schema
        if name in seen.long_running or _LONG_RUNNING in str(declaration.get("description")):
            tool["long_running"] = True
        answers = [it for it in member.tools if _called(it).get("name") == name]
        played = [it for it in answers if not _is_confirming(it)]
        if name in seen.confirming or len(played) < len(answers):
            tool["require_confirmation"] = True
        if rules := [
            {"call": number, "do": list(_ops(each, case, seen))}
            for number, each in enumerate(played, 1)
        ]:
            tool["rules"] = rules
        yield tool


def _called(recording: Recording) -> Data:
    return (recording.tool or {}).get("tool_call") or {}


def _answered(recording: Recording) -> Any:
    return ((recording.tool or {}).get("tool_response") or {}).get("response")


def _is_confirming(recording: Recording) -> bool:
    """Tell whether the framework answered in the tool's place."""
    answer = _answered(recording)
    error = answer.get("error") if isinstance(answer, dict) else None
    return isinstance(error, str) and error.startswith(_CONFIRMING)


def _ops(recording: Recording, case: Case, seen: _Session) -> Iterator[Data]:
    answer = _answered(recording)
    if answer is None:
        path = ("recordings", recording.number, "tool_recording", "tool_response", "response")
        raise Unsupported(case.file, path, "is not recorded, so the tool has no answer")
    if state := seen.state.get(_called(recording).get("id", "")):
        yield {"set_state": state}
    yield {"return": answer}


# --- turns --------------------------------------------------------------------------------


def _turns(case: Case) -> Iterator[Data]:
    called = _calls_by_message(case)
    for number, message in enumerate(case.spec.get("user_messages") or ()):
        turn: Data = {"user": message.get("text")}
        if "text" not in message:
            path = ("user_messages", number, "content")
            turn["user"] = _answers(content(message["content"], SPEC, path), path, called, number)
        if case.streaming:
            turn["streaming"] = case.streaming
        if message.get("state_delta"):
            turn["state_delta"] = message["state_delta"]
        yield turn


def _calls_by_message(case: Case) -> dict[str, list[int]]:
    """Return for each function in which turns it was called."""
    called: dict[str, list[int]] = {}
    for recording in case.recordings:
        for each in (recording.model or {}).get("llm_responses") or ():
            if each.get("partial"):
                continue
            for part in camel(each.get("content") or {}).get("parts") or ():
                if name := part.get("functionCall", {}).get("name"):
                    called.setdefault(name, []).append(recording.message)
    return called


def _answers(user: Data, path: JsonPath, called: dict[str, list[int]], number: int) -> Data:
    """Let each answer of the user go to the call that it is for.

    There the first call of the name that is not answered yet is meant, and in a scenario the
    last; so where there are several, the case cannot be expressed.
    """
    for at, part in enumerate(user.get("parts") or ()):
        answer = part.get("functionResponse")
        if answer is None:
            continue
        name = answer.get("name", "")
        place = (*path, "parts", at, "functionResponse", "name")
        before = [turn for turn in called.get(name, ()) if turn < number]
        if name != CONFIRMATION and not before:
            raise Unsupported(SPEC, place, f"{name!r} is answered and was not called before")
        if len(before) > 1:
            raise Unsupported(
                SPEC, place, f"{name!r} was called {len(before)} times, so the call is not known"
            )
        answer["id"] = f"$id:{name}"
    return user
