# SPDX-License-Identifier: Apache-2.0
"""Measure one case on one side, in this process, and print it as one line of JSON.

    python bench/measure.py SIDE CASE
    python bench/measure.py growth STORED

``run.py`` starts one such process per run.  Before the measured run, a small one fills
what is filled once per process (late imports, caches), on every side alike.
"""

from __future__ import annotations

import importlib
import json
import sys

from attrs import asdict
from cases import CASES, GROWTH_CASE, SIDES


def main(side: str, case: str) -> None:
    """Warm up, measure, print."""
    if side == GROWTH_CASE:
        from side_adkref import growth

        growth(stored=10)
        print(json.dumps(growth(stored=int(case))))
        return
    play = importlib.import_module(SIDES[side]).CASES[case]
    line = next(line for line in CASES if line.name == case)
    play(**line.warm_up)
    print(json.dumps(asdict(play(**line.sizes))))


if __name__ == "__main__":
    main(*sys.argv[1:])
