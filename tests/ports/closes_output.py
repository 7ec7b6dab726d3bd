# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it closes its standard output at the first case and lives on."""

import os
import time

from miniature import reply, requests, say

for request in requests():
    if request["cmd"] == "run":
        os.close(1)
        time.sleep(600)
    say(reply(request))
