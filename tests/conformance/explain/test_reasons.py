# SPDX-License-Identifier: Apache-2.0
"""The tables of reasons cover the hooks and name rules that are there."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from adkref.conformance.explain.answers import ANSWERED, FAILED, Answer, answers
from adkref.conformance.explain.reasons import ENDS, FAILURES, ROWS
from adkref.conformance.rules import registry
from adkref.plugins.hooks import HOOKS

KNOWN = registry.load(Path(__file__).parents[3] / "conformance/rules")


def test_every_hook_has_its_rows():
    """No hook of the runner's own table is without rules, nor without words for its errors."""
    names = [hook.name for hook in HOOKS]
    assert [f"hook:{name}" for name in names if f"hook:{name}" not in ROWS] == []
    assert list(FAILURES) == names
    ends = {(hook.name, ANSWERED) for hook in HOOKS if hook.answer is not None}
    assert set(ENDS) == ends | {(name, FAILED) for name in names}


def test_every_rule_and_pattern_is_one():
    """A row names rules of the registry, and each pattern finds some."""
    rules = {rule for row in ROWS.values() for rule in row.rules}
    rules |= {rule for several in ENDS.values() for rule in several}
    assert sorted(rules - KNOWN.keys()) == []
    patterns = {pattern for row in ROWS.values() for pattern in row.named}
    assert [it for it in patterns if not any(fnmatchcase(rule, it) for rule in KNOWN)] == []


def test_the_first_answer_leaves_the_others_unasked():
    """The call is counted as the script counts it, and who comes later is named."""
    rules = [{"call": 2, "do": [{"return": "stop"}]}]
    plugins = [{"name": "p", "before_run": rules}, {"name": "q", "before_run": []}]
    scenario = {"agent": {"kind": "custom", "name": "a"}, "plugins": plugins}
    hook = {"at": "hook", "hook": "before_run", "by": "plugin:p", "agent": "a"}
    assert answers(scenario, [hook, hook]) == {2: Answer(ANSWERED, "stop", ("plugin:q",))}
