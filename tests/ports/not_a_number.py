# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: its JSON has a NaN, as some libraries write it."""

from miniature import reply, requests, say

for request in requests():
    message = reply(request)
    if "final" in message:
        message["final"]["state"] = {"k": float("nan")}
    say(message)
