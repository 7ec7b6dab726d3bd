# SPDX-License-Identifier: Apache-2.0
"""Suspects: the rule that a difference points at, and the one that all failures point at."""

import pytest
from attrs import evolve

from adkref.conformance.canonical import canonical
from adkref.conformance.diff import first_difference
from adkref.conformance.outcome import DIFFERENT, EQUAL
from adkref.conformance.rules.ids import family
from adkref.conformance.schema import document
from adkref.conformance.trial import suspects
from adkref.conformance.trial.result import Result
from adkref.conformance.trial.suspects import families, suspect


def difference(expected, actual, *, final=(None, None)):
    """Return the first difference of two traces that begin alike."""
    one, other = (
        canonical({"trace": [{"at": "turn", "n": 1}, *records], "final": end})
        for records, end in zip((expected, actual), final, strict=True)
    )
    return first_difference(one, other)


def event(**fields):
    """Return the record of a yielded event."""
    return {"at": "yield", "event": {"author": "a", **fields}}


END = {"at": "end"}
HOOK = {"at": "hook", "hook": "before_agent", "by": "agent:a/b", "agent": "a"}
PLUGIN = {"at": "hook", "hook": "before_model", "by": "plugin:p", "agent": "a", "request": {}}


class TestFamilies:
    """Which families a difference points at."""

    @pytest.mark.parametrize(
        ("expected", "actual", "first"),
        [
            ([HOOK], [END], "CB"),
            ([END], [HOOK], "CB"),
            ([END], [], "RUN"),
            ([PLUGIN], [END], "PLG"),
            ([{"at": "tool", "tool": "t"}], [END], "TOOL"),
            ([{"at": "model", "request": {"contents": []}}], [END], "FLOW"),
            ([event(author="a")], [event(author="b")], "AGT"),
            ([event(branch="p.a")], [event()], "PAR"),
            (
                [event(actions={"transferToAgent": "b"})],
                [event(actions={"escalate": True})],
                "LOOP",
            ),
            (
                [{"at": "model", "request": {"contents": [], "system_instruction": ["a"]}}],
                [{"at": "model", "request": {"contents": [], "system_instruction": ["b"]}}],
                "REQ",
            ),
            (
                [{"at": "model", "request": {"contents": [{"role": "user"}]}}],
                [{"at": "model", "request": {"contents": []}}],
                "CNT",
            ),
            (
                [{"at": "yield", "error": 'failed to run sub-agent "a": boom'}],
                [{"at": "yield", "error": "boom"}],
                "PAR",
            ),
            (
                [event(content={"parts": [{"functionResponse": {"name": "t"}}]})],
                [event(content={"parts": [{"text": "t"}]})],
                "TOOL",
            ),
        ],
    )
    def test_the_record_says_which(self, expected, actual, first):
        """Its kind does, and where both sides have one of the kind, what differs in it."""
        assert families(difference(expected, actual))[0] == first

    def test_the_final_state_is_the_session_s(self):
        """Equal traces with another final state point at the session service."""
        found = difference([], [], final=({"events": 1, "state": {}}, {"events": 2, "state": {}}))
        assert families(found)[0] == "SES"

    def test_every_kind_of_record_has_families(self):
        """No record leaves a porter without a hint."""
        kinds = set(document("record")["properties"]["at"]["enum"])
        assert set(suspects.RECORDS) == kinds - {"hook"}


class TestSuspect:
    """The rule of one case."""

    def test_a_rule_of_the_likeliest_family_is_preferred(self):
        """Of the case's rules the one whose family the record shows."""
        found = difference([HOOK], [END])
        assert suspect(("AGT-044", "RUN-055", "CB-003"), found) == "CB-003"

    def test_of_rules_alike_the_first(self):
        """Where the record says nothing, the case's first rule is named."""
        found = difference([HOOK], [END])
        assert suspect(("XFER-001", "OUT-001"), found) == "XFER-001"

    def test_a_case_without_rules(self):
        """It has the first rule of the likeliest family."""
        assert family(suspect((), difference([HOOK], [END]))) == "CB"


def result(identity, *rules, fails=None):
    """Return a case that passes, or fails with a difference."""
    return Result(
        id=identity,
        file="f",
        line=1,
        level="core",
        rules=rules,
        verdict=EQUAL if fails is None else DIFFERENT,
        difference=fails,
    )


class TestRanking:
    """All failures together."""

    RESULTS = (
        result("1", "CB-001", "AGT-044", fails=difference([HOOK], [END])),
        result("2", "CB-003", "AGT-044", fails=difference([HOOK], [END])),
        result("3", "CB-001"),
        result("4", "CB-001"),
        result("5", "RUN-001"),
        result("6", fails=difference([HOOK], [END])),
    )

    def test_a_rule_whose_cases_all_fail_comes_first(self):
        """One that other cases show and pass is less suspicious."""
        ranked = suspects.ranked(self.RESULTS)
        assert ranked[0].rule in ("AGT-044", "CB-003")
        assert {each.rule: (each.failing, each.showing) for each in ranked} == {
            "AGT-044": (2, 2),
            "CB-003": (1, 1),
            "CB-001": (1, 3),
        }
        assert ranked[-1].rule == "CB-001"

    def test_without_rules_what_each_case_points_at_is_counted(self):
        """Generated cases say nothing of rules, and the likeliest ones are ranked all the same."""
        found = difference([HOOK], [END])
        bare = [evolve(result(name, fails=found), rule=suspect((), found)) for name in "ab"]
        (only,) = suspects.ranked([*bare, result("c")])
        assert (family(only.rule), only.failing, only.showing) == ("CB", 2, 2)
