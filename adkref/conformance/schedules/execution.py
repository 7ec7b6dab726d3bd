# SPDX-License-Identifier: Apache-2.0
"""One run of a scenario under the controlled scheduler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

from attrs import frozen

from adkref.conformance.faults import ScenarioError
from adkref.conformance.player import Answer, Play
from adkref.conformance.scenario import check, skip_reason
from adkref.conformance.schedules.hub import (
    MAIN,
    ControlledStarter,
    GatedTracer,
    Hub,
    Kind,
    Move,
)
from adkref.contexts import LANES, PLATFORM, HostContext
from adkref.platform import Platform


class ScheduleError(ScenarioError):
    """A schedule string does not fit the scenario, or is none."""


class Execution:
    """A scenario that stands still; moves drive it on.

    Use it as a context manager: what has not ended by then is dropped.
    """

    def __init__(self, scenario: dict[str, Any]) -> None:
        self.hub = Hub()
        self.answer: Answer | None = None
        self.schedule: list[Move] = []
        platform = Platform(new_id=self.hub.draw)
        host = (
            HostContext.background()
            .with_value(LANES, ControlledStarter(self.hub))
            .with_value(PLATFORM, platform)
        )
        self._play = Play(scenario, GatedTracer(self.hub), host)
        self.hub.spawn(MAIN, self._main)

    def _main(self) -> None:
        self.answer = self._play.answer()

    def moves(self) -> list[Move]:
        """Return what can happen next."""
        return list(self.hub.moves())

    def make(self, move: Move) -> None:
        """Make a move."""
        self.schedule.append(move)
        self.hub.make(move)

    def make_all(self, moves: Iterable[Move]) -> None:
        """Make moves that an equal execution made before."""
        for move in moves:
            self.make(move)

    def key(self) -> tuple[Any, ...]:
        """Return what the future of this execution depends on."""
        return self.hub.key(), self._play.digest()

    def finish(self) -> Answer:
        """Return the answer of an execution that is over."""
        self.hub.finish()
        assert self.answer is not None
        return self.answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.hub.drop()


def checked(scenario: Any) -> dict[str, Any]:
    """Return a scenario that can be played under a schedule; raises ScenarioError."""
    checked_scenario: dict[str, Any] = check(scenario)
    if reason := skip_reason(checked_scenario):
        raise ScenarioError(f"this scenario cannot be played yet: it needs {reason}")
    return checked_scenario


def settled(moves: Sequence[Move]) -> Move:
    """Choose what a run without surprises does: emit first, then run, then take, no liberty."""
    for kind in (Kind.EMIT, Kind.RUN, Kind.TAKE, Kind.NO):
        for move in moves:
            if move.kind is kind:
                return move
    return moves[0]


@frozen
class Replayed:
    """A finished run and its whole schedule."""

    answer: Answer
    schedule: tuple[Move, ...]


def replay(
    scenario: Any,
    schedule: str = "",
    then: Callable[[Sequence[Move]], Move] = settled,
) -> Replayed:
    """Play *scenario* by a schedule string, then by *then* to the end.

    Raises :class:`ScheduleError` that names the first move that is not possible.
    """
    with Execution(checked(scenario)) as execution:
        for number, text in enumerate(schedule.split(), 1):
            try:
                move = Move.parse(text)
            except ValueError as error:
                raise ScheduleError(f"move {number}: {error}") from error
            possible = execution.moves()
            if move not in possible:
                raise ScheduleError(
                    f"move {number}: {text} is not possible here",
                    expected=" or ".join(map(str, possible)) or "the end",
                )
            execution.make(move)
        while moves := execution.moves():
            execution.make(then(moves))
        return Replayed(execution.finish(), tuple(execution.schedule))
