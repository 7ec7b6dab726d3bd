# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it dies at the second case that it is asked for, and at no other."""

import os
import sys

from miniature import reply, requests, say

for request in requests():
    if request.get("scenario", {}).get("id") == "case-2":
        print("about to fall", file=sys.stderr, flush=True)
        os.kill(os.getpid(), 11)
    say(reply(request))
