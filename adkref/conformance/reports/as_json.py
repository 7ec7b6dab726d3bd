# SPDX-License-Identifier: Apache-2.0
"""The report as one JSON object; ``adkref schema report`` is its schema."""

from __future__ import annotations

import json

from adkref.conformance.faults import HarnessError
from adkref.conformance.schema import first_violation
from adkref.conformance.trial.report import Report


def render(report: Report) -> str:
    """Return the report as JSON, indented, with a line break at its end."""
    document = report.to_json()
    if (found := first_violation("report", document)) is not None:
        raise HarnessError(f"the report is not what its schema asks for: {found}")
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
