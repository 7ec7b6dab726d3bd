# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it prints a banner before its reply to hello."""

from miniature import reply, requests, say

print("Welcome to Miniature 1.0!", flush=True)
for request in requests():
    say(reply(request))
