# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: a reply has a trace and an error."""

from miniature import reply, requests, say

for request in requests():
    message = reply(request)
    if "trace" in message:
        message["error"] = "but"
    say(message)
