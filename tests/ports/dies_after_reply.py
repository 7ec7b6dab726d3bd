# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it answers each case rightly and then is gone."""

import sys

from miniature import reply, requests, say

for request in requests():
    say(reply(request))
    if request["cmd"] == "run":
        sys.exit(4)
