# SPDX-License-Identifier: Apache-2.0
"""Reports: one module for each form in which the result of a trial is told.

A form that goes into a file has a function ``render`` from a
:class:`~adkref.conformance.trial.report.Report` to a text.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from adkref.conformance.trial.report import Report

#: The forms by name, with their modules; what only one of them needs is loaded for it alone.
FORMATS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "json": "as_json",
        "ndjson": "as_ndjson",
        "junit": "as_junit",
        "markdown": "as_markdown",
        "html": "as_html",
        "badge": "as_badge",
    }
)


def render(form: str, report: Report) -> str:
    """Return *report* in one of the :data:`FORMATS`."""
    module = importlib.import_module(f"{__name__}.{FORMATS[form]}")
    text: str = module.render(report)
    return text
