# SPDX-License-Identifier: Apache-2.0
"""Right: it declares pipelining, takes what it is given, and answers the last request first."""

import json
import os
import select

from miniature import HELLO, reply, say

waiting, buffer = [], b""
while chunk := os.read(0, 1 << 16):
    *lines, buffer = (buffer + chunk).split(b"\n")
    requests = [json.loads(line) for line in lines]
    if any(request["cmd"] == "hello" for request in requests):
        say({**HELLO, "pipelining": True})
    waiting += [reply(request) for request in requests if request["cmd"] == "run"]
    while waiting and not select.select([0], [], [], 0.2)[0]:
        say(waiting.pop())
