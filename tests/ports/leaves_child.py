# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it starts a process for each case and leaves it behind."""

import subprocess
import sys

from miniature import reply, requests, say

for request in requests():
    if request["cmd"] == "run":
        nothing = subprocess.DEVNULL
        subprocess.Popen(
            [sys.executable, "-c", "import time; time.sleep(600)"], stdin=nothing, stdout=nothing
        )
    say(reply(request))
