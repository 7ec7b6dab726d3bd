# SPDX-License-Identifier: Apache-2.0
"""Checking a tool's arguments against its JSON schema, with the texts of ADK-Go.

The checking is :mod:`jsonschema`'s.  A model reads the error, so its spelling is part of
the behaviour (the page scenario-format): the first violation in keyword order, with the
path of the schema that was violated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from adkref.errors import AdkError, wrap
from adkref.gotext import quote, text

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_JSON_TYPES: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    str: "string",
    dict: "object",
    list: "array",
}


def _json_type(value: Any) -> str:
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    return _JSON_TYPES.get(type(value), type(value).__name__)


def _quoted(names: Iterable[str]) -> str:
    return "[" + " ".join(quote(name) for name in names) + "]"


def _type(error: ValidationError) -> str:
    wanted: Any = error.validator_value
    got = f"{text(error.instance)} has type {quote(_json_type(error.instance))}, want"
    if isinstance(wanted, list):
        return f"{got} one of {quote(', '.join(wanted))}"
    return f"{got} {quote(wanted)}"


def _required(error: ValidationError) -> str:
    wanted: Any = error.validator_value
    given: Any = error.instance
    missing = [name for name in wanted if name not in given]
    return f"missing properties: {_quoted(missing)}"


def _additional(error: ValidationError) -> str:
    schema: Any = error.schema
    given: Any = error.instance
    known = schema.get("properties", {})
    return f"unexpected additional properties {_quoted(key for key in given if key not in known)}"


def _against(words: str) -> Callable[[ValidationError], str]:
    return lambda error: f"{text(error.instance)} {words} {text(error.validator_value)}"


def _length(words: str) -> Callable[[ValidationError], str]:
    def spell(error: ValidationError) -> str:
        given: Any = error.instance
        return (
            f"{quote(given)} contains {len(given)} Unicode code points, "
            f"{words} {text(error.validator_value)}"
        )

    return spell


def _pattern(error: ValidationError) -> str:
    given: Any = error.instance
    pattern: Any = error.validator_value
    return f"{quote(given)} does not match regular expression {quote(pattern)}"


#: Keyword -> text after ``<keyword>: ``, in the order in which violations are reported.
_TEXTS: dict[str, Callable[[ValidationError], str]] = {
    "type": _type,
    "enum": _against("does not equal any of:"),
    "const": _against("does not equal"),
    "multipleOf": _against("is not a multiple of"),
    "minimum": _against("is less than"),
    "maximum": _against("is greater than"),
    "exclusiveMinimum": _against("is less than or equal to"),
    "exclusiveMaximum": _against("is greater than or equal to"),
    "minLength": _length("fewer than"),
    "maxLength": _length("more than"),
    "pattern": _pattern,
    "properties": lambda error: error.message,
    "additionalProperties": _additional,
    "required": _required,
}
_ORDER = {keyword: place for place, keyword in enumerate(_TEXTS)}


class ArgumentSchema:
    """A JSON schema, compiled once."""

    def __init__(self, schema: dict[str, Any]) -> None:
        # Loaded with the first tool: an agent without tools needs none of it.
        from jsonschema import Draft202012Validator
        from jsonschema.exceptions import SchemaError

        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as error:
            raise wrap("failed to infer input schema", AdkError(error.message)) from error
        self.schema = schema
        self._validator = Draft202012Validator(schema)

    def check(self, value: Any) -> None:
        """Raise AdkError ``validating root: …`` for the first violation."""
        errors = sorted(self._validator.iter_errors(value), key=_report_order)
        if errors:
            raise AdkError("validating root: " + _text_of(errors[0]))


def _report_order(error: ValidationError) -> tuple[int, int]:
    # A violation inside a property is found while "properties" is walked.
    if len(error.absolute_path):
        return _ORDER["properties"], 0
    return _ORDER.get(str(error.validator), len(_ORDER)), 0


def _text_of(error: ValidationError) -> str:
    keyword = str(error.validator)
    prefix = ""
    # The schema path without its last keyword is the place; each object on the way is named.
    path = list(error.absolute_schema_path)[:-1]
    if path:
        prefix = "validating /" + "/".join(map(str, path)) + ": "
    spell = _TEXTS.get(keyword)
    return f"{prefix}{keyword}: {spell(error) if spell else error.message}"
