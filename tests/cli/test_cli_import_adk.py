# SPDX-License-Identifier: Apache-2.0
"""Tests of ``adkref import-adk``."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

SPEC = {"description": "d", "agent": "weather", "user_messages": [{"text": "hi"}]}


def asked(agent, text):
    """Return the recording of a model that says a text."""
    content = {"role": "model", "parts": [{"text": text}]}
    return {
        "user_message_index": 0,
        "agent_name": agent,
        "llm_recording": {
            "llm_request": {"model": "m"},
            "llm_responses": [{"content": content}],
        },
    }


def event(author, text):
    """Return a stored event."""
    role = "user" if author == "user" else "model"
    return {"author": author, "content": {"role": role, "parts": [{"text": text}]}}


def write(name, recordings, events=None):
    """Write the folder of a case."""
    folder = Path("cases") / name
    folder.mkdir(parents=True)
    (folder / "spec.yaml").write_text(yaml.safe_dump(SPEC))
    files = {"recordings": {"recordings": recordings}, "session": {"events": events}}
    for key, data in files.items():
        if events is not None or key == "recordings":
            (folder / f"generated-{key}.yaml").write_text(yaml.safe_dump(data))


def test_cases_become_a_corpus(run, project):
    """Each case is told of, and what was imported can be verified."""
    write("basic/same", [asked("root", "x")], [event("user", "hi"), event("root", "x")])
    write("basic/other", [asked("root", "x")], [event("user", "hi"), event("root", "y")])
    write("basic/alone", [asked("root", "x")])
    code, out, err = run("import-adk", "cases", "--out", "new/cases.jsonl")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "basic/alone: imported; there is no session to compare with",
        (
            'basic/other: imported; played otherwise: event 2, $.parts[0].text: recorded "y", '
            'the reference has "x"'
        ),
        "basic/same: imported, 2 events as recorded",
        "3 of 3 cases imported, written to new/cases.jsonl",
    ]
    lines = Path("new/cases.jsonl").read_text().splitlines()
    assert [json.loads(line)["scenario"]["id"] for line in lines] == [
        "adk/basic/alone",
        "adk/basic/other",
        "adk/basic/same",
    ]
    code, out, _ = run("verify", "new/cases.jsonl")
    assert (code, "3 of 3 cases are equal" in out) == (0, True)


def test_what_cannot_be_imported_is_told_and_counted(run, project):
    """The exit code says that something is missing; nothing is written if nothing was got."""
    write("basic/two", [asked("a", "x"), asked("b", "y")])
    code, out, _ = run("import-adk", "cases")
    assert code == 1
    assert out.splitlines()[0].startswith(
        "basic/two: not imported: generated-recordings.yaml: $.recordings[1].agent_name: 'b' runs"
    )
    assert out.splitlines()[1] == "0 of 1 cases imported"
    assert not Path("adk-cases.jsonl").exists()


def test_json(run, project):
    """One line for each case."""
    write("basic/same", [asked("root", "x")], [event("user", "hi"), event("root", "x")])
    write("basic/two", [asked("a", "x"), asked("b", "y")])
    code, out, _ = run("import-adk", "cases", "--json")
    one, two = map(json.loads, out.splitlines())
    assert code == 1
    assert one == {"name": "basic/same", "events": 2, "differs": ""}
    assert set(two) == {"name", "unsupported"}


def test_a_folder_without_cases_is_bad_input(run, project):
    """The message names it."""
    Path("cases").mkdir()
    assert run("import-adk", "cases") == (2, "", "adkref: cases: holds no spec.yaml\n")
    assert run("import-adk", "none") == (2, "", "adkref: none: no such folder\n")
