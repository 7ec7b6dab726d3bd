# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it prints what it does between its replies."""

from miniature import reply, requests, say

for request in requests():
    if request["cmd"] == "run":
        print("now playing:", request["scenario"]["id"])
    say(reply(request))
