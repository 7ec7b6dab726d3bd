# SPDX-License-Identifier: Apache-2.0
"""JSON in and out for the data records: one cattrs converter.

Names on the wire are camelCase; zero values are left out; keys are matched
without regard to case and unknown ones are ignored, as Go's decoder does
(EVT-022).  Wrong types are refused, never coerced.
"""

from __future__ import annotations

import base64
import binascii
from datetime import datetime
from typing import Any, TypeVar, get_args, get_origin

import attrs
from cattrs import Converter, transform_error
from cattrs.errors import BaseValidationError
from cattrs.gen import make_dict_structure_fn, override
from cattrs.v import format_exception

from adkref.errors import AdkError
from adkref.timestamps import format_time, parse_time

T = TypeVar("T")


class DecodeError(AdkError):
    """A JSON value does not fit a record; the text names each place."""


converter = Converter(detailed_validation=True)


def camel(name: str) -> str:
    """Return the JSON name of an attribute; ``json_name`` metadata overrides it."""
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def json_name(attribute: attrs.Attribute[Any]) -> str:
    """Return the key under which *attribute* travels."""
    return str(attribute.metadata.get("json") or camel(attribute.name))


def record(cls: type[T]) -> type[T]:
    """Register the attrs class *cls* with the converter and return it."""
    names = [(f.name, json_name(f)) for f in attrs.fields(cls)]  # type: ignore[arg-type]

    def unstructure(value: T) -> dict[str, Any]:
        # Go's omitempty: empty maps and lists are left out too, present records are not.
        fields = value.__dict__
        return {key: converter.unstructure(fields[name]) for name, key in names if fields[name]}

    converter.register_unstructure_hook(cls, unstructure)
    return record_in(cls)


def _wire_names(cls: type) -> dict[str, Any]:
    return {
        f.name: override(rename=json_name(f), struct_hook=_list_in if _is_list(f.type) else None)
        for f in attrs.fields(cls)
    }


def _is_list(kind: Any) -> bool:
    return get_origin(kind) is list or any(get_origin(item) is list for item in get_args(kind))


def _list_in(value: Any, kind: Any) -> Any:
    """Decode a list; cattrs alone would take the letters of a text for its elements."""
    if not isinstance(value, list):
        raise TypeError(f"expected a list, got {type(value).__name__}")
    return converter.structure(value, kind)


def record_in(cls: type[T]) -> type[T]:
    """Register only the reading side of *cls*, whose writing side is its own."""
    attrs.resolve_types(cls)  # type: ignore[type-var]
    fields = attrs.fields(cls)  # type: ignore[arg-type]
    structure = make_dict_structure_fn(cls, converter, **_wire_names(cls))
    wire_names: dict[str, str] = {json_name(f).lower(): json_name(f) for f in fields}

    def fold_case(value: Any, kind: Any) -> T:
        if isinstance(value, cls):
            return value
        if not isinstance(value, dict):
            raise TypeError(f"expected an object, got {type(value).__name__}")
        named: dict[str, Any] = {}
        for key, item in value.items():
            if item is not None:
                folded = key.lower()
                named[wire_names.get(folded) or key] = item
        return structure(named, kind)

    converter.register_structure_hook(cls, fold_case)
    return cls


def _exact(kind: type, *also: type) -> None:
    allowed = (kind, *also)

    def structure(value: Any, _: Any) -> Any:
        if type(value) in allowed:
            return value
        raise TypeError(f"expected {kind.__name__}, got {type(value).__name__}")

    converter.register_structure_hook(kind, structure)


_exact(str)
_exact(bool)
_exact(float, int)


def _whole(value: Any, _: Any) -> int:
    if type(value) is int or (type(value) is float and value.is_integer()):
        return int(value)
    raise TypeError(f"expected int, got {type(value).__name__}")


def _bytes_in(value: Any, _: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str):
        raise TypeError(f"expected base64 text, got {type(value).__name__}")
    try:
        return base64.b64decode(value, validate=True)
    except binascii.Error as error:
        raise ValueError(f"not base64: {error}") from error


def _object_in(value: Any, _: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise TypeError(f"expected an object, got {type(value).__name__}")


def _free_form(value: Any) -> Any:
    """Return user data as it is, save for records inside it, such as a call within arguments."""
    if isinstance(value, dict):
        return {key: _free_form(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_free_form(item) for item in value]
    return converter.unstructure(value) if attrs.has(type(value)) else value


converter.register_structure_hook(int, _whole)
converter.register_structure_hook(bytes, _bytes_in)
converter.register_unstructure_hook(bytes, lambda value: base64.b64encode(value).decode())
converter.register_structure_hook(datetime, lambda value, _: parse_time(value))
converter.register_unstructure_hook(datetime, format_time)
# Free-form objects (arguments, state, metadata) pass through as they are.
_FREE_FORM = (dict[str, Any], Any)
converter.register_structure_hook_func(lambda kind: kind == _FREE_FORM[0], _object_in)
converter.register_structure_hook_func(lambda kind: kind is Any, lambda value, _: value)
converter.register_unstructure_hook(dict, _free_form)
converter.register_unstructure_hook(list, _free_form)


def _words(error: BaseException, kind: type | None) -> str:
    # Our own errors, of times (EVT-024), say what is wrong.
    return str(error) if isinstance(error, AdkError) else format_exception(error, kind)


def to_json(value: Any) -> Any:
    """Return the JSON form of a registered record."""
    return converter.unstructure(value)


def from_json(cls: type[T], value: Any) -> T:
    """Build *cls* from its JSON form.

    Raises :class:`DecodeError` that names every place that does not fit.
    """
    try:
        return converter.structure(value, cls)
    except BaseValidationError as error:
        faults = transform_error(error, path=cls.__name__, format_exception=_words)
        raise DecodeError("; ".join(faults)) from error
    except (TypeError, ValueError) as error:
        raise DecodeError(f"{cls.__name__}: {error}") from error
