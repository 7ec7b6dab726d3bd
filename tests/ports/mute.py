# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it never answers anything, not even hello."""

import sys

for _ in sys.stdin:
    pass
