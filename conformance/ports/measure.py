# SPDX-License-Identifier: Apache-2.0
"""Measure a port against the corpora: counts by corpus, and the first difference of each case.

    python conformance/ports/measure.py PORT [--every N] [--assume NAME,…] [--out FILE] [PATH…]

PORT is adk-python, adk-js or adk-java, or the command of a driver.  With ``--assume`` the
named assumptions (``adkref.conformance.assumptions``) are taken first; ``--assume port`` takes
those that the port's ``baseline.yaml`` declares.  A case whose scenario an assumption rewrites
is compared with the reference's own trace of it, any other with its golden trace.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from adkref.conformance import assumptions, corpus
from adkref.conformance.canonical import TOTAL, canonical
from adkref.conformance.diff import first_difference
from adkref.conformance.player import play
from adkref.conformance.protocol import hello_violation, reply_violation

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CORPORA = (HERE.parent / "cases", HERE.parent / "golden")

Case = dict[str, Any]


class Port:
    """A driver's process."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
        )

    def ask(self, **request: Any) -> Any:
        """Send a request and return its answer."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the driver ended, exit code {self.process.wait()}")
        return json.loads(line)

    def close(self) -> None:
        """Let the driver end."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(30)


def command_of(port: str) -> list[str]:
    """Return the command that runs a port's driver."""
    file = HERE / port / "command"
    return shlex.split(file.read_text()) if file.exists() else shlex.split(port)


def cases(paths: list[Path], every: int) -> Iterator[corpus.Case]:
    """Yield every Nth case of each file."""
    for path in paths:
        for file in corpus.find(path):
            for number, case in enumerate(corpus.read(file)):
                if number % every == 0:
                    yield case


def judge(case: corpus.Case, port: Port, names: list[str]) -> Case:
    """Play a case on the port and compare."""
    out: Case = {"id": case.id, "corpus": Path(case.file).name.split(".")[0]}
    scenario = assumptions.rewritten(names, case.scenario)
    answer = port.ask(cmd="run", scenario=scenario)
    if (found := reply_violation(answer)) is not None:
        return {**out, "outcome": "bad reply", "reason": str(found)}
    if "trace" not in answer:
        kind = next(key for key in ("skip", "panic", "error") if key in answer)
        return {**out, "outcome": kind, "reason": answer[kind]}
    if scenario == case.scenario:
        known: Case = {"trace": case.trace}
        if case.final is not corpus.ABSENT:
            known["final"] = case.final
    else:
        out["rewritten"] = True
        known = play(scenario)
        if "trace" not in known:
            return {**out, "outcome": "unknown", "reason": json.dumps(known)[:300]}
    ordering = scenario.get("ordering") or TOTAL
    expected, actual = (
        canonical(assumptions.masked(names, each), ordering) for each in (known, answer)
    )
    difference = first_difference(expected, actual)
    if difference is None:
        return {**out, "outcome": "equal"}
    return {**out, "outcome": "different", "difference": difference.to_json()}


def main() -> None:
    """Measure and print the counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("port")
    parser.add_argument("paths", nargs="*", type=Path, default=list(CORPORA))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--assume", default="")
    parser.add_argument("--out", type=Path)
    options = parser.parse_intermixed_args()
    names = [name for name in options.assume.split(",") if name]
    if "port" in names:
        declared = yaml.safe_load((HERE / options.port / "baseline.yaml").read_text())
        names = [name for name in names if name != "port"] + declared["assumptions"]
    port = Port(command_of(options.port))
    hello = port.ask(cmd="hello")
    if (found := hello_violation(hello)) is not None:
        raise SystemExit(f"bad hello: {found}")
    counts: dict[str, Counter[str]] = {}
    sink = options.out.open("w") if options.out else None
    for case in cases(options.paths, options.every):
        if case.trace is None:
            continue
        verdict = judge(case, port, names)
        counts.setdefault(verdict["corpus"], Counter())[verdict["outcome"]] += 1
        if sink:
            sink.write(json.dumps(verdict) + "\n")
            sink.flush()
    port.close()
    kinds = ["equal", "different", "skip", "error", "panic", "bad reply", "unknown"]
    print(f"{hello['implementation']} {hello['version']} {hello.get('source_hash', '')}")
    print(f"{'corpus':<20}" + "".join(f"{kind:>10}" for kind in kinds))
    total: Counter[str] = sum(counts.values(), Counter())
    for name, count in [*counts.items(), ("all", total)]:
        print(f"{name:<20}" + "".join(f"{count[kind]:>10}" for kind in kinds))
    sys.exit(0)


if __name__ == "__main__":
    main()
