# SPDX-License-Identifier: Apache-2.0
"""Schemas, objects that fit them or break them once, and instructions with placeholders.

An object has at most one defect: which of several a message names is left open, since ADK-Go
walks a map.
"""

from __future__ import annotations

import json
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from adkref.strategies.draws import Spec, cached, chance, some
from adkref.strategies.values import WORDS

#: Properties by name; ``inner`` is an object of its own.
_PLAIN: Final[dict[str, Spec]] = {
    "city": {"type": "STRING"},
    "n": {"type": "INTEGER"},
    "ok": {"type": "BOOLEAN"},
    "x": {"type": "NUMBER"},
    "tags": {"type": "ARRAY", "items": {"type": "STRING"}},
}
_GOOD: Final[dict[str, tuple[Any, ...]]] = {
    "city": WORDS,
    "n": (7, -2),
    "ok": (True, False),
    "x": (1.5, -0.25, 2),
    "tags": (["sun"], []),
}
_BAD: Final[dict[str, tuple[Any, ...]]] = {
    "city": (7,),
    "n": ("many", 1.5),
    "ok": ("yes",),
    "x": ("many",),
    "tags": (["a", 2], "sun"),
    "inner": ([1],),
}


@cached
@st.composite
def schemas(draw: DrawFn, *, depth: int = 1) -> Spec:
    """Draw a genai Schema of an object with one to three properties."""
    names = [*_PLAIN, "inner"] if depth else list(_PLAIN)
    chosen = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
    properties = {
        name: draw(schemas(depth=depth - 1)) if name == "inner" else _PLAIN[name]
        for name in sorted(chosen)
    }
    required = sorted(draw(st.sets(st.sampled_from(sorted(chosen)))))
    return {"type": "OBJECT", "properties": properties, "required": required}


@st.composite
def fitting(draw: DrawFn, schema: Spec) -> Spec:
    """Draw an object that fits *schema*."""
    found: Spec = {}
    for name, inner in schema["properties"].items():
        if name in schema["required"] or draw(chance(60)):
            found[name] = draw(fitting(inner) if name == "inner" else st.sampled_from(_GOOD[name]))
    return found


@st.composite
def objects(draw: DrawFn, schema: Spec) -> Spec:
    """Draw an object that mostly fits *schema*, else breaks it in one place."""
    found = draw(fitting(schema))
    if not draw(chance(40)):
        return found
    defects = ["unknown"]
    if found:
        defects.append("type")
    if required := [name for name in schema["required"] if name in found]:
        defects.append("missing")
    match draw(st.sampled_from(defects)):
        case "unknown":
            found["extra"] = 1
        case "type":
            name = draw(st.sampled_from(list(found)))
            found[name] = draw(st.sampled_from(_BAD[name]))
        case "missing":
            del found[draw(st.sampled_from(required))]
    return found


@st.composite
def answers(draw: DrawFn, schema: Spec) -> str:
    """Draw what a model answers that is asked for JSON: an object, or no JSON at all."""
    text = json.dumps(draw(objects(schema)))
    return draw(st.sampled_from((text, text, text, f"{text} tail", '{"city": ', "no json")))


# --- instructions -------------------------------------------------------------------------

#: State that placeholders can show, of every JSON type.
TEMPLATE_STATE: Final[Spec] = {
    "k1": "v",
    "big": 12345678,
    "flt": 0.5,
    "lst": ["a", 1],
    "mp": {"a": [2.5], "b": 1},
    "nul": None,
    "yes": True,
}
#: Placeholders that are filled, that stay as they are, and that make the step fail.
PLACEHOLDERS: Final = (
    "{k1}",
    "{k1?}",
    "{missing?}",
    "{big?}",
    "{flt?}",
    "{lst?}",
    "{mp?}",
    "{nul?}",
    "{yes?}",
    "{app:a?}",
    "{user:u?}",
    "{temp:t?}",
    "{k1 ?}",
    "{ k2? }",
    "{{k2?}}",
    "{{{k1?}}}",
    "${k1?}",
    "{artifact.note.txt?}",
    "{artifact.none.txt?}",
    "{}",
    "{9x}",
    "{a:b}",
    "{user:}",
    "{not a var}",
    '{"json": 1}',
    "{missing}",
    "{artifact.none.txt}",
)


@cached
@st.composite
def instructions(draw: DrawFn) -> str:
    """Draw an instruction with at most two placeholders."""
    found = draw(some(st.sampled_from(PLACEHOLDERS), 2))
    return " ".join(("Say", *found)) + "."
