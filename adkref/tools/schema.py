# SPDX-License-Identifier: Apache-2.0
"""Checking a value against a genai Schema, with the texts of ADK-Go (TOOL-080).

A genai Schema is a dictionary with ``type`` (STRING, INTEGER, …, in any case),
``properties``, ``required`` and ``items``.  What it says is small, so the walk below
is the whole of it; the JSON Schema of a tool goes through :mod:`jsonschema`.
"""

from __future__ import annotations

import json
import math
from typing import Any

from adkref.errors import AdkError, wrap
from adkref.gotext import quote, text, type_name

Schema = dict[str, Any]

INPUT = "input"
OUTPUT = "output"


def check_object(value: dict[str, Any], schema: Schema, word: str) -> None:
    """Raise AdkError unless *value* fits; *word* is ``input`` or ``output``.

    Keys are checked in sorted order (Go takes them as its map gives them), supplied ones
    before required ones.
    """
    properties = schema.get("properties") or {}
    for key in sorted(value):
        place = f"{word} arg: '{quote(key)}'"
        if key not in properties:
            raise AdkError(f"{place} does not exist in schema properties")
        try:
            fits = _fits(value[key], properties[key], word)
        except AdkError as error:
            raise wrap(f"{place} validation failed", error) from error
        if not fits:
            raise AdkError(
                f"{place} type mismatch, expected schema type {properties[key].get('type', '')}, "
                f"got value {text(value[key])} of type {type_name(value[key])}"
            )
    for key in schema.get("required") or []:
        if key not in value:
            raise AdkError(f"{quote(word)} args does not contain required key: '{quote(key)}'")


def _fits(value: Any, schema: Schema, word: str) -> bool:
    """Tell whether *value* is of the schema's type; a fault deeper inside is raised."""
    kind = str(schema.get("type", ""))
    match kind.upper():
        case "STRING":
            return isinstance(value, str)
        case "INTEGER":
            return _is_number(value) and (isinstance(value, int) or value.is_integer())
        case "NUMBER":
            return _is_number(value)
        case "BOOLEAN":
            return isinstance(value, bool)
        case "ARRAY":
            return isinstance(value, list) and _all_fit(value, schema, word)
        case "OBJECT":
            if not isinstance(value, dict):
                return False
            check_object(value, schema, word)
            return True
    if value is None:
        return False
    raise AdkError(f"unsupported type: {kind}")


def _all_fit(items: list[Any], schema: Schema, word: str) -> bool:
    if schema.get("items") is None:
        raise AdkError("array schema missing items definition")
    for index, item in enumerate(items):
        try:
            if not _fits(item, schema["items"], word):
                return False
        except AdkError as error:
            raise wrap(f"array item {index}", error) from error
    return True


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def parse_output(output: str, schema: Schema) -> dict[str, Any]:
    """Parse and check a model's text; ``null`` is an empty object.

    Raises AdkError ``failed to parse output JSON: <cause>`` or a text of
    :func:`check_object`.
    """
    try:
        value = _DECODER.decode(output)
    except AdkError as error:
        raise wrap("failed to parse output JSON", error) from error
    except RecursionError as error:
        raise AdkError("failed to parse output JSON: exceeded max depth") from error
    except ValueError as error:
        raise AdkError(f"failed to parse output JSON: {_go_syntax_error(output)}") from error
    if value is None:
        value = {}
    if not isinstance(value, dict):
        raise AdkError(
            "failed to parse output JSON: json: cannot unmarshal "
            f"{_json_kind(value)} into Go value of type map[string]interface {{}}"
        )
    check_object(value, schema, OUTPUT)
    return value


def _number(digits: str) -> float:
    """Return a number as Go decodes it; one that is no float64 is refused."""
    value = float(digits)
    if math.isinf(value):
        raise AdkError(f"json: cannot unmarshal number {digits} into Go value of type float64")
    return value


def _no_constant(name: str) -> float:
    """Refuse NaN and Infinity, which Python reads and JSON does not have."""
    if name.startswith("-"):
        raise AdkError(f"invalid character {_char(name[1])} in numeric literal")
    raise AdkError(f"invalid character {_char(name[0])} looking for beginning of value")


_DECODER = json.JSONDecoder(parse_int=_number, parse_float=_number, parse_constant=_no_constant)


def _json_kind(value: Any) -> str:
    kinds = {bool: "bool", float: "number", str: "string", list: "array"}
    return kinds[type(value)]


_LITERALS = {"t": "true", "f": "false", "n": "null"}


def _go_syntax_error(output: str) -> str:
    """Return what Go's decoder says of a text that does not begin like JSON."""
    stripped = output.lstrip(" \t\r\n")
    if not stripped:
        return "unexpected end of JSON input"
    first = stripped[0]
    if first in _LITERALS:
        word = _LITERALS[first]
        for place, (got, want) in enumerate(zip(stripped, word, strict=False)):
            if got != want:
                return (
                    f"invalid character {_char(got)} in literal {word} "
                    f"(expecting {_char(word[place])})"
                )
        if len(stripped) < len(word):
            return "unexpected end of JSON input"
        return f"invalid character {_char(stripped[len(word)])} after top-level value"
    if first not in '{["-0123456789':
        return f"invalid character {_char(first)} looking for beginning of value"
    try:
        _, end = _DECODER.raw_decode(stripped)
    except ValueError:
        return "unexpected end of JSON input"
    rest = stripped[end:].lstrip(" \t\r\n")
    return f"invalid character {_char(rest[0])} after top-level value"


def _char(char: str) -> str:
    """Return Go's quoting of a character in a syntax error."""
    return {"'": "'\\''", '"': "'\"'"}.get(char, f"'{quote(char)[1:-1]}'")
