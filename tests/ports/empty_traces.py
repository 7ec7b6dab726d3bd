# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: its traces have no record."""

from miniature import reply, requests, say

for request in requests():
    message = reply(request)
    say({**message, "trace": []} if "trace" in message else message)
