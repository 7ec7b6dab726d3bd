# SPDX-License-Identifier: Apache-2.0
"""Wrong ports are told what is wrong: the first line of the report names the rule."""

import io
import shlex
import sys
from pathlib import Path

import pytest
from rich.console import Console

from adkref.conformance import corpus
from adkref.conformance.port import Limits
from adkref.conformance.reports.terminal import print_report
from adkref.conformance.trial.report import Asked, conclude
from adkref.conformance.trial.run import Options, put

pytest.importorskip("adkref.conformance.mutants.worker", reason="there are no mutants yet")

HERE = Path(__file__).parent
CASES = HERE.parents[1] / "conformance" / "cases"

#: Mutants of ten kinds, each with the cases that are put to it and the rule that it breaks.
MUTANTS = [
    ("author-is-not-filled", "02-base-agent", "AGT-051"),
    ("body-runs-though-ended", "02-base-agent", "AGT-045"),
    ("callback-error-has-no-prefix", "02-base-agent", "CB-013"),
    ("sequence-stops-at-an-error", "03-sequential-loop", "SEQ-002"),
    ("escalation-cuts-the-child", "03-sequential-loop", "LOOP-003"),
    ("lanes-repeat-no-name", "04-parallel", "PAR-003"),
    ("one-thought-makes-a-thought-only-turn", "06-flow", "FLOW-005"),
    ("long-running-ids-are-missing", "07-tools", "TOOL-040"),
    ("callbacks-are-asked-backwards", "11-plugins", "PLG-010"),
    ("before-model-error-is-ignored", "12-errors", "PLG-080"),
]


@pytest.mark.parametrize(("mutant", "cases", "rule"), MUTANTS)
def test_the_first_line_names_the_rule(mutant, cases, rule):
    """A port that breaks one rule is told that rule first."""
    command = shlex.join([sys.executable, str(HERE / "mutant.py"), mutant])
    options = Options(limits=Limits(start=120, case=120))
    run = put(command, corpus.read(CASES / f"{cases}.jsonl"), options)
    out = io.StringIO()
    print_report(Console(file=out, width=120), conclude(Asked(command=command), run), 0)
    assert out.getvalue().startswith(f"{rule} is most likely broken: ")
