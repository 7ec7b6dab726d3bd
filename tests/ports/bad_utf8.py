# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: a text of its reply is Latin-1."""

import sys

from miniature import reply, requests, say

for request in requests():
    if request["cmd"] == "run":
        sys.stdout.buffer.write(b'{"id": %d, "error": "na\xefve"}\n' % request["id"])
        sys.stdout.flush()
    else:
        say(reply(request))
