# SPDX-License-Identifier: Apache-2.0
"""``adkref drift``: a record is made, held, and told of where a place has changed."""

from __future__ import annotations

import json
from pathlib import Path


def test_a_record_and_a_change(run, tmp_path, monkeypatch):
    """The same checkout is 0; a changed file is 1, with the rules that cite it."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "go" / "runner" / "runner.go"
    file.parent.mkdir(parents=True)
    file.write_text("package runner", encoding="utf-8")
    asked = ("drift", "go", "--record", "sources.yaml")
    code, _, err = run(*asked)
    assert (code, err) == (
        2,
        "adkref: sources.yaml: there is no record; `adkref drift DIR --write` makes one\n",
    )
    assert run(*asked, "--write")[:2] == (0, "1 places are recorded in sources.yaml\n")
    code, out, _ = run(*asked)
    assert code == 0
    assert out.splitlines()[-1] == "1 places are the same, 0 rules are to be read"
    file.write_text("package other", encoding="utf-8")
    code, out, _ = run(*asked)
    assert code == 1
    (line,) = [line for line in out.splitlines() if line.startswith("changed")]
    assert "runner/runner.go" in line
    assert "RUN-064" in line
    code, out, _ = run(*asked, "--json")
    assert (code, "RUN-064" in json.loads(out)["to_read"]) == (1, True)
    assert Path("sources.yaml").read_text(encoding="utf-8").count("runner/runner.go") == 1
