# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it dies in the middle of a reply."""

import json
import sys

from miniature import reply, requests, say

for request in requests():
    if request["cmd"] == "run":
        sys.stdout.write(json.dumps(reply(request))[:80])
        sys.stdout.flush()
        sys.exit(1)
    say(reply(request))
