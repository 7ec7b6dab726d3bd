# SPDX-License-Identifier: Apache-2.0
"""Reports: what each form says of the same trial."""

import io
import json
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from attrs import evolve
from rich.console import Console

from adkref.conformance import reports
from adkref.conformance.canonical import canonical
from adkref.conformance.diff import first_difference
from adkref.conformance.faults import HarnessError
from adkref.conformance.outcome import DIFFERENT, EQUAL, SKIPPED
from adkref.conformance.protocol import Hello
from adkref.conformance.reports.aligned import aligned
from adkref.conformance.reports.terminal import live_line, print_report
from adkref.conformance.schema import first_violation
from adkref.conformance.trial.report import Asked, Problem, Report, conclude
from adkref.conformance.trial.result import KNOWN, PORT_FAULT, Known, Result, Traces
from adkref.conformance.trial.run import Run

EXPECTED = [
    {"at": "turn", "n": 1},
    {"at": "body", "agent": "a", "step": "start"},
    {"at": "yield", "event": {"author": "a", "content": {"parts": [{"text": "<b>&\x1b[1m"}]}}},
    {"at": "body", "agent": "a", "step": "end"},
    {"at": "end"},
]
ACTUAL = [*EXPECTED[:2], EXPECTED[3], {"at": "end"}]


def result(identity, verdict, **fields):
    """Return what became of a case."""
    return Result(
        id=identity,
        file="corpus.jsonl",
        line=1,
        level=fields.pop("level", "core"),
        verdict=verdict,
        records=5,
        **fields,
    )


def run():
    """Return a run with one of each outcome."""
    one, other = (canonical({"trace": trace}) for trace in (EXPECTED, ACTUAL))
    return Run(
        hello=Hello(implementation="adk-x", version="0.1", language="x", choices={"RUN-055": "a"}),
        results=[
            result("good", EQUAL, rules=("AGT-044",), seconds=0.25),
            result(
                "bad",
                DIFFERENT,
                rules=("AGT-047", "RUN-065"),
                rule="RUN-065",
                difference=first_difference(one, other),
                traces=Traces(one.to_json(), other.to_json()),
            ),
            result("late", SKIPPED, reason="workflow", level="workflow"),
            result("dead", PORT_FAULT, fault="crash", reason="it died", stderr=("ouch \x00",)),
        ],
        warnings=["the port left 1 process behind, which the kit ended"],
    )


def sentence_of(rule):
    """Say something of a rule."""
    return f"what {rule} <says> | of it"


@pytest.fixture
def report():
    """A report of such a run, with a known failure and a problem."""
    asked = Asked(command="./driver", files=("corpus.jsonl", "other.jsonl"), jobs=2, limit=20)
    found = conclude(asked, run(), None, sentence_of)
    known = result("old", KNOWN, rule="RUN-001", known=Known("why", "https://e.org/1", "b:3"))
    return evolve(
        found,
        results=[*found.results, known],
        problems=[Problem("baseline", "stale: case x does not fail any more", "b:7")],
        kit="adkref 0",
        started="2026-08-01T12:00:00+00:00",
        seconds=1.5,
    )


class TestConclusion:
    """What a report knows."""

    def test_counts_levels_and_suspects(self, report):
        """Cases are counted by verdict and level; a level with a failure is not reached."""
        assert report.total == {
            EQUAL: 1, DIFFERENT: 1, SKIPPED: 1, PORT_FAULT: 1, KNOWN: 1,
        }  # fmt: skip
        assert list(report.levels) == ["core", "workflow"]
        assert report.detected == []
        assert report.suspects[0].rule == "RUN-065"
        assert report.results[1].rule == "RUN-065"
        assert report.results[1].sentence == sentence_of("RUN-065")
        assert report.skips == {"workflow": 1}
        assert report.exit_code == 1

    def test_all_equal_is_all_well(self):
        """Without a failure and a problem the exit code is 0, and the level is reached."""
        good = Run(hello=run().hello, results=[run().results[0]])
        report = conclude(Asked(command="x"), good)
        assert (report.exit_code, report.detected) == (0, ["core"])


class TestJson:
    """One object, and lines of them."""

    def test_it_meets_its_schema(self, report):
        """The report is valid, and has every case that is not equal."""
        document = json.loads(reports.render("json", report))
        assert first_violation("report", document) is None
        assert [case["id"] for case in document["cases"]] == ["bad", "late", "dead", "old"]
        assert document["total"]["port_fault"] == 1
        assert document["corpora"][0]["cases"] == 5
        assert set(document["corpora"][1].values()) == {"other.jsonl", 0}
        assert document["cases"][0]["sentence"] == sentence_of("RUN-065")
        assert document["suspects"][0]["failing"] == 1

    def test_one_that_does_not_is_our_fault(self, report):
        """A report is never written that its schema refuses."""
        with pytest.raises(HarnessError, match=r"\$\.total: the key|\$\.kit"):
            reports.render("json", evolve(report, kit=5))

    def test_lines(self, report):
        """A line begins, each case has one, and a line ends."""
        lines = [json.loads(line) for line in reports.render("ndjson", report).splitlines()]
        assert [line["kind"] for line in lines] == ["begin", *["case"] * 5, "end"]
        assert lines[1]["id"] == "good"
        assert lines[1]["verdict"] == EQUAL
        assert lines[-1]["exit_code"] == 1


class TestJunit:
    """XML that others read."""

    def test_suites_and_cases(self, report):
        """A level is a suite; differences fail, faults are errors, known failures are skipped."""
        root = ET.fromstring(reports.render("junit", report))  # noqa: S314 - it is our own
        core, workflow, problems = root
        assert [suite.get("name") for suite in root] == ["core", "workflow", "run"]
        assert {key: core.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
            "tests": "4", "failures": "1", "errors": "1", "skipped": "1",
        }  # fmt: skip
        failure = core.find("testcase[@name='bad']/failure")
        assert failure.get("message") == f"RUN-065 {sentence_of('RUN-065')}"
        assert "record 3" in failure.text
        assert core.find("testcase[@name='dead']/system-err").text == "ouch \ufffd"
        assert core.find("testcase[@name='old']/skipped").get("message") == "known: why"
        assert workflow.find("testcase/skipped").get("message") == "workflow"
        assert "stale" in problems.find("testcase/error").get("message")


class TestMarkdown:
    """The matrix for a README."""

    def test_tables(self, report):
        """Levels, suspects, failing and known cases each have a table; bars are escaped."""
        text = reports.render("markdown", report)
        assert "| core | 4 | 1 | 1 | 1 | 1 | 0 | 0 | 0 | no |" in text
        assert "| RUN-065 | 1 | 1 | what RUN-065 &lt;says> \\| of it |" in text
        assert "| bad | RUN-065 | different | record 3, $.at |" in text
        assert "| dead |  | crash | it died |" in text
        assert "why ([link](https://e.org/1))" in text
        assert "- `b:7`: stale: case x" in text


class _Page(HTMLParser):
    """What a page consists of."""

    def __init__(self):
        super().__init__()
        self.tags, self.outside, self.text, self.open = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "link", "img", "input"):
            self.open.append(tag)
        self.outside += [value for key, value in attrs if key in ("src", "href") and value != "#"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


class TestHtml:
    """One page."""

    def test_it_stands_alone_and_is_whole(self, report):
        """It loads nothing, every tag is closed, and text of a trace stays text."""
        page = _Page()
        text = reports.render("html", report)
        page.feed(text)
        assert (page.outside, page.open) == ([], [])
        assert "<b>&" not in text.replace("<b>bad", "")
        assert "http" not in text.replace("https://e.org/1", "")

    def test_a_failing_case_is_two_aligned_traces(self, report):
        """The first difference is marked, once for each case."""
        page = _Page()
        page.feed(reports.render("html", report))
        rows = [attrs["class"] for tag, attrs in page.tags if tag == "tr" and "class" in attrs]
        assert rows == ["same", "same", "missing first", "same", "same", "same"]
        cases = [attrs for tag, attrs in page.tags if attrs.get("class") == "case"]
        assert [case["data-verdict"] for case in cases] == [DIFFERENT, PORT_FAULT, KNOWN]
        assert cases[0]["data-rule"] == "RUN-065"

    def test_there_is_a_filter_by_rule(self, report):
        """Each rule that is named can be chosen."""
        text = reports.render("html", report)
        assert "<option>RUN-065</option>" in text
        assert 'id="rule"' in text


class TestAlignment:
    """Two traces side by side."""

    def test_what_both_have_stands_in_one_row(self):
        """A record that is missing leaves a gap, and what follows is in line again."""
        one, other = (canonical({"trace": trace}) for trace in (EXPECTED, ACTUAL))
        found = first_difference(one, other)
        lane, final = aligned(Traces(one.to_json(), other.to_json()), found)
        assert [(row.kind, row.left, row.right) for row in lane.rows] == [
            ("same", 1, 1),
            ("same", 2, 2),
            ("missing", 3, 0),
            ("same", 4, 3),
            ("same", 5, 4),
        ]
        assert [row.is_first for row in lane.rows] == [False, False, True, False, False]
        assert final.name == "final"

    def test_lanes_and_the_final_state(self):
        """Each lane is aligned by itself; another final state is marked."""
        trace = [{"at": "body", "agent": "b", "branch": "p.b", "step": "start"}, *EXPECTED]
        one, other = (
            canonical({"trace": trace, "final": {"events": n, "state": {}}}, "lanes")
            for n in (1, 2)
        )
        lanes = aligned(Traces(one.to_json(), other.to_json()), first_difference(one, other))
        assert [lane.name for lane in lanes] == [
            "agent:p.b|b", "agent:|", "agent:|a", "event:|a", "final",
        ]  # fmt: skip
        assert [lane.differs for lane in lanes] == [False, False, False, False, True]
        assert lanes[-1].rows[0].is_first

    def test_a_long_lane_is_shown_around_its_difference(self):
        """A trace of thousands of records does not make a page of as many rows."""
        records = [{"at": "turn", "n": n} for n in range(1, 1000)]
        other = [*records[:500], {"at": "end"}, *records[501:]]
        sides = [canonical({"trace": trace}) for trace in (records, other)]
        lane, _ = aligned(Traces(*(side.to_json() for side in sides)), first_difference(*sides))
        assert len(lane.rows) == 120
        assert [row.left for row in lane.rows if row.is_first] == [501]


class TestTerminal:
    """What is printed."""

    def test_the_first_line_names_the_rule(self, report):
        """Then comes its sentence, then the cases, each with the rule first."""
        out = io.StringIO()
        print_report(Console(file=out, width=150), report, 10)
        lines = out.getvalue().splitlines()
        assert lines[0] == "RUN-065 is most likely broken: 1 of 1 cases that show it fail"
        assert lines[1] == f"  {sentence_of('RUN-065')}"
        at = lines.index("RUN-065 bad (different)")
        assert lines[at + 2] == "  the case shows AGT-047 as well"
        assert lines[at + 3] == "  corpus.jsonl:1: different at record 3, $.at"
        assert "  stderr: ouch \\u0000" in lines
        assert "b:7: stale: case x does not fail any more" in lines
        assert lines[-1] == (
            "adk-x 0.1: 1 of 5 cases are equal, 1 different, 1 skipped, 1 port fault, 1 known, "
            "1 problem"
        )

    def test_a_failing_case_is_one_line_while_others_are_played(self, report):
        """The line has rule, case, verdict and place, and no control character."""
        assert live_line(report.results[1]) == "RUN-065 bad (different): record 3, $.at"
        assert live_line(report.results[3]) == "dead (port fault, crash): it died"

    def test_an_empty_report(self):
        """A run that did not begin shows its problem and no table."""
        out = io.StringIO()
        problem = Problem("start", "the port does not start: x")
        print_report(
            Console(file=out, width=150), Report(asked=Asked(command="x"), problems=[problem]), 1
        )
        assert out.getvalue().splitlines() == [
            "the port does not start: x",
            "the port: 0 of 0 cases are equal, 1 problem",
        ]


class TestBadge:
    """What shields.io reads."""

    def test_it_counts_what_is_equal(self, report):
        """A badge has the fields of shields.io's endpoint, red as the run fails."""
        assert json.loads(reports.render("badge", report)) == {
            "schemaVersion": 1,
            "label": "adkref",
            "message": "1 of 5 equal",
            "color": "red",
        }

    def test_its_colour_is_that_of_the_exit_code(self):
        """All well is green; where nothing was shown, the badge is grey."""
        good = Run(hello=run().hello, results=[run().results[0]])
        none = Run(hello=run().hello, results=[])
        colours = [
            json.loads(reports.render("badge", conclude(Asked(command="x"), each)))["color"]
            for each in (good, none)
        ]
        assert colours == ["brightgreen", "lightgrey"]
