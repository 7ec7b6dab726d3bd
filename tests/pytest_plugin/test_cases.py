# SPDX-License-Identifier: Apache-2.0
"""Tests of corpora as test items."""

from __future__ import annotations

import json

from plugin_cases import case

NONE = ("--adkref-examples", "0")
CORPUS = ("--adkref-corpus", "corpus.jsonl")


def test_the_cases_of_a_corpus_are_items_with_ids(folder, run):
    """An id is file and case, and names the item on the command line."""
    found = run("--co", *CORPUS, *NONE, way="sound")
    assert found.out.splitlines()[:3] == [
        "corpus.jsonl::one",
        "corpus.jsonl::loops/two",
        "corpus.jsonl::three",
    ]
    assert run(*CORPUS, *NONE, way="sound").outcomes == {"passed": 3}
    assert run("corpus.jsonl::loops/two", way="sound").outcomes == {"passed": 1}
    assert run(*CORPUS, *NONE, "-k", "three or one", way="sound").outcomes == {
        "passed": 2,
        "deselected": 1,
    }


def test_a_failing_case_is_told_in_words(folder, run):
    """The failure has the rule, the place and the two records, and no traceback."""
    found = run(*CORPUS, *NONE, way="without-authors")
    assert (found.code, found.outcomes) == (1, {"failed": 3})
    lines = found.out.splitlines()
    start = lines.index("loops/two (AGT-051): different")
    assert lines[start : start + 9] == [
        "loops/two (AGT-051): different",
        "  AGT-051 is most likely broken",
        "  record 2, $.event.author",
        "       1  turn 1 begins",
        '  -    2  stored user: "hi"',
        '  +    2  stored nobody: "hi"',
        '    expected "user"',
        "    actual   nothing",
        f"  {folder / 'corpus.jsonl'}:2",
    ]
    assert "Traceback" not in found.out
    assert "FAILED corpus.jsonl::loops/two" in found.out


def test_what_the_port_lacks_is_skipped_with_its_name(folder, run):
    """The feature is the reason."""
    spec = {"kind": "loop", "name": "l", "max_iterations": 1}
    scenario = {"id": "lacking", "agent": spec, "turns": []}
    file = folder / "loops.jsonl"
    file.write_text(json.dumps({"scenario": scenario, "trace": []}) + "\n")
    found = run("loops.jsonl", "-rs", way="skips")
    assert found.outcomes == {"skipped": 1}
    assert "the port lacks loop" in found.out


def test_faults_of_a_port_are_failures(folder, run):
    """A port that dies, does not start or hangs fails its cases, and the run ends."""
    with (folder / "corpus.jsonl").open("a") as out:
        bare = {"kind": "custom", "name": "a"}
        spec = {"id": "plugged", "agent": bare, "plugins": [{"name": "p"}]}
        out.write(json.dumps({"scenario": spec, "trace": []}) + "\n")
    found = run(*CORPUS, *NONE, way="dies")
    assert found.outcomes == {"failed": 1, "passed": 3}
    assert "plugged: port fault\n  the process died: exit code 3\n" in found.out
    assert "    stderr: Segmentation fault" in found.out
    found = run(*CORPUS, *NONE, "--adkref-port", "no-such-command")
    assert found.outcomes == {"failed": 4}
    assert "does not start" in found.out


def test_a_broken_case_is_no_failure_of_the_port(folder, run):
    """The scenario is told to be wrong."""
    (folder / "bad.jsonl").write_text('{"scenario": {"id": "bad", "agent": 5}, "trace": []}\n')
    found = run("bad.jsonl", way="sound")
    assert found.outcomes == {"failed": 1}
    assert "bad: scenario fault" in found.out
    (folder / "worse.jsonl").write_text("{\n")
    found = run("worse.jsonl", way="sound")
    assert found.code == 2
    assert "is not JSON" in found.out


def test_errors_are_compared_by_text_or_by_kind(folder, run):
    """A port with words of its own passes by kind."""
    broken = case("broken", "x", plugins=[{"name": "p", "after_run": [READ]}])
    (folder / "corpus.jsonl").write_text(json.dumps(broken) + "\n")
    assert run(*CORPUS, *NONE, way="in-own-words").outcomes == {"failed": 1}
    assert run(*CORPUS, *NONE, "--adkref-errors", "kind", way="in-own-words").outcomes == {
        "passed": 1
    }


READ = {"do": [{"get_state": "nothing"}]}

BASELINE = """\
schema_version: 1.0.0
implementation: {}
entries:
- case: one
  reason: no authors yet
  link: https://example.org/7
- rule: AGT-051
  reason: likewise
"""


def test_a_baseline_makes_failures_expected(folder, run):
    """What it names fails as expected, and the rest fails."""
    (folder / "known.yaml").write_text(BASELINE.format("fuzzed-without-authors"))
    known = ("--adkref-baseline", "known.yaml", "-rx")
    found = run(*CORPUS, *NONE, *known, way="without-authors")
    assert found.outcomes == {"failed": 1, "passed": 1, "xfailed": 2}
    assert "no authors yet https://example.org/7" in found.out


def test_a_baseline_is_held_to_its_word(folder, run):
    """An entry that is not true fails in an item of its own, and so does another port."""
    (folder / "known.yaml").write_text(BASELINE.format("another"))
    found = run(*CORPUS, *NONE, "--adkref-baseline", "known.yaml", way="sound")
    assert found.outcomes == {"failed": 1, "passed": 3}
    assert "known.yaml: the baseline is that of another, not of fuzzed-sound" in found.out
    assert "known.yaml:4: stale: case one does not fail any more" in found.out
    found = run(*CORPUS, *NONE, "--adkref-baseline", "none.yaml", way="sound")
    assert (found.code, "none.yaml" in found.err) == (4, True)


def test_a_part_of_a_run_says_nothing_of_entries_about_the_rest(folder, run):
    """Of a run in which some cases were chosen, only what was played is judged."""
    (folder / "known.yaml").write_text(BASELINE.format("fuzzed-without-authors"))
    known = ("--adkref-baseline", "known.yaml")
    found = run("corpus.jsonl::one", *known, way="without-authors")
    assert found.outcomes == {"passed": 1, "xfailed": 1}


def test_an_assumption_that_changes_nothing_is_stale_in_a_run_of_all(folder, run):
    """Where corpora are named nothing is said of it."""
    spec = case("two", "x", turns=[{"user": "hi", "yield_user_message": True}])
    cases = folder / "conformance" / "cases"
    cases.mkdir(parents=True)
    (folder / "corpus.jsonl").replace(cases / "agents.jsonl")
    (cases / "runner.jsonl").write_text(json.dumps(spec) + "\n")
    (folder / "known.yaml").write_text(
        "schema_version: 1.0.0\nimplementation: fuzzed-sound\n"
        "assumptions: [no-yielded-user-message, errors-by-presence]\n"
    )
    known = (*NONE, "--adkref-baseline", "known.yaml")
    found = run(*known, way="sound")
    assert found.outcomes == {"failed": 1, "passed": 4}
    stale = "assumption errors-by-presence changes nothing of any case that is equal"
    assert f"known.yaml:3: stale: {stale}" in found.out
    assert "no-yielded-user-message" not in found.out
    named = run(*known, "--adkref-corpus", "conformance/cases", way="sound")
    assert named.outcomes == {"passed": 5}
