# SPDX-License-Identifier: Apache-2.0
"""Why a step is where it is: the table from kinds of records to the rules that they show.

A row has the rules that every such step shows, and the families of those that it shows where
the case itself names them.  What an answer or an error of a callback does has rows of its own.
What the hooks mean in words is not said here: the table of the hooks that the runner walks says
it (:data:`adkref.plugins.hooks.HOOKS`).
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any, Final

from attrs import field, frozen

from adkref.conformance.explain.answers import ANSWERED, FAILED, Answer

Record = Mapping[str, Any]


@frozen
class Row:
    """The rules that a kind of step shows."""

    rules: tuple[str, ...] = ()
    #: Patterns of rules that the step shows if the case names them.
    named: tuple[str, ...] = ()


#: By kind of record, as :meth:`Kinds.of` names it.
ROWS: Final[Mapping[str, Row]] = MappingProxyType(
    {
        "construct_error": Row((), ("RUN-00?", "AGT-0[013]?", "PLG-00?", "LLM-00?", "SEQ-*")),
        "turn": Row(("RUN-010",), ("RUN-01?", "RUN-02?", "RUN-03?", "XFER-011", "NODE-00?")),
        "append:message": Row(("RUN-046", "RUN-048"), ("RUN-04?",)),
        "append:again": Row(("RUN-053", "RUN-054"), ("RUN-055", "PLG-03?")),
        "append:event": Row(
            ("RUN-064",),
            (
                "RUN-06?",
                "FLOW-0[12]?",
                "AGT-05?",
                "CB-0??",
                "OUT-*",
                "TOOL-03?",
                "SES-04?",
                "EVT-*",
            ),
        ),
        "append:error": Row((), ("RUN-*", "SES-*", "PLG-040")),
        "yield:event": Row(("RUN-065",), ("RUN-050", "RUN-06?", "PAR-*", "LOOP-*", "SEQ-*")),
        "yield:partial": Row(("FLOW-020", "RUN-064"), ("RUN-063", "SES-040", "PLG-057")),
        "yield:error": Row(("RUN-060",), ("PAR-04?", "CB-013", "SEQ-002", "LOOP-011", "FLOW-002")),
        "yield:node-error": Row(("RUN-073",), ("FLOW-002", "CB-013", "NODE-*", "LLM-*")),
        "stop": Row(("RUN-080", "RUN-081"), ("FLOW-024", "AGT-055", "PAR-06?", "LOOP-013")),
        "end": Row((), ("RUN-06?", "FLOW-00?", "LOOP-*", "SEQ-*")),
        "model": Row(
            ("FLOW-001", "MDL-005"),
            ("FLOW-0[01]?", "REQ-*", "CNT-*", "MDL-*", "XFER-00?", "LLM-*", "EVT-03?"),
        ),
        "model_stopped:response": Row(("FLOW-023",), ("FLOW-02?",)),
        "model_stopped:stop": Row(("FLOW-024",), ("FLOW-02?",)),
        "tool": Row(("TOOL-022",), ("TOOL-*", "XFER-007")),
        "state": Row((), ("CTX-05?", "SES-06?", "PAR-008")),
        "state_error": Row((), ("CTX-05?", "SES-06?")),
        "artifact": Row(("ART-009",), ("ART-*", "CB-025", "FLOW-019")),
        "confirmation": Row((), ("TOOL-1??", "CTX-031")),
        "history": Row((), ("PAR-023", "PAR-025", "SEQ-007", "RUN-065")),
        "body:start": Row(("AGT-044",), ("AGT-*", "SEQ-*", "LOOP-*", "PAR-*")),
        "body:resumed": Row(("AGT-047",), ("PAR-02?", "SEQ-007", "AGT-*")),
        "body:stopped": Row(("AGT-055",), ("PAR-*", "AGT-*", "LOOP-013", "SEQ-003")),
        "body:end": Row(("AGT-048",), ("AGT-*", "PAR-*", "LOOP-*", "SEQ-*")),
        "hook:on_user_message": Row(("RUN-041",), ("PLG-029", "PLG-03?", "RUN-04?")),
        "hook:before_run": Row(("RUN-052",), ("PLG-03?", "PLG-04?", "RUN-05?")),
        "hook:after_run": Row(("PLG-046",), ("PLG-04?", "PLG-016", "RUN-05?")),
        "hook:on_event": Row(("PLG-051",), ("PLG-05?", "RUN-06?")),
        "hook:before_agent": Row(("PLG-067",), ("CB-*", "PLG-06?", "AGT-04?")),
        "hook:after_agent": Row(("PLG-073",), ("CB-*", "PLG-07?", "AGT-04?")),
        "hook:before_model": Row(("PLG-077",), ("MDL-00?", "PLG-07?")),
        "hook:after_model": Row(("PLG-086",), ("MDL-008", "PLG-08?", "FLOW-01?")),
        "hook:on_model_error": Row(("PLG-082",), ("MDL-007", "PLG-08?")),
        "hook:before_tool": Row(("PLG-094",), ("TOOL-02?", "PLG-09?")),
        "hook:after_tool": Row(("TOOL-023",), ("TOOL-02?", "PLG-10?", "PLG-094")),
        "hook:on_tool_error": Row(("PLG-094",), ("TOOL-02?", "PLG-09?", "PLG-104")),
    }
)

#: What the end of a round shows, beside the row of its hook.
ENDS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = MappingProxyType(
    {
        ("on_user_message", ANSWERED): ("PLG-031",),
        ("on_user_message", FAILED): ("PLG-033",),
        ("before_run", ANSWERED): ("PLG-037",),
        ("before_run", FAILED): ("PLG-037", "PLG-041"),
        ("after_run", FAILED): ("PLG-049",),
        ("on_event", ANSWERED): ("PLG-056",),
        ("on_event", FAILED): ("PLG-059",),
        ("before_agent", ANSWERED): ("PLG-069",),
        ("before_agent", FAILED): ("PLG-071",),
        ("after_agent", ANSWERED): ("PLG-074",),
        ("after_agent", FAILED): ("PLG-076",),
        ("before_model", ANSWERED): ("PLG-079",),
        ("before_model", FAILED): ("PLG-080",),
        ("after_model", ANSWERED): ("PLG-088",),
        ("after_model", FAILED): ("PLG-089",),
        ("on_model_error", ANSWERED): ("PLG-085",),
        ("on_model_error", FAILED): ("PLG-084",),
        ("before_tool", ANSWERED): ("PLG-095",),
        ("before_tool", FAILED): ("PLG-097",),
        ("after_tool", ANSWERED): ("PLG-101",),
        ("after_tool", FAILED): ("PLG-102",),
        ("on_tool_error", ANSWERED): ("PLG-098",),
        ("on_tool_error", FAILED): ("PLG-099",),
    }
)

#: What an error of a callback does; for what an answer does the table of the hooks has words.
FAILURES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "on_user_message": "ends the run, before the message is stored",
        "before_run": "ends the run; the user's own message is stored and yielded again with it",
        "after_run": "changes nothing",
        "on_event": "drops the event: it is neither stored nor yielded, the error is",
        "before_agent": "is the agent's item; the body is skipped",
        "after_agent": "is the agent's last item",
        "before_model": "ends the flow; the model is skipped",
        "after_model": "ends the flow; the response is lost",
        "on_model_error": "takes the place of the model's error and ends the flow",
        "before_tool": "counts as the tool's failure; the tool is skipped",
        "after_tool": "is the tool's response",
        "on_tool_error": "replaces the tool's error",
    }
)


@frozen
class Kinds:
    """Names the kind of each record of a trace, from what came before it in its turn."""

    node_path: bool
    _seen: dict[str, bool] = field(factory=dict)

    def of(self, record: Record, answer: Answer | None) -> str:
        """Return the key of *record* in :data:`ROWS`, or what it is *at*."""
        at = str(record.get("at"))
        if at == "turn":
            self._seen.clear()
        if at == "stop":
            self._seen["stop"] = True
        if record.get("hook") == "before_run" and answer is not None:
            self._seen["exit"] = True
        return _SUFFIX[at](self, record) if at in _SUFFIX else at

    def _append(self, record: Record) -> str:
        if "error" in record:
            return "append:error"
        event = record.get("event")
        if isinstance(event, dict) and event.get("author") == "user":
            if not self._seen.get("message"):
                self._seen["message"] = True
                return "append:message"
            if self._seen.get("exit"):
                return "append:again"
        return "append:event"

    def _yield(self, record: Record) -> str:
        if "error" in record:
            return "yield:node-error" if self.node_path else "yield:error"
        event = record.get("event")
        partial = isinstance(event, dict) and event.get("partial")
        return "yield:partial" if partial else "yield:event"

    def _model_stopped(self, _: Record) -> str:
        return "model_stopped:stop" if self._seen.get("stop") else "model_stopped:response"


_SUFFIX: Final[Mapping[str, Any]] = {
    "append": Kinds._append,  # noqa: SLF001 - the table belongs to the class
    "yield": Kinds._yield,  # noqa: SLF001
    "model_stopped": Kinds._model_stopped,  # noqa: SLF001
    "body": lambda _, record: f"body:{record.get('step')}",
    "hook": lambda _, record: f"hook:{record.get('hook')}",
}


def rules_of(kind: str, record: Record, answer: Answer | None) -> tuple[str, ...]:
    """Return the rules that a step of that *kind* shows, whatever the case names."""
    rules = ROWS[kind].rules if kind in ROWS else ()
    if answer is not None:
        rules += ENDS.get((str(record.get("hook")), answer.kind), ())
        if answer.unasked:
            rules += ("PLG-010",)
    return rules


def is_named_by(kind: str, rule: str) -> bool:
    """Tell whether a step of that *kind* is one at which a case's own *rule* can be seen."""
    return kind in ROWS and any(fnmatchcase(rule, pattern) for pattern in ROWS[kind].named)
