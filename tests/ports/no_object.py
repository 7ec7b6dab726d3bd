# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: its reply is a list."""

from miniature import reply, requests, say

for request in requests():
    say([reply(request)] if request["cmd"] == "run" else reply(request))
