# SPDX-License-Identifier: Apache-2.0
"""What an assumption is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

Spec = dict[str, Any]
Record = dict[str, Any]


@frozen
class Assumption:
    """One known divergence that is taken out of the way."""

    name: str
    #: What is assumed, in one sentence.
    sentence: str
    #: The rules that cannot be judged under it.
    rules: tuple[str, ...]
    #: Changes a scenario, which is a copy, in place; None if scenarios stay.
    scenario: Callable[[Spec], None] | None = None
    #: Returns a record, a copy that may be changed, or None to drop it; None if records stay.
    record: Callable[[Record], Record | None] | None = None
    #: Likewise for the final state.
    final: Callable[[Record], Record] | None = None
