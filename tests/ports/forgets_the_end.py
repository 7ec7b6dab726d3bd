# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: the last record is missing from its traces."""

from miniature import reply, requests, say

for request in requests():
    message = reply(request)
    if "trace" in message:
        del message["trace"][-1]
    say(message)
