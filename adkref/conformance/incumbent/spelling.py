# SPDX-License-Identifier: Apache-2.0
"""From google-adk's spelling of contents, responses and schemas to the format's."""

from __future__ import annotations

import re
from typing import Any, Final

from adkref.conformance.faults import JsonPath
from adkref.conformance.incumbent.reading import Data, Unsupported
from adkref.conformance.schema import first_violation

#: Keys below which the user's own data begins; nothing in it is respelled.
_OWN: Final = frozenset(
    ("args", "response", "state_delta", "custom_metadata", "payload", "output", "artifact_delta")
)
_WORD: Final = re.compile(r"_([a-z])")

#: Fields of a response that change nothing for whoever runs an agent.
_IDLE: Final = frozenset(
    (
        *("cache_metadata", "interaction_id", "environment_id", "interaction_status"),
        *("usage_metadata", "model_version", "avg_logprobs", "logprobs_result"),
    )
)


def camel(value: Any) -> Any:
    """Return data whose keys are spelled with capitals inside; what is null is left out."""
    if isinstance(value, dict):
        return {
            _WORD.sub(lambda match: match[1].upper(), key): it if key in _OWN else camel(it)
            for key, it in value.items()
            if it is not None
        }
    if isinstance(value, list):
        return [camel(item) for item in value]
    return value


def response(data: Data, file: str, path: JsonPath) -> Any:
    """Return a model's response as a scenario has it, a text if that is all that there is."""
    kept = {key: value for key, value in data.items() if key not in _IDLE}
    found = _without_generated(camel(kept))
    if (wrong := first_violation("scenario", found, "response_object")) is not None:
        raise Unsupported(file, (*path, *wrong.path), f"cannot be scripted: {wrong.problem}")
    if set(found) == {"content"} and found["content"].get("role") == "model":
        parts = found["content"].get("parts") or []
        if len(parts) == 1 and set(parts[0]) == {"text"}:
            return parts[0]["text"]
    return found


def content(data: Data, file: str, path: JsonPath) -> Data:
    """Return a content of the user."""
    found: Data = camel(data)
    if (wrong := first_violation("scenario", found, "content_object")) is not None:
        raise Unsupported(file, (*path, *wrong.path), f"cannot be expressed: {wrong.problem}")
    return found


def _without_generated(data: Data) -> Data:
    """Take away the ids that were made up for calls that had none."""
    for part in (data.get("content") or {}).get("parts") or ():
        call = part.get("functionCall")
        if isinstance(call, dict):
            if str(call.get("id", "")).startswith("adk-"):
                del call["id"]
            # A call without arguments has an empty object of them.
            call.setdefault("args", {})
        part.pop("thoughtSignature", None)
    return data


def parameters(declaration: Data) -> Data | None:
    """Return the JSON schema of a tool's arguments, or None if none is declared."""
    if (given := declaration.get("parameters_json_schema")) is not None:
        return dict(given)
    schema = declaration.get("parameters")
    return None if schema is None else _json_schema(schema)


def _json_schema(schema: Any) -> Any:
    """Return a schema of genai as a JSON schema: types are small, keys are camel."""
    if not isinstance(schema, dict):
        return schema
    out: Data = {}
    for key, value in schema.items():
        if key == "type":
            out["type"] = str(value).lower()
        elif key == "properties":
            out["properties"] = {name: _json_schema(it) for name, it in value.items()}
        elif key == "items":
            out["items"] = _json_schema(value)
        elif key == "any_of":
            out["anyOf"] = [_json_schema(it) for it in value]
        elif key in ("required", "enum", "description", "title", "default"):
            out[key] = value
    return out
