# SPDX-License-Identifier: Apache-2.0
"""Tests of the hunt: what it finds, how small, how often, and when it ends."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice

import pytest

from adkref.conformance.faults import ScenarioError
from adkref.conformance.fuzz.finding import Finding, Origin, load
from adkref.conformance.fuzz.hunt import Plan, hunt, renumbered
from adkref.conformance.fuzz.rig import Rig
from adkref.conformance.fuzz.signature import Signature
from adkref.conformance.player import play
from adkref.conformance.port import PortFault
from adkref.strategies import GROUPS, samples

BARE = '{"id": "x", "agent": {"kind": "custom", "name": "a"}}'


def drawn(group, count, seed=0):
    """Return numbered scenarios of a group."""
    examples = ((group, each) for each in samples(GROUPS[group](), seed))
    return list(islice(renumbered(examples, seed), count))


def smallest(catch):
    """Return the signature of each finding with its smallest agent."""
    return {each.signature: each.scenario["agent"] for each in catch.findings}


def stores_an_author(scenario):
    """Tell whether an event with an author is stored."""
    trace = play(scenario)["trace"]
    return any(record["at"] == "append" and "author" in record["event"] for record in trace)


def test_a_sound_port_has_no_findings(rig):
    """Every scenario of every group is equal, and counted by its group."""
    heard = []
    scenarios = [pair for group in GROUPS for pair in drawn(group, 4)]
    catch = hunt(rig("sound"), scenarios, Plan(), heard=heard.append)
    assert catch.findings == []
    assert catch.tallies == {group: Counter(equal=4) for group in GROUPS}
    assert len(heard) == catch.played == 4 * len(GROUPS)
    assert (catch.troubles, catch.ended, catch.exit_code) == ([], "", 0)


def test_a_failure_is_shrunk_to_a_handful_of_parts(rig):
    """What remains is one agent and one step, whatever was drawn."""
    found = []
    scenarios = drawn("agents", 25)
    stored = sum(stores_an_author(scenario) for _, scenario in scenarios)
    catch = hunt(rig("without-authors"), scenarios, Plan(shrink=120), found=found.append)
    assert found[0].signature == catch.findings[0].signature
    assert smallest(catch) == {
        Signature("value", "append", "$.event.author"): {"kind": "custom", "name": "c1"}
    }
    (finding,) = catch.findings
    assert finding.scenario["turns"] == [{"user": "hi"}]
    assert finding.original["id"] == finding.scenario["id"] == "fuzz-agents-00001"
    assert (finding.met, finding.is_steady) == (stored, True)
    assert catch.total == Counter(different=stored, equal=25 - stored)
    assert stored > 20
    assert catch.exit_code == 1


def test_failures_are_told_apart_by_where_the_traces_part(rig):
    """The same mistake at two kinds of records is found twice, and no kind more than once."""
    catch = hunt(rig("without-errors"), drawn("agents", 40), Plan(shrink=60, most=3))
    kinds = [each.signature for each in catch.findings]
    assert len(kinds) == len(set(kinds)) == 3
    assert catch.ended == "3 kinds are enough"
    for agent in smallest(catch).values():
        assert len(json.dumps(agent)) < 400


def test_a_port_that_dies_is_found_by_what_it_dies_of(rig):
    """The crash is a finding with what stood on standard error, and the hunt goes on."""
    catch = hunt(rig("dies"), drawn("agents", 12), Plan(shrink=120))
    (finding,) = catch.findings
    assert finding.signature == Signature("fault", "crash", "exit")
    assert finding.scenario["plugins"] == [{"name": "p1"}]
    assert finding.scenario["agent"] == {"kind": "custom", "name": "c1"}
    assert finding.stderr == ("Segmentation fault",)
    assert "exit code 3" in finding.reason
    assert catch.total["equal"] > 0


def test_a_port_that_hangs_is_found_and_does_not_stop_the_hunt(rig):
    """For a silent port the limit is short while it is shrunk."""
    scenarios = drawn("agents", 12)
    catch = hunt(rig("hangs", case=3.0), scenarios, Plan(shrink=20))
    (finding,) = catch.findings
    assert finding.signature == Signature("fault", "silence")
    assert '"kind": "loop"' in json.dumps(finding.scenario["agent"])
    assert len(json.dumps(finding.scenario)) < len(json.dumps(finding.original))
    assert catch.total.total() == len(scenarios)


def test_a_hunt_that_plays_nothing_shows_nothing(rig):
    """What the port skips is counted by the feature, and is no success."""
    catch = hunt(rig("skips"), drawn("history", 3), Plan())
    assert catch.skips == Counter(llm=3)
    assert (catch.played, catch.exit_code) == (0, 2)


def test_a_hunt_ends_when_its_time_is_up(rig):
    """No scenario is begun after that."""
    endless = renumbered((("flow", each) for each in samples(GROUPS["flow"](), 0)), 0)
    catch = hunt(rig("sound"), endless, Plan(seconds=1.0))
    assert catch.ended == "the time was up"
    assert 0 < catch.played < 1000


def test_a_port_that_does_not_start_is_told_of_at_once():
    """The hunt does not begin."""
    with Rig("no-such-command") as rig, pytest.raises(PortFault, match="does not start"):
        hunt(rig, drawn("history", 1), Plan())


def test_a_seed_finds_the_same(rig):
    """Two hunts with one seed have the same findings, to the letter."""
    one, other = (
        [each.to_json() for each in hunt(rig("with-state"), drawn("runner", 8), Plan()).findings]
        for _ in range(2)
    )
    assert one
    assert one == other


# --- files --------------------------------------------------------------------------------


def test_a_finding_is_read_as_it_was_written(rig, tmp_path):
    """The file has the scenario, both traces, the difference, the seed and the versions."""
    catch = hunt(
        rig("without-authors"),
        drawn("agents", 3, seed=5),
        Plan(),
        known=[("strategies", "1.0.0")],
    )
    (finding,) = catch.findings
    file = finding.save(tmp_path / "new")
    data = json.loads(file.read_text())
    assert file.name == f"{finding.id}.json"
    assert data["format"] == "adkref-finding/1"
    assert (data["group"], data["seed"], data["number"]) == ("agents", 5, 1)
    assert data["versions"]["port"]["implementation"] == "fuzzed-without-authors"
    assert data["versions"]["strategies"] == "1.0.0"
    assert set(data["versions"]) >= {"adkref", "source_hash", "python"}
    assert data["expected"]["trace"][1]["event"]["author"] == "user"
    assert "author" not in data["actual"]["trace"][1]["event"]
    assert data["story"][1] == '   2 user: stored user: "hi"'
    assert load(file) == finding


def test_the_lines_of_a_finding_say_what_differs():
    """A fault has its reason and what was on standard error."""
    finding = Finding(
        id="x",
        signature=Signature("fault", "crash"),
        scenario={},
        reason="the process died: exit code 3",
        stderr=("boom",),
        origin=Origin(),
        is_steady=False,
    )
    assert list(finding.lines()) == [
        "  the process died: exit code 3",
        "    stderr: boom",
        "  it did not fail again when it was played once more",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "is no finding; expected the format adkref-finding/1"),
        ('{"format": "adkref-finding/1", "scenario": {"id": "x"}}', "the key 'agent' is missing"),
        (f'{{"format": "adkref-finding/1", "scenario": {BARE}}}', "is no whole finding: 'id'"),
    ],
)
def test_a_file_that_is_no_finding_is_told_of(tmp_path, text, message):
    """The message names the file."""
    file = tmp_path / "f.json"
    file.write_text(text)
    with pytest.raises(ScenarioError, match=r"f\.json") as caught:
        load(file)
    assert message in str(caught.value)
    with pytest.raises(ScenarioError, match="No such file"):
        load(tmp_path / "none.json")
