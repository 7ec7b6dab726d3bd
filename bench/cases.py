# SPDX-License-Identifier: Apache-2.0
"""What is measured: the one table of cases, sides and reference figures.

A line of the table is played by every side that has a function of its name in its
``CASES``; a side without one shows a dash.  *sizes* are that function's arguments, and
*warm_up* those of the small run that each fresh process makes first.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen
from figures import PER_EVENT, WHOLE_TURN, Unit

#: Column title -> module of this folder; this is the order of the runs: A B C A B C ...
SIDES: Mapping[str, str] = {
    "adkref": "side_adkref",
    "google-adk": "side_google_adk",
    "bare": "bare",
}

ADK_GO_SOURCE = (
    "ADK-Go and the aims are constants, not measured here: issue 3, 'What it must reach', "
    "ADK-Go as measured there on this kind of machine"
)


@frozen
class Case:
    """One line: what is run, what it is told in, and what stands beside it."""

    name: str
    title: str
    unit: Unit
    sizes: Mapping[str, int]
    warm_up: Mapping[str, int]
    adk_go: float | None = None
    aim: str = field(default="–")


CASES: tuple[Case, ...] = (
    Case(
        "flat",
        "custom root, 5,000 events",
        PER_EVENT,
        {"events": 5000},
        {"events": 50},
        adk_go=2.1,
        aim="6.3 (1/60)",
    ),
    Case(
        "nested",
        "10 sequential levels × 2,000 events",
        PER_EVENT,
        {"levels": 10, "events": 2000},
        {"levels": 2, "events": 20},
        adk_go=2.3,
        aim="9 (1/23)",
    ),
    Case(
        "parallel",
        "parallel, 8 lanes × 250 events",
        PER_EVENT,
        {"lanes": 8, "events": 250},
        {"lanes": 2, "events": 10},
        adk_go=2.4,
        aim="15 (1/12)",
    ),
    Case(
        "tools",
        "LLM agent, 100 tool steps",
        PER_EVENT,
        {"steps": 100},
        {"steps": 2},
        adk_go=207,
        aim="< 207 (1/14)",
    ),
    Case(
        "turn",
        "one LLM turn after 5,000 stored events",
        WHOLE_TURN,
        {"stored": 5000},
        {"stored": 10},
        adk_go=10.7,
        aim="< 10.7 (1/46)",
    ),
    Case(
        "transfer",
        "transfer chain, 20 deep",
        PER_EVENT,
        {"depth": 20},
        {"depth": 2},
    ),
    Case(
        "confirm",
        "50 confirmations in one session",
        PER_EVENT,
        {"times": 50},
        {"times": 1},
    ),
    Case(
        "history",
        "one LLM turn after 5,000 events with 1,000 call/response pairs",
        WHOLE_TURN,
        {"pairs": 1000},
        {"pairs": 2},
    ),
)

#: The cost of one step of adkref after so many stored events.
GROWTH: tuple[int, ...] = (100, 1000, 5000)
GROWTH_CASE = "growth"
