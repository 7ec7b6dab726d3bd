# SPDX-License-Identifier: Apache-2.0
"""Tests of objects for schemas: they fit, or break the schema in one place."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from adkref.strategies import fitting, objects, schemas

_TYPES = {
    "STRING": str,
    "INTEGER": int,
    "BOOLEAN": bool,
    "NUMBER": (int, float),
    "ARRAY": list,
    "OBJECT": dict,
}


def fits(kind, value):
    """Tell whether a value has a type of genai."""
    if kind in ("INTEGER", "NUMBER") and isinstance(value, bool):
        return False
    return isinstance(value, _TYPES[kind])


def defects(schema, found):
    """Return what is wrong with an object, at its first level and below."""
    wrong = [("unknown", name) for name in found if name not in schema["properties"]]
    wrong += [("missing", name) for name in schema["required"] if name not in found]
    for name, value in found.items():
        inner = schema["properties"].get(name, {"type": "NUMBER"})
        if not fits(inner["type"], value):
            wrong.append(("type", name))
        elif inner["type"] == "OBJECT":
            wrong += defects(inner, value)
        elif inner["type"] == "ARRAY" and not all(isinstance(item, str) for item in value):
            wrong.append(("type", name))
    return wrong


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_an_object_has_at_most_one_defect(data):
    """Which of several defects a message names is left open, so there is never a second."""
    schema = data.draw(schemas())
    assert defects(schema, data.draw(fitting(schema))) == []
    assert len(defects(schema, data.draw(objects(schema)))) <= 1
