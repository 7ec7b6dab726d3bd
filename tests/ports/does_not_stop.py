# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it does not end, neither by stop nor with its input."""

import signal
import time

from miniature import reply, requests, say

signal.signal(signal.SIGTERM, signal.SIG_IGN)
for request in requests():
    say(reply(request))
time.sleep(600)
