# SPDX-License-Identifier: Apache-2.0
"""Wrong in the way that the command line names: a port that plays everything, as it should else."""

import json
import os
import sys
import time

from miniature import HELLO, requests, say

from adkref.conformance.canonical import lane_of
from adkref.conformance.kinds import kind_of
from adkref.conformance.player import play

WAY = sys.argv[1] if len(sys.argv) > 1 else "sound"


def has(scenario, text):
    """Tell whether a scenario's JSON has some text in it."""
    return text in json.dumps(scenario)


def without_authors(scenario, answer):
    """Leave out who wrote an event that is stored."""
    for record in answer["trace"]:
        if record["at"] == "append":
            record["event"].pop("author", None)


def without_errors(scenario, answer):
    """Go on after an error as if there were none."""
    answer["trace"] = [record for record in answer["trace"] if "error" not in record]


def with_state(scenario, answer):
    """Have more in the final state than there is."""
    answer.setdefault("final", {})["state"] = {"more": 1}


def by_lanes(scenario, answer):
    """Play one lane after the other."""
    if scenario.get("ordering") == "lanes":
        answer["trace"].sort(key=lane_of)


def in_own_words(scenario, answer):
    """Have other words for an error, and say of which kind it is."""
    for record in answer["trace"]:
        if "error" in record and (kind := kind_of(record["error"])):
            record["error_kind"] = kind
            record["error"] = "oops"


def hangs(scenario, answer):
    """Never answer where there is a loop."""
    if has(scenario, '"kind": "loop"'):
        time.sleep(600)


def dies(scenario, answer):
    """Die where there is a plugin."""
    if has(scenario, '"plugins": [{'):
        print("Segmentation fault", file=sys.stderr, flush=True)
        os._exit(3)


def panics(scenario, answer):
    """Tell of a crash where an agent ends the invocation."""
    if has(scenario, '"end_invocation"'):
        answer.clear()
        answer["panic"] = f"KeyError: {scenario['id']}"


def babbles(scenario, answer):
    """Write no JSON where a body reads what it wrote before."""
    if has(scenario, '"own_history"'):
        print("history!", flush=True)


WAYS = {
    "sound": lambda scenario, answer: None,
    "without-authors": without_authors,
    "without-errors": without_errors,
    "with-state": with_state,
    "by-lanes": by_lanes,
    "in-own-words": in_own_words,
    "hangs": hangs,
    "dies": dies,
    "panics": panics,
    "babbles": babbles,
    "skips": lambda scenario, answer: None,
}

for request in requests():
    if request["cmd"] == "hello":
        skips = {"skips": ["loop", "llm"]} if WAY == "skips" else {}
        say({**HELLO, "implementation": f"fuzzed-{WAY}", **skips})
        continue
    found = play(request["scenario"])
    if "trace" in found:
        WAYS[WAY](request["scenario"], found)
    say({**found, "id": request["id"]})
