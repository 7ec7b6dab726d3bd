# SPDX-License-Identifier: Apache-2.0
"""The report as a badge: the JSON that shields.io reads from an address of one's own."""

from __future__ import annotations

import json
from typing import Final

from adkref.conformance.outcome import EQUAL
from adkref.conformance.trial.report import Report

#: The colour for each exit code: all is well, the port is not, nothing was shown.
COLOURS: Final = ("brightgreen", "red", "lightgrey")


def render(report: Report) -> str:
    """Return one JSON object with a label, how many cases are equal, and a colour."""
    total = report.total
    badge = {
        "schemaVersion": 1,  # that of shields.io
        "label": "adkref",
        "message": f"{total[EQUAL]} of {total.total()} equal",
        "color": COLOURS[report.exit_code],
    }
    return json.dumps(badge) + "\n"
