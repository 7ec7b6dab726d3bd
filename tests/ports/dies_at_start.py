# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: it dies before it says who it is."""

import sys

sys.exit("no licence for the flux compensator")
