# SPDX-License-Identifier: Apache-2.0
"""What a trace shows of the port's objects, in the JSON form of the format's page."""

from __future__ import annotations

import json
import re
from typing import Any

Record = dict[str, Any]

#: Where the user's own data begins: it is shown as it is.
USER_DATA = {
    "stateDelta",
    "artifactDelta",
    "args",
    "response",
    "output",
    "customMetadata",
    "payload",
}
#: An empty object stays under these: an event with an empty content is not one without.
KEPT_WHEN_EMPTY = {"content", "text"}


def plain(value: Any) -> Any:
    """Return a copy of *value* in JSON types."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True)
    return json.loads(json.dumps(value, default=str))


def pruned(value: Any) -> Any:
    """Return *value* without null, "", false, [] and {}, the user's own data apart."""
    if isinstance(value, list):
        return [pruned(item) for item in value]
    if not isinstance(value, dict):
        return value
    out = {}
    for key, item in value.items():
        if key in USER_DATA:
            if item is not None and item != {}:
                out[key] = item
            continue
        small = pruned(item)
        if small is None or small is False or small == "" or small == []:
            continue
        if small == {} and key not in KEPT_WHEN_EMPTY:
            continue
        out[key] = small
    return out


def shown(value: Any) -> Any:
    """Return what a trace shows of a content or a response; None of nothing."""
    return None if value is None else pruned(plain(value))


def event_json(event: Any) -> Record:
    """Return an event without its own id and time."""
    fields = plain(event)
    fields.pop("id", None)
    fields.pop("timestamp", None)
    out: Record = pruned(fields)
    return out


def request_json(request: Any) -> Record:
    """Return what a trace shows of a request to a model."""
    out: Record = {}
    if request.model:
        out["model"] = request.model
    out["contents"] = [shown(content) for content in request.contents]
    config = request.config
    if config is None:
        return out
    instruction = config.system_instruction
    if instruction:
        out["system_instruction"] = (
            [instruction]
            if isinstance(instruction, str)
            else [part.text for part in instruction.parts]
        )
    names = [
        declaration.name
        for tool in config.tools or []
        for declaration in getattr(tool, "function_declarations", None) or []
    ]
    if names:
        out["tools"] = names
    if config.response_schema or config.response_json_schema:
        out["response_schema"] = True
    if config.response_mime_type:
        out["response_mime_type"] = config.response_mime_type
    return out


_ID = re.compile(r"(e-|adk-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TOOL_LIST = "Available tools: "
_TOOL_NAMES = re.compile(rf'(?<={_TOOL_LIST})(?:[^\\"]|\\[^n"\\])+')


class Names:
    """Names generated ids by first appearance.

    This works on JSON as text with its keys sorted, which meets the records in order, each
    one's keys in order and a key before its value.
    """

    def __init__(self) -> None:
        self._invocations: dict[str, str] = {}
        self._others: dict[str, str] = {}

    def walk(self, value: Any) -> Any:
        """Return *value* with every generated id named, and lists of tools sorted."""
        text = json.dumps(value, sort_keys=True, default=str)
        text = _TOOL_NAMES.sub(lambda match: ", ".join(sorted(match[0].split(", "))), text)
        return json.loads(_ID.sub(self._name, text))

    def _name(self, match: re.Match[str]) -> str:
        prefix = match[1]
        if prefix == "e-":
            names, label = self._invocations, "inv"
        else:
            names, label = self._others, "adk" if prefix else "id"
        return names.setdefault(match[0], f"{label}-{len(names) + 1}")
