# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it plays a format that is not this one."""

from miniature import HELLO, reply, requests, say

for request in requests():
    say({**HELLO, "formats": ["adk-scenario/9"]} if request["cmd"] == "hello" else reply(request))
