# SPDX-License-Identifier: Apache-2.0
"""Verifying corpora: outcomes, counts, exit codes, and corpora that are broken."""

from __future__ import annotations

import copy
import gzip
import json
import os
import sys
import textwrap
from collections import Counter
from pathlib import Path

import pytest

from adkref.conformance import corpus
from adkref.conformance.diff import Difference
from adkref.conformance.expectation import first_unmet
from adkref.conformance.faults import HarnessError, ScenarioError
from adkref.conformance.judge import check, judge
from adkref.conformance.outcome import Outcome
from adkref.conformance.verify import Corpus, Report, verify

CONFORMANCE = Path(__file__).parents[2] / "conformance"

SCENARIO = {
    "format": "adk-scenario/1",
    "id": "hello",
    "session": {"app": "app", "user": "u", "id": "s"},
    "agent": {
        "kind": "custom",
        "name": "a",
        "body": [{"yield": {"author": "a", "content": "hi"}}],
    },
    "turns": [{"user": "hello"}],
}

#: A case that a driver's answers are compared with.
CASE = {
    "scenario": {"id": "x"},
    "trace": [{"at": "turn", "n": 1}],
    "final": {"events": 1, "state": {}},
}

#: A trace of which something is expected.
TRACE = [
    {"at": "turn", "n": 1},
    {"at": "rpc", "agent": "a", "method": "SendMessage"},
    {"at": "yield", "event": {"author": "a", "errorMessage": "it broke: badly"}},
    {"at": "yield", "event": {"author": "a", "actions": {"transferToAgent": "b"}}},
    {"at": "yield", "error": "e"},
]


def sound_case():
    """Return a case with the trace that the reference itself plays."""
    from adkref.conformance.player import play

    answer = play(SCENARIO)
    return {"scenario": SCENARIO, "trace": answer["trace"], "final": answer["final"]}


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a corpus of cases, or of lines as they are, and return its name."""
    monkeypatch.chdir(tmp_path)

    def write(name, *cases):
        text = "".join(
            (case if isinstance(case, str) else json.dumps(case)) + "\n" for case in cases
        )
        opened = gzip.open if name.endswith(".gz") else open
        with opened(name, "wt", encoding="utf-8") as stream:
            stream.write(text)
        return name

    return write


@pytest.fixture
def obey(tmp_path, monkeypatch):
    """A check for worker processes that does what a case's scenario tells it."""
    (tmp_path / "obey_verify.py").write_text(
        textwrap.dedent("""
            import os

            def check(case):
                match case["scenario"]["id"]:
                    case "loop":
                        while True:
                            pass
                    case "die":
                        os._exit(9)
                    case "raise":
                        raise ValueError("no")
                return case["scenario"].get("verdict", {"kind": "equal"})
        """),
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return "obey_verify:check"


def case(identity, **verdict):
    """Return a case of which the check says *verdict*."""
    scenario = {"id": identity} | ({"verdict": verdict} if verdict else {})
    return {"scenario": scenario, "trace": []}


class TestJudge:
    """What becomes of one case, from what a driver answers."""

    def test_equal(self):
        """The same trace and final state are equal."""
        assert judge(CASE, {"id": "x", **CASE}) == {"kind": "equal"}

    def test_equal_in_canonical_form(self):
        """Both sides are brought into canonical form before they are compared."""
        scenario = {"id": "x", "ordering": "lanes"}
        one, two = ({"at": "model", "agent": name} for name in "ab")
        types = [
            {"at": "hook", "result": {"error_type": name}} for name in ("*errors.X", "ValueError")
        ]
        case = {"scenario": scenario, "trace": [one, two, types[0]], "final": None}
        assert judge(case, {"trace": [two, types[1], one]}) == {"kind": "equal"}
        case["scenario"] = {"id": "x"}
        assert judge(case, {"trace": [two, types[1], one]})["kind"] == "different"

    @pytest.mark.parametrize(
        ("answer", "path"),
        [
            ({"trace": [{"at": "turn", "n": 2}], "final": {"events": 1, "state": {}}}, "$.n"),
            ({"trace": [{"at": "turn", "n": True}], "final": {"events": 1, "state": {}}}, "$.n"),
            ({"trace": [{"at": "turn", "n": 1}], "final": {"events": 2, "state": {}}}, "$.events"),
            ({"trace": [{"at": "turn", "n": 1}]}, "$"),
            ({"trace": [], "final": {"events": 1, "state": {}}}, "$"),
        ],
    )
    def test_different(self, answer, path):
        """Another trace or final state is different, and the first difference is told."""
        verdict = judge(CASE, {"id": "x", **answer})
        assert verdict["kind"] == "different"
        assert Difference.from_json(verdict["difference"]).path == path

    @pytest.mark.parametrize(
        ("answer", "verdict"),
        [
            ({"skip": "workflow"}, {"kind": "skipped", "reason": "workflow"}),
            ({"panic": "boom"}, {"kind": "could not play", "reason": "panic: boom"}),
            (
                {"error": "timeout"},
                {"kind": "could not play", "reason": "timeout", "bad_input": False},
            ),
            (
                {"error": "bad scenario: $.x: no"},
                {"kind": "could not play", "reason": "bad scenario: $.x: no", "bad_input": True},
            ),
        ],
    )
    def test_not_played(self, answer, verdict):
        """What was not played is neither equal nor different; a bad scenario is bad input."""
        assert judge(CASE, {"id": "x", **answer}) == verdict

    @pytest.mark.parametrize("record", [7, None, [], {}, {"at": 1}])
    def test_golden_trace_that_is_none(self, record):
        """A golden record that is no record is bad input, and is named."""
        assert judge({"scenario": {}, "trace": [{"at": "end"}, record]}, {"trace": []}) == {
            "kind": "could not play",
            "reason": "bad case: $.trace[1]: is no record; expected an object with the key at",
            "bad_input": True,
        }

    def test_check_plays(self):
        """A case is played by the reference and compared."""
        assert check(sound_case()) == {"kind": "equal"}
        wrong = copy.deepcopy(sound_case())
        wrong["final"]["events"] = 7
        verdict = check(wrong)
        assert verdict["kind"] == "different"
        assert verdict["difference"]["lane"] == "final"


class TestExpectation:
    """Cases that say what must hold in place of a trace."""

    @pytest.mark.parametrize(
        "expect",
        [
            {
                "yields": 3,
                "errors": ["broke", None],
                "rpc": ["SendMessage"],
                "transfers": [None, "b"],
            },
            {"errors": ["", None]},
            {},
        ],
    )
    def test_met(self, expect):
        """Numbers, texts held by messages, calls and transfers are looked at."""
        assert first_unmet(expect, TRACE) is None

    @pytest.mark.parametrize(
        ("expect", "path", "expected", "actual"),
        [
            ({"yields": 2}, "$.yields", 2, 3),
            ({"errors": ["fell", None]}, "$.errors[0]", "fell", "it broke: badly"),
            ({"errors": ["broke", "x"]}, "$.errors[1]", "x", None),
            ({"errors": [None, None]}, "$.errors[0]", None, "it broke: badly"),
            ({"rpc": ["GetTask"]}, "$.rpc[0]", "GetTask", "SendMessage"),
            ({"yields": 3, "transfers": ["b", None]}, "$.transfers[0]", "b", None),
            ({"errors": "broke"}, "$.errors", "broke", ["it broke: badly", None]),
        ],
    )
    def test_unmet(self, expect, path, expected, actual):
        """The first thing that does not hold is a difference."""
        got = first_unmet(expect, TRACE)
        assert (got.lane, got.record, got.path, got.expected, got.actual) == (
            "expect", None, path, expected, actual,
        )  # fmt: skip
        assert got.place() == f"what is expected, {path}"

    def test_unknown_key(self):
        """An expectation that nobody knows is bad input, never met by silence."""
        assert judge({"scenario": {}, "expect": {"joy": 1}}, {"trace": TRACE}) == {
            "kind": "could not play",
            "reason": "bad case: $.expect.joy: unknown key 'joy'; expected yields, errors, rpc, transfers",
            "bad_input": True,
        }

    def test_every_untraced_case(self):
        """Every untraced case of the project asks for things that are known."""
        cases = list(corpus.read(CONFORMANCE / "untraced"))
        assert len(cases) == 39
        for each in cases:
            first_unmet(each.expect, [])


class TestVerify:
    """A whole verification."""

    def test_outcomes(self, write, obey):
        """Each case has its outcome with its place, in order, and each file its counts."""
        bad = {"kind": "could not play", "reason": "bad scenario: $", "bad_input": True}
        difference = {
            "lane": "", "record": 1, "path": "$", "expected": 1, "expected_record": 1,
            "expected_number": 1, "actual_number": None, "before": [],
        }  # fmt: skip
        name = write(
            "a.jsonl",
            {**case("ok"), "rules": ["AGT-001"]},
            case("loop"),
            "",
            case("die"),
            case("raise"),
            case("skip", kind="skipped", reason="workflow"),
            case("other", kind="different", difference=difference),
            case("bad", **bad),
        )
        other = write("b.jsonl.gz", case("fine"))
        heard = []
        corpora = [Corpus.of(name), Corpus.of(other)]
        report = verify(corpora, jobs=1, limit=1.5, heard=heard.append, check=obey)
        failed = "could not play"
        assert report.outcomes == [
            Outcome("ok", "a.jsonl", 1, ("AGT-001",), "equal"),
            Outcome("loop", "a.jsonl", 2, (), failed, "timeout"),
            Outcome("die", "a.jsonl", 4, (), failed, "crash: exit code 9"),
            Outcome("raise", "a.jsonl", 5, (), failed, "error: ValueError: no"),
            Outcome("skip", "a.jsonl", 6, (), "skipped", "workflow"),
            Outcome(
                "other", "a.jsonl", 7, (), "different",
                difference=Difference.from_json(difference),
            ),
            Outcome("bad", "a.jsonl", 8, (), failed, "bad scenario: $", bad_input=True),
            Outcome("fine", "b.jsonl.gz", 1, (), "equal"),
        ]  # fmt: skip
        assert heard == report.outcomes
        assert report.tallies == {
            "a.jsonl": Counter({failed: 4, "equal": 1, "skipped": 1, "different": 1}),
            "b.jsonl.gz": Counter({"equal": 1}),
        }
        assert report.skips == Counter({"workflow": 1})
        counts = {"cases": 7, "equal": 1, "different": 1, "skipped": 1, "could_not_play": 4}
        shown = report.to_json()
        assert json.loads(json.dumps(shown)) == shown
        assert shown["corpora"][0] == {"name": "a.jsonl", "files": [{"file": "a.jsonl", **counts}]}
        assert shown["total"] == counts | {"cases": 8, "equal": 2}
        assert shown["skips"] == {"workflow": 1}
        assert [each["id"] for each in shown["cases"]] == [
            "loop",
            "die",
            "raise",
            "skip",
            "other",
            "bad",
        ]
        assert shown["cases"][0] == {
            "id": "loop", "file": "a.jsonl", "line": 2, "outcome": failed, "reason": "timeout",
        }  # fmt: skip

    def test_order_with_several_workers(self, write, obey):
        """However the answers come, the report has the cases in their order."""
        name = write("a.jsonl", *(case(f"case-{n}") for n in range(60)))
        report = verify([Corpus.of(name)], jobs=3, check=obey)
        assert [(o.id, o.line) for o in report.outcomes] == [
            (f"case-{n}", n + 1) for n in range(60)
        ]

    def test_the_reference_plays(self, write):
        """Without another check the cases are played by the reference."""
        wrong = sound_case() | {"final": {"state": {}, "events": 9}}
        wrong["scenario"] = SCENARIO | {"id": "wrong"}
        name = write("a.jsonl", sound_case(), wrong, {"scenario": {"id": "x"}, "trace": []})
        outcomes = verify([Corpus.of(name)]).outcomes
        assert [outcome.kind for outcome in outcomes] == ["equal", "different", "could not play"]
        assert outcomes[2].bad_input
        assert outcomes[2].reason.startswith("bad scenario: $: ")

    def test_the_kit_fails(self, write):
        """A worker that does not start is nobody's outcome."""
        name = write("a.jsonl", case("x"))
        with pytest.raises(HarnessError):
            verify([Corpus.of(name)], check="no_such_module:check")


class TestBrokenCorpora:
    """Input that is no corpus ends the verification with an error that names the place."""

    @pytest.mark.parametrize(
        ("lines", "text"),
        [
            ([], "c.jsonl: holds no case"),
            (["", "  "], "c.jsonl: holds no case"),
            ([case("x"), "{nope"], "c.jsonl:2: is not JSON: "),
            ([case("x"), '{"scenario": {"id": "x"}, "trace": [NaN]}'], "c.jsonl:2: is not JSON: "),
            (["[" * 100_000], "c.jsonl:1: is nested too deeply"),
            (["7"], "c.jsonl:1: $: is no case"),
            (["{}"], "c.jsonl:1: $: the key 'scenario' is missing"),
            (['{"scenario": {"id": "x"}}'], "c.jsonl:1: $: is no case"),
            (['{"scenario": [], "trace": []}'], "c.jsonl:1: $.scenario: "),
            (['{"scenario": {"id": "x"}, "trace": {}}'], "c.jsonl:1: $.trace: "),
            (['{"scenario": {}, "trace": []}'], "c.jsonl:1: $.scenario.id: "),
        ],
    )
    def test_lines(self, write, obey, lines, text):
        """A line that is no case is told with its number."""
        named = Corpus.of(write("c.jsonl", *lines))
        with pytest.raises(ScenarioError) as caught:
            verify([named], check=obey)
        assert str(caught.value).startswith(text)

    def test_gz_cut_short(self, write, obey):
        """A gz file that is cut short is an error, though whole lines were read before."""
        # Random ids do not compress, so some lines come out whole before the cut.
        name = write("c.jsonl.gz", *(case(os.urandom(20_000).hex()) for _ in range(6)))
        whole = Path(name).read_bytes()
        Path(name).write_bytes(whole[: len(whole) // 2])
        with pytest.raises(ScenarioError, match=r"^c\.jsonl\.gz:[1-6]: the gz file is cut short$"):
            verify([Corpus.of(name)], check=obey)

    def test_no_gz(self, write, obey):
        """A file that is merely named .gz is an error."""
        Path("c.jsonl.gz").write_text("hello", encoding="utf-8")
        with pytest.raises(ScenarioError, match=r"^c\.jsonl\.gz:1: the gz file is damaged: "):
            verify([Corpus.of("c.jsonl.gz")], check=obey)

    def test_no_text(self, write, obey):
        """Bytes that are no UTF-8 are an error with their line."""
        Path(write("c.jsonl", case("x"))).write_bytes(b'\xff{"a": 1}\n')
        with pytest.raises(ScenarioError, match=r"^c\.jsonl:1: is no UTF-8 text$"):
            verify([Corpus.of("c.jsonl")], check=obey)

    @pytest.mark.parametrize("name", ["missing.jsonl", "missing", "empty", "notes.txt"])
    def test_no_corpus(self, write, name):
        """What is missing, an empty folder and another kind of file are no corpora."""
        Path("empty").mkdir()
        Path("notes.txt").write_text("hello", encoding="utf-8")
        with pytest.raises(ScenarioError, match=f"^{name}: "):
            Corpus.of(name)


class TestExitCode:
    """The verdict over all."""

    @pytest.mark.parametrize(
        ("kinds", "plain", "no_skips"),
        [
            (["equal"], 0, 0),
            (["equal", "skipped"], 0, 1),
            (["equal", "different"], 1, 1),
            (["equal", "could not play"], 1, 1),
            (["different"], 1, 1),
            (["skipped"], 2, 2),
            (["could not play"], 2, 2),
            (["skipped", "could not play"], 2, 2),
            (["equal", "bad"], 2, 2),
            (["different", "bad"], 2, 2),
        ],
    )
    def test_code(self, kinds, plain, no_skips):
        """All equal is 0, a failing case 1, no verdict 2; skips count only when asked for."""
        outcomes = [
            Outcome("x", "f", 1, (), "could not play", bad_input=True)
            if kind == "bad"
            else Outcome("x", "f", 1, (), kind)
            for kind in kinds
        ]
        report = Report([Corpus("f", (Path("f"),))], outcomes)
        assert report.exit_code() == plain
        assert report.exit_code(no_skips=True) == no_skips

    def test_per_corpus(self):
        """Each corpus that was named must show something; a file of a folder need not."""
        outcomes = [
            Outcome("x", "f/a", 1, (), "equal"),
            Outcome("y", "f/b", 1, (), "skipped", "workflow"),
        ]
        files = Path("f/a"), Path("f/b")
        assert Report([Corpus("f", files)], outcomes).exit_code() == 0
        apart = [Corpus(str(file), (file,)) for file in files]
        assert Report(apart, outcomes).exit_code() == 2
        assert Report(apart, outcomes).unplayed() == [apart[1]]


def test_python_is_the_same(write, monkeypatch):
    """A worker is an interpreter of the same environment as its parent."""
    Path("where_verify.py").write_text(
        "import sys\ndef check(case): return {'kind': 'skipped', 'reason': sys.executable}\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(".")
    report = verify([Corpus.of(write("a.jsonl", case("x")))], check="where_verify:check")
    assert report.outcomes == [Outcome("x", "a.jsonl", 1, (), "skipped", sys.executable)]
