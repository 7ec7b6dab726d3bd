# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it says that the second case took too long, and that the third is bad."""

from miniature import reply, requests, say

for request in requests():
    errors = {"case-2": "timeout", "case-3": "bad scenario: I do not like it"}
    error = errors.get(request.get("scenario", {}).get("id"))
    say({"id": request["id"], "error": error} if error else reply(request))
