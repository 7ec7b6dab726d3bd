# SPDX-License-Identifier: Apache-2.0
"""The report as lines of JSON: one that begins, one for each case, one that ends.

Here the equal cases stand as well, so that a trend can be drawn from one run to the next.
"""

from __future__ import annotations

import json
from typing import Any

from adkref.conformance.faults import HarnessError
from adkref.conformance.schema import first_violation
from adkref.conformance.trial.report import Report

#: What of the JSON report goes into the first line; all but the cases goes into the last.
_BEGIN = ("schema_version", "kit", "started", "port", "options")


def render(report: Report) -> str:
    """Return the lines; ``adkref schema report-line`` is the schema of each."""
    document = report.to_json()
    begin = {key: document.pop(key) for key in _BEGIN}
    document.pop("cases")
    lines: list[dict[str, Any]] = [
        {"kind": "begin", **begin},
        *({"kind": "case", **result.to_json()} for result in report.results),
        {"kind": "end", **document},
    ]
    for line in lines:
        if (found := first_violation("report-line", line)) is not None:
            raise HarnessError(f"a line is not what its schema asks for: {found}")
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
