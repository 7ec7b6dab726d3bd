# SPDX-License-Identifier: Apache-2.0
"""The stdio protocol."""

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from adkref.conformance import driver

PROCESSES = Path("/proc")
needs_processes = pytest.mark.skipif(
    not (PROCESSES / "self" / "stat").exists(), reason="looks for processes in /proc"
)

PLAYABLE = {
    "id": "ok",
    "session": {"app": "app", "user": "u", "id": "s"},
    "agent": {"kind": "custom", "name": "c"},
    "turns": [{"user": "hi"}],
}
ENDLESS = {
    **PLAYABLE,
    "id": "endless",
    "agent": {"kind": "loop", "name": "l", "sub_agents": [{"kind": "custom", "name": "c"}]},
}
TRACE = [
    {"at": "turn", "n": 1},
    {
        "at": "append",
        "event": {
            "author": "user",
            "content": {"parts": [{"text": "hi"}], "role": "user"},
            "invocationId": "inv-1",
        },
    },
    {"agent": "c", "at": "body", "step": "start"},
    {"agent": "c", "at": "body", "step": "end"},
    {"at": "end"},
]
PLAYED = {"id": "ok", "trace": TRACE, "final": {"events": 1, "state": {}}}


def _run(scenario):
    return json.dumps({"cmd": "run", "scenario": scenario}).encode()


def _answers(*lines, **options):
    out = io.BytesIO()
    driver.serve([line + b"\n" for line in lines], out, **options)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_hello_says_who_answers_and_what_is_skipped():
    """No worker is needed for that."""
    (answer,) = _answers(b'{"cmd": "hello"}')
    assert answer == {
        "implementation": "adkref",
        "version": driver.version(),
        "language": "python",
        "source_hash": driver.source_hash(),
        "format": "adk-scenario/1",
        "formats": ["adk-scenario/1"],
        "protocol": 1,
        "skips": [
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
        ],
    }


def test_scenarios_are_answered_in_order():
    """What cannot be played is answered as well, and the driver goes on."""
    assert _answers(
        _run(PLAYABLE),
        _run({"id": "bad", "agent": {}}),
        b"",
        _run({"id": "later", "agent": {"kind": "workflow", "name": "w"}}),
        _run(PLAYABLE),
    ) == [
        PLAYED,
        {
            "id": "bad",
            "error": "bad scenario: $.agent: the key 'kind' is missing; expected one of "
            '"custom", "sequential", "loop", "parallel", "llm", "remote_a2a", "workflow"',
        },
        {"id": "later", "skip": "workflow"},
        PLAYED,
    ]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"oops", "is not JSON: Expecting value at column 1"),
        (b"\xff", "is no UTF-8 text"),
        (b"[1]", "is no object; expected an object with the key cmd"),
        (b"{}", "unknown cmd null; expected hello, run or stop"),
        (b'{"cmd": "halt"}', 'unknown cmd "halt"; expected hello, run or stop'),
        (b'{"cmd": "run"}', "$: the key 'scenario' is missing; expected an object"),
        (b'{"cmd": "run", "scenario": "s"}', "$.scenario: is a text; expected an object"),
        (b'{"cmd": "hello", "version": 2}', "$.version: is 2; expected 1"),
        (
            b'{"cmd": "hello", "name": "x"}',
            "$.name: unknown key 'name'; expected one of cmd, version",
        ),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"cmd": NaN}', "is not JSON: NaN is no number that a float64 can hold"),
    ],
)
def test_a_bad_request_is_answered_and_survived(line, error):
    """The next request gets its answer."""
    bad, hello = _answers(line, b'{"cmd": "hello"}')
    assert bad == {"error": f"bad request: {error}"}
    assert hello["implementation"] == "adkref"


def test_an_answer_carries_the_id_of_its_request():
    """A request without one is answered with the scenario's id, a bad one with its own."""
    scenario = json.dumps(PLAYABLE).encode()
    assert _answers(
        b'{"cmd": "run", "id": 7, "scenario": ' + scenario + b"}",
        b'{"cmd": "run", "id": "seven", "scenario": ' + scenario + b"}",
        b'{"cmd": "run", "id": 8, "scenario": 5}',
        _run(PLAYABLE),
    ) == [
        {**PLAYED, "id": 7},
        {**PLAYED, "id": "seven"},
        {"id": 8, "error": "bad request: $.scenario: is the number 5; expected an object"},
        PLAYED,
    ]


def test_stop_is_the_last_request():
    """It has no answer, and what comes after it has none either."""
    assert _answers(_run(PLAYABLE), b'{"cmd": "stop"}', _run(PLAYABLE)) == [PLAYED]


def test_several_scenarios_are_played_at_a_time():
    """A driver with several jobs declares pipelining; every request has its answer."""
    scenario = json.dumps(PLAYABLE).encode()
    requests = [
        b'{"cmd": "run", "id": %d, "scenario": ' % number + scenario + b"}" for number in range(9)
    ]
    hello, *answers = _answers(b'{"cmd": "hello"}', *requests, b'{"cmd": "stop"}', jobs=2)
    assert hello["pipelining"] is True
    assert sorted(answer.pop("id") for answer in answers) == list(range(9))
    assert {json.dumps(answer, sort_keys=True) for answer in answers} == {
        json.dumps({"trace": TRACE, "final": PLAYED["final"]}, sort_keys=True)
    }


def test_an_endless_loop_ends_as_a_timeout():
    """The worker is replaced, and the next scenario is played."""
    assert _answers(_run(ENDLESS), _run(PLAYABLE), limit=1.0) == [
        {"id": "endless", "error": "timeout"},
        PLAYED,
    ]


def test_a_worker_that_dies_is_a_panic():
    """So is a function that raises; both keep the scenario's id."""
    died, raised = (
        _answers(_run(PLAYABLE), play="os:_exit"),
        _answers(_run(PLAYABLE), play="math:floor"),
    )
    assert died == [{"id": "ok", "panic": died[0]["panic"]}]
    assert raised == [{"id": "ok", "panic": raised[0]["panic"]}]
    assert died[0]["panic"] != raised[0]["panic"]


@needs_processes
def test_the_process_answers_line_by_line_and_leaves_nothing_behind():
    """An answer comes before the next request is sent; at the end of input all is over."""
    command = [sys.executable, "-m", "adkref.conformance.driver"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    ) as process:
        answers = []
        for line in (b'{"cmd": "hello"}', b"oops", _run(PLAYABLE)):
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            answers.append(json.loads(process.stdout.readline()))
        workers = _children(process.pid)
        process.stdin.close()
        assert process.wait(timeout=20) == 0
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    assert answers[0]["implementation"] == "adkref"
    assert answers[1:] == [
        {"error": "bad request: is not JSON: Expecting value at column 1"},
        PLAYED,
    ]
    assert len(workers) == 1
    assert _gone(workers)


@needs_processes
def test_a_driver_that_is_killed_takes_its_worker_along():
    """Also one that is busy with an endless loop."""
    command = [sys.executable, "-m", "adkref.conformance.driver"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        process.stdin.write(_run(PLAYABLE) + b"\n" + _run(ENDLESS) + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        workers = _children(process.pid)
        process.kill()
    assert len(workers) == 1
    assert _gone(workers)


def _children(pid):
    """Return the process ids of the children of *pid*."""
    found = []
    for entry in PROCESSES.glob("[0-9]*"):
        state = _state(int(entry.name))
        if state and int(state[1]) == pid:
            found.append(int(entry.name))
    return found


def _state(pid):
    """Return the fields behind the command of a process; a dead one that lingers has none."""
    try:
        text = (PROCESSES / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    fields = text.rpartition(")")[2].split()
    return [] if fields[0] == "Z" else fields


def _gone(pids, seconds=10.0):
    """Wait until no process of *pids* runs any more, or until time is up."""
    end = time.monotonic() + seconds
    while any(map(_state, pids)):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
