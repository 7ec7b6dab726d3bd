# SPDX-License-Identifier: Apache-2.0
"""Protocol 1: each message by its schema, in both directions."""

import io
import json

import pytest

from adkref.conformance import driver
from adkref.conformance.faults import HarnessError, ScenarioError
from adkref.conformance.features import NAMES, needed
from adkref.conformance.protocol import (
    Hello,
    _ours,
    checked_request,
    hello_request,
    hello_violation,
    reply_violation,
    run_request,
    stop_request,
)
from adkref.conformance.schema import first_violation

SCENARIO = {
    "id": "s",
    "session": {"app": "app", "user": "u", "id": "s"},
    "agent": {"kind": "custom", "name": "c", "body": [{"yield": {"content": "hi"}}]},
    "turns": [{"user": "hello"}],
}


def answers(*requests, **options):
    """Return what the reference's driver answers."""
    out = io.BytesIO()
    driver.serve([json.dumps(each).encode() + b"\n" for each in requests], out, **options)
    return [json.loads(line) for line in out.getvalue().splitlines()]


class TestRequests:
    """What the kit writes."""

    def test_each_meets_its_schema(self):
        """The three requests are valid, and a driver takes them."""
        for name, request in (
            ("hello-request", hello_request()),
            ("run-request", run_request(7, SCENARIO)),
            ("stop-request", stop_request()),
        ):
            assert first_violation(name, request) is None
            assert checked_request(request) == request

    def test_a_bad_one_is_our_fault(self):
        """The kit never sends what its own schema refuses."""
        with pytest.raises(HarnessError, match="the kit would send a bad stop-request"):
            _ours("stop-request", {"cmd": "stop", "why": "tired"})

    @pytest.mark.parametrize(
        ("request_", "problem"),
        [
            (5, "is no object; expected an object with the key cmd"),
            ({"cmd": "halt"}, 'unknown cmd "halt"; expected hello, run or stop'),
            ({"cmd": "run"}, "$: the key 'scenario' is missing; expected an object"),
            ({"cmd": "run", "scenario": {}, "id": 1.5}, "$.id: is the number 1.5"),
            ({"cmd": "run", "scenario": {}, "ids": 1}, "$.ids: unknown key 'ids'; expected 'id'"),
        ],
    )
    def test_a_driver_refuses_a_bad_one(self, request_, problem):
        """It is told what is wrong; whether the scenario is right is asked elsewhere."""
        with pytest.raises(ScenarioError) as caught:
            checked_request(request_)
        assert problem in str(caught.value)
        assert checked_request({"cmd": "run", "scenario": {}})


class TestReplies:
    """What a port writes."""

    def test_each_answer_of_the_reference_meets_its_schema(self):
        """Hello and all four answers to a run are valid, by the short way and by the long."""
        skipped = {**SCENARIO, "agent": {"kind": "workflow", "name": "w"}}
        hello, *replies = answers(
            {"cmd": "hello"},
            {"cmd": "run", "scenario": SCENARIO},
            {"cmd": "run", "id": 3, "scenario": SCENARIO},
            {"cmd": "run", "scenario": skipped},
            {"cmd": "run", "scenario": {"id": "bad"}},
            {"cmd": "run", "scenario": 5},
        )
        (panic,) = answers({"cmd": "run", "scenario": SCENARIO}, play="math:floor")
        assert hello_violation(hello) is None
        kinds = []
        for reply in (*replies, panic):
            assert reply_violation(reply) is None
            assert first_violation("run-reply", reply) is None
            kinds.append(next(key for key in reply if key not in ("id", "final")))
        assert kinds == ["trace", "trace", "skip", "error", "error", "panic"]

    def test_a_wrong_record_is_found_with_its_place(self):
        """The path names the record in the reply."""
        (reply,) = answers({"cmd": "run", "scenario": SCENARIO})
        reply["trace"][3]["event"]["auhtor"] = "x"
        assert str(reply_violation(reply)) == (
            "$.trace[3].event.auhtor: unknown key 'auhtor'; expected 'author'"
        )
        assert first_violation("run-reply", reply) is not None

    @pytest.mark.parametrize(
        "reply", [5, {}, {"trace": 5}, {"trace": [], "error": "x"}, {"skip": 1}, {"panic": None}]
    )
    def test_what_is_no_answer(self, reply):
        """Anything but one of the four is refused."""
        assert reply_violation(reply) is not None


class TestHello:
    """Who a port is."""

    def test_it_goes_there_and_back(self):
        """What is written in full is read as the same."""
        hello = Hello(
            implementation="x",
            version="1",
            language="go",
            source_hash="abc",
            protocol=1,
            pipelining=True,
            skips=("llm",),
            choices={"RUN-055": "dropped"},
        )
        assert hello_violation(hello.to_json()) is None
        assert Hello.from_json(hello.to_json()) == hello

    def test_an_older_driver_says_less(self):
        """It plays one format, knows no ids, and is sent one request at a time."""
        hello = Hello.from_json(
            {"implementation": "x", "format": "adk-scenario/1", "pipelining": True}
        )
        assert (hello.formats, hello.protocol, hello.window) == (("adk-scenario/1",), 0, 1)

    def test_only_a_port_with_ids_can_pipeline(self):
        """Without ids nobody could tell replies apart."""
        assert Hello(implementation="x", protocol=1, pipelining=True).window > 1
        assert Hello(implementation="x", protocol=1).window == 1


class TestFeatures:
    """What a scenario needs."""

    @pytest.mark.parametrize(
        ("keys", "features"),
        [
            ({}, set()),
            ({"plugins": [{"name": "p"}]}, {"plugins"}),
            (
                {"plugins": [{"builtin": "retry_and_reflect"}]},
                {"plugins", "retry_and_reflect"},
            ),
            ({"turns": [{"streaming": "sse", "stop_after": 2}]}, {"sse", "stop_after"}),
            ({"turns": [{"on_error": "stop", "streaming": "none"}]}, set()),
            ({"faults": {"append": [{"nth": 1, "error": "x"}]}}, {"faults.append"}),
            ({"session": {"events": [{}], "auto_create": False}}, {"stored_events"}),
            ({"agent": {"kind": "llm", "name": "a", "mode": "task"}}, {"llm", "modes"}),
            (
                {
                    "agent": {
                        "kind": "loop",
                        "name": "l",
                        "before": [{"rules": [{"do": [{"end_invocation": True}]}]}],
                        "sub_agents": [
                            {"kind": "custom", "name": "c", "body": [{"own_history": True}]}
                        ],
                    }
                },
                {"loop", "agent_callbacks", "end_invocation", "own_history"},
            ),
            (
                {
                    "agent": {
                        "kind": "llm",
                        "name": "a",
                        "tools": [
                            {"name": "t", "require_confirmation": True},
                            {"kind": "exit_loop"},
                        ],
                    }
                },
                {"llm", "confirmation", "exit_loop"},
            ),
        ],
    )
    def test_keys_kinds_and_ops_name_them(self, keys, features):
        """A key that says no needs nothing."""
        scenario = {"id": "x", "agent": {"kind": "custom", "name": "a"}, **keys}
        assert needed(scenario) == features
        assert needed(scenario) <= NAMES
