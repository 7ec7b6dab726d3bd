# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it answers a case with lines without end."""

from miniature import reply, requests, say

for request in requests():
    message = reply(request)
    while request["cmd"] == "run":
        say(message)
    say(message)
