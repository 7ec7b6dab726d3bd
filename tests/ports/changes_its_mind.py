# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: each process declares another choice, and the first one dies."""

import os
import sys

from miniature import HELLO, reply, requests, say

for request in requests():
    if request["cmd"] == "hello":
        say({**HELLO, "choices": {"RUN-055": f"by process {os.getpid()}"}})
    elif request["scenario"]["id"] == "case-2":
        sys.exit(1)
    else:
        say(reply(request))
