# SPDX-License-Identifier: Apache-2.0
"""Suspects: the rule that is most likely broken.

Two things point at a rule.  One is the record at which the traces part: what should have stored
an event breaks a rule of the runner, what should have called a callback one of the callbacks.
The other is which cases fail: a rule whose cases all fail is more suspicious than one that
other cases show and pass.  Neither is proof; both together name the rule for most single
mistakes, and a porter who reads its sentence first is seldom misled.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from attrs import frozen

from adkref.conformance.diff import EXPECT, FINAL, Difference
from adkref.conformance.kinds import kind_of
from adkref.conformance.outcome import EQUAL
from adkref.conformance.rules.ids import family
from adkref.conformance.trial.result import TO_BLAME, Result

Families = tuple[str, ...]

#: Kinds of records, and the families of rules that they show, the likeliest first.
RECORDS: Final[Mapping[str, Families]] = MappingProxyType(
    {
        "construct_error": ("AGT", "LLM", "RUN", "PLG", "SES", "TOOL", "CMP", "WF"),
        "turn": ("RUN", "NODE"),
        "model": ("FLOW", "MDL", "XFER", "LLM", "LOOP", "SEQ"),
        "model_stopped": ("MDL", "FLOW", "RUN"),
        "tool": ("TOOL", "FLOW", "LLM"),
        "state": ("CTX", "SES"),
        "state_error": ("CTX", "SES"),
        "artifact": ("ART", "CTX"),
        "confirmation": ("TOOL", "CTX"),
        "body": ("AGT", "SEQ", "LOOP", "PAR", "XFER", "RUN"),
        "history": ("SES", "RUN", "CTX"),
        "append": ("RUN", "SES", "EVT", "NODE"),
        "yield": ("RUN", "AGT", "NODE", "EVT"),
        "stop": ("RUN",),
        "end": ("RUN", "LOOP", "SEQ", "PAR"),
        "runaway": ("LOOP", "FLOW"),
        "node": ("SCH", "WF", "FN", "WND"),
        "note": ("FN", "DYN", "WND"),
        "resumed": ("HITL", "PST"),
        "run_node": ("DYN", "SCH"),
        "cancel": ("RUN", "SCH"),
        "summarize": ("CMP",),
        "outside": ("CMP",),
        "http": ("STRM", "RMT"),
        "model_response": ("STRM", "MDL"),
        "live_error": ("LIVE",),
        "live_send": ("LIVE",),
        "live_close": ("LIVE",),
        "ws": ("LIVE",),
        "tool_stream": ("LIVE", "TOOL"),
        "a2a_client": ("RMT",),
        "rpc": ("RMT",),
        "card": ("RMT",),
        "cleanup": ("RMT",),
        "a2a_event": ("RMT",),
        "unsettled": ("RUN",),
    }
)
#: Likewise for hooks, without the family of the plugins.
HOOKS: Final[Mapping[str, Families]] = MappingProxyType(
    {
        "on_user_message": ("RUN",),
        "before_run": ("RUN",),
        "after_run": ("RUN",),
        "on_event": ("RUN", "EVT"),
        "before_agent": ("CB", "AGT", "CTX"),
        "after_agent": ("CB", "AGT", "CTX"),
        "before_model": ("MDL", "FLOW"),
        "after_model": ("MDL", "FLOW"),
        "on_model_error": ("MDL",),
        "before_tool": ("TOOL",),
        "after_tool": ("TOOL",),
        "on_tool_error": ("TOOL", "RAR"),
        "before_request": ("RMT",),
        "after_request": ("RMT",),
        "converter": ("RMT",),
    }
)
#: Paths inside a record that say more than its kind.
PATHS: Final[tuple[tuple[str, Families], ...]] = (
    ("$.request.contents", ("CNT",)),
    ("$.request.system_instruction", ("REQ", "XFER")),
    ("$.request.tools", ("REQ", "XFER", "TOOL")),
    ("$.request.response", ("REQ", "OUT")),
    ("$.event.author", ("AGT", "EVT")),
    ("$.event.branch", ("PAR", "AGT", "CTX")),
    ("$.branch", ("PAR", "AGT", "CTX")),
    ("$.event.isolationScope", ("NODE", "RUN")),
    ("$.event.nodeInfo", ("NODE",)),
    ("$.event.output", ("NODE", "LLM", "OUT")),
    ("$.event.longRunningToolIds", ("TOOL", "FLOW")),
    ("$.event.actions.transferToAgent", ("XFER",)),
    ("$.event.actions.requestedToolConfirmations", ("TOOL",)),
    ("$.event.actions.skipSummarization", ("TOOL",)),
    ("$.event.actions.escalate", ("LOOP", "TOOL")),
    ("$.event.actions.compaction", ("CMP",)),
    ("$.event.actions.stateDelta", ("OUT", "CB", "CTX", "SES")),
    ("$.event.actions.artifactDelta", ("ART", "CTX")),
    ("$.event.partial", ("MDL", "STRM", "RUN")),
)
#: Groups of error kinds, and the families whose errors they are.
ERRORS: Final[Mapping[str, Families]] = MappingProxyType(
    {
        "agent": ("AGT", "RUN"),
        "callback": ("CB",),
        "context": ("CTX",),
        "state": ("CTX", "SES", "REQ"),
        "parallel": ("PAR",),
        "llm": ("LLM", "FLOW", "NODE"),
        "task": ("NODE", "LLM"),
        "request": ("REQ",),
        "contents": ("CNT",),
        "model": ("MDL", "STRM"),
        "tool": ("TOOL",),
        "agent_tool": ("TOOL",),
        "schema": ("TOOL", "NODE", "OUT"),
        "confirmation": ("TOOL",),
        "transfer": ("XFER",),
        "output": ("OUT",),
        "runner": ("RUN", "PLG"),
        "node": ("NODE",),
        "plugin": ("PLG", "CB"),
        "event": ("EVT",),
        "session": ("SES", "RUN"),
        "compaction": ("CMP",),
        "artifact": ("ART",),
        "live": ("LIVE", "SEQ"),
        "loop": ("LOOP",),
    }
)
#: For cases that name no rule: what is broken first where a family is.
FIRST: Final[Mapping[str, str]] = MappingProxyType(
    {
        "AGT": "AGT-044",
        "CB": "CB-003",
        "CNT": "CNT-001",
        "CTX": "CTX-051",
        "FLOW": "FLOW-001",
        "LOOP": "LOOP-001",
        "MDL": "MDL-001",
        "NODE": "NODE-001",
        "PAR": "PAR-001",
        "PLG": "PLG-001",
        "REQ": "REQ-001",
        "RUN": "RUN-066",
        "SEQ": "SEQ-001",
        "SES": "SES-044",
        "TOOL": "TOOL-015",
        "XFER": "XFER-001",
    }
)
#: Records that say little beside another.
_ENDS: Final = ("turn", "stop", "end")
#: How much a rule counts that is in no family of the record.
_ELSEWHERE: Final = 0.4


def families(difference: Difference) -> Families:
    """Return the families of rules that a difference points at, the likeliest first."""
    if difference.lane == FINAL:
        return ("SES", "RUN", "OUT", "CTX")
    if difference.lane == EXPECT:
        return ("RMT",)
    records = [
        record
        for record in (difference.expected_record, difference.actual_record)
        if isinstance(record, dict)
    ]
    found: list[str] = []
    if len({_kind(record) for record in records}) == 1 and len(records) > 1:
        # The same happened on both sides, so what differs in it says most.
        found += _of_value(difference)
    # Where one side has an end and the other goes on, what goes on says more.
    for record in sorted(records, key=lambda record: record.get("at") in _ENDS):
        found += _of_record(record)
    return tuple(dict.fromkeys(found))


def _kind(record: Mapping[str, Any]) -> tuple[Any, Any]:
    return record.get("at"), record.get("hook")


def _of_value(difference: Difference) -> Families:
    if difference.path.endswith((".error", ".errorMessage")):
        for text in (difference.expected, difference.actual):
            if isinstance(text, str) and (kind := kind_of(text)):
                return ERRORS.get(kind.partition(".")[0], ())
    if difference.path.startswith("$.event.content"):
        return _of_content(difference.expected_record["event"].get("content") or {})
    return next((rows for path, rows in PATHS if difference.path.startswith(path)), ())


def _of_content(content: Mapping[str, Any]) -> Families:
    parts = [part for part in content.get("parts") or () if isinstance(part, dict)]
    if any("functionResponse" in part for part in parts):
        return ("TOOL", "XFER", "OUT")
    if any("functionCall" in part for part in parts):
        return ("FLOW", "TOOL", "MDL")
    return ("MDL", "CB", "RUN")


def _of_record(record: Mapping[str, Any]) -> Families:
    if record.get("at") != "hook":
        error = record.get("error")
        kind = kind_of(error) if isinstance(error, str) else ""
        return (
            *ERRORS.get(kind.partition(".")[0], ()),
            *RECORDS.get(str(record.get("at")), ()),
        )
    rows = HOOKS.get(str(record.get("hook")), ())
    by_plugin = str(record.get("by")).startswith("plugin:")
    return ("PLG", *rows) if by_plugin else (*rows, "PLG")


def suspect(rules: Sequence[str], difference: Difference) -> str:
    """Return the rule of a case that its difference points at, or ``""``.

    A case without rules has the first of the likeliest family that is known.  This looks at one
    case alone, so that a baseline that names the rule says the same in every run.
    """
    ranked = families(difference)
    if not rules:
        return next((FIRST[name] for name in ranked if name in FIRST), "")
    return max(rules, key=lambda rule: _weight(rule, ranked))


def _weight(rule: str, ranked: Families) -> float:
    """Return how much a rule is pointed at: 1 for the likeliest family, then less."""
    name = family(rule)
    return 1 / (1 + ranked.index(name) / 3) if name in ranked else _ELSEWHERE


# --- over all cases ---------------------------------------------------------------------------


@frozen
class Suspect:
    """A rule, and how suspicious it is over all cases."""

    rule: str
    #: How many of the cases that show it fail, and how many show it.
    failing: int
    showing: int
    score: float


def ranked(results: Sequence[Result]) -> list[Suspect]:
    """Return the rules that failing cases show, the most suspicious first."""
    failing: Counter[str] = Counter()
    showing: Counter[str] = Counter()
    weight: defaultdict[str, float] = defaultdict(float)
    blamed = [result for result in results if result.verdict in TO_BLAME]
    total = len(blamed)
    for result in results:
        if result.verdict == EQUAL:
            showing.update(result.rules)
    # Where no failing case says what it shows, what each points at is all there is.
    bare = not any(result.rules for result in blamed)
    for result in blamed:
        at = families(result.difference) if result.difference else ()
        for rule in filter(None, (result.rule,) if bare else result.rules):
            showing[rule] += 1
            failing[rule] += 1
            weight[rule] += _weight(rule, at)
    found = [
        # Ochiai's measure, with cases weighted by what their difference points at.
        Suspect(rule, count, showing[rule], weight[rule] / math.sqrt(total * showing[rule]))
        for rule, count in failing.items()
    ]
    return sorted(found, key=lambda each: (-each.score, each.rule))
