# SPDX-License-Identifier: Apache-2.0
"""The drivers of real ports, where `make port-python`, `port-js` and `port-java` installed them."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from adkref.conformance import features
from adkref.conformance.protocol import hello_violation, reply_violation

ROOT = Path(__file__).parents[2]
PORTS = {"adk-python": "port-python", "adk-js": "port-js", "adk-java": "port-java"}

SCENARIO = {
    "id": "x",
    "session": {"app": "app", "user": "u", "id": "s"},
    "agent": {"kind": "custom", "name": "c", "body": [{"yield": {"author": "c"}}]},
    "turns": [{"user": "hi"}],
}
ENDLESS = {
    **SCENARIO,
    "agent": {"kind": "loop", "name": "l", "sub_agents": [{"kind": "custom", "name": "c"}]},
}


@pytest.fixture(params=PORTS)
def port(request):
    """Return the command of a port's driver; skip aloud where the port is not installed."""
    name = request.param
    if not list((ROOT / ".ports" / name).glob(".[ic]*ed")):
        pytest.skip(f"{name} is not installed; make {PORTS[name]} installs it")
    command = (ROOT / "conformance" / "ports" / name / "command").read_text(encoding="utf-8")
    return shlex.split(command)


def talk(command, *lines):
    """Send lines and return the answers; the driver ends by itself when its input does."""
    said = b"".join(
        line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines
    )
    done = subprocess.run(  # the drivers' own commands
        command, input=said, capture_output=True, cwd=ROOT, timeout=300, check=False
    )
    assert done.returncode == 0
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_hello(port):
    """A driver says who it is, by the schema, and skips features that there are."""
    (hello,) = talk(port, {"cmd": "hello", "version": 1})
    assert hello_violation(hello) is None
    assert hello["source_hash"].startswith("sha256:")
    assert set(hello["skips"]) <= features.NAMES


def test_answers_in_order(port):
    """Whatever comes is answered, in order and with the request's id, until a stop."""
    answers = talk(
        port,
        b"no json\n",
        b"\n",
        b"[]\n",
        {"cmd": "dance"},
        {"cmd": "run", "id": 7, "scenario": SCENARIO},
        {"cmd": "run", "scenario": {**SCENARIO, "agent": {"kind": "workflow", "name": "f"}}},
        {"cmd": "stop"},
        {"cmd": "hello"},
    )
    assert [sorted(answer) for answer in answers[:3]] == [["error"]] * 3
    assert answers[3]["id"] == 7
    assert reply_violation(answers[3]) is None
    assert answers[3]["trace"][-1] == {"at": "end"}
    assert answers[4] == {"id": "x", "skip": "workflow"}
    assert len(answers) == 5


@pytest.mark.slow
def test_endless(port):
    """An endless loop is a timeout, and the next scenario is played."""
    late, played = talk(
        port,
        {"cmd": "run", "id": 1, "scenario": ENDLESS},
        {"cmd": "run", "id": 2, "scenario": SCENARIO},
    )
    assert late == {"id": 1, "error": "timeout"}
    assert played["id"] == 2
    assert "trace" in played
