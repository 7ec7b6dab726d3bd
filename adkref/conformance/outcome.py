# SPDX-License-Identifier: Apache-2.0
"""What can become of a case; none of the four is ever counted as another."""

from __future__ import annotations

from typing import Any, Final

from attrs import frozen

from adkref.conformance.diff import Difference

#: Played, and what happened is what is known of it.
EQUAL: Final = "equal"
#: Played, and something else happened.
DIFFERENT: Final = "different"
#: Not played, because it needs what is not built yet.
SKIPPED: Final = "skipped"
#: Not played for another reason: it took too long, something broke, or it is wrong itself.
FAILED: Final = "could not play"

OUTCOMES: Final = (EQUAL, DIFFERENT, SKIPPED, FAILED)


@frozen
class Outcome:
    """What became of one case."""

    id: str
    file: str
    line: int
    rules: tuple[str, ...]
    #: One of :data:`OUTCOMES`.
    kind: str
    #: For what is skipped the feature that it needs; for what could not be played the reason.
    reason: str = ""
    #: Whether the case could not be played because it is wrong itself.
    bad_input: bool = False
    difference: Difference | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as plain JSON; empty fields are left out."""
        fields = {
            "id": self.id,
            "file": self.file,
            "line": self.line,
            "outcome": self.kind,
            "rules": list(self.rules),
            "reason": self.reason,
            "difference": self.difference and self.difference.to_json(),
        }
        return {key: value for key, value in fields.items() if value}
