# SPDX-License-Identifier: Apache-2.0
"""Which rules say when a record may come: what a refusal names beside it."""

from __future__ import annotations

from typing import Final

from adkref.conformance.trace import Record

#: Kind of record -> the rules that place it.
_BY_KIND: Final[dict[str, tuple[str, ...]]] = {
    "turn": ("RUN-010",),
    "append": ("RUN-064", "RUN-066"),
    "yield": ("RUN-065", "RUN-066", "PAR-023"),
    "stop": ("RUN-080", "RUN-081"),
    "end": ("RUN-068", "PAR-024"),
    "runaway": ("RUN-080",),
    "model": ("MDL-005",),
    "model_stopped": ("FLOW-023", "FLOW-024"),
    "tool": ("TOOL-016", "TOOL-022"),
    "body": ("AGT-044", "PAR-023"),
    "state": ("CTX-051",),
    "state_error": ("CTX-052",),
    "artifact": ("CTX-062",),
    "confirmation": ("TOOL-100",),
    "history": ("PAR-025",),
    "construct_error": ("RUN-001",),
}

#: Hook -> the rules that place its call.
_BY_HOOK: Final[dict[str, tuple[str, ...]]] = {
    "on_user_message": ("RUN-041", "PLG-029"),
    "before_run": ("RUN-052", "PLG-035"),
    "after_run": ("RUN-051", "PLG-046"),
    "on_event": ("RUN-062", "RUN-066"),
    "before_agent": ("AGT-044", "PLG-067"),
    "after_agent": ("AGT-044", "PLG-073"),
    "before_model": ("MDL-001", "PLG-077"),
    "after_model": ("MDL-008", "PLG-086"),
    "on_model_error": ("MDL-006", "PLG-082"),
    "before_tool": ("TOOL-016", "PLG-094"),
    "after_tool": ("TOOL-016", "PLG-094"),
    "on_tool_error": ("TOOL-016", "PLG-094"),
}


def rules_of(record: Record | None) -> tuple[str, ...]:
    """Return the ids of the rules that say when *record* may come."""
    if record is None:
        return ()
    if record.get("at") == "hook":
        return _BY_HOOK.get(str(record.get("hook")), ())
    return _BY_KIND.get(str(record.get("at")), ())
