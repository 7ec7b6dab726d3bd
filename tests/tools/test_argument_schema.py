# SPDX-License-Identifier: Apache-2.0
"""Checking a tool's arguments against its JSON schema, with the texts of ADK-Go (TOOL-003)."""

import pytest

from adkref.errors import AdkError
from adkref.tools.validation import ArgumentSchema

CITY = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^[A-Z]"},
        "days": {"type": ["integer", "null"], "minimum": 1, "maximum": 7},
        "unit": {"enum": ["C", "F"]},
        "inner": {
            "type": "object",
            "properties": {"x": {"type": "number"}},
            "required": ["x"],
            "additionalProperties": False,
        },
        "tags": {"type": "array", "items": {"type": "boolean"}, "minItems": 1},
        "odd": {"multipleOf": 2.5, "exclusiveMinimum": 0, "exclusiveMaximum": 10},
        "fixed": {"const": {"a": 1}},
    },
    "required": ["city"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"city": "Oslo"}, None),
        ({"city": "Oslo", "days": 3.0}, None),
        ({"city": "Oslo", "days": None, "inner": {"x": 1}, "tags": [True]}, None),
        ({}, 'required: missing properties: ["city"]'),
        ({"city": 1.0}, 'validating /properties/city: type: 1 has type "integer", want "string"'),
        (
            {"city": None},
            'validating /properties/city: type: <nil> has type "null", want "string"',
        ),
        (
            {"city": "O"},
            'validating /properties/city: minLength: "O" contains 1 Unicode code points, fewer than 2',
        ),
        (
            {"city": "Olsøö"},
            'validating /properties/city: maxLength: "Olsøö" contains 5 Unicode code points, more than 4',
        ),
        (
            {"city": "oslo"},
            'validating /properties/city: pattern: "oslo" does not match regular expression "^[A-Z]"',
        ),
        (
            {"city": "Oslo", "days": "3"},
            'validating /properties/days: type: 3 has type "string", want one of "integer, null"',
        ),
        (
            {"city": "Oslo", "days": 1.5},
            'validating /properties/days: type: 1.5 has type "number", want one of "integer, null"',
        ),
        ({"city": "Oslo", "days": 0}, "validating /properties/days: minimum: 0 is less than 1"),
        ({"city": "Oslo", "days": 8}, "validating /properties/days: maximum: 8 is greater than 7"),
        (
            {"city": "Oslo", "unit": "K"},
            "validating /properties/unit: enum: K does not equal any of: [C F]",
        ),
        (
            {"city": "Oslo", "inner": {}},
            'validating /properties/inner: required: missing properties: ["x"]',
        ),
        (
            {"city": "Oslo", "inner": {"x": 1, "y": 2, "z": 3}},
            'validating /properties/inner: additionalProperties: unexpected additional properties ["y" "z"]',
        ),
        (
            {"city": "Oslo", "inner": {"x": []}},
            'validating /properties/inner/properties/x: type: [] has type "array", want "number"',
        ),
        (
            {"city": "Oslo", "tags": [True, {}]},
            'validating /properties/tags/items: type: map[] has type "object", want "boolean"',
        ),
        (
            {"city": "Oslo", "tags": []},
            "validating /properties/tags: minItems: [] should be non-empty",
        ),
        (
            {"city": "Oslo", "odd": 3},
            "validating /properties/odd: multipleOf: 3 is not a multiple of 2.5",
        ),
        (
            {"city": "Oslo", "odd": 0},
            "validating /properties/odd: exclusiveMinimum: 0 is less than or equal to 0",
        ),
        (
            {"city": "Oslo", "odd": 10},
            "validating /properties/odd: exclusiveMaximum: 10 is greater than or equal to 10",
        ),
        (
            {"city": "Oslo", "fixed": 1},
            "validating /properties/fixed: const: 1 does not equal map[a:1]",
        ),
        (
            {"city": "Oslo", "more": 1},
            'additionalProperties: unexpected additional properties ["more"]',
        ),
        # Properties before additional ones before missing ones.
        ({"days": 0, "more": 1}, "validating /properties/days: minimum: 0 is less than 1"),
        ({"more": 1}, 'additionalProperties: unexpected additional properties ["more"]'),
        ("x", 'type: x has type "string", want "object"'),
        ({1, 2}, 'type: {1, 2} has type "set", want "object"'),
    ],
)
def test_the_first_violation_is_reported(args, text):
    """The first violation in keyword order, with the schema's path (page scenario-format)."""
    schema = ArgumentSchema(CITY)
    if text is None:
        schema.check(args)
        return
    with pytest.raises(AdkError) as caught:
        schema.check(args)
    prefix = "validating root: "
    assert str(caught.value) == prefix + text


@pytest.mark.parametrize("schema", [{"type": "objekt"}, {"required": "x"}, "x"])
def test_a_schema_must_be_one(schema):
    """A schema that is none is refused at construction (TOOL-001)."""
    with pytest.raises(AdkError, match=r"^failed to infer input schema: .+"):
        ArgumentSchema(schema)
