# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies for scenarios and their parts.

A strategy draws plain JSON of the scenario format.  ``scenarios("flow")`` draws whole
scenarios of a group, :data:`GROUPS` names the groups; the other strategies draw parts, for
whoever makes scenarios of his own.

:data:`VERSION` says what a seed draws: with the same version of the strategies and of
Hypothesis, a seed draws the same scenarios.  Its first number rises when a strategy is gone or
draws what it said it would not, the second when there is more to draw, the third otherwise.
"""

from __future__ import annotations

from typing import Final

try:
    import hypothesis as _hypothesis
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "adkref.strategies needs Hypothesis: pip install 'adkref[fuzz]'", name=error.name
    ) from error

from adkref.strategies.bodies import actions, bodies, events
from adkref.strategies.draws import ALONE, Scope
from adkref.strategies.groups import GROUPS, scenarios
from adkref.strategies.hooks import builtin_plugins, callbacks, ops, plugins, rules
from adkref.strategies.models import Callee, callees, model_turns, models
from adkref.strategies.samples import samples
from adkref.strategies.schemas import fitting, instructions, objects, schemas
from adkref.strategies.sessions import faults, histories, sessions, turns
from adkref.strategies.tools import several_tools, tools
from adkref.strategies.trees import Below, Style, Tree, agents
from adkref.strategies.values import contents, state_maps, texts

#: The version of the strategies.
VERSION: Final = "1.0.0"
#: The version of Hypothesis, on which it depends as well what a seed draws.
HYPOTHESIS: Final = _hypothesis.__version__

__all__ = [
    "ALONE",
    "GROUPS",
    "HYPOTHESIS",
    "VERSION",
    "Below",
    "Callee",
    "Scope",
    "Style",
    "Tree",
    "actions",
    "agents",
    "bodies",
    "builtin_plugins",
    "callbacks",
    "callees",
    "contents",
    "events",
    "faults",
    "fitting",
    "histories",
    "instructions",
    "model_turns",
    "models",
    "objects",
    "ops",
    "plugins",
    "rules",
    "samples",
    "scenarios",
    "schemas",
    "sessions",
    "several_tools",
    "state_maps",
    "texts",
    "tools",
    "turns",
]
