# SPDX-License-Identifier: Apache-2.0
"""The controlled scheduler: moves, replays, dropped runs."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from adkref.conformance.player import play
from adkref.conformance.schedules import ScheduleError, replay
from adkref.conformance.schedules.execution import Execution
from adkref.conformance.schedules.hub import Kind, Move, Status

Spec = dict[str, Any]


def lanes(count: int, items: int = 1, **parts: Any) -> Spec:
    """Return a scenario with *count* custom lanes of *items* events each."""
    return {
        "format": "adk-scenario/1",
        "id": "lanes",
        "ordering": "lanes",
        "session": {"app": "a", "user": "u", "id": "s"},
        "agent": {
            "kind": "parallel",
            "name": "p",
            "sub_agents": [
                {
                    "kind": "custom",
                    "name": f"l{number}",
                    "body": [
                        {"yield": {"content": f"{number}/{item}", "branch": "$ctx"}}
                        for item in range(items)
                    ],
                }
                for number in range(count)
            ],
        },
        "turns": [{"user": "hi"}],
    } | parts


@pytest.mark.parametrize("text", ["main.", "a>", "main<a", "a/b#2+", "a-", "a!"])
def test_a_move_reads_back_what_it_prints(text: str) -> None:
    """A move's text names its worker, its kind and the lane that is taken from."""
    assert str(Move.parse(text)) == text


@pytest.mark.parametrize("text", ["", "main", "main<", ".", "a>b"])
def test_what_is_no_move_is_refused(text: str) -> None:
    """A text without a worker, a kind or a lane where one belongs is no move."""
    with pytest.raises(ValueError, match="is no move"):
        Move.parse(text)


def test_a_schedule_replays_to_the_same_trace() -> None:
    """The whole schedule of a run, given again, gives the same answer and schedule."""
    first = replay(lanes(3, 2))
    again = replay(lanes(3, 2), " ".join(map(str, first.schedule)))
    assert again == first


def test_a_sequential_scenario_replays_as_it_plays() -> None:
    """Without lanes there is one order, and the scheduler changes nothing."""
    scenario = lanes(0)
    scenario["agent"] = {
        "kind": "custom",
        "name": "c",
        "body": [{"yield": {"content": "one"}}, {"own_history": True}],
    }
    scenario["ordering"] = "total"
    assert replay(scenario).answer == play(scenario)


def test_a_schedule_that_does_not_fit_names_the_move_and_what_was_possible() -> None:
    """The first impossible move is named by its number, with the possible ones."""
    with pytest.raises(ScheduleError, match=r"move 2: l0\. is not possible here") as caught:
        replay(lanes(2), "main> l0.")
    assert "main." in str(caught.value)


def test_a_lane_stands_still_until_its_item_is_acknowledged() -> None:
    """Between its offer and the consumer's next segment a lane has no move (PAR-023)."""
    with Execution(lanes(1)) as execution:
        worker = None
        while worker is None or worker.status is not Status.OFFERING:
            moves = [m for m in execution.moves() if m.kind is not Kind.TAKE]
            execution.make(moves[-1])
            worker = execution.hub.workers.get("l0")
        execution.make(Move(Kind.TAKE, "main", "l0"))
        while execution.hub.workers["l0"].status is Status.OFFERING:
            assert [move.worker for move in execution.moves()] == ["main"]
            execution.make(execution.moves()[0])
        assert [record["at"] for record in execution.hub.committed][-1] == "yield"


def test_a_dropped_run_leaves_nothing_behind() -> None:
    """An execution that is given up half-way unwinds its workers and starts no thread."""
    before = threading.active_count()
    with Execution(lanes(4, 3)) as execution:
        for _ in range(25):
            execution.make(execution.moves()[-1])
        hub = execution.hub
    assert {worker.status for worker in hub.workers.values()} == {Status.DONE}
    assert all(worker.green.dead for worker in hub.workers.values() if worker.green)
    assert threading.active_count() == before


def test_an_error_in_a_lane_offers_the_liberties() -> None:
    """After a lane's error a waiting sibling may be released, or its item taken (PAR-045)."""
    scenario = lanes(2)
    scenario["agent"]["sub_agents"][1]["body"] = [{"yield_error": "boom"}]
    kinds = set()
    with Execution(scenario) as execution:
        while moves := execution.moves():
            kinds.update(move.kind for move in moves)
            # The erring lane first, the consumer last.
            moves.sort(key=lambda move: (move.worker == "main", move.worker != "l1"))
            execution.make(moves[0])
        answer = execution.finish()
    assert Kind.RELEASE in kinds
    assert answer["trace"][-2] == {
        "at": "yield",
        "error": 'failed to run sub-agent "l1": boom',
    } or answer["trace"][-1] == {"at": "stop"}
