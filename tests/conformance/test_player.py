# SPDX-License-Identifier: Apache-2.0
"""Playing scenarios: the answers and the traces."""

import gc
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from adkref.conformance import build, corpus, player
from adkref.conformance.canonical import canonical, same
from adkref.conformance.player import play
from adkref.content import Content
from adkref.errors import ProgrammingError
from adkref.events import EventCompaction, EventReference

DATA = Path(__file__).parents[2] / "conformance"
SESSION = {"app": "app", "user": "u", "id": "s"}
USER_EVENT = {
    "author": "user",
    "invocationId": "inv-1",
    "content": {"role": "user", "parts": [{"text": "hi"}]},
}
TURN = {"at": "turn", "n": 1}
STORED = {"at": "append", "event": USER_EVENT}
END = {"at": "end"}


def _played(agent, *turns, **keys):
    """Play a scenario of one user turn unless others are given."""
    turns = list(turns) or [{"user": "hi"}]
    return play({"id": "x", "session": SESSION, "agent": agent, "turns": turns, **keys})


def _custom(*body, **keys):
    return {"kind": "custom", "name": "c", "body": list(body), **keys}


def _llm(*script, **keys):
    turns = [{"responses": list(responses)} for responses in script]
    return {"kind": "llm", "name": "l", "model": {"name": "m", "script": turns}, **keys}


def _event(text, **keys):
    content = {"role": "model", "parts": [{"text": text}]}
    return {"author": "c", "invocationId": "inv-1", "content": content, **keys}


def _body(step):
    return {"at": "body", "agent": "c", "step": step}


def test_a_turn_is_recorded_in_the_order_in_which_it_happens():
    """An event is stored before the consumer has it, and its producer resumes after that."""
    event = _event("one")
    assert _played(_custom({"yield": {"content": "one"}}, {"own_history": True})) == {
        "id": "x",
        "trace": [
            TURN,
            STORED,
            _body("start"),
            {"at": "append", "event": event},
            {"at": "yield", "event": event},
            _body("resumed"),
            {"at": "history", "agent": "c", "own": 1},
            _body("end"),
            END,
        ],
        "final": {"state": {}, "events": 2},
    }


def test_a_consumer_that_stops_closes_what_runs_from_the_inside_out():
    """What unwinds is recorded after the stop, and nothing marks its end."""
    inner = {"kind": "custom", "name": "i", "body": [{"yield": {"content": "one", "author": "c"}}]}
    outer = _custom({"run": "i"}, {"yield": {"content": "never"}}, sub_agents=[inner])
    trace = _played(outer, {"user": "hi", "stop_after": 1})["trace"]
    assert trace[2:] == [
        _body("start"),
        {"at": "body", "agent": "i", "step": "start"},
        {"at": "append", "event": _event("one")},
        {"at": "yield", "event": _event("one")},
        {"at": "stop"},
        {"at": "body", "agent": "i", "step": "stopped"},
        _body("stopped"),
    ]


def test_the_consumer_stops_at_an_error_unless_it_goes_on():
    """An error is an item like any other to a consumer that goes on."""
    body = {"yield_error": "no luck"}, {"yield_error": "again"}
    stopped = _played(_custom(*body))["trace"]
    gone_on = _played(_custom(*body), {"user": "hi", "on_error": "continue"})["trace"]
    assert stopped[3:] == [{"at": "yield", "error": "no luck"}, {"at": "stop"}, _body("stopped")]
    assert gone_on[3:] == [
        {"at": "yield", "error": "no luck"},
        _body("resumed"),
        {"at": "yield", "error": "again"},
        _body("resumed"),
        _body("end"),
        END,
    ]


def test_a_run_without_end_is_closed_after_401_items():
    """The end is recorded even so, after what unwinds."""
    loop = {"kind": "loop", "name": "l", "sub_agents": [_custom({"yield_error": "e"})]}
    trace = _played(loop, {"user": "hi", "on_error": "continue"})["trace"]
    assert sum(record["at"] == "yield" for record in trace) == 401
    assert trace[-4:] == [
        {"at": "yield", "error": "e"},
        {"at": "runaway"},
        _body("stopped"),
        END,
    ]


def test_a_scripted_append_fault_leaves_nothing_stored():
    """The nth append of the run fails with its text; what follows is the runner's affair."""
    faults = {"append": [{"nth": 2, "error": "disk full"}]}
    answer = _played(_custom({"yield": {"content": "one"}}), faults=faults)
    assert answer["trace"][2:5] == [
        _body("start"),
        {"at": "append", "event": _event("one"), "error": "disk full"},
        {"at": "yield", "error": "failed to add event to session: disk full"},
    ]
    assert answer["final"] == {"state": {}, "events": 1}


@pytest.mark.parametrize(
    ("keys", "error"),
    [
        (
            {"plugins": [{"name": "p"}, {"name": "p"}]},
            "failed to create plugin manager: plugin with name 'p' already registered",
        ),
        (
            {"session": {}},
            'app_name and user_id are required, got app_name: "", user_id: ""',
        ),
    ],
)
def test_what_cannot_be_built_is_a_trace_of_one_record(keys, error):
    """Nothing follows a construct_error, and there is no final state."""
    assert _played(_custom(), **keys) == {
        "id": "x",
        "trace": [{"at": "construct_error", "error": error}],
    }


def test_a_session_that_is_not_there_has_no_state():
    """The final reading fails as the run does."""
    answer = _played(_custom(), session={**SESSION, "skip_create": True})
    assert answer == {
        "id": "x",
        "trace": [TURN, {"at": "yield", "error": "session s not found"}, {"at": "stop"}],
        "final": {"error": "session s not found"},
    }


def test_history_is_stored_before_the_first_turn():
    """Its own events are untraced; the times of a compaction record are named after them."""
    history = [
        {"author": "user", "content": "a", "at": 5},
        {"author": "m", "content": "b", "invocationId": "inv-old", "usageMetadata": {"n": 1}},
        {"compaction": {"from": 1, "to_at": 7, "summary": "sum", "excluded": [2]}},
    ]
    service = player.Play({"id": "x", "session": SESSION, "agent": _custom()})
    service._set_up()
    stored = service.service.get("app", "u", "s")
    service._store_history(stored, history)
    start = stored.events[1].timestamp - timedelta(seconds=1)
    record = EventCompaction(
        start_timestamp=start + timedelta(seconds=5),
        end_timestamp=start + timedelta(seconds=7),
        compacted_content=Content.of_text("sum"),
        excluded_events=[
            EventReference(invocation_id="inv-old", timestamp=start + timedelta(seconds=1))
        ],
    )
    assert [
        (
            it.author,
            it.invocation_id,
            it.timestamp - start,
            it.usage_metadata,
            it.actions.compaction,
        )
        for it in service.service.get("app", "u", "s").events
    ] == [
        ("user", "inv-history", timedelta(seconds=5), None, None),
        ("m", "inv-old", timedelta(seconds=1), {"n": 1}, None),
        ("", "inv-history", timedelta(seconds=2), None, record),
    ]
    assert service.sessions.times == [start + timedelta(seconds=seconds) for seconds in (5, 1, 2)]


def test_times_of_a_record_are_named_after_stored_events():
    """A time that no stored event has is @?."""
    record = {"startTimestamp": 5, "endTimestamp": "2026-01-01T00:00:00Z"}
    trace = _played(_custom({"yield": {"actions": {"compaction": record}}}))["trace"]
    assert trace[3]["event"]["actions"] == {
        "compaction": {"startTimestamp": "@?", "endTimestamp": "@?"}
    }


def test_a_compaction_record_needs_events_before_it():
    """A position that no earlier history event has is the scenario's fault."""
    session = {**SESSION, "events": [{"compaction": {"from": 1, "to": 1}}]}
    assert _played(_custom(), session=session) == {
        "id": "x",
        "error": "bad scenario: $.session.events: there is no history event 1 before; "
        "expected 1 to 0",
    }


def test_an_answer_finds_the_last_call_of_its_name():
    """$id:NAME is the id of the last stored call; without one it stays as it is."""
    call = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}
    tool = {"name": "f", "long_running": True, "rules": [{"do": [{"return": None}]}]}
    parts = [
        {"functionResponse": {"id": f"$id:{name}", "name": name, "response": {"ok": True}}}
        for name in ("f", "g")
    ]
    answer = _played(
        _llm([{"content": call}], ["done"], tools=[tool]),
        {"user": "hi"},
        {"user": {"role": "user", "parts": parts}},
    )
    second = answer["trace"].index({"at": "turn", "n": 2})
    assert [
        part["functionResponse"]["id"]
        for part in answer["trace"][second + 1]["event"]["content"]["parts"]
    ] == ["adk-1", "$id:g"]


def test_a_model_past_its_script_says_so():
    """The nth call plays the nth turn; numbers reach the core as Go reads them."""
    answer = _played(
        _llm([], instruction="n is {n}"), session={**SESSION, "state": {"n": 12345678}}
    )
    (call,) = [record for record in answer["trace"] if record["at"] == "model"]
    assert call["request"]["system_instruction"][-1].startswith("n is 1.2345678e+07\n")
    assert answer["trace"][-2]["at"] != "runaway"
    silent = _played({"kind": "llm", "name": "l", "model": {}})
    assert silent["trace"][-2]["event"]["content"] == {
        "role": "model",
        "parts": [{"text": "[end of script]"}],
    }


def test_a_model_that_is_stopped_records_it():
    """The consumer stops at a partial response, so the turn of the script is not done."""
    partial = {"content": {"parts": [{"text": "a"}]}, "partial": True}
    trace = _played(_llm([partial, "b"]), {"user": "hi", "streaming": "sse", "stop_after": 1})[
        "trace"
    ]
    assert trace[-2:] == [{"at": "stop"}, {"at": "model_stopped", "agent": "l"}]
    assert [record["stream"] for record in trace if record["at"] == "model"] == [True]


def test_every_hook_records_its_call_before_its_ops():
    """Plugins come before an agent's own callbacks; a hook without rules is traced too."""
    call = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"n": 1}}}]}
    hooks = [hook.name for hook in build.HOOKS]
    own = {
        key: [{"id": "o"}]
        for key in ("before", "after", "before_model", "after_model", "before_tool", "after_tool")
    }
    answer = _played(
        _llm([{"content": call}], ["done"], tools=[{"name": "f"}], **own),
        plugins=[{"name": "p", **{hook: [] for hook in hooks}}],
    )
    assert [
        (record.get("hook", record["at"]), record.get("by", ""))
        for record in answer["trace"]
        if record["at"] in ("hook", "model", "tool")
    ] == [
        ("on_user_message", "plugin:p"),
        ("before_run", "plugin:p"),
        ("before_agent", "plugin:p"),
        ("before_agent", "agent:l/o"),
        ("before_model", "plugin:p"),
        ("before_model", "agent:l/o"),
        ("model", ""),
        ("after_model", "plugin:p"),
        ("after_model", "agent:l/o"),
        ("on_event", "plugin:p"),
        ("before_tool", "plugin:p"),
        ("before_tool", "agent:l/o"),
        ("tool", ""),
        ("after_tool", "plugin:p"),
        ("after_tool", "agent:l/o"),
        ("on_event", "plugin:p"),
        ("before_model", "plugin:p"),
        ("before_model", "agent:l/o"),
        ("model", ""),
        ("after_model", "plugin:p"),
        ("after_model", "agent:l/o"),
        ("on_event", "plugin:p"),
        ("after_agent", "plugin:p"),
        ("after_agent", "agent:l/o"),
        ("after_run", "plugin:p"),
    ]
    after_tool = next(it for it in answer["trace"] if it.get("hook") == "after_tool")
    assert after_tool == {
        "at": "hook",
        "hook": "after_tool",
        "by": "plugin:p",
        "agent": "l",
        "tool": "f",
        "call_id": "adk-1",
        "args": {"n": 1},
        "result": {"status": "ok"},
    }


def test_a_rule_of_on_event_goes_by_the_events_author():
    """The record has the context's agent, which is the one that the runner started."""
    plugin = {
        "name": "p",
        "on_event": [{"agent": "a", "do": [{"mutate_event": {"text": "changed"}}]}],
    }
    answer = _played(_custom({"yield": {"content": "x", "author": "a"}}), plugins=[plugin])
    hook, stored = answer["trace"][3:5]
    assert (hook["agent"], hook["event"]["author"]) == ("c", "a")
    assert stored["event"]["content"]["parts"] == [{"text": "changed"}]


@pytest.mark.parametrize(
    ("scenario", "answer"),
    [
        (5, {"error": "bad scenario: $: is the number 5; expected an object"}),
        ({"id": 5}, {"error": "bad scenario: $: the key 'agent' is missing; expected an object"}),
        (
            {"id": "x", "agent": {"kind": "custom", "name": "c", "nam": "d"}},
            {
                "id": "x",
                "error": "bad scenario: $.agent.nam: unknown key 'nam'; expected 'name'",
            },
        ),
        ({"id": "x", "agent": {"kind": "workflow", "name": "w"}}, {"id": "x", "skip": "workflow"}),
    ],
)
def test_what_is_not_played_is_answered(scenario, answer):
    """A bad scenario is an error, what is not built yet a skip."""
    assert play(scenario) == answer


def test_a_fault_that_shows_only_in_the_run_is_the_scenarios():
    """It is not taken for an error of the user's code, although one swallows it."""
    bad = {"actions": {"compaction": {"startTimestamp": "today"}}}
    answer = _played(_custom({"yield": bad}), {"user": "hi", "on_error": "continue"})
    assert list(answer) == ["id", "error"]
    assert answer["error"].startswith("bad scenario: ")
    assert 'decoding event timestamp "today"' in answer["error"]


def test_a_crash_of_the_implementation_is_a_panic(monkeypatch):
    """The answer says what was raised and where."""

    def crash(*_args, **_options):
        raise ProgrammingError("went wrong")

    monkeypatch.setattr(player.Runner, "stream", crash)
    panic = _played(_custom())["panic"]
    assert panic.startswith("ProgrammingError: went wrong (")
    assert "test_player.py:" in panic


def test_playing_leaves_nothing_behind():
    """No thread is alive afterwards, and the collector is set as before."""
    thresholds, threads = gc.get_threshold(), threading.active_count()
    lanes = [
        {"kind": "custom", "name": name, "body": [{"yield": {"content": name}}] * 3}
        for name in "abcd"
    ]
    agent = {"kind": "parallel", "name": "p", "sub_agents": lanes}
    for stop in (1, 5, 0):
        _played(agent, {"user": "hi", "stop_after": stop}, ordering="lanes")
    assert (gc.get_threshold(), threading.active_count()) == (thresholds, threads)


@pytest.mark.parametrize("name", ["01-weather", "05-runner", "11-plugins"])
def test_golden_cases_are_played_equal(name):
    """The canonical form of what was played is that of the golden trace."""
    different = []
    for case in corpus.read(DATA / "cases" / f"{name}.jsonl"):
        golden = {"trace": case.trace}
        if case.final is not corpus.ABSENT:
            golden["final"] = case.final
        ordering = case.scenario.get("ordering", "total")
        played = {key: value for key, value in play(case.scenario).items() if key != "id"}
        if "trace" not in played or not same(
            canonical(played, ordering).to_json(), canonical(golden, ordering).to_json()
        ):
            different.append(case.id)
    assert different == []
