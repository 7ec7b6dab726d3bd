# SPDX-License-Identifier: Apache-2.0
"""Tests of drawing many examples without a test."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import islice

from adkref.strategies import GROUPS, samples

_PRINT = """
import json
from itertools import islice
from adkref.strategies import GROUPS, samples
print(json.dumps(list(islice(samples(GROUPS["flow"](), 5), 30))))
"""


def test_a_seed_draws_the_same_examples_in_any_process():
    """Two processes and two runs in one of them draw the same; another seed draws others."""
    one, other = (
        subprocess.run([sys.executable, "-c", _PRINT], capture_output=True, check=True).stdout
        for _ in range(2)
    )
    assert one == other
    here = [list(islice(samples(GROUPS["flow"](), start), 30)) for start in (5, 5, 6)]
    assert here[0] == here[1] != here[2]
    assert len(json.loads(one)) == 30


def test_examples_never_run_out():
    """Batch follows on batch, and the later ones are no copies of the first."""
    found = [json.dumps(each) for each in islice(samples(GROUPS["history"](), 1), 80)]
    assert len(found) == 80
    assert set(found[50:]) - set(found[:50])
