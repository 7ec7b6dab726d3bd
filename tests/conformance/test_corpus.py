# SPDX-License-Identifier: Apache-2.0
"""Reading corpora."""

import gzip
import json
from pathlib import Path

import pytest

from adkref.conformance import corpus
from adkref.conformance.faults import ScenarioError

DATA = Path(__file__).parents[2] / "conformance"
SCENARIO = {"id": "one", "rules": ["AGT-001"], "agent": {"kind": "custom", "name": "c"}}
TRACED = {"scenario": SCENARIO, "trace": [{"at": "turn", "n": 1}], "final": {"events": 1}}
UNTRACED = {"scenario": SCENARIO | {"id": "two"}, "expect": {"yields": 1}, "rules": ["RMT-001"]}


def _lines(*cases):
    return "".join(json.dumps(case) + "\n" for case in cases)


def _fault_of(path):
    with pytest.raises(ScenarioError) as caught:
        list(corpus.read(path))
    return str(caught.value)


def test_a_case_has_its_place_its_scenario_and_what_is_known_of_it(tmp_path):
    """Traced and untraced cases may stand in one file; empty lines do not count."""
    file = tmp_path / "c.jsonl"
    file.write_text(_lines(TRACED) + "\n" + _lines(UNTRACED), encoding="utf-8")
    assert list(corpus.read(file)) == [
        corpus.Case(
            id="one",
            file=str(file),
            line=1,
            scenario=SCENARIO,
            trace=[{"at": "turn", "n": 1}],
            final={"events": 1},
            rules=("AGT-001",),
        ),
        corpus.Case(
            id="two",
            file=str(file),
            line=3,
            scenario=SCENARIO | {"id": "two"},
            expect={"yields": 1},
            rules=("RMT-001",),
        ),
    ]


def test_a_final_state_of_null_is_absent(tmp_path):
    """After a construct_error there is none, which some cases write as null."""
    file = tmp_path / "c.jsonl"
    bare = {"scenario": SCENARIO, "trace": []}
    null = {"scenario": SCENARIO | {"id": "two"}, "trace": [], "final": None}
    file.write_text(_lines(bare, null), encoding="utf-8")
    assert [(case.place, case.final) for case in corpus.read(file)] == [
        (f"{file}:1", corpus.ABSENT),
        (f"{file}:2", corpus.ABSENT),
    ]


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path):
    """Folders below count, other files and traces of explorations do not."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.jsonl").write_text(_lines(TRACED), encoding="utf-8")
    (tmp_path / "notes.md").write_text("no corpus", encoding="utf-8")
    (tmp_path / "x.traces.jsonl").write_text("no corpus", encoding="utf-8")
    (tmp_path / "sub" / "a.jsonl.gz").write_bytes(gzip.compress(_lines(UNTRACED).encode()))
    assert [case.file for case in corpus.read(tmp_path)] == [
        str(tmp_path / "b.jsonl"),
        str(tmp_path / "sub" / "a.jsonl.gz"),
    ]


def test_several_paths_are_read_one_after_the_other(tmp_path):
    """A file that is named twice, or with its folder, is read once."""
    one, two = tmp_path / "b.jsonl", tmp_path / "a.jsonl"
    one.write_text(_lines(TRACED), encoding="utf-8")
    two.write_text(_lines(UNTRACED), encoding="utf-8")
    assert [case.id for case in corpus.read_all([one, tmp_path, one])] == ["one", "two"]


def test_an_id_that_two_cases_have_is_named(tmp_path):
    """In one file or in two: the error has both places."""
    one, two = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    one.write_text(_lines(TRACED), encoding="utf-8")
    two.write_text(_lines(UNTRACED, TRACED), encoding="utf-8")
    words = "$.scenario.id: the id 'one' stands already at"
    expected = "expected an id that no other case has"
    assert _fault_of(tmp_path) == f"{two}:2: {words} {one}:1; {expected}"
    one.write_text(_lines(TRACED, TRACED), encoding="utf-8")
    assert _fault_of(one) == f"{one}:2: {words} {one}:1; {expected}"


@pytest.mark.parametrize("name", ["c.jsonl", "c.jsonl.gz"])
@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (
            b'{"scenario": {"id": "x", "turns": [{}, {"user": "{a", "user": "b"}]}}',
            "$.scenario.turns[1]: has the key 'user' twice",
        ),
        (b'{"scenario": {"id": "x", "\\u0069d": "y"}}', "$.scenario: has the key 'id' twice"),
        (
            b"\xef\xbb\xbf" + _lines(UNTRACED).encode(),
            "begins with a byte order mark; expected UTF-8 without one",
        ),
        ("{}".encode("utf-16"), "is no UTF-8 text"),
    ],
)
def test_a_line_that_is_read_in_two_ways_is_refused(tmp_path, name, line, problem):
    """A repeated key and another encoding are errors with their place."""
    file = tmp_path / name
    data = _lines(TRACED).encode() + line.replace(b"\n", b"") + b"\n"
    file.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert _fault_of(file) == f"{file}:2: {problem}"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            _lines(TRACED) + "{oops\n",
            ":2: is not JSON: Expecting property name enclosed in double quotes at column 2",
        ),
        (_lines([1]), ":1: $: is no case; expected an object with a scenario"),
        (_lines({"trace": []}), ":1: $: the key 'scenario' is missing"),
        (
            _lines({"scenario": 5, "trace": []}),
            ":1: $.scenario: scenario is no object; expected an object",
        ),
        (
            _lines({"scenario": SCENARIO, "trace": {}}),
            ":1: $.trace: trace is no list; expected a list",
        ),
        (
            _lines({"scenario": SCENARIO}),
            ":1: $: is no case; expected either a trace or what to expect",
        ),
        (_lines({"scenario": {}, "trace": []}), ":1: $.scenario.id: has no id; expected a text"),
        ("\n\n", ": holds no case"),
        ("", ": holds no case"),
    ],
)
def test_a_line_that_is_no_case_is_named(tmp_path, text, problem):
    """The error begins with file and line."""
    file = tmp_path / "c.jsonl"
    file.write_text(text, encoding="utf-8")
    assert _fault_of(file) == f"{file}{problem}"


def test_a_gz_file_that_is_cut_short_is_named(tmp_path):
    """The cases before the cut are read, then the error names the line that broke off."""
    file = tmp_path / "c.jsonl.gz"
    whole = gzip.compress(_lines(TRACED, UNTRACED).encode())
    file.write_bytes(whole[:-12])
    with pytest.raises(ScenarioError, match=r"c\.jsonl\.gz:\d: the gz file is cut short$"):
        list(corpus.read(file))


def test_a_gz_file_that_is_none_is_named(tmp_path):
    """A file with the name of a gz file alone is an error, not a crash."""
    file = tmp_path / "c.jsonl.gz"
    file.write_text(_lines(TRACED), encoding="utf-8")
    assert _fault_of(file) == f"{file}:1: the gz file is damaged: Not a gzipped file (b'{{\"')"


def test_paths_without_a_corpus_are_named(tmp_path):
    """A folder without corpora, another kind of file, and nothing at all are errors."""
    other = tmp_path / "notes.md"
    assert (
        _fault_of(tmp_path) == f"{tmp_path}: holds no corpus; expected .jsonl or .jsonl.gz files"
    )
    other.write_text("", encoding="utf-8")
    assert (
        _fault_of(other)
        == f"{other}: is no corpus; expected a folder or a name in .jsonl or .jsonl.gz"
    )
    assert _fault_of(tmp_path / "no") == f"{tmp_path / 'no'}: no such file or folder"


def test_the_projects_own_corpora_can_be_read():
    """Every case has a trace, or what to expect in place of one."""
    counts = {
        folder: sum(1 for _ in corpus.read(DATA / folder))
        for folder in ("cases", "golden", "untraced")
    }
    assert counts["cases"] >= 899
    assert counts["golden"] >= 5924
    assert all(case.expect is not None for case in corpus.read(DATA / "untraced"))
