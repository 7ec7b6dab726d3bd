# SPDX-License-Identifier: Apache-2.0
"""Levels: how far a port has come, in steps that a porter takes one after another.

A case belongs to exactly one level: that of its corpus, by the name of the file, or, in a corpus
that the table does not know, that of the family of its first rule.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from attrs import frozen

from adkref.conformance.corpus import Case
from adkref.conformance.rules.ids import family


@frozen
class Level:
    """A step on the way."""

    name: str
    #: What a port can do that has reached it.
    sentence: str
    #: Corpora, by the file's name without its number and suffix.
    corpora: tuple[str, ...] = ()
    #: Families of rules.
    families: tuple[str, ...] = ()


#: The levels in the order in which a porter meets them.
LEVELS: Final = (
    Level(
        "core",
        "runs custom, sequential and loop agents with their callbacks, and stores what they yield",
        ("agents", "base-agent", "sequential-loop"),
        ("AGT", "CB", "CTX", "SEQ", "LOOP"),
    ),
    Level(
        "runner",
        "keeps sessions, messages, artifacts and errors as the runner does",
        ("runner",),
        ("RUN", "SES", "EVT", "ART", "MEM"),
    ),
    Level(
        "flow",
        "asks models, builds their requests and calls tools",
        ("flow", "history", "schema", "tools", "weather", "errors"),
        ("LLM", "FLOW", "REQ", "CNT", "MDL", "TOOL", "OUT"),
    ),
    Level("transfer", "hands control from agent to agent", ("transfer",), ("XFER",)),
    Level("plugins", "asks plugins at every hook", ("plugins",), ("PLG", "RAR", "FCM", "LOG")),
    Level(
        "parallel",
        "runs agents and tool calls side by side",
        ("parallel", "multitool", "mixed"),
        ("PAR",),
    ),
    Level("confirmation", "pauses for a human and goes on", ("confirm", "confirmation")),
    Level("modes", "runs agents as tools and tasks", ("modes", "agenttool"), ("NODE",)),
    Level("reports", "stands what others have stumbled over", ("seed-claims", "reports")),
    Level("compaction", "compacts long contexts", ("compact", "compaction"), ("CMP",)),
    Level(
        "workflow",
        "runs workflow graphs",
        ("workflow",),
        (
            *("WF", "WND", "FN", "AGN", "JOIN", "TN", "PW", "DYN", "WFN", "SCH"),
            *("RTY", "HITL", "PST", "WFA", "WFE", "DLG"),
        ),
    ),
    Level(
        "network",
        "talks to Gemini, to remote agents and live",
        ("gemini", "remote", "live", "executor"),
        ("STRM", "RMT", "LIVE"),
    ),
)
#: For cases that the table says nothing about.
OTHER: Final = Level("other", "plays what belongs to no level")

NAMES: Final = tuple(level.name for level in (*LEVELS, OTHER))

_STEM: Final = re.compile(r"(?:[0-9]+-)?([^.]+)")
_BY_CORPUS: Final = {name: level.name for level in LEVELS for name in level.corpora}
_BY_FAMILY: Final = {name: level.name for level in LEVELS for name in level.families}


def level_of(case: Case) -> str:
    """Return the name of the level that *case* belongs to."""
    match = _STEM.match(Path(case.file).name)
    stem = match[1] if match else ""
    if stem in _BY_CORPUS:
        return _BY_CORPUS[stem]
    first = family(case.rules[0]) if case.rules else ""
    return _BY_FAMILY.get(first, OTHER.name)
