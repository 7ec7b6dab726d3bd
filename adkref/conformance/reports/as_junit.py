# SPDX-License-Identifier: Apache-2.0
"""The report as JUnit XML, for what shows test results of any language.

A level is a suite, a case is a test.  A difference is a failure; a fault, whosesoever, is an
error; a known failure is skipped with its reason, and so is a flaky one.  What fails the run
beside its cases is a suite of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from adkref.conformance.outcome import DIFFERENT, EQUAL, SKIPPED
from adkref.conformance.trial.report import Report
from adkref.conformance.trial.result import DISPUTED, FLAKY, KNOWN, Result

#: What XML 1.0 cannot hold.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report) -> str:
    """Return the XML with its declaration."""
    name = report.hello.name if report.hello else report.asked.command
    root = ET.Element("testsuites", {"name": f"adkref: {_clean(name)}"})
    for level in report.levels:
        _suite(root, level, [result for result in report.results if result.level == level])
    if report.problems:
        suite = ET.SubElement(root, "testsuite", {"name": "run"})
        for number, problem in enumerate(report.problems, 1):
            case = _case(suite, "run", f"{problem.kind} {number}")
            _child(case, "error", problem.text, f"{problem.place} {problem.text}".strip())
        suite.set("tests", str(len(report.problems)))
        suite.set("errors", str(len(report.problems)))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: ET.Element, level: str, results: Sequence[Result]) -> None:
    suite = ET.SubElement(root, "testsuite", {"name": level, "tests": str(len(results))})
    count = {"failure": 0, "error": 0, "skipped": 0}
    for result in results:
        case = _case(suite, level, result.id)
        case.set("time", f"{result.seconds:.3f}")
        case.set("file", result.file)
        case.set("line", str(result.line))
        if result.verdict == EQUAL:
            continue
        tag = _tag(result)
        count[tag] += 1
        _child(case, tag, _message(result), _text(result))
        if result.stderr:
            ET.SubElement(case, "system-err").text = _clean("\n".join(result.stderr))
    suite.set("failures", str(count["failure"]))
    suite.set("errors", str(count["error"]))
    suite.set("skipped", str(count["skipped"]))


def _case(suite: ET.Element, level: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", {"classname": f"adkref.{level}", "name": _clean(name)})


def _child(case: ET.Element, tag: str, message: str, text: str) -> None:
    ET.SubElement(case, tag, {"message": _clean(message)}).text = _clean(text)


def _tag(result: Result) -> str:
    if result.verdict in (SKIPPED, KNOWN, FLAKY, DISPUTED):
        return "skipped"
    return "failure" if result.verdict == DIFFERENT else "error"


def _message(result: Result) -> str:
    if result.known is not None:
        return f"{result.verdict}: {result.known.reason}"
    words = [result.rule, result.sentence or result.reason]
    return " ".join(filter(None, words)) or result.verdict


def _text(result: Result) -> str:
    where = f"{result.place}: {result.verdict}"
    if result.difference is not None:
        return f"{where} at {result.difference.to_text()}"
    return f"{where}: {result.reason}"


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
