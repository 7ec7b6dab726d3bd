# SPDX-License-Identifier: Apache-2.0
"""Masks: each takes out of a record, on both sides, what is known to differ."""

from __future__ import annotations

import re
from typing import Any, Final

from adkref.conformance.assumptions.assumption import Record
from adkref.conformance.assumptions.walk import contents_of, dicts, event_of, parts_of


def errors_by_presence(record: Record) -> Record:
    """Show that there is an error, not which."""
    if "error" in record:
        record["error"] = "$error"
        record.pop("error_kind", None)
    return record


def tool_errors_by_presence(record: Record) -> Record:
    """Show that a tool answered with an error, not with which."""
    for each in dicts(record):
        response = each.get("functionResponse")
        if isinstance(response, dict) and isinstance(response.get("response"), dict):
            _mask_error(response["response"])
    if isinstance(record.get("result"), dict):
        _mask_error(record["result"])
    return record


def _mask_error(answer: Record) -> None:
    if "error" in answer:
        for key in [key for key in answer if key != "error"]:
            del answer[key]
        answer["error"] = "$error"


def instructions_unseen(record: Record) -> Record:
    """Leave out the system instruction."""
    if isinstance(record.get("request"), dict):
        record["request"].pop("system_instruction", None)
    return record


def drop_node_info(record: Record) -> Record:
    """Leave out what a node runtime notes on an event."""
    event_of(record).pop("nodeInfo", None)
    return record


def drop_stopped(record: Record) -> Record | None:
    """Leave out that a body or a model's stream was stopped."""
    stopped = record["at"] == "body" and record.get("step") == "stopped"
    return None if stopped or record["at"] == "model_stopped" else record


def artifact_versions_unseen(record: Record) -> Record:
    """Leave out the numbers of artifact versions."""
    if record["at"] == "artifact":
        record.pop("version", None)
    for each in dicts(record):
        if isinstance(each.get("artifactDelta"), dict):
            each["artifactDelta"] = dict.fromkeys(each["artifactDelta"], "$version")
    return record


def late_ids_unseen(record: Record) -> Record:
    """Leave out generated ids of calls where after_model sees them."""
    if record.get("hook") == "after_model":
        _drop_generated(record.get("response"))
    return record


def sent_ids_unseen(record: Record) -> Record:
    """Leave out generated ids of calls in requests."""
    for content in contents_of(record):
        _drop_generated(content)
    return record


_GENERATED: Final = re.compile("adk-[0-9]+")


def _drop_generated(value: Any) -> None:
    for each in dicts(value):
        for key in ("functionCall", "functionResponse"):
            call = each.get(key)
            if isinstance(call, dict) and _GENERATED.fullmatch(str(call.get("id"))):
                del call["id"]


_CLOSINGS: Final = ("Handle the requests as ", "Continue processing previous requests as ")


def closing_content_unseen(record: Record) -> Record:
    """Leave out the user content that closes a request which ends otherwise."""
    contents = contents_of(record)
    if contents and str((parts_of(contents[-1]) or [{}])[0].get("text")).startswith(_CLOSINGS):
        contents.pop()
    return record


_FOREIGN: Final = "For context:"


def foreign_wording_unseen(record: Record) -> Record:
    """Show that a content tells of another agent, not in which words."""
    for content in contents_of(record):
        parts = parts_of(content)
        if parts and str(parts[0].get("text", "")).startswith(_FOREIGN):
            # How many parts tell it is wording too.
            content["parts"] = [{"text": "$foreign"}]
    return record


def empty_contents_unseen(record: Record) -> Record:
    """Leave contents without parts out of requests."""
    request = record.get("request")
    if isinstance(request, dict) and "contents" in request:
        request["contents"] = [it for it in request["contents"] if parts_of(it)]
    return record


def unanswered_calls_unseen(record: Record) -> Record:
    """Leave calls out of requests that no response in them answers."""
    contents = contents_of(record)
    answered: set[Any] = set()
    # From the end: a call is answered by what comes after it, by id or else by name.
    for content in reversed(contents):
        parts = parts_of(content)
        kept = []
        for part in parts:
            call = part.get("functionCall") if isinstance(part, dict) else None
            if call is None or (call.get("id") or call.get("name")) in answered:
                kept.append(part)
        for part in parts:
            answer = part.get("functionResponse") if isinstance(part, dict) else None
            if answer is not None:
                answered.add(answer.get("id") or answer.get("name"))
        if len(kept) < len(parts):
            content["parts"] = kept
    if isinstance(record.get("request"), dict):
        record["request"]["contents"] = [
            content for content in contents if parts_of(content) or "parts" not in content
        ]
    return record


#: Tools of the framework whose answers say nothing.
_SILENT: Final = ("transfer_to_agent", "exit_loop")


def silent_answers_unseen(record: Record) -> Record:
    """Leave out what transfer_to_agent and exit_loop answer."""
    for each in dicts(record):
        response = each.get("functionResponse")
        if isinstance(response, dict) and response.get("name") in _SILENT:
            response.pop("response", None)
    if record.get("hook") == "after_tool" and record.get("tool") in _SILENT:
        record.pop("result", None)
    return record


def empty_args_unseen(record: Record) -> Record:
    """Leave out arguments that are an empty object."""
    if record.get("args") == {}:
        del record["args"]
    return record


def final_error_by_presence(final: Record) -> Record:
    """Show that the session cannot be read, not why."""
    return {"error": "$error"} if "error" in final else final
