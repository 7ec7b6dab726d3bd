# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: its reply is nested without end."""

from miniature import reply, requests, say

for request in requests():
    if request["cmd"] == "run":
        print(f'{{"id": {request["id"]}, "final": ' + "[" * 200_000, flush=True)
    else:
        say(reply(request))
