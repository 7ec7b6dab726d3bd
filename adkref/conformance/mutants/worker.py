# SPDX-License-Identifier: Apache-2.0
"""What a worker process does for a mutant: become it, then judge or play like any other.

The pool of :mod:`adkref.conformance.workers` knows a function by its name, so the name carries
the graft: ``…mutants.worker:check {"module": …, "find": …, "replace": …}``.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from typing import Any, Final

from attrs import asdict

from adkref.conformance.mutants.graft import Graft, apply

#: What a worker may be asked to do, and the function that does it.
ROLES: Final = {
    "check": ("adkref.conformance.judge", "check"),
    "play": ("adkref.conformance.player", "play"),
}


def function_of(role: str, graft: Graft) -> str:
    """Return the name under which a worker finds the function of *role* in the mutant."""
    assert role in ROLES
    return f"{__name__}:{role} {json.dumps(asdict(graft))}"


def __getattr__(name: str) -> Callable[[Any], Any]:
    role, _, given = name.partition(" ")
    if role not in ROLES or not given:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    apply(Graft(**json.loads(given)))
    module, function = ROLES[role]
    found: Callable[[Any], Any] = getattr(importlib.import_module(module), function)
    return found
