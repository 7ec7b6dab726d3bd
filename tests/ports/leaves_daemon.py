# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it leaves a process of another group behind, which holds its output open."""

import subprocess
import sys

from miniature import reply, requests, say

for request in requests():
    if request["cmd"] == "hello":
        subprocess.Popen(
            [sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True
        )
    say(reply(request))
