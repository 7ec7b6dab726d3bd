# SPDX-License-Identifier: Apache-2.0
"""Cases for corpora to run under pytest."""

from __future__ import annotations

from adkref.conformance.player import play


def case(identity, text, **parts):
    """Return a case of an agent that says a text, as the reference plays it."""
    scenario = {
        "id": identity,
        "session": {"app": "app", "user": "u", "id": "s"},
        "agent": {"kind": "custom", "name": "a", "body": [{"yield": {"content": text}}]},
        "turns": [{"user": "hi"}],
        **parts,
    }
    answer = play(scenario)
    return {"scenario": scenario, "trace": answer["trace"], "final": answer["final"]}
