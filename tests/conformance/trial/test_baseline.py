# SPDX-License-Identifier: Apache-2.0
"""Baselines: read strictly, applied by case and rule, and stale where they are not true."""

import textwrap

import pytest

from adkref.conformance.faults import ScenarioError
from adkref.conformance.outcome import DIFFERENT, EQUAL, SKIPPED
from adkref.conformance.trial import baseline
from adkref.conformance.trial.baseline import Entry
from adkref.conformance.trial.result import FLAKY, KNOWN, PORT_FAULT, SCENARIO_FAULT, Result

HEAD = "schema_version: 1.0.0\nimplementation: adk-x\n"


@pytest.fixture
def load(tmp_path):
    """Read a baseline from its text."""

    def load(text):
        file = tmp_path / "base.yaml"
        file.write_text(HEAD + textwrap.dedent(text), encoding="utf-8")
        return baseline.load(file)

    return load


def result(identity, verdict, rule="", rules=()):
    """Return what became of a case."""
    return Result(
        id=identity, file="f", line=1, level="core", verdict=verdict, rule=rule, rules=rules
    )


class TestReading:
    """What a file may hold."""

    def test_all_that_it_can_say(self, load):
        """Entries know their line; flaky ones are apart."""
        found = load("""\
            assumptions: [no-artifacts]
            kinds:
              session.not_found: ["No session <id>"]
            entries:
              - {case: a/1, reason: "not built", link: "https://example.org/1"}
              - rule: RUN-055
                reason: the port drops the content
              - {case: "flow-*", rule: MDL-001, reason: both}
            flaky:
              - {case: b/2, reason: "a race"}
        """)
        assert found.implementation == "adk-x"
        assert found.assumptions == ("no-artifacts",)
        assert found.kinds == {"session.not_found": ("No session <id>",)}
        assert found.entries == [
            Entry(case="a/1", reason="not built", link="https://example.org/1"),
            Entry(rule="RUN-055", reason="the port drops the content"),
            Entry(case="flow-*", rule="MDL-001", reason="both"),
            Entry(case="b/2", reason="a race", flaky=True),
        ]
        assert [entry.line for entry in found.entries] == [7, 8, 10, 12]
        assert found.entries[2].name == "case flow-* with rule MDL-001"
        assert found.place_of("no-artifacts") == f"{found.file}:3"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("entries: [{case: a}]", "base.yaml:3: $.entries[0]: the key 'reason' is missing"),
            (
                "entries:\n  - {case: a, reason: r}\n  - {reason: r}",
                "base.yaml:5: $.entries[1]: has none of these; expected exactly one of case, rule",
            ),
            (
                "entries: [{rule: run-1, reason: r}]",
                '$.entries[0].rule: is "run-1"; expected a rule',
            ),
            ("entires: []", "$.entires: unknown key 'entires'; expected 'entries'"),
            ("assumptions: [hope]", "$.assumptions[0]: there is no 'hope'; expected one of "),
            (
                "kinds: {no.such: [x]}",
                "$.kinds['no.such']: there is no 'no.such'; expected one of",
            ),
            ("entries: [", "is no YAML"),
        ],
    )
    def test_what_is_wrong_is_told_with_its_line(self, load, text, message):
        """A bad baseline is the user's fault, with file and line of the entry."""
        with pytest.raises(ScenarioError) as caught:
            load(text)
        assert message in str(caught.value)

    def test_a_later_version_is_refused(self, tmp_path):
        """A file of another format is not read as if it were one of ours."""
        file = tmp_path / "b.yaml"
        file.write_text("schema_version: 2.0.0\nimplementation: x\n", encoding="utf-8")
        with pytest.raises(
            ScenarioError, match="has the format 2, and this kit reads the format 1"
        ):
            baseline.load(file)


class TestApplying:
    """Which failures are known."""

    def test_by_case_by_rule_and_by_both(self, load):
        """A rule is the one that a failure points at; a case may end in a star."""
        known = load("""\
            entries:
              - {case: a, reason: r1}
              - {rule: RUN-055, reason: r2}
              - {case: "flow-*", rule: MDL-001, reason: r3}
            flaky:
              - {case: z, reason: r4}
        """)
        results = [
            result("a", DIFFERENT, "AGT-001"),
            result("b", DIFFERENT, "RUN-055"),
            result("c", DIFFERENT, "RUN-056", ("RUN-055", "RUN-056")),
            result("flow-1", DIFFERENT, "MDL-001"),
            result("flow-2", DIFFERENT, "MDL-002"),
            result("z", PORT_FAULT),
            result("y", PORT_FAULT),
            result("x", EQUAL),
        ]
        found = baseline.applied(known, results)
        assert [each.verdict for each in found] == [
            *(KNOWN, KNOWN, DIFFERENT, KNOWN, DIFFERENT, FLAKY, PORT_FAULT, EQUAL),
        ]
        assert found[0].known.reason == "r1"
        assert found[1].known.place == f"{known.file}:5"

    def test_only_the_port_can_be_excused(self, load):
        """A wrong scenario stays wrong, whatever a baseline says."""
        known = load("entries: [{case: a, reason: r}]")
        (found,) = baseline.applied(known, [result("a", SCENARIO_FAULT)])
        assert found.verdict == SCENARIO_FAULT


class TestStaleness:
    """Entries that are not true."""

    @pytest.mark.parametrize(
        ("entry", "results", "reason"),
        [
            ("{case: a, reason: r}", [("a", EQUAL, "")], "does not fail any more"),
            ("{case: a, reason: r}", [("a", SKIPPED, "")], "is skipped, so it does not fail"),
            ("{case: a, reason: r}", [("b", EQUAL, "")], "speaks of no case of these corpora"),
            (
                "{case: a, rule: RUN-001, reason: r}",
                [("a", DIFFERENT, "RUN-002")],
                "fails by another rule: RUN-002",
            ),
            (
                "{rule: RUN-001, reason: r}",
                [("a", EQUAL, "")],
                "speaks of no case of these corpora",
            ),
        ],
    )
    def test_an_entry_that_is_not_true(self, load, entry, results, reason):
        """It is stale, and the reason says how."""
        known = load(f"entries: [{entry}]")
        found = baseline.applied(known, [result(*each) for each in results])
        assert [why for _, why in baseline.stale(known, found, is_whole=True)] == [reason]

    def test_a_rule_whose_cases_pass(self, load):
        """A rule is fixed when the cases that show it are equal."""
        known = load("entries: [{rule: RUN-001, reason: r}]")
        found = baseline.applied(known, [result("a", EQUAL, rules=("RUN-001",))])
        assert [why for _, why in baseline.stale(known, found, is_whole=True)] == [
            "does not fail any more"
        ]

    def test_an_entry_said_twice(self, load):
        """The later one of two has nothing left to excuse."""
        known = load("entries:\n- {case: a, reason: r}\n- {case: a, reason: s}")
        found = baseline.applied(known, [result("a", DIFFERENT)])
        assert [why for _, why in baseline.stale(known, found, is_whole=True)] == [
            "is named by an earlier entry as well"
        ]

    def test_a_flaky_entry_may_pass(self, load):
        """It must speak of a case, and nothing more."""
        known = load("flaky: [{case: a, reason: r}, {case: b, reason: r}]")
        found = baseline.applied(known, [result("a", EQUAL)])
        assert [entry.case for entry, _ in baseline.stale(known, found, is_whole=True)] == ["b"]

    def test_what_was_not_chosen_is_left_alone(self, load):
        """In a run of chosen cases an entry about others is neither true nor stale."""
        known = load("entries: [{case: a, reason: r}]")
        found = baseline.applied(known, [result("b", EQUAL)])
        assert list(baseline.stale(known, found, is_whole=False)) == []

    def test_an_assumption_that_changed_nothing(self, load):
        """It is told of with its line; of one that the file does not have, nothing is said."""
        known = load("""\
            assumptions:
              - no-modes
              - no-artifacts
        """)
        found = [result("a", EQUAL), result("b", DIFFERENT)]
        assert list(baseline.idle(known, ["no-artifacts", "authors-named"], found)) == [
            (
                "assumption no-artifacts changes nothing of any case that is equal",
                f"{known.file}:5",
            )
        ]
        assert list(baseline.idle(known, ["no-artifacts"], found[1:])) == []
