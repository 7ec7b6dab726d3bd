# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it begins a reply and waits before its end."""

import json
import sys
import time

from miniature import reply, requests, say

for request in requests():
    if request["cmd"] == "run":
        sys.stdout.write(json.dumps(reply(request)))
        sys.stdout.flush()
        time.sleep(600)
    say(reply(request))
