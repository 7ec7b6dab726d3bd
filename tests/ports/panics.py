# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: the implementation crashes in the second case, and the driver says so."""

from miniature import reply, requests, say

for request in requests():
    if request.get("scenario", {}).get("id") == "case-2":
        say({"id": request["id"], "panic": "index out of range [3] with length 3"})
    else:
        say(reply(request))
