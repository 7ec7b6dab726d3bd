# SPDX-License-Identifier: Apache-2.0
"""What google-adk's conformance command records, written by hand."""

from __future__ import annotations

SPEC = {
    "description": "asks for the weather",
    "agent": "weather",
    "user_messages": [{"text": "sky?"}],
}


def call(name, id="adk-1", **args):
    """Return a part with a call."""
    return {"function_call": {"id": id, "name": name, "args": args}}


def answer(name, id="adk-1", **response):
    """Return a part with an answer."""
    return {"function_response": {"id": id, "name": name, "response": response}}


def said(*parts):
    """Return a response of a model."""
    parts = [{"text": part} if isinstance(part, str) else part for part in parts]
    return {"content": {"role": "model", "parts": parts}}


def declared(*names, reach=()):
    """Return the tools that a model is offered."""
    functions = [{"name": name, "description": f"Does {name}."} for name in names]
    if reach:
        schema = {"properties": {"agent_name": {"type": "string", "enum": list(reach)}}}
        functions.insert(0, {"name": "transfer_to_agent", "parameters_json_schema": schema})
    return [{"function_declarations": functions}] if functions else []


def asked(agent, *responses, tools=(), message=0, **config):
    """Return the recording of a model."""
    request = {"model": "gemini-x", "config": {**config, "tools": list(tools)}}
    return {
        "user_message_index": message,
        "agent_name": agent,
        "llm_recording": {"llm_request": request, "llm_responses": list(responses)},
    }


def used(agent, name, response, id="adk-1", message=0, **args):
    """Return the recording of a tool."""
    return {
        "user_message_index": message,
        "agent_name": agent,
        "tool_recording": {
            "tool_call": {"id": id, "name": name, "args": args},
            "tool_response": {"id": id, "name": name, "response": response},
        },
    }


def event(author, *parts, **fields):
    """Return a stored event."""
    parts = [{"text": part} if isinstance(part, str) else part for part in parts]
    role = "user" if author == "user" or "function_response" in str(parts) else "model"
    return {"author": author, "content": {"role": role, "parts": parts}, **fields}


#: One tool call and the answer.
LOOK = declared("look")
WEATHER = [
    asked("root", said(call("look", city="Oslo")), tools=LOOK),
    used("root", "look", {"sky": "blue"}, city="Oslo"),
    asked("root", said("blue"), tools=LOOK),
]
EVENTS = [
    event("user", "sky?"),
    event("root", call("look", city="Oslo")),
    event("root", answer("look", sky="blue")),
    event("root", "blue"),
]
