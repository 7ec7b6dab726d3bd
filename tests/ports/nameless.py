# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it does not say which implementation it is."""

from miniature import reply, requests, say

for request in requests():
    message = reply(request)
    say({key: value for key, value in message.items() if key != "implementation"})
