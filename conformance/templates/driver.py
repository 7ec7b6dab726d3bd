#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A driver to start from, in Python.  Copy it, and put your port where it says YOUR PORT.

It plays custom agents that yield events with texts and skips everything else.  Try it with
    adkref test --port 'python driver.py' smallest.jsonl
"""

import json
import re
import sys
import traceback
import uuid

HELLO = {
    "implementation": "template-python",
    "version": "0.1.0",
    "language": "python",
    "format": "adk-scenario/1",
    "protocol": 1,
    # What your port cannot do yet, by the kit's names: it is not asked for scenarios with these.
    "skips": ["llm", "sequential", "loop", "parallel", "plugins", "agent_callbacks", "workflow"],
    # What your port does where a rule leaves the choice to ports: rule id to the choice's name.
    "choices": {},
}


class Skip(Exception):
    """The scenario needs what is not here yet; the text names it."""


def play(scenario):
    """Play one scenario and return its trace and the final state of the session."""
    keys(scenario, "format", "id", "title", "rules", "ordering", "session", "agent", "turns")
    session = scenario.get("session", {})
    keys(session, "app", "user", "id", "state")
    agent = scenario["agent"]
    keys(agent, "kind", "name", "description", "body")
    if agent["kind"] != "custom":
        raise Skip(agent["kind"])
    trace = []

    def record(at, **fields):
        trace.append({"at": at, **{k: v for k, v in fields.items() if v not in (None, "")}})

    # YOUR PORT: build agents, plugins and runner; create the session.
    store = Session(session, record)
    for number, turn in enumerate(scenario.get("turns", []), 1):
        keys(turn, "user")
        record("turn", n=number)
        for event in run(store, agent, turn.get("user"), record):
            record("yield", event=shown(event))
        record("end")
    return {"trace": named(trace), "final": {"state": store.state, "events": len(store.events)}}


def body(agent, invocation, record):
    """Run the scripted body of a custom agent: this is the code of a user of your port."""
    record("body", agent=agent["name"], step="start")
    for op in agent.get("body", []):
        keys(op, "yield")
        event = op["yield"]
        keys(event, "author", "content")
        yield {
            "id": str(uuid.uuid4()),
            "invocationId": invocation,
            "author": event.get("author", ""),
            "content": content(event.get("content"), "model"),
        }
        record("body", agent=agent["name"], step="resumed")
    record("body", agent=agent["name"], step="end")


# --- YOUR PORT instead of what follows: the smallest runner and session that one can have -----


class Session:
    def __init__(self, spec, record):
        if not spec.get("app") or not spec.get("user"):
            raise Skip("sessions without app or user")
        self.state, self.events, self.record = dict(spec.get("state", {})), [], record

    def append(self, event):
        self.events.append(event)
        self.record("append", event=shown(event))


def run(session, agent, message, record):
    invocation = f"e-{uuid.uuid4()}"
    if message is not None:
        user = {"author": "user", "invocationId": invocation, "content": content(message, "user")}
        session.append(user)
    for event in body(agent, invocation, record):
        is_user = (event["content"] or {}).get("role") == "user"
        event["author"] = event["author"] or ("user" if is_user else agent["name"])
        session.append(event)
        yield event


# --- what every driver needs ------------------------------------------------------------------


def keys(spec, *known):
    """Skip a scenario that has more than is known here."""
    for key in spec:
        if key not in known:
            raise Skip(key)


def content(spec, role):
    if spec is None or isinstance(spec, dict):
        return spec
    return {"role": role, "parts": [{"text": spec}]}


def shown(event):
    """Return an event as traces show it: without its own id and time, and without what is empty."""
    fields = {k: v for k, v in event.items() if k not in ("id", "timestamp")}
    return {k: v for k, v in fields.items() if v not in (None, "", False, [], {})}


def named(value):
    """Rename generated ids by first appearance: inv-1 for e-UUID, adk-1 for adk-UUID, id-1."""
    names, counts = {}, {"inv": 0, "other": 0}

    def name(match):
        if match[0] not in names:
            kind = {"e-": "inv", "adk-": "adk", None: "id"}[match[1]]
            counts["inv" if kind == "inv" else "other"] += 1
            names[match[0]] = f"{kind}-{counts['inv' if kind == 'inv' else 'other']}"
        return names[match[0]]

    pattern = "(e-|adk-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    return json.loads(re.sub(pattern, name, json.dumps(value, sort_keys=True)))


for line in sys.stdin:
    try:
        request = json.loads(line)
        identity = {"id": request["id"]} if "id" in request else {}
        if request["cmd"] == "stop":
            break
        answer = HELLO if request["cmd"] == "hello" else {**identity, **play(request["scenario"])}
    except Skip as skip:
        answer = {**identity, "skip": str(skip)}
    except Exception:
        answer = {**identity, "panic": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
