# SPDX-License-Identifier: Apache-2.0
"""``python -m adkref`` is the ``adkref`` command."""

import sys

from adkref.cli import main

if __name__ == "__main__":
    sys.exit(main())
