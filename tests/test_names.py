# SPDX-License-Identifier: Apache-2.0
"""Tests of the names that the package itself has: all are there, and none costs before its use."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import adkref


def test_each_name_is_that_of_its_room():
    """What the package curates is what the rooms have."""
    found = {name: getattr(adkref, name) for name in adkref.__all__}
    assert found["Agent"] is __import__("adkref.agents", fromlist=["Agent"]).Agent
    assert all(each.__module__.startswith("adkref.") for each in found.values())
    assert set(adkref.__all__) <= set(dir(adkref))


def test_the_package_alone_loads_no_room():
    """Whoever only has it installed, as a pytest plugin, does not pay for it."""
    code = "import sys, json, adkref; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    loaded = [name for name in json.loads(done.stdout) if name.startswith("adkref")]
    assert loaded == ["adkref"]


def test_an_unknown_name_is_no_attribute():
    """The message is Python's own."""
    with pytest.raises(AttributeError, match="module 'adkref' has no attribute 'nothing'"):
        adkref.nothing  # noqa: B018 - asking is the test
