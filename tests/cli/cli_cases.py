# SPDX-License-Identifier: Apache-2.0
"""Cases of every outcome, to make corpora from."""

from __future__ import annotations

import copy


def scenario(identity, **keys):
    """Return a scenario of a custom agent that says hi."""
    return {
        "format": "adk-scenario/1",
        "id": identity,
        "session": {"app": "app", "user": "u", "id": "s"},
        "agent": {
            "kind": "custom",
            "name": "a",
            "body": [{"yield": {"author": "a", "content": "hi"}}],
        },
        "turns": [{"user": "hello"}],
        **keys,
    }


#: The trace of such a scenario, and the final state.
TRACE = [
    {"at": "turn", "n": 1},
    {
        "at": "append",
        "event": {
            "author": "user",
            "content": {"parts": [{"text": "hello"}], "role": "user"},
            "invocationId": "inv-1",
        },
    },
    {"agent": "a", "at": "body", "step": "start"},
    {
        "at": "append",
        "event": {
            "author": "a",
            "content": {"parts": [{"text": "hi"}], "role": "model"},
            "invocationId": "inv-1",
        },
    },
    {
        "at": "yield",
        "event": {
            "author": "a",
            "content": {"parts": [{"text": "hi"}], "role": "model"},
            "invocationId": "inv-1",
        },
    },
    {"agent": "a", "at": "body", "step": "resumed"},
    {"agent": "a", "at": "body", "step": "end"},
    {"at": "end"},
]
FINAL = {"events": 2, "state": {}}


def sound(identity, **keys):
    """Return a case that the reference plays as it says."""
    return {"scenario": scenario(identity, **keys), "trace": TRACE, "final": FINAL}


def wrong(identity):
    """Return a case that says something else than the reference plays."""
    case = copy.deepcopy(sound(identity))
    case["trace"][4]["event"]["content"]["parts"][0]["text"] = "ho"
    return case


def skipped(identity):
    """Return a case that needs what is not built yet."""
    return sound(identity, compaction={"interval": 2})


def endless(identity):
    """Return a case that never ends."""
    agent = {
        "kind": "loop",
        "name": "l",
        "sub_agents": [{"kind": "custom", "name": "c", "body": []}],
    }
    return {"scenario": scenario(identity, agent=agent), "trace": [{"at": "turn", "n": 1}]}
