# SPDX-License-Identifier: Apache-2.0
"""The clock that all sides use."""

from __future__ import annotations

import gc
import time
from typing import Self


class Stopwatch:
    """Measures a ``with`` block in seconds.

    What the preparation has left behind is collected first, so that its garbage is not
    charged to the block; the collector itself stays on.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._start = 0.0

    def __enter__(self) -> Self:
        gc.collect()
        self.restart()
        return self

    def restart(self) -> None:
        """Measure from here on."""
        self._start = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self._start
