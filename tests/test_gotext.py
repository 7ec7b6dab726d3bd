# SPDX-License-Identifier: Apache-2.0
"""Go's spellings of values."""

import json
from collections import OrderedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adkref import gotext
from adkref.content import Content, FunctionCall, NilMap

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "3"),
        (0.5, "0.5"),
        (999999.0, "999999"),
        (999999.5, "999999.5"),
        (1000000.0, "1e+06"),
        (1234567.0, "1.234567e+06"),
        (12345678.0, "1.2345678e+07"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (0.0000123, "1.23e-05"),
        (-0.5, "-0.5"),
        (-1e6, "-1e+06"),
        (0.0, "0"),
        (-0.0, "-0"),
        (100.0, "100"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e100, "1e+100"),
        (5e-324, "5e-324"),
        (float("inf"), "+Inf"),
        (float("-inf"), "-Inf"),
        (float("nan"), "NaN"),
    ],
)
def test_float_text(value, text):
    """A float has the fewest digits, an exponent below 1e-4 and from 1e6 on (REQ-041)."""
    assert gotext.float_text(value) == gotext.text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "<nil>"),
        ("a b", "a b"),
        ("", ""),
        (True, "true"),
        (False, "false"),
        (12345678, "12345678"),
        (1e6, "1e+06"),
        ({}, "map[]"),
        ({"b": 1, "a": {"x": [1.5, None, "s"]}}, "map[a:map[x:[1.5 <nil> s]] b:1]"),
        ([], "[]"),
        ((1, "x", False), "[1 x false]"),
        (complex(1, 2), "(1+2j)"),
    ],
)
def test_text(value, text):
    """``%v``: maps with sorted keys, lists in brackets, integers plain (REQ-039)."""
    assert gotext.text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("", '""'),
        ("plain", '"plain"'),
        ('a"b\\', '"a\\"b\\\\"'),
        ("\a\b\f\n\r\t\v", '"\\a\\b\\f\\n\\r\\t\\v"'),
        ("\x00\x1f\x7f", '"\\x00\\x1f\\x7f"'),
        ("Zürich €", '"Zürich €"'),
        ("\u00a0\u200b\u2028", '"\\u00a0\\u200b\\u2028"'),
        ("😀", '"😀"'),
        ("\U000e0001", '"\\U000e0001"'),
    ],
)
def test_quote(value, text):
    """``%q``: what cannot be printed is escaped, other scripts stay."""
    assert gotext.quote(value) == text


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "<nil>"),
        (True, "bool"),
        (1, "int"),
        (1.5, "float64"),
        ("s", "string"),
        ({}, "map[string]interface {}"),
        ([], "[]interface {}"),
        (b"", "[]uint8"),
        (Content(), "Content"),
    ],
)
def test_type_name(value, name):
    """``%T`` of JSON values; other types have their own name."""
    assert gotext.type_name(value) == name


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (5.0, "5"),
        (-0.0, "-0"),
        (1.5, "1.5"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.25e-10, "1.25e-10"),
        (12345678901234567890, "12345678901234567890"),
        (
            "<a href='x'>&\u2028\u2029</a>",
            "\"\\u003ca href='x'\\u003e\\u0026\\u2028\\u2029\\u003c/a\\u003e\"",
        ),
        ('tab\t"ü"', '"tab\\t\\"ü\\""'),
        ({"b": [1, (2,)], "a": {}}, '{"a":{},"b":[1,[2]]}'),
        (OrderedDict(z=1, a=2), '{"a":2,"z":1}'),
        (NilMap(), "null"),
        (NilMap(a=1), '{"a":1}'),
        ({"x": NilMap()}, '{"x":null}'),
        (
            {"call": FunctionCall("1", "t", {"a": 1.0})},
            '{"call":{"args":{"a":1},"id":"1","name":"t"}}',
        ),
    ],
)
def test_to_json(value, text):
    """JSON as Go writes it: sorted keys, no blanks, integral floats plain, HTML escaped."""
    assert gotext.to_json(value) == text


def test_html_can_stay():
    """Without HTML escapes the same characters are written as they are (V24-003)."""
    assert gotext.to_json({"<": "&\u2028"}, html=False) == '{"<":"&\u2028"}'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("nan"), "json: unsupported value: NaN"),
        ([float("inf")], "json: unsupported value: +Inf"),
        ({"a": {1, 2}}, "json: unsupported type: set"),
        (object(), "json: unsupported type: object"),
        ([b"x"], "json: unsupported type: bytes"),
    ],
)
def test_what_is_no_json_is_refused(value, text):
    """A value without a JSON form raises TypeError with Go's words."""
    with pytest.raises(TypeError) as caught:
        gotext.to_json(value)
    assert str(caught.value) == text


@given(JSON_VALUES)
def test_the_json_of_a_json_value_reads_back(value):
    """What is written is JSON and says the same, with and without HTML escapes."""
    for html in (True, False):
        read = json.loads(gotext.to_json(value, html=html))
        assert gotext.numbers_as_go(read) == gotext.numbers_as_go(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_digit_is_lost(value):
    """Both spellings of a float identify it (REQ-041)."""
    assert float(gotext.float_text(value)) == value
    assert float(gotext.json_float(value)) == value


def test_numbers_as_go():
    """Every number becomes a float, in a copy; booleans are none."""
    given_value = {"a": [1, True, None, "1", {"b": 2}], "c": 0.5}
    got = gotext.numbers_as_go(given_value)
    assert got == {"a": [1.0, True, None, "1", {"b": 2.0}], "c": 0.5}
    assert [type(v) for v in (*got["a"], got["a"][4]["b"])] == [
        float,
        bool,
        type(None),
        str,
        dict,
        float,
    ]
    assert given_value["a"][4] == {"b": 2}
    assert type(given_value["a"][4]["b"]) is int
