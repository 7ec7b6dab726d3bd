# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it reads hello and nothing after it."""

import time

from miniature import reply, requests, say

say(reply(next(requests())))
time.sleep(600)
