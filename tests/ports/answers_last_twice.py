# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: when it is told to stop, it answers the last case once more."""

import json
import sys

from miniature import reply, say

last = None
for line in sys.stdin:
    request = json.loads(line)
    if request["cmd"] == "stop":
        say(reply(last))
        break
    say(reply(request))
    last = request
