# SPDX-License-Identifier: Apache-2.0
"""Assumptions: known divergences taken out of the way, so that what lies behind them shows.

The first difference of a case hides all later ones.  A port whose every error text is its own
differs at the first error of a case, and nobody learns whether it goes on as it should.  An
*assumption* is a named rewrite that takes one known divergence away, either from the scenario,
which is then played anew by both sides, or from both traces, in which it masks what is known to
differ.  It never touches one side alone, so it cannot make a port look better than it is: what
it hides has a name and rules, and stands in the port's baseline.

Everything here is a pure function on plain JSON; nothing that is given is changed.
"""

from adkref.conformance.assumptions.apply import changing, chosen, masked, masking, rewritten
from adkref.conformance.assumptions.assumption import Assumption
from adkref.conformance.assumptions.table import ASSUMPTIONS

__all__ = [
    "ASSUMPTIONS",
    "Assumption",
    "changing",
    "chosen",
    "masked",
    "masking",
    "rewritten",
]
