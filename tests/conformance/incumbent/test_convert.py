# SPDX-License-Identifier: Apache-2.0
"""Tests of scenarios from recorded cases: what is put together again, and what cannot be."""

from __future__ import annotations

import pytest
from recorded import EVENTS, LOOK, WEATHER, answer, asked, call, declared, event, said, used

from adkref.conformance.faults import ScenarioError
from adkref.conformance.fuzz.opinion import reference
from adkref.conformance.incumbent.agree import disagreement
from adkref.conformance.incumbent.convert import scenario_of
from adkref.conformance.incumbent.reading import Unsupported, folders, read


def cases(root):
    """Return all cases below a folder."""
    return [case for folder in folders(root) for case in read(folder)]


def imported(root):
    """Return the one case below a folder, and its scenario."""
    (case,) = cases(root)
    return case, scenario_of(case)


def refused(root):
    """Return why the one case below a folder cannot be expressed."""
    (case,) = cases(root)
    if isinstance(case, Unsupported):
        return str(case)
    with pytest.raises(Unsupported) as caught:
        scenario_of(case)
    return str(caught.value)


def scripted(*parts):
    """Return a turn of a scripted model with calls."""
    return {"responses": [{"content": {"role": "model", "parts": list(parts)}}]}


def test_a_model_and_its_tool(write):
    """Answers of model and tool are scripted, and ids that were made up are left out."""
    case, scenario = imported(write(WEATHER, EVENTS, initial_state={"k": 1}))
    assert scenario == {
        "format": "adk-scenario/1",
        "id": "adk/basic/one",
        "title": "asks for the weather",
        "session": {
            "app": "weather",
            "user": "adk_conformance_test_user",
            "id": "s1",
            "state": {"k": 1},
        },
        "agent": {
            "kind": "llm",
            "name": "root",
            "model": {
                "name": "gemini-x",
                "script": [
                    scripted({"functionCall": {"name": "look", "args": {"city": "Oslo"}}}),
                    {"responses": ["blue"]},
                ],
            },
            "tools": [
                {
                    "name": "look",
                    "description": "Does look.",
                    "rules": [{"call": 1, "do": [{"return": {"sky": "blue"}}]}],
                }
            ],
        },
        "turns": [{"user": "sky?"}],
    }
    assert disagreement(case, reference(scenario)) == ""


def test_agents_that_hand_over(write):
    """Who may hand over to whom says who stands below whom."""
    move = call("transfer_to_agent", agent_name="deep")
    to_child = call("transfer_to_agent", id="adk-2", agent_name="child")
    recordings = [
        asked("root", said(to_child), tools=declared(reach=("child", "other"))),
        asked("child", said(move), tools=declared(reach=("deep", "other", "root"))),
        asked("deep", said("here"), tools=declared(reach=("child",))),
    ]
    _, scenario = imported(write(recordings))
    (child,) = scenario["agent"]["sub_agents"]
    (deep,) = child["sub_agents"]
    assert (child["name"], deep["name"]) == ("child", "deep")
    assert not {"disallow_transfer_to_parent", "disallow_transfer_to_peers"} & set(child)
    trace = reference(scenario)["trace"]
    assert [r["agent"] for r in trace if r["at"] == "model"] == ["root", "child", "deep"]


def test_an_agent_that_may_not_go_back(write):
    """A parent that is missing among those in reach is out of reach."""
    recordings = [
        asked("root", said("x"), tools=declared(reach=("a", "b"))),
        asked("a", said("y"), tools=declared(reach=("b",)), message=1),
        asked("b", said("z"), tools=declared(reach=("root",)), message=2),
    ]
    _, scenario = imported(write(recordings))
    flags = {
        sub["name"]: sorted(key for key in sub if key.startswith("disallow"))
        for sub in scenario["agent"]["sub_agents"]
    }
    assert flags == {"a": ["disallow_transfer_to_parent"], "b": ["disallow_transfer_to_peers"]}


def test_what_the_session_tells_of_tools_and_keys(write):
    """State that came with an answer is set by the tool, and a text in the state has its key."""
    events = [
        *EVENTS[:2],
        event("root", answer("look", sky="blue"), actions={"state_delta": {"seen": 1}}),
        event("root", "blue", actions={"state_delta": {"out": "blue", "_adk_x": 1}}),
    ]
    case, scenario = imported(write(WEATHER, events))
    (tool,) = scenario["agent"]["tools"]
    assert scenario["agent"]["output_key"] == "out"
    assert tool["rules"][0]["do"] == [{"set_state": {"seen": 1}}, {"return": {"sky": "blue"}}]
    assert disagreement(case, reference(scenario)) == ""


def test_a_long_running_tool_and_its_answer(write):
    """The user's answer goes to the call, whose id nobody knows before."""
    tools = declared("ask")
    recordings = [
        asked("root", said(call("ask")), tools=tools),
        used("root", "ask", {"status": "pending"}),
        asked("root", said("wait"), tools=tools),
        asked("root", said("done"), tools=tools, message=1),
    ]
    events = [
        event("user", "sky?"),
        event("root", call("ask"), long_running_tool_ids=["adk-1"]),
    ]
    reply = {"content": {"role": "user", "parts": [answer("ask", id="", ok=True)]}}
    _, scenario = imported(write(recordings, events, user_messages=[{"text": "go"}, reply]))
    assert scenario["agent"]["tools"][0]["long_running"] is True
    (part,) = scenario["turns"][1]["user"]["parts"]
    assert part["functionResponse"] == {"id": "$id:ask", "name": "ask", "response": {"ok": True}}


def test_a_tool_that_asks_for_confirmation(write):
    """What the framework answers in the tool's place is none of the tool's answers."""
    tools = declared("pay")
    wait = {"error": "This tool call requires confirmation, please approve or reject."}
    recordings = [
        asked("root", said(call("pay")), tools=tools),
        used("root", "pay", wait),
        used("root", "pay", {"paid": 3}, message=1),
        asked("root", said("paid"), tools=tools, message=1),
    ]
    name = "adk_request_confirmation"
    reply = {"content": {"role": "user", "parts": [answer(name, id="", confirmed=True)]}}
    _, scenario = imported(write(recordings, user_messages=[{"text": "go"}, reply]))
    (tool,) = scenario["agent"]["tools"]
    assert tool["require_confirmation"] is True
    assert tool["rules"] == [{"call": 1, "do": [{"return": {"paid": 3}}]}]
    tools_run = [r for r in reference(scenario)["trace"] if r["at"] == "tool"]
    assert len(tools_run) == 1


def test_calls_beside_each_other_leave_the_order_open(write):
    """Two tools of one turn make lanes."""
    tools = declared("a", "b")
    recordings = [
        asked("root", said(call("a"), call("b", id="adk-2")), tools=tools),
        used("root", "a", {"n": 1}),
        used("root", "b", {"n": 2}, id="adk-2"),
        asked("root", said("end"), tools=tools),
    ]
    _, scenario = imported(write(recordings))
    assert scenario["ordering"] == "lanes"


def test_each_mode_is_a_case(write):
    """What was recorded with streaming is played with it, chunk by chunk."""
    write([asked("root", said("ab"))])
    chunks = [{**said("a"), "partial": True}, {**said("b"), "partial": True}, said("ab")]
    root = write([asked("root", *chunks)], mode="-sse")
    plain, streamed = cases(root)
    assert (plain.id, streamed.id) == ("basic/one", "basic/one-sse")
    scenario = scenario_of(streamed)
    assert scenario["turns"] == [{"user": "sky?", "streaming": "sse"}]
    (turn,) = scenario["agent"]["model"]["script"]
    assert [each.get("partial") for each in turn["responses"][:2]] == [True, True]
    assert turn["responses"][2] == "ab"


def test_schemas_of_tools(write):
    """A schema of genai becomes one of JSON, and one of JSON stays."""
    schema = {"type": "OBJECT", "properties": {"n": {"type": "INTEGER"}}, "required": ["n"]}
    functions = [
        {"name": "a", "parameters": schema},
        {"name": "b", "parameters_json_schema": {"type": "object"}},
        {"name": "exit_loop"},
    ]
    tools = [{"function_declarations": functions}]
    _, scenario = imported(write([asked("root", said("x"), tools=tools)]))
    assert scenario["agent"]["tools"] == [
        {
            "name": "a",
            "parameters": {
                "type": "object",
                "properties": {"n": {"type": "integer"}},
                "required": ["n"],
            },
        },
        {"name": "b", "parameters": {"type": "object"}},
        {"kind": "exit_loop"},
    ]


# --- what cannot be expressed -------------------------------------------------------------


def test_an_agent_of_which_nobody_knows_how_it_comes_to_run(write):
    """A sequence leaves no sign of itself."""
    root = write([asked("a", said("x")), asked("b", said("y"))])
    assert refused(root) == (
        "generated-recordings.yaml: $.recordings[1].agent_name: 'b' runs, and nothing recorded "
        "says how it comes to: it is none of those to whom 'a' could hand over"
    )


TWINS = [
    asked("root", said(call("look"), call("look", id="adk-2")), tools=LOOK),
    used("root", "look", {"n": 1}),
    used("root", "look", {"n": 2}, id="adk-2"),
]
REPLY = {"content": {"role": "user", "parts": [answer("ask", id="", ok=True)]}}
ASK = asked("root", said(call("ask")), tools=declared("ask"))


@pytest.mark.parametrize(
    ("recordings", "spec", "expected"),
    [
        (
            None,
            {},
            (
                "generated-recordings.yaml: $: is not there, and without it nobody knows what the "
                "models answered"
            ),
        ),
        ([], {}, "generated-recordings.yaml: $.recordings: is empty, so no agent is known"),
        (
            WEATHER,
            {"plugins": []},
            (
                "spec.yaml: $.plugins: is unknown here; known are description, agent, "
                "initial_state, user_messages"
            ),
        ),
        (WEATHER, {"agent": None}, "spec.yaml: $.agent: is no name of an agent"),
        (
            WEATHER,
            {"user_messages": [{}]},
            "spec.yaml: $.user_messages[0]: has not exactly one of text and content",
        ),
        (
            [{"agent_name": "root"}],
            {},
            (
                "generated-recordings.yaml: $.recordings[0]: has not exactly one of "
                "llm_recording, tool_recording"
            ),
        ),
        (
            [{**asked("root"), "more": 1}],
            {},
            (
                "generated-recordings.yaml: $.recordings[0].more: is unknown here; known are "
                "user_message_index, agent_name, llm_recording, tool_recording"
            ),
        ),
        (
            [asked("root", {**said("x"), "go_away": {}})],
            {},
            (
                "generated-recordings.yaml: "
                "$.recordings[0].llm_recording.llm_responses[0].goAway: cannot be scripted: "
                "unknown key 'goAway'"
            ),
        ),
        (
            [asked("root", said("{}"), response_schema={"type": "OBJECT"})],
            {},
            (
                "generated-recordings.yaml: "
                "$.recordings[0].llm_recording.llm_request.config.response_schema: "
                "the output schema of the agent is not recorded"
            ),
        ),
        (
            [asked("root", said("x"), tools=declared("finish_task"))],
            {},
            (
                "generated-recordings.yaml: $.recordings[0].llm_recording.llm_request.config"
                ".tools[0].function_declarations[0].name: "
                "'finish_task': the mode of the agent is not recorded"
            ),
        ),
        (
            TWINS,
            {},
            (
                "generated-recordings.yaml: $.recordings[0].llm_recording.llm_responses[0].content"
                ".parts[1].function_call: 'look' is called twice at a time, with different answers"
            ),
        ),
        (
            [ASK, used("root", "ask", None)],
            {},
            (
                "generated-recordings.yaml: $.recordings[1].tool_recording.tool_response.response: "
                "is not recorded, so the tool has no answer"
            ),
        ),
        (
            [asked("root", said("x"))],
            {"user_messages": [{"text": "a"}, REPLY]},
            (
                "spec.yaml: $.user_messages[1].content.parts[0].functionResponse.name: "
                "'ask' is answered and was not called before"
            ),
        ),
        (
            [ASK, ASK],
            {"user_messages": [{"text": "a"}, REPLY]},
            (
                "spec.yaml: $.user_messages[1].content.parts[0].functionResponse.name: "
                "'ask' was called 2 times, so the call is not known"
            ),
        ),
    ],
)
def test_what_cannot_be_expressed_is_told_with_file_and_key(write, recordings, spec, expected):
    """Each message names where it stands."""
    assert refused(write(recordings, **spec)) == expected


def test_credentials_are_not_expressed(write):
    """A scenario has none."""
    events = [event("root", call("adk_request_credential"))]
    assert refused(write(WEATHER, events)) == (
        "generated-session.yaml: $.events[0]: 'adk_request_credential': there are no credentials"
    )


def test_files_that_are_none(write):
    """Broken YAML is told with its line, and a folder without cases is bad input."""
    root = write(WEATHER)
    (root / "basic/one/spec.yaml").write_text("agent: [\n")
    assert refused(root).startswith("spec.yaml: $: line ")
    (root / "basic/one/spec.yaml").write_text("- a\n")
    assert refused(root) == "spec.yaml: $: is no object"
    (root / "basic/one/spec.yaml").unlink()
    with pytest.raises(ScenarioError, match=r"holds no spec\.yaml"):
        folders(root)
    with pytest.raises(ScenarioError, match="no such folder"):
        folders(root / "nowhere")


def test_where_the_reference_parts_from_what_was_recorded(write):
    """The first event that differs is told with both values; ids and times do not count."""
    other = [*EVENTS[:3], event("root", "green", id="e9", timestamp=1.5)]
    case, scenario = imported(write(WEATHER, other))
    assert disagreement(case, reference(scenario)) == (
        'event 4, $.parts[0].text: recorded "green", the reference has "blue"'
    )
    case, scenario = imported(write(WEATHER, EVENTS[:3]))
    assert disagreement(case, reference(scenario)).startswith("event 4, $: recorded nothing")
