# SPDX-License-Identifier: Apache-2.0
"""Right, but it writes megabytes on standard error, some of it in one line."""

import sys

from miniature import reply, requests, say

for request in requests():
    sys.stderr.write("x" * 3_000_000 + "\n")
    sys.stderr.write("a line of the log\n" * 20_000)
    say(reply(request))
