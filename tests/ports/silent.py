# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it never answers a run."""

from miniature import reply, requests, say

for request in requests():
    if request["cmd"] == "hello":
        say(reply(request))
