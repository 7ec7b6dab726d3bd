# SPDX-License-Identifier: Apache-2.0
"""Right, but slow: it answers within the limit, and a long reply comes in pieces."""

import json
import sys
import time

from miniature import reply, requests

for request in requests():
    text = json.dumps(reply(request)) + "\n"
    for start in range(0, len(text), 200):
        sys.stdout.write(text[start : start + 200])
        sys.stdout.flush()
        time.sleep(0.05)
