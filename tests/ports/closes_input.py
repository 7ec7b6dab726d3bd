# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it closes its standard input after hello and lives on."""

import os
import time

from miniature import reply, requests, say

say(reply(next(requests())))
os.close(0)
time.sleep(600)
