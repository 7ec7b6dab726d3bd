# SPDX-License-Identifier: Apache-2.0
"""The schemas: strict, in agreement with each other, and met by every golden trace."""

import copy
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from adkref.conformance import corpus, schema, versions
from adkref.conformance.canonical import canonical
from adkref.conformance.narrate import _SAYS
from adkref.conformance.rules.registry import load_yaml
from adkref.conformance.schema import first_violation, record_violation

ROOT = Path(__file__).parents[2] / "conformance"

#: Of the many golden cases every so manieth is looked at; the hand-written ones all are.
STEP = 100


def cases():
    """Yield hand-written cases and a sample of the golden ones."""
    for folder, step in (("cases", 1), ("golden", STEP), ("untraced", 1)):
        for number, case in enumerate(corpus.read(ROOT / folder)):
            if number % step == 0:
                yield case


def objects(part):
    """Yield every object schema in a schema, with what is said about its keys."""
    if isinstance(part, dict):
        if part.get("type") == "object" and "properties" in part and "allOf" not in part:
            yield part
        for inner in part.values():
            yield from objects(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from objects(inner)


def definition(name):
    """Return the record schema's definition *name*."""
    return schema.document("record")["$defs"][name]


class TestSchemas:
    """The files themselves."""

    @pytest.mark.parametrize("name", schema.NAMES)
    def test_each_is_valid_and_refuses_unknown_keys(self, name):
        """Each is a schema, and every object in it either refuses unknown keys or is open data."""
        document = schema.document(name)
        Draft202012Validator.check_schema(document)
        assert [
            part for part in objects(document) if part.get("additionalProperties") is not False
        ] == []

    def test_every_file_has_a_name(self):
        """No schema lies in the folder that cannot be asked for."""
        folder = Path(schema.__file__).parent / "schemas"
        names = {file.name.partition(".")[0] for file in folder.glob("*.json")}
        assert names == set(schema.NAMES)

    def test_definitions_have_names_of_their_own(self):
        """A definition's name says which schema it is of, save for what several define alike."""
        seen = {}
        for name in schema.NAMES:
            for key, value in schema.document(name).get("$defs", {}).items():
                assert seen.setdefault(key, value) == value

    def test_the_narrator_knows_every_kind_of_record(self):
        """What the record schema allows, the narrator can tell, and the other way round."""
        kinds = set(schema.document("record")["properties"]["at"]["enum"])
        assert kinds == set(_SAYS)


class TestGoldenTraces:
    """What is known to be right meets the schemas."""

    def test_every_record_meets_its_schema(self):
        """Hand-written cases and a sample of the golden ones have strictly valid records."""
        records = 0
        for case in cases():
            for number, record in enumerate(case.trace or (), 1):
                records += 1
                assert record_violation(record) is None, (case.id, number)
        assert records > 5_000

    def test_cases_traces_and_canonical_traces_meet_their_schemas(self):
        """A case, its trace and the canonical form of that are valid as wholes."""
        for case in list(cases())[::40]:
            spec = {"scenario": case.scenario}
            if case.trace is None:
                spec |= {"expect": case.expect, "rules": list(case.rules)}
            else:
                played = {"trace": case.trace}
                if case.final is not corpus.ABSENT:
                    played["final"] = case.final
                spec |= played
                assert first_violation("trace", played) is None, case.id
                form = canonical(played, case.scenario.get("ordering") or "total").to_json()
                assert first_violation("canonical", form) is None, case.id
            assert first_violation("case", spec) is None, case.id

    def test_a_key_too_many_is_refused_at_any_depth(self):
        """One unknown key makes a record invalid, wherever it stands outside the user's data."""
        record = {
            "at": "yield",
            "event": {
                "author": "a",
                "content": {"role": "model", "parts": [{"text": "x"}]},
                "actions": {"stateDelta": {"free": 1}, "compaction": {"endTimestamp": "@1"}},
            },
        }
        assert record_violation(record) is None
        for path in ((), ("event",), ("event", "content"), ("event", "content", "parts", 0)):
            spoilt = copy.deepcopy(record)
            place = spoilt
            for step in path:
                place = place[step]
            place["odd"] = 1
            found = record_violation(spoilt)
            assert found.path == (*path, "odd")
            assert found.problem == "unknown key 'odd'"

    def test_the_short_way_and_the_whole_schema_agree(self):
        """A record's own definition says of it what the whole schema says."""
        wrong = [
            5,
            {},
            {"at": "nothing"},
            {"at": "hook"},
            {"at": "hook", "hook": "before_dinner"},
            {"at": "turn"},
            {"at": "turn", "n": 0},
            {"at": "body", "step": "start", "agent": ""},
            {"at": "end", "agent": "a"},
        ]
        right = [{"at": "end"}, {"at": "turn", "n": 1}, {"at": "body", "step": "start"}]
        for record in wrong:
            assert record_violation(record) is not None
            assert first_violation("record", record) is not None
        for record in right:
            assert record_violation(record) is None
            assert first_violation("record", record) is None


def test_the_manifest_meets_its_schema():
    """The project's own manifest of rules is what its schema asks for."""
    assert first_violation("manifest", load_yaml(ROOT / "rules" / "manifest.yaml")) is None


class TestViolations:
    """What a reader is told."""

    @pytest.mark.parametrize(
        ("name", "value", "text"),
        [
            ("record", {"at": "ending"}, '$.at: is "ending"; expected one of "hook", '),
            (
                "record",
                {"at": "turn", "n": 1, "m": 1},
                "$.m: unknown key 'm'; expected one of at, n",
            ),
            ("record", {"at": "turn"}, "$: the key 'n' is missing; expected a whole number"),
            (
                "record",
                {"at": "body", "step": "start", "agent": ""},
                "$.agent: is an empty text; expected a text; one that is empty is left out",
            ),
            ("run-reply", {"id": 1}, "$: has none of these; expected exactly one of trace, error"),
            (
                "run-reply",
                {"error": "a", "skip": "b"},
                "$: has error and skip; expected exactly one of trace, error, panic, skip",
            ),
            (
                "run-reply",
                {"error": "a", "final": {"error": "b"}},
                "$.final: the key 'final' is there without 'trace'",
            ),
            ("hello-reply", {}, "$: the key 'implementation' is missing; expected a text"),
            (
                "hello-reply",
                {"implementation": "x", "choices": {"run-1": "a"}},
                'is "run-1"; expected a text like ^[A-Z]',
            ),
            (
                "run-request",
                {"cmd": "run"},
                "$: the key 'scenario' is missing; expected an object",
            ),
            ("stop-request", {"cmd": "halt"}, '$.cmd: is "halt"; expected "stop"'),
            (
                "baseline",
                {"schema_version": "1", "implementation": "x"},
                '$.schema_version: is "1"; expected a version MAJOR.MINOR.PATCH',
            ),
        ],
    )
    def test_it_is_told_in_words(self, name, value, text):
        """A violation names the place, what is there and what was expected."""
        assert text in str(first_violation(name, value))


class TestVersions:
    """Which files of other versions can be read."""

    @pytest.mark.parametrize(
        ("version", "reason"),
        [
            (versions.SCHEMA_VERSION, ""),
            ("1.0.99", ""),
            ("2.0.0", "it has the format 2, and this kit reads the format 1"),
            ("1.99.0", f"it is of version 1.99.0, and this kit knows {versions.SCHEMA_VERSION}"),
            ("one", "'one' is no version MAJOR.MINOR.PATCH"),
        ],
    )
    def test_the_format_must_be_ours_and_the_coverage_not_beyond(self, version, reason):
        """A fix changes nothing, more coverage may bring keys that are unknown here."""
        assert versions.unreadable(version) == reason


def test_the_schemas_are_json_with_a_licence():
    """Each file says its licence, since JSON has no comments."""
    for name in schema.NAMES:
        assert json.loads(schema.text(name))["$comment"] == "SPDX-License-Identifier: Apache-2.0"
