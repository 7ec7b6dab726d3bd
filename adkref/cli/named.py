# SPDX-License-Identifier: Apache-2.0
"""What an argument CASE|FILE names, and one run of it under the time limit of a driver."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import adkref.conformance.corpus as corpora
from adkref.cli.common import case_by_id
from adkref.conformance import workers
from adkref.conformance.driver import LIMIT, PLAY
from adkref.conformance.scenario import load


def cases(named: str) -> Iterator[corpora.Case]:
    """Yield the cases of a corpus or a folder, the one scenario of a file, or the case by id."""
    path = Path(named)
    if path.is_dir() or path.name.endswith(corpora.SUFFIXES):
        yield from corpora.read(path)
    elif path.exists() or path.suffix == ".json":
        scenario = load(path)
        rules = scenario.get("rules")
        yield corpora.Case(
            id=scenario["id"],
            file=named,
            line=1,
            scenario=scenario,
            rules=tuple(rules) if isinstance(rules, list) else (),
        )
    else:
        yield case_by_id(named)


def played(scenario: dict[str, Any]) -> dict[str, Any]:
    """Play *scenario* in a process that can be ended, and return a driver's answer."""
    with closing(workers.run(PLAY, iter([scenario]), limit=LIMIT)) as answers:
        (answer,) = answers
    if not answer.trouble:
        value: dict[str, Any] = answer.value
        return value
    text = {"error": "timeout"} if answer.trouble == "timeout" else {"panic": answer.text}
    return {"id": scenario.get("id"), **text}
