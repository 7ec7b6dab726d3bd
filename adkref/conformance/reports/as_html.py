# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML page that needs nothing beside itself.

Each failing case is shown as two aligned traces with the first difference marked; the cases can
be filtered by rule, level and verdict.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from adkref.conformance.faults import ConformanceError
from adkref.conformance.outcome import EQUAL
from adkref.conformance.reports.aligned import aligned
from adkref.conformance.trial.report import Report
from adkref.conformance.trial.result import DISPUTED, FLAKY, KNOWN, VERDICTS, Result

_TEMPLATE = "report.html.j2"


def render(report: Report) -> str:
    """Return the page."""
    try:
        import jinja2
    except ImportError as error:
        raise ConformanceError(
            "the HTML report needs Jinja2: pip install 'adkref[report]'"
        ) from error
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    source = files(__package__).joinpath(_TEMPLATE).read_text(encoding="utf-8")
    shown = [*report.failing(), *report.of(KNOWN, FLAKY, DISPUTED)]
    total = report.total
    text: str = environment.from_string(source).render(
        report=report,
        name=report.hello.name if report.hello else report.asked.command,
        verdicts=[each for each in VERDICTS if total[each] or each == EQUAL],
        cases=[_case(result) for result in shown],
        rules=sorted({result.rule for result in shown if result.rule}),
    )
    return text


def _case(result: Result) -> dict[str, Any]:
    """Return what the page shows of a case."""
    lanes = []
    if result.traces is not None and result.difference is not None:
        lanes = aligned(result.traces, result.difference)
    text = result.difference.to_text() if result.difference is not None else result.reason
    return {"result": result, "lanes": lanes, "text": text}
