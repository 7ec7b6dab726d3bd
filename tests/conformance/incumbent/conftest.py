# SPDX-License-Identifier: Apache-2.0
"""Folders as google-adk's conformance command leaves them."""

from __future__ import annotations

import copy

import pytest
import yaml
from recorded import SPEC


@pytest.fixture
def write(tmp_path):
    """Write a folder with a case and return its root."""

    def write(recordings, events=None, *, name="basic/one", mode="", **spec):
        folder = tmp_path / "cases" / name
        folder.mkdir(parents=True, exist_ok=True)
        files = {
            "spec.yaml": {**copy.deepcopy(SPEC), **spec},
            f"generated-recordings{mode}.yaml": {"recordings": recordings},
        }
        if events is not None:
            files[f"generated-session{mode}.yaml"] = {"id": "s", "state": {}, "events": events}
        for file, data in files.items():
            if data.get("recordings", True) is not None:
                (folder / file).write_text(yaml.safe_dump(data, sort_keys=False))
        return tmp_path / "cases"

    return write
