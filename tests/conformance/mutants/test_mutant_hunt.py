# SPDX-License-Identifier: Apache-2.0
"""Hunting mutants: what kills them, in which order, and what counts for nothing."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from adkref.cli.common import FOLDERS
from adkref.conformance import corpus
from adkref.conformance.canonical import ABSENT
from adkref.conformance.faults import HarnessError
from adkref.conformance.mutants import hunt as hunting
from adkref.conformance.mutants import killed, registry
from adkref.conformance.mutants.graft import Graft
from adkref.conformance.mutants.hunt import Control, Deck, Depth, hunt_all
from adkref.conformance.mutants.registry import Mutant
from adkref.conformance.player import play

CONFORMANCE = Path(__file__).parents[3] / "conformance"
BASE = "adkref.agents.base"

#: Fast mutants of many families, each with cases that list its rules.
SAMPLE = (
    "body-runs-though-ended",
    "own-callbacks-before-plugins",
    "saved-versions-are-not-noted",
    "escalation-cuts-the-child",
    "lane-error-is-swallowed",
    "partial-calls-are-run",
    "model-error-is-swallowed",
    "identity-before-instructions",
    "branches-hide-nothing",
    "tool-gets-a-copy-of-the-arguments",
    "questions-of-others-are-answered",
    "transfer-to-anybody",
    "before-run-answer-is-the-event",
    "temporary-state-is-stored",
)


def mutant(find, replace, *, rules=("AGT-051",), module=BASE, golden=()):
    """Return a mutant of the base agent."""
    return Mutant("m", "It is wrong.", rules, Graft(module, find, replace), golden=golden)


def no_author(**options):
    """Return a mutant that fills in no author."""
    return mutant("event.author = ROLE_USER if from_user else name", "pass", **options)


def case(identity, *rules, content="hi", **body):
    """Return a case as the reference plays it: an agent that yields one event."""
    scenario = {
        "format": "adk-scenario/1",
        "id": identity,
        "rules": list(rules),
        "session": {"app": "app", "user": "u", "id": "s"},
        "agent": {
            "kind": "custom",
            "name": "a",
            "body": [{"yield": {"content": content, **body}}],
        },
        "turns": [{"user": "hello"}],
    }
    answer = play(scenario)
    return {"scenario": scenario, "trace": answer["trace"], "final": answer["final"]}


@pytest.fixture
def files(tmp_path):
    """Write corpora and return their files."""

    def files(**corpora):
        out = []
        for name, cases in corpora.items():
            text = "".join(json.dumps(each) + "\n" for each in cases)
            packed = name.endswith("_gz")
            path = tmp_path / (f"{name[:-3]}.jsonl.gz" if packed else f"{name}.jsonl")
            with (gzip.open if packed else open)(path, "wt", encoding="utf-8") as out_file:
                out_file.write(text)
            out.append(path)
        return out

    return files


def hunted(mutant, files, **options):
    """Return the verdict on one mutant."""
    (verdict,) = hunt_all([mutant], files, **{"limit": 60, **options})
    return verdict


def test_the_first_kill_ends_the_hunt(files):
    """By default a mutant is let be once a case has told it from the reference."""
    paths = files(a=[case("one", "AGT-051"), case("two", "AGT-051")])
    verdict = hunted(no_author(), paths)
    assert [kill.case for kill in verdict.kills] == ["one"]
    assert verdict.played == 1


def test_the_difference_is_told(files):
    """A kill has the case, its place, the rules in common and the first difference."""
    (path,) = files(a=[case("one", "AGT-001", "AGT-051")])
    (kill,) = hunted(no_author(), [path]).kills
    assert (kill.case, kill.file, kill.line, kill.rules) == ("one", str(path), 1, ("AGT-051",))
    assert kill.difference.actual is ABSENT
    assert kill.words() == 'record 4, $.event.author: "a" became nothing'


def test_cases_of_the_rules_come_first(files):
    """The cases that list the mutant's rules are played before all others."""
    paths = files(a=[case("other", "AGT-001"), case("own", "AGT-051")])
    assert [kill.case for kill in hunted(no_author(), paths).kills] == ["own"]


def test_cases_about_little_else_come_first(files):
    """Of those the ones that list most of the mutant's rules come first, then the narrow ones."""
    paths = files(
        a=[
            case("one-of-three", "AGT-051", "AGT-001", "AGT-002"),
            case("one", "AGT-051"),
            case("both", "AGT-051", "AGT-052", "AGT-001"),
        ]
    )
    found = Deck(paths).of_rules(("AGT-051", "AGT-052"))
    assert [each.id for each in found] == ["both", "one", "one-of-three"]


def test_other_cases_kill_too(files):
    """When no case of its rules kills a mutant, any other may; it kills for no rule."""
    paths = files(a=[case("own", "AGT-051", author="b"), case("other", "AGT-001")])
    verdict = hunted(no_author(), paths)
    assert [kill.case for kill in verdict.kills] == ["other"]
    assert verdict.by_rule == {"AGT-051": []}


def test_golden_groups_of_the_family_come_first(files):
    """Of the other files those come first that the mutant's family names, in its order."""
    paths = files(a=[case("a")], flow_gz=[case("f")], schema_gz=[case("s")])
    deck = Deck(paths)
    assert [each.id for each in deck.others(no_author())] == ["a", "f", "s"]
    named = no_author(golden=("schema", "flow"))
    assert [each.id for each in deck.others(named)] == ["s", "f", "a"]


def test_a_kill_for_each_rule(files):
    """On request the hunt goes on until a case of each rule has killed the mutant."""
    paths = files(
        a=[case("one", "AGT-051"), case("two", "AGT-051"), case("three", "AGT-052")],
        b=[case("four")],
    )
    verdict = hunted(no_author(rules=("AGT-051", "AGT-052")), paths, depth=Depth.RULES)
    assert verdict.by_rule == {"AGT-051": ["one"], "AGT-052": ["three"]}


def test_a_rule_whose_cases_do_not_kill(files):
    """A rule whose cases do not kill the mutant has no kill, and the hunt ends with them."""
    paths = files(
        a=[case("one", "AGT-051"), case("two", "AGT-052", author="b")], b=[case("three")]
    )
    verdict = hunted(no_author(rules=("AGT-051", "AGT-052")), paths, depth=Depth.RULES)
    assert verdict.by_rule == {"AGT-051": ["one"], "AGT-052": []}


def test_kept_cases_alone(files):
    """On request only the cases that are kept as killing are played, golden ones as well."""
    paths = files(a=[case("one", "AGT-051"), case("two", "AGT-052")], flow_gz=[case("f")])
    rules = ("AGT-051", "AGT-052")
    verdict = hunted(no_author(rules=rules), paths, depth=Depth.KEPT, kept={"m": ["two", "f"]})
    assert [kill.case for kill in verdict.kills] == ["f", "two"]
    assert verdict.by_rule == {"AGT-051": [], "AGT-052": ["two"]}


@pytest.mark.parametrize("kept", [{}, {"m": ["gone"]}, {"m": ["own"]}])
def test_a_mutant_without_a_kept_case_that_kills(files, kept):
    """It is hunted like any other."""
    paths = files(a=[case("own", "AGT-051", author="b"), case("other", "AGT-051")])
    verdict = hunted(no_author(), paths, depth=Depth.KEPT, kept=kept)
    assert [kill.case for kill in verdict.kills] == ["other"]


def test_all_kills(files):
    """On request every case is played, and all that kill are told."""
    paths = files(a=[case("one", "AGT-051"), case("two", author="b"), case("three")])
    verdict = hunted(no_author(), paths, depth=Depth.FULL)
    assert [kill.case for kill in verdict.kills] == ["one", "three"]
    assert verdict.played == 3


def test_a_survivor(files):
    """A mutant that no case tells from the reference survives."""
    verdict = hunted(no_author(), files(a=[case("one", "AGT-051", author="b")]))
    assert not verdict.killed
    assert verdict.played == 1


def test_a_mutant_that_hangs(files):
    """A mutant that never ends is killed by that."""
    endless = mutant("name = self.name", "while True:\n    pass")
    (kill,) = hunted(endless, files(a=[case("one", "AGT-051")]), limit=6).kills
    assert (kill.reason, kill.words()) == ("timeout", "timeout")


def test_a_slow_case_is_no_witness(files, monkeypatch):
    """What takes the reference long, too, does not show that a mutant hangs."""
    monkeypatch.setattr(hunting, "_WITNESS", 0.0)
    endless = mutant("name = self.name", "while True:\n    pass")
    verdict = hunted(endless, files(a=[case("one", "AGT-051")]), limit=2)
    assert (verdict.killed, verdict.void) == (False, ["one"])


def test_a_mutant_that_dies(files):
    """A mutant whose process dies is killed by that."""
    dying = mutant("name = self.name", "import os\nos._exit(3)")
    (kill,) = hunted(dying, files(a=[case("one", "AGT-051")])).kills
    assert kill.reason == "crash: exit code 3"


def test_a_mutant_that_breaks(files):
    """A mutant that raises where nothing may is killed by that."""
    broken = mutant("name = self.name", "raise RuntimeError('oh')")
    (kill,) = hunted(broken, files(a=[case("one", "AGT-051")])).kills
    assert kill.reason.startswith("panic: RuntimeError: oh")


def test_a_case_that_the_reference_fails(files):
    """A case that the reference itself does not play as it should kills nobody."""
    bad = case("bad", "AGT-051")
    bad["trace"][0]["n"] = 7
    verdict = hunted(no_author(), files(a=[bad]))
    assert (verdict.killed, verdict.void) == (False, ["bad"])


def test_a_case_that_is_skipped(files):
    """A case that needs what is not built kills nobody."""
    skipped = case("one", "AGT-051")
    skipped["scenario"]["compaction"] = {"interval": 2}
    verdict = hunted(no_author(), files(a=[skipped]))
    assert (verdict.killed, verdict.void) == (False, [])


def test_a_snippet_that_is_gone(files):
    """A record that does not fit the code stops everything before anything is played."""
    heard = []
    gone = mutant("no such snippet", "")
    with pytest.raises(HarnessError, match=r"mutant m: .*base\.py: the snippet is not there"):
        hunt_all([no_author(), gone], files(a=[case("one")]), heard=heard.append)
    assert heard == []


def test_a_mutant_that_cannot_be_loaded(files):
    """A mutant whose module cannot be imported is no wrong port: the hunt fails with its id."""
    dead = mutant("from __future__ import annotations", "raise ImportError('no')")
    with pytest.raises(HarnessError, match=r"mutant m: a worker process does not start: .*no"):
        hunted(dead, files(a=[case("one")]))


def test_several_at_a_time(files):
    """With several jobs the verdicts are the same, in the order of the mutants."""
    paths = files(a=[case("one", "AGT-051"), case("two", "AGT-052", author="b")])
    kept = mutant("if event is not None and not event.author:", "if event is not None:")
    wanted = [no_author(), kept, no_author(rules=("AGT-052",))]
    heard = []
    verdicts = hunt_all(wanted, paths, jobs=2, heard=heard.append)
    assert [verdict.mutant for verdict in verdicts] == wanted
    assert [verdict.kills[0].case for verdict in verdicts] == ["one", "two", "one"]
    assert sorted(map(id, heard)) == sorted(map(id, verdicts))


def test_the_control_is_asked_once(files):
    """What the reference makes of a case is remembered."""
    (path,) = files(a=[case("one", "AGT-051")])
    (one,) = Deck([path]).of_rules(["AGT-051"])
    with Control() as control:
        assert control.holds(one)
        control._answers.close()
        assert control.holds(one)


def test_a_verdict_as_json(files):
    """A verdict as JSON has the kills, and for each rule the cases."""
    verdict = hunted(no_author(), files(a=[case("one", "AGT-051")]))
    shown = json.loads(json.dumps(verdict.to_json()))
    assert shown["rules"] == {"AGT-051": ["one"]}
    assert shown["kills"][0]["difference"]["path"] == "$.event.author"


# --- the project's own ------------------------------------------------------------------------


def hand_written():
    """Return the files of the cases that list rules."""
    return sorted((CONFORMANCE / "cases").glob("*.jsonl"))


def test_a_sample_is_killed():
    """Mutants of many families are killed, each by a case of its rules, as the registry says."""
    known = registry.load(CONFORMANCE)
    kept = killed.load(CONFORMANCE)
    for verdict in hunt_all([known[each] for each in SAMPLE], hand_written(), limit=60):
        (kill,) = verdict.kills
        assert kill.rules, verdict.mutant.id
        assert all(verdict.mutant.id in kept.rules[rule] for rule in kill.rules)


@pytest.mark.slow
def test_all_are_killed():
    """Every mutant is killed by the visible corpora, and every rule keeps its mutants."""
    wanted = list(registry.load(CONFORMANCE).values())
    paths = [file for folder in FOLDERS for file in corpus.find(CONFORMANCE / folder)]
    verdicts = hunt_all(wanted, paths, depth=Depth.RULES, limit=30)
    assert [verdict.mutant.id for verdict in verdicts if not verdict.killed] == []
    assert killed.load(CONFORMANCE).lost(killed.Killed.of(verdicts)) == []
