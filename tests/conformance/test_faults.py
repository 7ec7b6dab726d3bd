# SPDX-License-Identifier: Apache-2.0
"""Whose fault it is."""

import pytest

from adkref.conformance.faults import (
    ConformanceError,
    HarnessError,
    PortError,
    ScenarioError,
    json_path,
)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ScenarioError("is wrong"), "is wrong"),
        (ScenarioError("is wrong", path=()), "$: is wrong"),
        (
            ScenarioError("is wrong", path=("agent", "tools", 0, "nam"), expected="'name'"),
            "$.agent.tools[0].nam: is wrong; expected 'name'",
        ),
        (ScenarioError("is wrong", path=("a",)).at("f.jsonl", 3), "f.jsonl:3: $.a: is wrong"),
        (ScenarioError("is empty", file="f.jsonl"), "f.jsonl: is empty"),
        (ScenarioError("is empty", line=3), "line 3: is empty"),
    ],
)
def test_a_scenario_error_says_where_what_and_what_was_expected(error, text):
    """File and line come first, then the JSON path, the problem, and what would be right."""
    assert str(error) == text


def test_the_three_faults_are_told_apart():
    """No class is a kind of another, so that catching one never takes another for it."""
    faults = (ScenarioError, PortError, HarnessError)
    assert [[issubclass(a, b) for b in faults] for a in faults] == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]
    assert all(issubclass(fault, ConformanceError) for fault in faults)


def test_a_json_path_quotes_odd_keys():
    """Keys that are no words are quoted, positions stand in brackets."""
    assert json_path(("agent", "sub_agents", 2, "a b", "x")) == "$.agent.sub_agents[2]['a b'].x"
