# SPDX-License-Identifier: Apache-2.0
"""The report as lines of JSON: one that begins, one for each case, one that ends.

Here the equal cases stand as well, so that a trend can be drawn from one run to the next.
"""

from __future__ import annotations

import json
from typing import Any

from adkref.conformance.trial.report import Report

#: What of the JSON report goes into the first line; all but the cases goes into the last.
_BEGIN = ("schema_version", "kit", "started", "port", "options")


def render(report: Report) -> str:
    """Return the lines, each an object with its kind under ``line``."""
    document = report.to_json()
    begin = {key: document.pop(key) for key in _BEGIN}
    document.pop("cases")
    lines: list[dict[str, Any]] = [
        {"line": "begin", **begin},
        *({"line": "case", **result.to_json()} for result in report.results),
        {"line": "end", **document},
    ]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
