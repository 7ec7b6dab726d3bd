# SPDX-License-Identifier: Apache-2.0
"""Checking values against a genai Schema (TOOL-080, NODE-049)."""

import pytest

from adkref.errors import AdkError
from adkref.tools.schema import INPUT, OUTPUT, check_object, parse_output


def schema(*required, **properties):
    """An OBJECT schema."""
    return {"type": "OBJECT", "properties": properties, "required": list(required)}


def of(kind, **more):
    """A schema of one type."""
    return {"type": kind, **more}


def fault(value, wanted, word=INPUT):
    """The text of the error, or None."""
    try:
        check_object(value, wanted, word)
    except AdkError as error:
        return str(error)
    return None


INNER = schema("n", n=of("INTEGER"))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (of("STRING"), ""),
        (of("string"), "x"),
        (of("INTEGER"), 3.0),
        (of("Integer"), 3),
        (of("INTEGER"), -0.0),
        (of("INTEGER"), 10**400),
        (of("NUMBER"), 1.5),
        (of("NUMBER"), 2),
        (of("BOOLEAN"), False),
        (of("ARRAY", items=of("STRING")), []),
        (of("ARRAY", items=of("ARRAY", items=of("NUMBER"))), [[1.0], []]),
        (of("OBJECT"), {}),
        (INNER, {"n": 1.0}),
    ],
)
def test_values_that_fit(kind, value):
    """Types are compared in any case; a number without fraction is an integer (TOOL-080)."""
    assert fault({"x": value}, schema(x=kind)) is None


MISMATCH = "input arg: '\"x\"' type mismatch, expected schema type {}, got value {} of type {}"


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (of("STRING"), 1.0, MISMATCH.format("STRING", "1", "float64")),
        (of("string"), None, MISMATCH.format("string", "<nil>", "<nil>")),
        (of("STRING"), True, MISMATCH.format("STRING", "true", "bool")),
        (of("INTEGER"), 1.5, MISMATCH.format("INTEGER", "1.5", "float64")),
        (of("INTEGER"), "1", MISMATCH.format("INTEGER", "1", "string")),
        (of("INTEGER"), True, MISMATCH.format("INTEGER", "true", "bool")),
        (of("INTEGER"), float("inf"), MISMATCH.format("INTEGER", "+Inf", "float64")),
        (of("NUMBER"), False, MISMATCH.format("NUMBER", "false", "bool")),
        (of("NUMBER"), None, MISMATCH.format("NUMBER", "<nil>", "<nil>")),
        (of("BOOLEAN"), 1, MISMATCH.format("BOOLEAN", "1", "int")),
        (
            of("ARRAY", items=of("STRING")),
            {},
            MISMATCH.format("ARRAY", "map[]", "map[string]interface {}"),
        ),
        (
            of("ARRAY", items=of("STRING")),
            ["a", 1.0],
            MISMATCH.format("ARRAY", "[a 1]", "[]interface {}"),
        ),
        (of("OBJECT"), [], MISMATCH.format("OBJECT", "[]", "[]interface {}")),
        (of("DATE"), None, MISMATCH.format("DATE", "<nil>", "<nil>")),
        (of("DATE"), "x", "input arg: '\"x\"' validation failed: unsupported type: DATE"),
        ({}, "x", "input arg: '\"x\"' validation failed: unsupported type: "),
        (
            of("ARRAY"),
            [1.0],
            "input arg: '\"x\"' validation failed: array schema missing items definition",
        ),
        (
            of("ARRAY"),
            [],
            "input arg: '\"x\"' validation failed: array schema missing items definition",
        ),
        (
            INNER,
            {},
            (
                "input arg: '\"x\"' validation failed: "
                '"input" args does not contain required key: \'"n"\''
            ),
        ),
        (
            INNER,
            {"n": 1.0, "m": 1.0},
            (
                "input arg: '\"x\"' validation failed: "
                "input arg: '\"m\"' does not exist in schema properties"
            ),
        ),
        (
            of("ARRAY", items=INNER),
            [{"n": 1.0}, {"n": "1"}],
            (
                "input arg: '\"x\"' validation failed: array item 1: "
                "input arg: '\"n\"' type mismatch, expected schema type INTEGER, "
                "got value 1 of type string"
            ),
        ),
    ],
)
def test_values_that_do_not_fit(kind, value, text):
    """Each fault has its literal text; null matches no type (TOOL-080)."""
    assert fault({"x": value}, schema(x=kind)) == text


def test_unknown_keys_come_before_missing_ones():
    """Supplied keys are checked, in sorted order, before required ones (TOOL-080)."""
    wanted = schema("a", "b", a=of("STRING"), b=of("STRING"))
    assert (
        fault({"z": 1, "y": 1}, wanted) == "input arg: '\"y\"' does not exist in schema properties"
    )
    assert fault({"b": "x"}, wanted) == '"input" args does not contain required key: \'"a"\''
    assert fault({}, wanted, OUTPUT) == '"output" args does not contain required key: \'"a"\''
    assert fault({"a": 1.0}, wanted, OUTPUT) == (
        "output arg: '\"a\"' type mismatch, expected schema type STRING, got value 1 of type float64"
    )


def test_a_schema_without_properties_takes_no_key():
    """Keys must be declared, whatever they hold; the key is quoted (TOOL-080)."""
    assert fault({}, {"type": "OBJECT"}) is None
    assert fault({'a"': 1}, {"type": "OBJECT"}) == (
        'input arg: \'"a\\""\' does not exist in schema properties'
    )


ANY = schema(x=of("NUMBER"))


@pytest.mark.parametrize(
    ("output", "value"),
    [
        ('{"x": 1}', {"x": 1.0}),
        (' \n{"x": 1.5e2}\t', {"x": 150.0}),
        ("{}", {}),
        ("null", {}),
    ],
)
def test_output_that_parses(output, value):
    """A JSON object is parsed, its numbers are floats, null is an empty object (TOOL-080)."""
    got = parse_output(output, ANY)
    assert got == value
    assert all(type(number) is float for number in got.values())


NO_OBJECT = "json: cannot unmarshal {} into Go value of type map[string]interface {{}}"


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("", "unexpected end of JSON input"),
        (" \n", "unexpected end of JSON input"),
        ('{"x": 1', "unexpected end of JSON input"),
        ("tru", "unexpected end of JSON input"),
        ("-", "unexpected end of JSON input"),
        ("hello", "invalid character 'h' looking for beginning of value"),
        ("'x'", "invalid character '\\'' looking for beginning of value"),
        ("```json", "invalid character '`' looking for beginning of value"),
        ("\u00e9", "invalid character 'é' looking for beginning of value"),
        ("that", "invalid character 'h' in literal true (expecting 'r')"),
        ("fo", "invalid character 'o' in literal false (expecting 'a')"),
        ("nope", "invalid character 'o' in literal null (expecting 'u')"),
        ('t"', "invalid character '\"' in literal true (expecting 'r')"),
        ("nullx", "invalid character 'x' after top-level value"),
        ('{"x": 1} done', "invalid character 'd' after top-level value"),
        ("{} {}", "invalid character '{' after top-level value"),
        ("NaN", "invalid character 'N' looking for beginning of value"),
        ("Infinity", "invalid character 'I' looking for beginning of value"),
        ('{"x": NaN}', "invalid character 'N' looking for beginning of value"),
        ('{"x": -Infinity}', "invalid character 'I' in numeric literal"),
        (
            '{"x": 1e999}',
            "json: cannot unmarshal number 1e999 into Go value of type float64",
        ),
        (
            '{"x": ' + "9" * 400 + "}",
            f"json: cannot unmarshal number {'9' * 400} into Go value of type float64",
        ),
        ("[" * 100_000, "exceeded max depth"),
        ("1", NO_OBJECT.format("number")),
        ("true", NO_OBJECT.format("bool")),
        ('"x"', NO_OBJECT.format("string")),
        ("[{}]", NO_OBJECT.format("array")),
    ],
)
def test_output_that_is_no_object(output, text):
    """A text that is no JSON object fails with the decoder's words (TOOL-080, NODE-049)."""
    with pytest.raises(AdkError) as caught:
        parse_output(output, ANY)
    assert str(caught.value) == f"failed to parse output JSON: {text}"


def test_output_is_checked():
    """What parses must fit the schema (NODE-049)."""
    with pytest.raises(AdkError) as caught:
        parse_output('{"y": 1}', ANY)
    assert str(caught.value) == "output arg: '\"y\"' does not exist in schema properties"
