# SPDX-License-Identifier: Apache-2.0
"""Go's spellings of values, for the texts that a model or a user reads.

A state value in a template, the arguments in a validation error and the JSON
in a quoted call are part of the observable behaviour, so the reference spells
them as Go does: ``%v`` (:func:`text`), ``%q`` (:func:`quote`), ``%T``
(:func:`type_name`) and ``encoding/json`` (:func:`to_json`).
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

_TYPE_NAMES: dict[type, str] = {
    type(None): "<nil>",
    bool: "bool",
    int: "int",
    float: "float64",
    str: "string",
    dict: "map[string]interface {}",
    list: "[]interface {}",
    bytes: "[]uint8",
}

_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
}

_HTML_ESCAPES = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def type_name(value: Any) -> str:
    """Return Go's ``%T`` of a JSON-like value; other types give the Python name."""
    return _TYPE_NAMES.get(type(value)) or type(value).__name__


def quote(value: str) -> str:
    """Return Go's ``%q`` of a string."""
    if value.isascii() and value.isprintable() and '"' not in value and "\\" not in value:
        return f'"{value}"'
    out = []
    for char in value:
        code = ord(char)
        if char in _ESCAPES:
            out.append(_ESCAPES[char])
        elif char.isprintable():
            out.append(char)
        elif code < 0x80:
            out.append(f"\\x{code:02x}")
        elif code < 0x10000:
            out.append(f"\\u{code:04x}")
        else:
            out.append(f"\\U{code:08x}")
    return '"' + "".join(out) + '"'


def _digits(value: float) -> tuple[str, str, int]:
    """Split a finite float into sign, shortest digits and decimal exponent."""
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text_digits = "".join(map(str, digits)).lstrip("0") or "0"
    stripped = text_digits.rstrip("0") or "0"
    point = int(exponent) + len(text_digits)
    return ("-" if sign else ""), stripped, (point if stripped != "0" else 1)


def _plain_float(sign: str, digits: str, point: int) -> str:
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if point >= len(digits):
        return sign + digits + "0" * (point - len(digits))
    return f"{sign}{digits[:point]}.{digits[point:]}"


def _exponent_float(sign: str, digits: str, point: int, width: int) -> str:
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    exponent = point - 1
    return f"{sign}{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):0{width}d}"


def float_text(value: float) -> str:
    """Return ``%v`` of a float64: fewest digits, an exponent from 1e6 on (REQ-041)."""
    if value != value:  # noqa: PLR0124 - the test for NaN
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    sign, digits, point = _digits(value)
    if not -4 <= point - 1 < 6 and digits != "0":
        return _exponent_float(sign, digits, point, 2)
    return _plain_float(sign, digits, point)


def json_float(value: float) -> str:
    """Return a float as ``encoding/json`` writes it (no fraction when integral)."""
    sign, digits, point = _digits(value)
    if value and not 1e-6 <= abs(value) < 1e21:
        return _exponent_float(sign, digits, point, 1 if point - 1 < 0 else 2)
    return _plain_float(sign, digits, point)


def text(value: Any) -> str:
    """Return Go's ``%v`` of a JSON-like value."""
    if value is None:
        return "<nil>"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{text(value[key])}" for key in sorted(value)) + "]"
    if isinstance(value, list | tuple):
        return "[" + " ".join(map(text, value)) + "]"
    return str(value)


def to_json(value: Any, *, html: bool = True) -> str:
    """Return *value* as Go's ``encoding/json`` writes it.

    Keys are sorted, there is no white space, and ``<``, ``>``, ``&``, U+2028 and
    U+2029 are escaped unless *html* is False.  Raises TypeError for a value that
    is not JSON.
    """
    out = _encode(value)
    return out.translate(_HTML_ESCAPES) if html else out


def _encode(value: Any) -> str:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124
            raise TypeError(f"json: unsupported value: {float_text(value)}")
        return json_float(value)
    if isinstance(value, dict) and type(value) is not dict and hasattr(value, "to_json"):
        value = value.to_json()  # a nil map
    if value is None:
        return "null"
    if isinstance(value, dict):
        pairs = (
            f"{json.dumps(str(k), ensure_ascii=False)}:{_encode(value[k])}" for k in sorted(value)
        )
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_encode, value)) + "]"
    if hasattr(value, "to_json"):
        return _encode(value.to_json())
    raise TypeError(f"json: unsupported type: {type(value).__name__}")


def numbers_as_go(value: Any) -> Any:
    """Return a copy of a decoded JSON value with every number a float, as Go decodes it."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return float(value)
    if isinstance(value, dict):
        return {key: numbers_as_go(item) for key, item in value.items()}
    if isinstance(value, list):
        return [numbers_as_go(item) for item in value]
    return value
