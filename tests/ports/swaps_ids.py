# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it answers with the id of a request that nobody made."""

from miniature import reply, requests, say

for request in requests():
    message = reply(request)
    if "id" in message:
        message["id"] += 100
    say(message)
