# SPDX-License-Identifier: Apache-2.0
"""Canonical traces: what is left open is taken out, and nothing else."""

from __future__ import annotations

import copy
import gzip
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adkref.conformance import corpus
from adkref.conformance.canonical import (
    ABSENT,
    LANES,
    TOTAL,
    Canonical,
    canonical,
    lane_of,
    natural,
    same,
)

CONFORMANCE = Path(__file__).parents[2] / "conformance"


def lanes(*records, **played):
    """Return the lanes of a trace of *records*."""
    return canonical({"trace": list(records), **played}, LANES).lanes


class TestTotal:
    """A trace that is one sequence."""

    def test_stays_as_it_is(self):
        """Ids keep their names, records their order, and every lane is the same one."""
        trace = [
            {"at": "turn", "n": 1},
            {"at": "tool", "agent": "a", "call_id": "adk-2", "tool": "t", "args": {}},
            {
                "at": "yield",
                "event": {"author": "a", "partial": True, "actions": {"stateDelta": {"k": 1}}},
            },
        ]
        assert canonical({"trace": trace, "final": {"state": {}, "events": 1}}) == Canonical(
            {"": trace}, {"state": {}, "events": 1}
        )

    def test_no_final(self):
        """A final state that is null is none, as in a case that ends with a construct_error."""
        assert canonical({"trace": []}).final is ABSENT
        assert canonical({"trace": [], "final": None}).final is ABSENT

    def test_long_running_tool_ids_are_a_set(self):
        """The ids that an event waits for are sorted, digits as numbers."""
        event = {"author": "a", "longRunningToolIds": ["adk-10", "b", "adk-9"]}
        for record in ({"at": "append", "event": event}, {"at": "summarize", "events": [event]}):
            (got,) = canonical({"trace": [record]}).lanes[""]
            shown = got["event"] if "event" in got else got["events"][0]
            assert shown == {"author": "a", "longRunningToolIds": ["adk-9", "adk-10", "b"]}

    def test_lists_of_the_user_keep_their_order(self):
        """A list that merely has that name, in a user's data, is no set."""
        record = {"at": "state", "key": "k", "value": {"longRunningToolIds": ["b", "a"]}}
        assert canonical({"trace": [record]}).lanes == {"": [record]}

    @pytest.mark.parametrize("name", ["*errors.errorString", None, 7, {"k": []}])
    def test_error_types(self, name):
        """The value of an error_type key is masked at any depth, whatever it is."""
        record = {"at": "hook", "result": {"error_type": name, "more": [{"error_type": name}]}}
        got = canonical({"trace": [record], "final": {"state": {"error_type": name}, "events": 0}})
        assert got == Canonical(
            {
                "": [
                    {
                        "at": "hook",
                        "result": {"error_type": "$type", "more": [{"error_type": "$type"}]},
                    }
                ]
            },
            {"state": {"error_type": "$type"}, "events": 0},
        )

    def test_error_type_as_text(self):
        """The words in a text stay, since a model reads them."""
        record = {
            "at": "state",
            "key": "error_type",
            "value": '{"error_type":"*errors.errorString"}',
        }
        assert canonical({"trace": [record]}).lanes == {"": [record]}

    def test_unknown_ordering(self):
        """Another ordering than the two is refused."""
        with pytest.raises(ValueError, match="no such ordering: 'set'"):
            canonical({"trace": []}, "set")


class TestLaneOf:
    """Which lane a record belongs to: the first rule that fits."""

    @pytest.mark.parametrize(
        ("record", "lane"),
        [
            ({"at": "append", "event": {"author": "w", "branch": "p.w"}}, "event:p.w|w"),
            ({"at": "yield", "event": {"author": "w"}, "error": "e"}, "event:|w"),
            ({"at": "yield", "error": "e"}, "event:|"),
            (
                {
                    "at": "hook",
                    "hook": "on_event",
                    "agent": "p",
                    "branch": "x",
                    "event": {"author": "w"},
                },
                "event:|w",
            ),
            (
                {
                    "at": "hook",
                    "hook": "before_tool",
                    "agent": "w",
                    "branch": "p.w",
                    "call_id": "c",
                },
                "call:p.w|c",
            ),
            ({"at": "confirmation", "op": "get", "tool": "t", "call_id": "c"}, "call:|c"),
            ({"at": "model", "agent": "w", "branch": "p.w"}, "agent:p.w|w"),
            (
                {"at": "hook", "hook": "after_request", "agent": "w", "event": {"author": "x"}},
                "agent:|w",
            ),
            ({"at": "outside", "event": {"author": "x"}}, "agent:|"),
            ({"at": "turn", "n": 1}, "agent:|"),
        ],
    )
    def test_lane(self, record, lane):
        """Events go by branch and author, calls by branch and id, the rest by branch and agent."""
        assert lane_of(record) == lane


class TestLanes:
    """A trace of which only the order inside each lane counts."""

    def test_example_of_the_page(self):
        """Calls without ids keep the order of the model's event that names them."""
        event = {
            "author": "w",
            "content": {
                "parts": [{"functionCall": {"id": f"adk-{n}", "name": "t"}} for n in (8, 12)]
            },
        }
        records = [
            {"at": "model", "agent": "w"},
            {"at": "append", "event": event},
            {"at": "tool", "agent": "w", "call_id": "adk-12", "tool": "t"},
            {"at": "tool", "agent": "w", "call_id": "adk-8", "tool": "t"},
        ]
        got = canonical({"trace": records}, LANES)
        named = {
            "author": "w",
            "content": {
                "parts": [{"functionCall": {"id": f"adk-{n}", "name": "t"}} for n in (1, 2)]
            },
        }
        assert list(got.lanes.items()) == [
            ("agent:|w", [{"at": "model", "agent": "w"}]),
            ("call:|adk-1", [{"at": "tool", "agent": "w", "call_id": "adk-1", "tool": "t"}]),
            ("call:|adk-2", [{"at": "tool", "agent": "w", "call_id": "adk-2", "tool": "t"}]),
            ("event:|w", [{"at": "append", "event": named}]),
        ]
        assert got.numbers == {
            "agent:|w": [1],
            "call:|adk-1": [4],
            "call:|adk-2": [3],
            "event:|w": [2],
        }

    def test_lanes_are_sorted_by_numbers(self):
        """Lane adk-9 comes before lane adk-10, and names its ids first."""
        records = [
            {"at": "tool", "call_id": f"adk-{n}", "args": {"k": f"id-{n}"}} for n in (10, 9, 100)
        ]
        assert lanes(*records) == {
            "call:|adk-1": [{"at": "tool", "call_id": "adk-1", "args": {"k": "id-1"}}],
            "call:|adk-2": [{"at": "tool", "call_id": "adk-2", "args": {"k": "id-2"}}],
            "call:|adk-3": [{"at": "tool", "call_id": "adk-3", "args": {"k": "id-3"}}],
        }

    def test_prefixes_count_apart(self):
        """Of adk-7 and id-7 each is the first of its kind, in keys and inside longer texts."""
        record = {"at": "state", "agent": "a", "key": "k", "value": {"id-7": "x adk-7/id-9 id-7"}}
        assert lanes(record) == {
            "agent:|a": [
                {"at": "state", "agent": "a", "key": "k", "value": {"id-1": "x adk-1/id-2 id-1"}}
            ]
        }

    def test_only_whole_words_are_ids(self):
        """Names that contain the like of an id stay."""
        words = "droid-7 xadk-3 adk-3x adk-4_1 id- adk inv-9 ID-7 adk--1"
        record = {"at": "state", "agent": "a", "key": "k", "value": words}
        assert lanes(record) == {"agent:|a": [record]}

    def test_keys_in_sorted_order(self):
        """Ids are met key by key, k9 before k10, a key before its value."""
        value = {"k10": "id-5", "k9": "id-6", "id-7": "id-8"}
        got = lanes({"at": "state", "agent": "a", "key": "k", "value": value})
        assert got["agent:|a"][0]["value"] == {"id-1": "id-2", "k9": "id-3", "k10": "id-4"}

    def test_final_comes_last(self):
        """The final state is named after all lanes."""
        records = [{"at": "turn", "n": 1}, {"at": "yield", "event": {"author": "id-4"}}]
        got = canonical(
            {"trace": records, "final": {"state": {"id-3": "id-4"}, "events": 1}}, LANES
        )
        assert got.final == {"state": {"id-2": "id-1"}, "events": 1}

    def test_the_set_is_sorted_by_its_new_names(self):
        """Ids that an event waits for are sorted again once they are renamed."""
        records = [
            {"at": "tool", "agent": "w", "args": {"k": ["adk-10", "adk-2"]}},
            {"at": "append", "event": {"author": "w", "longRunningToolIds": ["adk-10", "adk-2"]}},
        ]
        assert lanes(*records)["event:|w"] == [
            {"at": "append", "event": {"author": "w", "longRunningToolIds": ["adk-1", "adk-2"]}}
        ]

    @pytest.mark.parametrize(
        ("event", "left"),
        [
            (
                {
                    "partial": True,
                    "actions": {
                        "stateDelta": {"k": 1},
                        "artifactDelta": {"f": 1},
                        "escalate": True,
                    },
                },
                {"partial": True, "actions": {"escalate": True}},
            ),
            ({"partial": True, "actions": {"stateDelta": {"k": 1}}}, {"partial": True}),
            ({"actions": {"stateDelta": {"k": 1}}}, {"actions": {"stateDelta": {"k": 1}}}),
        ],
    )
    def test_maps_of_partial_events(self, event, left):
        """A partial event loses the maps that its step may still write to, another one does not."""
        assert lanes({"at": "yield", "event": event}) == {
            "event:|": [{"at": "yield", "event": left}]
        }

    @pytest.mark.parametrize(
        "record",
        [
            {"at": "yield", "event": None},
            {"at": "yield", "event": "text"},
            {
                "at": "yield",
                "event": {
                    "author": ["x"],
                    "actions": 3,
                    "partial": True,
                    "longRunningToolIds": [2, None, "a"],
                },
            },
            {"at": "summarize", "events": "none"},
            {"at": None, "call_id": {"a": 1}},
        ],
    )
    def test_records_of_any_shape(self, record):
        """A record that no sound port writes is still a record, and equal to itself."""
        assert canonical({"trace": [record]}, LANES) == canonical({"trace": [record]}, LANES)


class TestNatural:
    """The order of names."""

    def test_digits_are_numbers(self):
        """Runs of digits compare as numbers of any length, the rest as text."""
        names = ["a", "a|x", "a1|x", "a2", "a02", "a9b10", "a9b9", "a" + "9" * 5000, "a10", "b"]
        assert sorted(names, key=natural) == [
            "a", "a1|x", "a02", "a2", "a9b9", "a9b10", "a10", "a" + "9" * 5000, "a|x", "b",
        ]  # fmt: skip


class TestSame:
    """JSON equality."""

    @pytest.mark.parametrize(
        ("one", "other", "equal"),
        [
            (True, 1, False),
            (1, True, False),
            (False, 0, False),
            (True, True, True),
            (5, 5.0, True),
            (0.0, -0.0, True),
            (2**53, 2.0**53, True),
            (2**53 + 1, 2.0**53, False),
            ("5", 5, False),
            (None, False, False),
            (None, None, True),
            ([], {}, False),
            ([1, True], [1, 1], False),
            ([1], [1, 1], False),
            ({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}, True),
            ({"a": None}, {}, False),
            ({"a": {"b": True}}, {"a": {"b": 1}}, False),
        ],
    )
    def test_same(self, one, other, equal):
        """True is not 1, but 5 equals 5.0; keys have no order, elements have."""
        assert same(one, other) is equal


# Properties

ids = st.integers(1, 40).flatmap(lambda n: st.sampled_from([f"adk-{n}", f"id-{n}", f"x_{n}"]))
leaves = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | ids
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(ids | st.sampled_from(["error_type", "k"]), inner, max_size=3)
    ),
    max_leaves=8,
)
events = st.fixed_dictionaries(
    {"author": st.sampled_from("ab")},
    optional={
        "branch": st.sampled_from(["p.a", "p.b"]),
        "partial": st.just(value=True),
        "longRunningToolIds": st.lists(ids, max_size=3, unique=True),
        "actions": st.fixed_dictionaries({"stateDelta": st.dictionaries(ids, values, max_size=2)}),
    },
)
records = st.fixed_dictionaries(
    {"at": st.sampled_from(["append", "yield", "tool", "model"])},
    optional={
        "agent": st.sampled_from("ab"),
        "branch": st.sampled_from(["p.a", "p.b"]),
        "call_id": ids,
        "event": events,
        "value": values,
    },
)
played = st.fixed_dictionaries(
    {"trace": st.lists(records, max_size=8)}, optional={"final": values}
)


@given(played, st.sampled_from([TOTAL, LANES]))
def test_input_is_left_alone(before, ordering):
    """The canonical form is a new value: what it is made from does not change."""
    after = copy.deepcopy(before)
    canonical(after, ordering)
    assert same(before, after)


@given(played)
def test_total_is_idempotent(trace):
    """The canonical form of a total trace is its own canonical form."""
    once = canonical(trace)
    again = {"trace": once.lanes[""]} | ({} if once.final is ABSENT else {"final": once.final})
    assert same(canonical(again).to_json(), once.to_json())


@given(played, st.integers(1, 9), st.integers(0, 99))
def test_names_of_ids_do_not_matter(trace, factor, offset):
    """Other names for generated ids, in the same order, make the same lanes."""

    def rename(match):
        return f"{match[1]}-{int(match[2]) * factor + offset}"

    text = re.sub(r"\b(adk|id)-([0-9]+)\b", rename, json.dumps(trace))
    renamed = json.loads(text)
    assert same(canonical(renamed, LANES).to_json(), canonical(trace, LANES).to_json())


@st.composite
def programs(draw):
    """Draw what the lanes of a parallel agent do, each in steps of model, calls and answer."""
    texts = st.text("xyz", max_size=2)
    return {
        name: [
            [draw(st.lists(texts, min_size=1, max_size=3)) for _ in range(draw(st.integers(0, 3)))]
            for _ in range(draw(st.integers(1, 4)))
        ]
        for name in "abc"[: draw(st.integers(1, 3))]
    }


def lane_records(name, steps):
    """Return the records of a lane, grouped: those of the calls of a step may mix.

    Ids are symbols such as <adk a 0 1>, which get their names from the order of the trace.
    """
    branch = f"par.{name}"
    groups, seen = [], []
    for number, calls in enumerate(steps):
        call_ids = [f"<adk {name} {number} {k}>" for k in range(len(calls))]
        event = {"author": name, "branch": branch, "content": {"parts": call_ids}}
        answer = {"author": name, "branch": branch, "longRunningToolIds": call_ids[::-1]}
        groups += [
            [
                [
                    {
                        "at": "model",
                        "agent": name,
                        "branch": branch,
                        "request": {"contents": list(seen)},
                    }
                ]
            ],
            [[{"at": "append", "event": event}]],
            [[{"at": "yield", "event": event}]],
            [
                [
                    {
                        "at": "tool",
                        "agent": name,
                        "branch": branch,
                        "call_id": call_id,
                        "args": {"k": f"{text} <id {call_id[1:-1]} {n}>"},
                    }
                    for n, text in enumerate(texts)
                ]
                for call_id, texts in zip(call_ids, calls, strict=True)
            ],
            [[{"at": "append", "event": answer}]],
        ]
        seen += call_ids
    return groups


def schedule(program, choose):
    """Return one trace of *program*: *choose* says who is next, out of how many."""
    left = {name: lane_records(name, steps) for name, steps in program.items()}
    trace = [{"at": "turn", "n": 1}]
    while any(left.values()):
        ready = [name for name in sorted(left) if left[name]]
        groups = left[ready[choose(len(ready))]]
        threads = [thread for thread in groups[0] if thread]
        if threads:
            trace.append(threads[choose(len(threads))].pop(0))
        else:
            groups.pop(0)
    trace.append({"at": "end"})
    names = {}
    counts = {"adk": 0, "id": 0}

    def name_of(match):
        if match[0] not in names:
            counts[match[1]] += 1
            names[match[0]] = f"{match[1]}-{counts[match[1]]}"
        return names[match[0]]

    return json.loads(re.sub(r"<(adk|id) [^>]*>", name_of, json.dumps(trace, sort_keys=True)))


@given(programs(), st.randoms(use_true_random=False), st.randoms(use_true_random=False))
def test_schedule_does_not_matter(program, one, other):
    """Two interleavings of the same lanes have the same canonical form, which is its own."""
    first, second = ({"trace": schedule(program, r.randrange)} for r in (one, other))
    form = canonical(first, LANES)
    assert same(canonical(second, LANES).to_json(), form.to_json())
    flat = {"trace": [record for lane in form.lanes.values() for record in lane]}
    assert same(canonical(flat, LANES).to_json(), form.to_json())


# The evidence itself


def test_interleavings_of_adk_go():
    """All interleavings that many runs of ADK-Go gave have one canonical form."""
    path = CONFORMANCE / "explore" / "two-lanes.traces.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        traces = [json.loads(line) for line in stream]
    assert len(traces) == 518
    first = canonical(traces[0], LANES)
    assert all(same(canonical(trace, LANES).to_json(), first.to_json()) for trace in traces)


@pytest.mark.parametrize("folder", ["cases", "golden"])
def test_golden_traces(folder):
    """A golden trace has a canonical form that holds all its records and is its own."""
    counted = 0
    for case in corpus.read(CONFORMANCE / folder):
        ordering = case.scenario.get("ordering", TOTAL)
        # A sample is enough, a small one of the total traces, which merely stay as they are.
        if case.line % (10 if ordering == TOTAL else 4):
            continue
        counted += 1
        form = canonical({"trace": case.trace}, ordering)
        flat = [record for lane in form.lanes.values() for record in lane]
        numbers = sorted(number for lane in form.numbers.values() for number in lane)
        assert numbers == list(range(1, len(case.trace) + 1)), case
        if len(form.lanes) > 1:
            again = canonical({"trace": flat}, LANES)
            assert same(again.to_json(), form.to_json()), case
    assert counted >= 90
