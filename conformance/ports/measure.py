# SPDX-License-Identifier: Apache-2.0
"""Measure a port against the corpora: counts by corpus, and the first difference of each case.

    python conformance/ports/measure.py PORT [--every N] [--assume NAME,…] [--explain]
        [--out FILE] [PATH…]

PORT is adk-python, adk-js or adk-java, or the command of a driver.  Each case is judged as it is
and, where it differs, under the named assumptions (``adkref.conformance.assumptions``);
``--assume port`` takes those that the port's ``baseline.yaml`` declares.  With ``--explain`` the
fewest of them are sought with which the case is equal.  A case whose scenario an assumption
rewrites is compared with the reference's own trace of it, any other with its golden trace.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
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

KINDS = ["equal", "different", "skip", "error", "panic", "bad reply", "unknown"]

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


class Judge:
    """Plays a case under assumptions and compares; what was played once is remembered."""

    def __init__(self, case: corpus.Case, port: Port) -> None:
        self._case = case
        self._port = port
        self._played: dict[str, tuple[Case, Case]] = {}

    def verdict(self, names: Sequence[str]) -> Case:
        """Return the outcome, with the difference or the reason."""
        scenario = assumptions.rewritten(names, self._case.scenario)
        known, answer = self._both(scenario)
        if "trace" not in answer:
            kind = next(key for key in ("bad reply", "skip", "panic", "error") if key in answer)
            return {"outcome": kind, "reason": answer[kind]}
        if "trace" not in known:
            return {"outcome": "unknown", "reason": json.dumps(known)[:300]}
        ordering = scenario.get("ordering") or TOTAL
        expected, actual = (
            canonical(assumptions.masked(names, each), ordering) for each in (known, answer)
        )
        difference = first_difference(expected, actual)
        if difference is None:
            return {"outcome": "equal"}
        return {"outcome": "different", "difference": difference.to_json()}

    def _both(self, scenario: Case) -> tuple[Case, Case]:
        key = json.dumps(scenario, sort_keys=True)
        if key not in self._played:
            answer = self._port.ask(cmd="run", scenario=scenario)
            if answer.get("error") == "timeout":
                # On a busy machine the first one says little.
                answer = self._port.ask(cmd="run", scenario=scenario)
            # Checking a reply takes longer than all else, so the first one stands for all.
            if not self._played and (found := reply_violation(answer)) is not None:
                answer = {"bad reply": str(found)}
            if scenario != self._case.scenario or self._case.trace is None:
                known = play(scenario)
            else:
                known = {"trace": self._case.trace}
                if self._case.final is not corpus.ABSENT:
                    known["final"] = self._case.final
            self._played[key] = known, answer
        return self._played[key]

    def _without(self, needed: list[str], group: list[str]) -> list[str]:
        """Return *needed* without those of *group* that the case is equal without."""
        rest = [name for name in needed if name not in group]
        if not group or self.verdict(rest)["outcome"] == "equal":
            return rest
        if len(group) > 1:
            half = len(group) // 2
            needed = self._without(needed, group[:half])
            needed = self._without(needed, group[half:])
        return needed

    def explained(self, names: Sequence[str], *, seek: bool) -> Case:
        """Return the outcome as it is and under *names*; if asked, *seek* those that it takes.

        They are a smallest set: the case differs, as the evidence shows, without any of them.
        """
        out = {"as_is": self.verdict([])}
        if out["as_is"]["outcome"] == "equal":
            return out
        out["assumed"] = self.verdict(names)
        if out["assumed"]["outcome"] != "equal" or not seek:
            return out
        # A rewrite that changes nothing beside those that are left goes without a play: one at a
        # time, as each of two may be spared and not both.
        whole = assumptions.rewritten(names, self._case.scenario)
        needed = list(names)
        for name in names:
            rest = [it for it in needed if it != name]
            if (
                assumptions.ASSUMPTIONS[name].scenario is not None
                and assumptions.rewritten(rest, self._case.scenario) == whole
            ):
                needed = rest
        # Masks are the narrower assumptions, so they are the last to go; most can go at once.
        rewrites = [name for name in needed if assumptions.ASSUMPTIONS[name].scenario is not None]
        masks = [name for name in needed if name not in rewrites]
        for group in (rewrites, masks):
            needed = self._without(needed, group)
        while True:
            evidence = {name: self.verdict([it for it in needed if it != name]) for name in needed}
            # What was needed beside one that has gone since may be spared now.
            spared = [name for name in needed if evidence[name]["outcome"] == "equal"]
            if not spared:
                return {**out, "needed": evidence}
            needed.remove(spared[0])


def main() -> None:
    """Measure and print the counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("port")
    parser.add_argument("paths", nargs="*", type=Path, default=list(CORPORA))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--assume", default="")
    parser.add_argument("--explain", action="store_true")
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
    as_is: dict[str, Counter[str]] = {}
    sink = options.out.open("w") if options.out else None
    for case in cases(options.paths, options.every):
        if case.trace is None:
            continue
        judge = Judge(case, port)
        found = judge.explained(names, seek=options.explain)
        verdict = found.get("assumed") or found["as_is"]
        name = Path(case.file).name.split(".")[0]
        counts.setdefault(name, Counter())[verdict["outcome"]] += 1
        as_is.setdefault(name, Counter())[found["as_is"]["outcome"]] += 1
        if sink:
            size = len(json.dumps(case.scenario))
            line = {"id": case.id, "corpus": name, "size": size, **found}
            sink.write(json.dumps(line) + "\n")
            sink.flush()
    port.close()
    print(f"{hello['implementation']} {hello['version']} {hello.get('source_hash', '')}")
    print_counts("as it is", as_is)
    if names:
        print_counts("assumed", counts)


def print_counts(title: str, counts: dict[str, Counter[str]]) -> None:
    """Print a table of outcomes by corpus."""
    total: Counter[str] = sum(counts.values(), Counter())
    kinds = sorted(total, key=KINDS.index)
    print(f"{title:<20}" + "".join(f"{kind:>10}" for kind in kinds))
    for name, count in [*counts.items(), ("all", total)]:
        print(f"{name:<20}" + "".join(f"{count[kind]:>10}" for kind in kinds))


if __name__ == "__main__":
    main()
