# SPDX-License-Identifier: Apache-2.0
"""Disputes: what breaks a rule that is disputed is told apart, and fails nothing until it is settled.

A port that follows its own reading of such a rule must not be red for it, and must not be green
in silence either.  So the failures that point at the rule keep their difference, and say where the
dispute is held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve

from adkref.conformance.outcome import DIFFERENT
from adkref.conformance.rules.manifest import Dispute
from adkref.conformance.rules.registry import MANIFEST
from adkref.conformance.trial.result import DISPUTED, Known, Result


def applied(disputes: Mapping[str, Dispute], results: Sequence[Result]) -> list[Result]:
    """Return the results with each difference that points at a disputed rule told apart."""

    def judged(result: Result) -> Result:
        dispute = disputes.get(result.rule)
        if result.verdict != DIFFERENT or dispute is None:
            return result
        about = f"{dispute.rule} is disputed since {dispute.since}: {dispute.about}"
        known = Known(about, dispute.link, f"rules/{MANIFEST}")
        return evolve(result, verdict=DISPUTED, known=known)

    return [judged(result) for result in results]
