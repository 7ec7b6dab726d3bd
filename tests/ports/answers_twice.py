# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it answers the second case twice."""

from miniature import reply, requests, say

for request in requests():
    say(reply(request))
    if request.get("scenario", {}).get("id") == "case-2":
        say(reply(request))
