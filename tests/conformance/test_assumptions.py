# SPDX-License-Identifier: Apache-2.0
"""Assumptions: what each takes away, and what none of them does."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
import yaml

from adkref.conformance import corpus
from adkref.conformance.assumptions import (
    ASSUMPTIONS,
    changing,
    chosen,
    masked,
    masking,
    rewritten,
)
from adkref.conformance.canonical import TOTAL, canonical
from adkref.conformance.player import play
from adkref.conformance.scenario import check

ROOT = Path(__file__).parents[2]
PORTS = ROOT / "conformance" / "ports"
RULES = {
    line
    for file in (ROOT / "conformance" / "rules").glob("0*.yaml")
    for line in yaml.safe_load(file.read_text(encoding="utf-8"))["rules"]
}
SAMPLE = [
    case
    for number, case in enumerate(corpus.read(ROOT / "conformance" / "cases"))
    if number % 47 == 0 and case.trace is not None
]
NAMES = list(ASSUMPTIONS)


def scenario_of(agent, **keys):
    """Return a scenario around an agent."""
    return {
        "id": "x",
        "session": {"app": "app", "user": "u", "id": "s"},
        "agent": agent,
        "turns": [{"user": "hi"}],
        **keys,
    }


def custom(*ops, **keys):
    """Return the spec of a custom agent."""
    return {"kind": "custom", "name": "c", "body": list(ops), **keys}


def llm(*responses, **keys):
    """Return the spec of an LLM agent whose model gives one response a turn."""
    script = [{"responses": [each]} for each in responses]
    return {"kind": "llm", "name": "w", "model": {"name": "m", "script": script}, **keys}


def call(name, **args):
    """Return a response with a call."""
    part = {"functionCall": {"name": name, "args": args}}
    return {"content": {"role": "model", "parts": [part]}}


class TestTable:
    """The table of assumptions."""

    @pytest.mark.parametrize("name", NAMES)
    def test_entry(self, name):
        """Each has one sentence, rules that exist, and either a rewrite or a mask."""
        assumption = ASSUMPTIONS[name]
        assert assumption.name == name
        assert assumption.sentence.endswith(".")
        assert assumption.rules
        assert set(assumption.rules) <= RULES
        assert (assumption.scenario is None) != (assumption.record is None)

    def test_order(self):
        """They are applied in the table's order, whatever the order of the names."""
        assert chosen(reversed(NAMES)) == list(ASSUMPTIONS.values())

    def test_unknown(self):
        """An unknown name is an error."""
        with pytest.raises(KeyError):
            rewritten(["no-such"], scenario_of(custom()))


class TestUse:
    """Which of them had something to do."""

    def test_a_rewrite_has_if_it_changes_the_scenario_at_its_turn(self):
        """What an earlier one has taken away is not there any more; only the watched are told."""
        spec = scenario_of(custom({"yield": {"content": "a"}}, after=[{"artifact": "f"}]))
        spec["turns"][0]["yield_user_message"] = True
        before = copy.deepcopy(spec)
        names = ["authors-named", "no-yielded-user-message", "no-modes", "errors-by-presence"]
        assert changing(names, spec, names) == ["no-yielded-user-message", "authors-named"]
        assert changing(names, spec, ["authors-named", "no-modes"]) == ["authors-named"]
        assert changing(names, rewritten(names, spec), names) == []
        assert spec == before

    def test_a_mask_has_if_it_changes_a_record_or_the_end(self):
        """Masks that are not watched still come first; rewrites mask nothing."""
        played = {"trace": [{"at": "yield", "error": "boom", "error_kind": "x"}], "final": {}}
        before = copy.deepcopy(played)
        names = ["errors-by-presence", "stopped-unseen", "authors-named"]
        assert masking(names, played, names) == ["errors-by-presence"]
        assert masking(names, played, ["stopped-unseen"]) == []
        assert masking(names, {"trace": [{"at": "model_stopped"}]}, names) == ["stopped-unseen"]
        assert masking(names, masked(names, played), names) == []
        assert played == before


class TestAll:
    """All of them together, on cases of the corpora."""

    @pytest.mark.parametrize("case", SAMPLE, ids=lambda case: case.id)
    def test_valid(self, case):
        """What they make of a scenario can be played, and the given one stays."""
        before = copy.deepcopy(case.scenario)
        check(rewritten(NAMES, case.scenario))
        for name in NAMES:
            check(rewritten([name], case.scenario))
        assert case.scenario == before

    @pytest.mark.parametrize("case", SAMPLE, ids=lambda case: case.id)
    def test_masks(self, case):
        """Masking twice is masking once, and the given trace stays."""
        played = {"trace": case.trace, "final": {"state": {}, "events": 0}}
        before = json.dumps(played)
        once = masked(NAMES, played)
        assert masked(NAMES, once) == once
        assert json.dumps(played) == before

    def test_none(self):
        """Without names nothing changes."""
        scenario = scenario_of(custom({"yield": {"content": "a"}}))
        assert rewritten([], scenario) == scenario
        assert masked([], play(scenario)) == play(scenario)


class TestRewrites:
    """What single rewrites change."""

    def test_authors(self):
        """Events of a body get their agent as author, and keep one that they have."""
        agent = custom({"yield": {"content": "a"}}, {"yield": {"author": "b"}})
        body = rewritten(["authors-named"], scenario_of(agent))["agent"]["body"]
        assert [op["yield"]["author"] for op in body] == ["c", "b"]

    def test_temp_state(self):
        """temp: keys go from wherever a state is written or read."""
        agent = custom({"set_state": {"temp:a": 1, "b": 2}}, {"get_state": "temp:a"})
        changed = rewritten(
            ["no-temp-state"], scenario_of(agent, turns=[{"state_delta": {"temp:c": 1}}])
        )
        assert changed["agent"]["body"] == [{"set_state": {"b": 2}}]
        assert changed["turns"] == [{"state_delta": {}}]

    def test_hooks(self):
        """A hook of plugins goes with its rules; others stay."""
        plugins = [{"name": "p", "after_run": [], "before_run": []}]
        changed = rewritten(["no-after-run"], scenario_of(custom(), plugins=plugins))
        assert changed["plugins"] == [{"name": "p", "before_run": []}]

    def test_unknown_tools(self):
        """A call of a tool that is not there becomes a text."""
        agent = llm(call("t"), call("nope"), tools=[{"name": "t", "description": "x"}])
        changed = rewritten(["known-tools-only"], scenario_of(agent))
        texts = json.dumps(changed["agent"]["model"]["script"])
        assert "nope" not in texts
        assert '"name": "t"' in texts

    def test_modes_before_tools(self):
        """Without modes a sub-agent is no tool any more, so that its calls go as well."""
        kid = llm("a", mode="task") | {"name": "k"}
        agent = llm(call("k", request="r"), sub_agents=[kid])
        assert "functionCall" in json.dumps(rewritten(["known-tools-only"], scenario_of(agent)))
        changed = rewritten(["known-tools-only", "no-modes"], scenario_of(agent))
        assert "functionCall" not in json.dumps(changed)

    def test_transfers(self):
        """A transfer to a peer stays, one to somebody else becomes a text."""
        k1 = llm(call("transfer_to_agent", agent_name="k2")) | {"name": "k1"}
        k2 = llm(call("transfer_to_agent", agent_name="nobody")) | {"name": "k2"}
        changed = rewritten(["reachable-transfers-only"], scenario_of(llm(sub_agents=[k1, k2])))
        first, second = map(json.dumps, changed["agent"]["sub_agents"])
        assert "functionCall" in first
        assert "functionCall" not in second

    def test_errors(self):
        """Errors inside an LLM agent and outside of it are two assumptions."""
        agent = llm("a", before=[{"id": "b", "rules": [{"do": [{"raise": "x"}]}]}])
        agent["model"]["script"][0]["error"] = "down"
        inside = rewritten(["no-flow-errors"], scenario_of(agent))["agent"]
        assert "error" not in inside["model"]["script"][0]
        assert inside["before"] == agent["before"]
        outside = rewritten(["no-agent-errors"], scenario_of(agent))["agent"]
        assert outside["before"][0]["rules"] == [{"do": []}]
        assert outside["model"] == agent["model"]

    def test_loops_end(self):
        """A loop whose escalation was taken away gets another end."""
        agent = {
            "kind": "loop",
            "name": "l",
            "sub_agents": [custom({"yield": {"actions": {"escalate": True}}})],
        }
        changed = rewritten(["no-escalation"], scenario_of(agent))
        assert changed["agent"]["max_iterations"] == 2
        assert play(changed)["trace"][-1] == {"at": "end"}

    def test_lanes(self):
        """A lane becomes the first single agent below it."""
        deep = {"kind": "sequential", "name": "s", "sub_agents": [custom()]}
        agent = {"kind": "parallel", "name": "p", "sub_agents": [deep]}
        changed = rewritten(["leaf-lanes"], scenario_of(agent))
        assert changed["agent"]["sub_agents"] == [custom()]


class TestMasks:
    """What single masks leave out."""

    def test_errors(self):
        """That there is an error stays; which one goes."""
        trace = [{"at": "yield", "error": "boom"}, {"at": "end"}]
        out = masked(["errors-by-presence"], {"trace": trace, "final": {"error": "gone"}})
        assert out["trace"] == [{"at": "yield", "error": "$error"}, {"at": "end"}]
        assert out["final"] == {"error": "$error"}

    def test_stopped(self):
        """Records of a stop go; those of an end stay."""
        trace = [
            {"at": "body", "step": "stopped"},
            {"at": "model_stopped"},
            {"at": "body", "step": "end"},
        ]
        assert masked(["stopped-unseen"], {"trace": trace})["trace"] == trace[2:]

    def test_foreign(self):
        """A content that tells of others stays a content; one of the user is untouched."""
        told = {"role": "user", "parts": [{"text": "For context:"}, {"text": "[a] said: b"}]}
        own = {"role": "user", "parts": [{"text": "hi"}]}
        record = {"at": "model", "request": {"contents": [told, own]}}
        out = masked(["foreign-wording-unseen"], {"trace": [record]})["trace"][0]
        assert out["request"]["contents"] == [
            {"role": "user", "parts": [{"text": "$foreign"}]},
            own,
        ]

    def test_unanswered(self):
        """Only calls that nothing after them answers go, and contents that they leave empty."""
        contents = [
            {"role": "model", "parts": [{"functionCall": {"id": "1", "name": "f"}}]},
            {"role": "user", "parts": [{"functionResponse": {"id": "1", "name": "f"}}]},
            {"role": "model", "parts": [{"functionCall": {"id": "2", "name": "f"}}]},
        ]
        record = {"at": "model", "request": {"contents": contents}}
        out = masked(["unanswered-calls-unseen"], {"trace": [record]})["trace"][0]
        assert out["request"]["contents"] == contents[:2]

    def test_ids(self):
        """Generated ids go from requests, given ones stay."""
        parts = [{"functionCall": {"id": id_, "name": "f"}} for id_ in ("adk-1", "fc-1")]
        record = {"at": "model", "request": {"contents": [{"role": "model", "parts": parts}]}}
        out = masked(["sent-ids-unseen"], {"trace": [record]})["trace"][0]
        calls = [part["functionCall"] for part in out["request"]["contents"][0]["parts"]]
        assert calls == [{"name": "f"}, {"id": "fc-1", "name": "f"}]


class TestPorts:
    """What the project says of real ports."""

    @pytest.mark.parametrize("file", sorted(PORTS.glob("*/baseline.yaml")), ids=str)
    def test_baselines(self, file):
        """A baseline names assumptions that there are."""
        declared = yaml.safe_load(file.read_text(encoding="utf-8"))["assumptions"]
        assert declared
        assert set(declared) <= set(NAMES)

    def test_findings(self):
        """A finding has rules and assumptions that there are, and a probe that can be played."""
        text = (PORTS / "findings.yaml").read_text(encoding="utf-8")
        findings = yaml.safe_load(text)["findings"]
        cases = {
            case.id: case
            for case in corpus.read_all([PORTS / "probes", ROOT / "conformance" / "cases"])
        }
        assert len({finding["id"] for finding in findings}) == len(findings)
        for finding in findings:
            assert set(finding["rules"]) <= RULES, finding["id"]
            assert set(finding["assumptions"]) <= set(NAMES), finding["id"]
            assert finding["probe"] in cases, finding["id"]

    @pytest.mark.parametrize(
        "case", list(corpus.read(PORTS / "probes" / "kinds.jsonl")), ids=lambda case: case.id
    )
    def test_probes(self, case):
        """A probe's trace is what the reference plays."""
        played = play(check(case.scenario))
        known = {"trace": case.trace}
        if case.final is not corpus.ABSENT:
            known["final"] = case.final
        ordering = case.scenario.get("ordering", TOTAL)
        assert canonical(played, ordering) == canonical(known, ordering)
