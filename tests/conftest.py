# SPDX-License-Identifier: Apache-2.0
"""Makes tests/kit.py importable from every folder, and gives properties the time they need."""

from __future__ import annotations

from hypothesis import settings

# A busy machine is no fault of the code: no example is judged by the clock.
settings.register_profile("adkref", deadline=None)
settings.load_profile("adkref")
