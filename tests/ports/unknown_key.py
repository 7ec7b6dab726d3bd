# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: one record has a key too many."""

from miniature import reply, requests, say

for request in requests():
    message = reply(request)
    if "trace" in message:
        message["trace"][2]["depth"] = 1
    say(message)
