# SPDX-License-Identifier: Apache-2.0
"""A port as small as one can be, and right: what the odd ports beside it are wrong in one way of.

It plays a custom agent without a body, and skips everything else.
"""

import json
import sys

HELLO = {
    "implementation": "miniature",
    "version": "1",
    "language": "python",
    "format": "adk-scenario/1",
    "protocol": 1,
}


def reply(request):
    """Return the right reply to a request."""
    if request["cmd"] == "hello":
        return HELLO
    scenario = request["scenario"]
    agent = scenario["agent"]
    if agent["kind"] != "custom" or agent.get("body"):
        return {"id": request["id"], "skip": "bodies"}
    text = scenario["turns"][0]["user"]
    message = {
        "author": "user",
        "content": {"parts": [{"text": text}], "role": "user"},
        "invocationId": "inv-1",
    }
    trace = [
        {"at": "turn", "n": 1},
        {"at": "append", "event": message},
        {"at": "body", "agent": agent["name"], "step": "start"},
        {"at": "body", "agent": agent["name"], "step": "end"},
        {"at": "end"},
    ]
    return {"id": request["id"], "trace": trace, "final": {"events": 1, "state": {}}}


def requests():
    """Yield each request until stop."""
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "stop":
            return
        yield request


def say(message):
    """Write a reply."""
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    for each in requests():
        say(reply(each))
