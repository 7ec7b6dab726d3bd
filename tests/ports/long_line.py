# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: its reply is a line of 100 MB."""

import sys

from miniature import reply, requests, say

for request in requests():
    if request["cmd"] == "run":
        sys.stdout.write('{"id": 1, "error": "')
        for _ in range(100):
            sys.stdout.write("x" * 1_000_000)
        sys.stdout.write('"}\n')
        sys.stdout.flush()
    else:
        say(reply(request))
