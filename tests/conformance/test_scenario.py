# SPDX-License-Identifier: Apache-2.0
"""Loading and checking scenarios."""

import json

import pytest
from jsonschema import Draft202012Validator

from adkref.conformance import scenario as scenarios
from adkref.conformance.faults import ScenarioError
from adkref.conformance.schema import document


def _llm(**keys):
    return {"id": "x", "agent": {"kind": "llm", "name": "a", **keys}}


def _custom(*body, **keys):
    return {"id": "x", "agent": {"kind": "custom", "name": "c", "body": list(body), **keys}}


def _turn(**keys):
    return _llm() | {"turns": [keys]}


def _before(*ops):
    return _llm(before=[{"rules": [{"do": list(ops)}]}])


def _fault_of(scenario):
    with pytest.raises(ScenarioError) as caught:
        scenarios.check(scenario)
    return str(caught.value)


def test_the_schema_is_a_strict_schema():
    """It is valid, and every object in it either refuses unknown keys or is the user's data."""
    schema = document("scenario")
    Draft202012Validator.check_schema(schema)

    def objects(part):
        if isinstance(part, dict):
            if "properties" in part and part.get("type") == "object" and "allOf" not in part:
                yield part
            for inner in part.values():
                yield from objects(inner)
        elif isinstance(part, list):
            for inner in part:
                yield from objects(inner)

    assert [
        part for part in objects(schema) if part.get("additionalProperties") is not False
    ] == []


@pytest.mark.parametrize(
    ("scenario", "text"),
    [
        (5, "$: is the number 5; expected an object"),
        ({}, "$: the key 'id' is missing; expected a text"),
        ({"id": "x"}, "$: the key 'agent' is missing; expected an object"),
        (_llm(tools=[{"nam": "t"}]), "$.agent.tools[0].nam: unknown key 'nam'; expected 'name'"),
        (
            _llm(tools=[{"kind": "agnet"}]),
            (
                '$.agent.tools[0].kind: is "agnet"; '
                'expected one of "function", "exit_loop", "agent", "streaming"'
            ),
        ),
        (_llm(mode=5), "$.agent.mode: is the number 5; expected a text"),
        (_llm(model="m"), "$.agent.model: is a text; expected an object"),
        (_turn(stop_after=-1), "$.turns[0].stop_after: is -1; expected at least 0"),
        (_turn(stop_after=True), "$.turns[0].stop_after: is true; expected a whole number"),
        (_turn(on_error="go"), '$.turns[0].on_error: is "go"; expected one of "stop", "continue"'),
        (
            _turn(user={"parts": [{"txt": "hi"}]}),
            "$.turns[0].user.parts[0].txt: unknown key 'txt'; expected 'text'",
        ),
        (
            _turn(user={"parts": [{"inlineData": {"data": "?"}}]}),
            '$.turns[0].user.parts[0].inlineData.data: is "?"; expected base64 text',
        ),
        (
            _custom({"yield": {"actions": {"escalate": "yes"}}}),
            "$.agent.body[0].yield.actions.escalate: is a text; expected true or false",
        ),
        (
            _before({"set_state": {}, "get_state": "k"}),
            (
                "$.agent.before[0].rules[0].do[0]: has 2 keys (set_state, get_state); "
                "expected exactly one key"
            ),
        ),
        (_before({}), "$.agent.before[0].rules[0].do[0]: has no key; expected exactly one key"),
        (_llm() | {"plugins": [{}]}, "$.plugins[0]: the key 'name' is missing; expected a text"),
    ],
)
def test_a_wrong_shape_is_told_with_its_path(scenario, text):
    """The error names the place, the key or value there, and what was expected."""
    assert _fault_of(scenario) == text


@pytest.mark.parametrize(
    ("scenario", "text"),
    [
        (
            _before({"mutate_text": "x"}),
            (
                "$.agent.before[0].rules[0].do[0].mutate_text: "
                "the op 'mutate_text' has no meaning in before_agent; expected one of end_invocation, "
                "get_state, load_artifact, raise, return, save_artifact, set_state"
            ),
        ),
        (
            _llm(before_tool=[{"rules": [{"do": [{"return": "x"}]}]}]),
            "$.agent.before_tool[0].rules[0].do[0].return: is a text; expected an object or null",
        ),
        (
            _llm(after_model=[{"rules": [{"do": [{"return": {"conten": "x"}}]}]}]),
            (
                "$.agent.after_model[0].rules[0].do[0].return.conten: "
                "unknown key 'conten'; expected 'content'"
            ),
        ),
        (
            _llm() | {"plugins": [{"name": "p", "before_run": [{"do": [{"return": 5}]}]}]},
            (
                "$.plugins[0].before_run[0].do[0].return: is the number 5; "
                "expected a text or an object"
            ),
        ),
        (
            _llm(tools=[{"name": "t", "rules": [{"do": [{"end_invocation": True}]}]}]),
            (
                "$.agent.tools[0].rules[0].do[0].end_invocation: "
                "the op 'end_invocation' has no meaning in tool; expected one of actions, "
                "get_confirmation, get_state, load_artifact, raise, request_confirmation, return, "
                "save_artifact, set_args, set_state"
            ),
        ),
        (
            _custom({"return": "x"}),
            (
                "$.agent.body[0].return: the op 'return' has no meaning in body; expected one of "
                "end_invocation, get_state, load_artifact, own_history, run, save_artifact, "
                "set_state, yield, yield_error"
            ),
        ),
    ],
)
def test_an_op_in_the_wrong_place_is_refused(scenario, text):
    """Which op may stand where, and what a place can return, are part of the check."""
    assert _fault_of(scenario) == text


def test_a_body_can_run_only_agents_that_exist():
    """The name is looked up in the whole scenario, also among agents that are tools."""
    assert (
        _fault_of(_custom({"run": "d"}))
        == "$.agent.body[0].run: runs the agent 'd', which does not exist; expected one of c"
    )
    tool = {"kind": "agent", "agent": {"kind": "custom", "name": "d"}}
    inner = {"kind": "llm", "name": "i", "tools": [tool]}
    scenarios.check(_custom({"run": "d"}, {"run": "c"}, sub_agents=[inner]))


def test_a_reference_needs_an_agent_built_before():
    """Agents inside come before the agent around them, in the order of the lists."""
    first, ref = {"kind": "custom", "name": "f"}, {"ref": "f"}
    scenarios.check(_custom(sub_agents=[first, ref]))
    assert (
        _fault_of(_custom(sub_agents=[ref, first]))
        == "$.agent.sub_agents[0].ref: refers to the agent 'f', which is not built before; "
        "expected an agent that was built earlier"
    )
    assert (
        _fault_of(_custom(sub_agents=[first, {"ref": "c"}]))
        == "$.agent.sub_agents[1].ref: refers to the agent 'c', which is not built before; "
        "expected one of f"
    )


def test_duplicate_callback_ids_and_agent_names_are_fine():
    """Both are cases that a scenario may want to show."""
    same = {"id": "b", "rules": []}
    scenarios.check(_llm(before=[same, same], sub_agents=[{"kind": "custom", "name": "a"}]))


@pytest.mark.parametrize(
    ("scenario", "feature"),
    [
        (_llm() | {"compaction": {"interval": 2}}, "compaction"),
        (_llm() | {"executor": {}}, "executor"),
        (_llm() | {"peer": []} | {"mask_errors": True}, "mask_errors"),
        (_llm() | {"faults": {"get": [{"nth": 1, "error": "e"}]}}, "faults.get"),
        (_turn(cancel_after=1), "cancel_after"),
        (_turn(live={}), "live"),
        (_turn(stream="x"), "streaming"),
        (_turn(execute={"message": {}}), "executor"),
        (_llm(model={"kind": "gemini", "http": []}), "gemini"),
        (_llm(model={"kind": "live"}), "live"),
        (_llm(tools=[{"kind": "streaming", "name": "t", "stream": []}]), "streaming"),
        ({"id": "x", "agent": {"kind": "workflow", "name": "w", "nodes": []}}, "workflow"),
        (_custom(sub_agents=[{"kind": "remote_a2a", "name": "r", "peer": []}]), "remote_a2a"),
        (_custom({"yield": {"routes": ["a"]}}), "workflow"),
    ],
)
def test_what_is_not_built_yet_is_found_by_its_key(scenario, feature):
    """One table names the feature of each key and kind of the later pages."""
    scenarios.check(scenario)
    assert scenarios.features(scenario) == {feature}
    assert scenarios.skip_reason(scenario) == feature


@pytest.mark.parametrize(
    "scenario",
    [
        _llm(),
        _turn(cancel_after=0),
        _llm() | {"mask_errors": False, "faults": {"get": []}},
        _custom({"yield": {"actions": {"compaction": {"compactedContent": {"parts": []}}}}}),
        _llm() | {"session": {"events": [{"author": "u"}, {"compaction": {"from": 1, "to": 1}}]}},
    ],
)
def test_a_key_that_says_no_and_a_mere_record_need_nothing(scenario):
    """An event that only carries a compaction record is played."""
    scenarios.check(scenario)
    assert scenarios.features(scenario) == set()
    assert scenarios.skip_reason(scenario) == ""


def test_of_several_features_the_leading_one_is_the_reason():
    """A live run of a Gemini model is skipped as a live run."""
    scenario = _llm(model={"kind": "gemini", "live": []}) | {"turns": [{"live": {}}]}
    assert scenarios.features(scenario) == {"gemini", "live"}
    assert scenarios.skip_reason(scenario) == "live"


def test_loading_reads_one_scenario(tmp_path):
    """A file holds one scenario as JSON."""
    file = tmp_path / "one.json"
    file.write_text(json.dumps(_llm()), encoding="utf-8")
    assert scenarios.load(file) == _llm()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (
            b"{\n  oops",
            ":2: is not JSON: Expecting property name enclosed in double quotes at column 3",
        ),
        (b"\xff\xfe", ": is no UTF-8 text"),
        (b'{"id": NaN}', ": is not JSON: NaN is no number that a float64 can hold"),
        (b'{"id": -1e999}', ": is not JSON: -1e999 is no number that a float64 can hold"),
        (
            b'{"id": %s}' % (b"1" * 400),
            f": is not JSON: {'1' * 40}… is no number that a float64 can hold",
        ),
        (b"[" * 200_000, ": is nested too deeply"),
        (b"{}", ": $: the key 'id' is missing; expected a text"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_named(tmp_path, content, text):
    """The error begins with the file, and the line where there is one."""
    file = tmp_path / "bad.json"
    file.write_bytes(content)
    with pytest.raises(ScenarioError) as caught:
        scenarios.load(file)
    assert str(caught.value) == f"{file}{text}"


def test_a_missing_file_is_named(tmp_path):
    """The system's own words follow the name."""
    with pytest.raises(ScenarioError, match=r"nothing\.json: No such file or directory$"):
        scenarios.load(tmp_path / "nothing.json")


def test_a_scenario_nested_without_end_is_refused():
    """Deep nesting is an error of the scenario, not a crash."""
    agent = {"kind": "custom", "name": "c"}
    for _ in range(5000):
        agent = {"kind": "custom", "name": "c", "sub_agents": [agent]}
    assert _fault_of({"id": "x", "agent": agent}) == "is nested too deeply"
