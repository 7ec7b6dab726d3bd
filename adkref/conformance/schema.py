# SPDX-License-Identifier: Apache-2.0
"""The JSON schemas of everything that the kit reads, writes and says, and what breaks them.

Each is strict: a key that is not in it is refused.  A schema library says what is wrong in the
words of the schema; here it is said in the words of whoever wrote the file: what is there, what
was expected, and where.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from attrs import frozen
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from referencing import Registry, Resource

from adkref.conformance.faults import JsonPath, json_path

#: The schemas by name, in the order in which one reads them.
NAMES: Final = (
    "scenario",
    "record",
    "trace",
    "canonical",
    "case",
    "hello-request",
    "hello-reply",
    "run-request",
    "run-reply",
    "stop-request",
    "manifest",
    "baseline",
    "report",
    "report-line",
)

_SUFFIX: Final = ".schema.json"


@frozen
class Violation:
    """Where a value breaks its schema."""

    path: JsonPath
    problem: str
    #: What would be right; empty if that goes without saying.
    expected: str = ""

    def __str__(self) -> str:
        text = f"{json_path(self.path)}: {self.problem}"
        return f"{text}; expected {self.expected}" if self.expected else text

    def below(self, path: JsonPath) -> Violation:
        """Return the same violation in a value that stands at *path* of another."""
        return Violation((*path, *self.path), self.problem, self.expected)


def text(name: str) -> str:
    """Return the schema *name* as its file has it."""
    source = files(__package__).joinpath("schemas", f"{name}{_SUFFIX}")
    return source.read_text(encoding="utf-8")


@cache
def document(name: str) -> dict[str, Any]:
    """Return the schema *name*; it is shared and not to be changed."""
    found: dict[str, Any] = json.loads(text(name))
    return found


def first_violation(name: str, value: Any, definition: str = "") -> Violation | None:
    """Return what is wrong first with *value* by a schema or one of its definitions, or None."""
    error = best_match(_validator(name, definition).iter_errors(value))
    return None if error is None else _explained(error)


def record_violation(record: Any) -> Violation | None:
    """Return what is wrong with a trace record, or None.

    This says the same as the schema ``record``.  Going straight to the definition of the
    record's kind spares the thirty others, and a trace has many records.
    """
    definition = ""
    if isinstance(record, dict):
        at, hook = record.get("at"), record.get("hook")
        definition = f"hook_{hook}" if at == "hook" else f"at_{at}"
    known = definition in document("record")["$defs"]
    return first_violation("record", record, definition if known else "")


@cache
def _validator(name: str, definition: str = "") -> Draft202012Validator:
    schema = document(name)
    if definition:
        schema = {"$ref": f"{schema['$id']}#/$defs/{definition}"}
    return Draft202012Validator(schema, registry=_registry())


@cache
def _registry() -> Registry[Any]:
    """Return all schemas by their ids, so that one may refer to another."""
    return Registry().with_resources(
        (schema["$id"], Resource.from_contents(schema)) for schema in map(document, NAMES)
    )


# --- a schema's error in words ----------------------------------------------------------------


def _explained(error: ValidationError) -> Violation:
    path = tuple(error.absolute_path)
    explain = _EXPLANATIONS.get(str(error.validator))
    if explain is None:
        return Violation(path, error.message)
    around = error.schema if isinstance(error.schema, dict) else {}
    problem, expected, key = explain(error.instance, error.validator_value, around)
    return Violation((*path, key) if key else path, problem, expected)


#: What is wrong, what was expected, and the key in question if it is not on the path.
_Explanation = tuple[str, str, str]

#: A keyword's explanation is made from the instance, the keyword's value and its schema.
_Explain = Callable[[Any, Any, dict[str, Any]], _Explanation]


def _unknown_key(found: Any, _: Any, around: dict[str, Any]) -> _Explanation:
    known = list(around["properties"])
    key = next(key for key in found if key not in known)
    near = difflib.get_close_matches(key, known, n=1)
    expected = repr(near[0]) if near else "one of " + ", ".join(known)
    return f"unknown key {key!r}", expected, key


def _missing_key(found: Any, wanted: Any, around: dict[str, Any]) -> _Explanation:
    key = next(key for key in wanted if key not in found)
    return f"the key {key!r} is missing", _described(around.get("properties", {}).get(key)), ""


def _not_together(found: Any, wanted: Any, _: dict[str, Any]) -> _Explanation:
    key, needed = next(
        (key, need) for key in wanted if key in found for need in wanted[key] if need not in found
    )
    return f"the key {key!r} is there without {needed!r}", "", key


def _alternatives(found: Any, wanted: Any, _: dict[str, Any]) -> _Explanation:
    """Say which of several sets of keys there must be one of."""
    keys = [" and ".join(each.get("required", ())) for each in wanted]
    has = [key for key in keys if isinstance(found, dict) and key in found]
    return f"has {' and '.join(has) or 'none of these'}", f"exactly one of {', '.join(keys)}", ""


def _wrong_type(found: Any, _: Any, around: dict[str, Any]) -> _Explanation:
    return f"is {kind_of(found)}", _described(around), ""


def _wrong_value(found: Any, _: Any, around: dict[str, Any]) -> _Explanation:
    return f"is {_shown(found)}", _described(around), ""


def _too_small(found: Any, wanted: Any, _: dict[str, Any]) -> _Explanation:
    return f"is {_shown(found)}", f"at least {wanted}", ""


def _empty_text(_: Any, __: Any, around: dict[str, Any]) -> _Explanation:
    return "is an empty text", around.get("description", "a text"), ""


def _empty_list(_: Any, __: Any, ___: dict[str, Any]) -> _Explanation:
    return "is an empty list", "at least one item", ""


def _wrong_form(found: Any, wanted: Any, around: dict[str, Any]) -> _Explanation:
    return f"is {_shown(found)}", around.get("description", f"a text like {wanted}"), ""


def _wrong_key(found: Any, wanted: Any, _: dict[str, Any]) -> _Explanation:
    return f"has keys that are no names of this kind: {_shown(list(found))}", _shown(wanted), ""


def _key_count(found: Any, _: Any, __: dict[str, Any]) -> _Explanation:
    keys = f"has {len(found)} keys ({', '.join(found)})" if found else "has no key"
    return keys, "exactly one key", ""


_EXPLANATIONS: Final[Mapping[str, _Explain]] = MappingProxyType(
    {
        "additionalProperties": _unknown_key,
        "required": _missing_key,
        "dependentRequired": _not_together,
        "oneOf": _alternatives,
        "anyOf": _alternatives,
        "type": _wrong_type,
        "enum": _wrong_value,
        "const": _wrong_value,
        "minimum": _too_small,
        "minLength": _empty_text,
        "minItems": _empty_list,
        "pattern": _wrong_form,
        "minProperties": _key_count,
        "maxProperties": _key_count,
    }
)

_TYPE_WORDS: Final = {
    "string": "a text",
    "object": "an object",
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "null": "null",
}


def _described(wanted: Any) -> str:
    """Say in words what a schema asks for; ``""`` if there is nothing to say."""
    if not isinstance(wanted, dict):
        return ""
    if "$ref" in wanted:
        return _described(_referred(wanted["$ref"]))
    if "const" in wanted:
        return _shown(wanted["const"])
    if "enum" in wanted:
        return "one of " + ", ".join(map(_shown, wanted["enum"]))
    types = wanted.get("type", ())
    types = [types] if isinstance(types, str) else types
    return " or ".join(_TYPE_WORDS[name] for name in types)


def _referred(reference: str) -> Any:
    """Return what a reference names; the definitions of all schemas have names of their own."""
    file, _, place = reference.partition("#")
    definition = place.rpartition("/")[2]
    if not definition:
        return document(file.removesuffix(_SUFFIX))
    for name in NAMES:
        if definition in document(name).get("$defs", {}):
            return document(name)["$defs"][definition]
    return {}


def kind_of(value: Any) -> str:
    """Say what JSON value that is: ``a text``, ``a list``, ``null``, ``the number 5``."""
    if value is None or isinstance(value, bool):
        return _shown(value)
    for kind, word in ((str, "string"), (dict, "object"), (list, "array")):
        if isinstance(value, kind):
            return _TYPE_WORDS[word]
    return f"the number {value}"


def _shown(value: Any, limit: int = 60) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 1] + "…"
