# SPDX-License-Identifier: Apache-2.0
"""Wrong in one way: the reference as the mutant that the command line names."""

import sys
from pathlib import Path

from adkref.conformance import driver
from adkref.conformance.mutants import registry
from adkref.conformance.mutants.worker import function_of

ROOT = Path(__file__).parents[2] / "conformance"

(mutant,) = registry.load(ROOT).named(sys.argv[1:])
driver.serve(sys.stdin.buffer, sys.stdout.buffer, play=function_of("play", mutant.graft), limit=60)
