# SPDX-License-Identifier: Apache-2.0
"""Ports that are wrong in one way, and rigs for them."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from adkref.conformance.fuzz.rig import Options, Rig
from adkref.conformance.port import Limits

PORT = Path(__file__).parents[2] / "ports" / "fuzzed.py"


def wrong(way):
    """Return the command of a port that is wrong in a way."""
    return shlex.join([sys.executable, str(PORT), way])


@pytest.fixture
def rig():
    """Return what makes a rig for a port that is wrong in a way; it is closed in the end."""
    made = []

    def make(way, *, case=60.0, **options):
        limits = Limits(start=60, case=case, stop=10)
        one = Rig(wrong(way), Options(limits=limits, **options))
        made.append(one)
        one.greet()
        return one

    yield make
    for each in made:
        each.close()
