# SPDX-License-Identifier: Apache-2.0
"""Right, but older than request ids: it answers with the scenario's id and knows no stop."""

import json
import sys

from miniature import HELLO, reply, say

for line in sys.stdin:
    request = json.loads(line)
    if request["cmd"] == "hello":
        say({key: value for key, value in HELLO.items() if key != "protocol"})
    elif request["cmd"] == "run":
        say({**reply(request), "id": request["scenario"]["id"]})
    else:
        say({"error": f"unknown cmd {request['cmd']}"})
