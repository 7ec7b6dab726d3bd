# SPDX-License-Identifier: Apache-2.0
"""Which scenarios have parts whose order is open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adkref.conformance.canonical import LANES, TOTAL
from adkref.conformance.scenario import Scenario, Spec, specs


def ordering_of(scenario: Scenario) -> str:
    """Return ``lanes`` for a scenario of which some things run in an order that is open.

    That is one with a parallel agent, with several calls in one turn of a model, or with
    partial responses of a root that is an LLM agent, whose step runs on meanwhile.
    """
    if any(place == "agent" and spec.get("kind") == "parallel" for place, spec in specs(scenario)):
        return LANES
    for response in _responses(scenario):
        if sum("functionCall" in part for part in _parts(response)) > 1:
            return LANES
        if response.get("partial") and scenario["agent"].get("kind") == "llm":
            return LANES
    return TOTAL


def _responses(scenario: Scenario) -> Iterator[Spec]:
    for place, spec in specs(scenario):
        if place == "model":
            for turn in spec.get("script", ()):
                yield from (it for it in turn.get("responses", ()) if isinstance(it, dict))


def _parts(response: Spec) -> Sequence[Spec]:
    parts: Sequence[Spec] = response.get("content", {}).get("parts", ())
    return parts
