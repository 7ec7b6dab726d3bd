# SPDX-License-Identifier: Apache-2.0
"""Whose fault it is: the scenario's, a port's, or the kit's own.

A report must never blame a port for a broken scenario, nor a user for a defect of
ours, so the kit raises three kinds of errors and no other.
"""

from __future__ import annotations

from collections.abc import Iterable

JsonPath = tuple[str | int, ...]


class ConformanceError(Exception):
    """What the conformance kit raises; which subclass says whose fault it is."""


class ScenarioError(ConformanceError):
    """A scenario or a corpus is not what the format's page asks for: the user's fault.

    ``problem`` says what is wrong, ``expected`` what would be right, ``path`` where in
    the JSON; ``file`` and ``line`` where on the disk, once a corpus knows them.
    """

    def __init__(
        self,
        problem: str,
        *,
        path: JsonPath | None = None,
        expected: str = "",
        file: str = "",
        line: int = 0,
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = path
        self.expected = expected
        self.file = file
        self.line = line

    def at(self, file: str, line: int = 0) -> ScenarioError:
        """Return the same error with its place on the disk."""
        return ScenarioError(
            self.problem, path=self.path, expected=self.expected, file=file, line=line
        )

    def __str__(self) -> str:
        line = f"line {self.line}" if self.line and not self.file else ""
        file = f"{self.file}:{self.line}" if self.line else self.file
        place = [line or file] if line or file else []
        if self.path is not None:
            place.append(json_path(self.path))
        what = self.problem + (f"; expected {self.expected}" if self.expected else "")
        return ": ".join([*place, what])


class PortError(ConformanceError):
    """A driver did not answer as the protocol asks: the port's fault."""


class HarnessError(ConformanceError):
    """The kit itself failed: our fault."""


def json_path(path: Iterable[str | int]) -> str:
    """Return *path* as ``$.agent.tools[0].name``; odd keys are quoted: ``$['a b']``."""
    out = ["$"]
    for step in path:
        if isinstance(step, int):
            out.append(f"[{step}]")
        elif step.isidentifier():
            out.append(f".{step}")
        else:
            out.append(f"[{step!r}]")
    return "".join(out)
