# SPDX-License-Identifier: Apache-2.0
"""What the sequential, loop and parallel constructors have in common (AGT-010 to AGT-013)."""

from __future__ import annotations

from typing import ClassVar

from attrs import define

from adkref.agents.base import Agent
from adkref.errors import AdkError, wrap


@define(eq=False, slots=False, repr=False)
class Composite(Agent):
    """An agent whose body runs its sub-agents; it takes no body of its own."""

    #: The text for a given body; the sequential agent really says "LoopAgent" (AGT-010).
    refuses_body: ClassVar[str] = ""
    #: What an error of the base constructor is wrapped in, "" for nothing (AGT-011).
    wraps_errors: ClassVar[str] = "failed to create base agent"

    def __attrs_post_init__(self) -> None:
        if self.body is not None:
            raise AdkError(self.refuses_body)
        try:
            super().__attrs_post_init__()
        except AdkError as error:
            if self.wraps_errors:
                raise wrap(self.wraps_errors, error) from error
            raise
