# SPDX-License-Identifier: Apache-2.0
"""The hunt: one scenario after another, and what a port does with them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from attrs import Factory, define, field, frozen

from adkref.conformance.fuzz.finding import Finding, Origin, finding_of, versions
from adkref.conformance.fuzz.rig import Rig, Verdict
from adkref.conformance.fuzz.shrink import shrink
from adkref.conformance.fuzz.signature import FAULT, Signature
from adkref.conformance.outcome import SKIPPED
from adkref.conformance.protocol import Hello
from adkref.conformance.scenario import Scenario

#: Faults after which nothing more can be asked.
_FATAL: Final = ("start", "banner", "hello", "format", "changed")
#: Faults for which each try takes the whole time limit.
_SLOW: Final = ("silence", "partial", "stuck", "timeout")


@frozen(kw_only=True)
class Plan:
    """How long and how far a hunt goes."""

    #: Seconds after which no further scenario is begun; None for no limit.
    seconds: float | None = None
    #: Seconds for shrinking one failure.
    shrink: float = 30.0
    #: After so many kinds of failures the hunt ends.
    most: int = 10


@define
class Catch:
    """What came of a hunt."""

    hello: Hello | None = None
    findings: list[Finding] = Factory(list)
    #: How many scenarios of which group had which outcome.
    tallies: dict[str, Counter[str]] = Factory(dict)
    #: How many were skipped for the sake of which feature.
    skips: Counter[str] = Factory(Counter)
    #: How many of the equal ones were so only by a second opinion.
    accepted: int = 0
    #: Of how many the second opinion could not say anything in time.
    undecided: int = 0
    #: What the reference, or the kit, could not do.
    troubles: list[str] = Factory(list)
    seconds: float = 0.0
    #: Why the hunt ended before all scenarios were played, if it did.
    ended: str = ""

    @property
    def total(self) -> Counter[str]:
        """How many scenarios had which outcome."""
        return sum(self.tallies.values(), Counter())

    @property
    def played(self) -> int:
        """How many scenarios were put to the port, whatever came of them."""
        return sum(self.total.values()) - self.total[SKIPPED]

    @property
    def exit_code(self) -> int:
        """0 if all is equal, 1 if there are findings, 2 if nothing was shown or the kit failed."""
        if self.findings:
            return 1
        return 2 if self.troubles or not self.played else 0


def hunt(
    rig: Rig,
    scenarios: Iterable[tuple[Origin, Scenario]],
    plan: Plan,
    *,
    heard: Callable[[Verdict], None] = lambda verdict: None,
    found: Callable[[Finding], None] = lambda finding: None,
    known: Iterable[tuple[str, Any]] = (),
) -> Catch:
    """Put *scenarios* to the port of *rig* and return what came of it.

    *heard* is told of each verdict as it comes, *found* of each new kind of failure when it is
    as small as it gets.  *known* are versions that the findings depend on beside the kit's.
    """
    return _Hunt(rig, plan, heard, found, versions(**dict(known))).go(scenarios)


@define
class _Hunt:
    rig: Rig
    plan: Plan
    heard: Callable[[Verdict], None]
    found: Callable[[Finding], None]
    versions: dict[str, Any]
    _findings: dict[Signature, Finding] = field(factory=dict, init=False)

    def go(self, scenarios: Iterable[tuple[Origin, Scenario]]) -> Catch:
        hello = self.rig.greet()
        start = time.monotonic()
        catch = Catch(hello)
        self.versions["port"] = hello.to_json()
        for origin, scenario in scenarios:
            over = self.plan.seconds is not None and time.monotonic() - start > self.plan.seconds
            if over and catch.tallies:
                catch.ended = "the time was up"
                break
            verdict = self.rig.compare(scenario)
            self._count(catch, origin, scenario, verdict)
            self.heard(verdict)
            if verdict.signature is not None:
                self._fail(origin, scenario, verdict)
                if verdict.signature.kind == FAULT and verdict.signature.record in _FATAL:
                    catch.ended = "the port does not start any more"
                    break
                if len(self._findings) >= self.plan.most:
                    most = self.plan.most
                    enough = "one kind of failure is" if most == 1 else f"{most} kinds are"
                    catch.ended = f"{enough} enough"
                    break
        catch.findings = list(self._findings.values())
        catch.seconds = time.monotonic() - start
        return catch

    def _count(self, catch: Catch, origin: Origin, scenario: Scenario, verdict: Verdict) -> None:
        catch.tallies.setdefault(origin.group, Counter())[verdict.kind] += 1
        catch.accepted += verdict.is_accepted
        catch.undecided += verdict.is_undecided
        if verdict.kind == SKIPPED:
            catch.skips[verdict.reason] += 1
        elif verdict.reason and not verdict.is_failing:
            catch.troubles.append(f"{scenario['id']}: {verdict.kind}: {verdict.reason}")

    # --- a failure ----------------------------------------------------------------------------

    def _fail(self, origin: Origin, scenario: Scenario, verdict: Verdict) -> None:
        signature = verdict.signature
        assert signature is not None
        if (old := self._findings.get(signature)) is not None:
            self._findings[signature] = old.met_again()
            return
        smallest = self._smallest(scenario, signature)
        again = self.rig.compare(smallest)
        steady = again.signature == signature
        if not steady:
            # What was seen once was seen; the scenario as drawn may show it again.
            smallest, again = scenario, verdict
        finding = finding_of(
            again,
            smallest,
            id=signature.name,
            original=scenario,
            origin=origin,
            is_steady=steady,
            command=self.rig.command,
            errors=self.rig.options.errors,
            assumptions=tuple(self.rig.options.assumptions),
            versions=self.versions,
        )
        self._findings[signature] = finding
        self.found(finding)

    def _smallest(self, scenario: Scenario, signature: Signature) -> Scenario:
        end = time.monotonic() + self.plan.shrink
        if signature.record not in _SLOW or signature.kind != FAULT:
            return self._shrunk(self.rig, scenario, signature, end)
        # A port that is silent is given as much as it needed at most for a reply, and then some.
        with self.rig.patient(max(1.0, 20 * self.rig.slowest)) as patient:
            return self._shrunk(patient, scenario, signature, end)

    def _shrunk(self, rig: Rig, scenario: Scenario, signature: Signature, end: float) -> Scenario:
        return shrink(
            scenario,
            lambda candidate: rig.compare(candidate).signature == signature,
            is_over=lambda: time.monotonic() > end,
        )


def renumbered(
    scenarios: Iterable[tuple[str, Scenario]], seed: int
) -> Iterator[tuple[Origin, Scenario]]:
    """Yield scenarios of groups with ids of their own and where they come from."""
    numbers: Counter[str] = Counter()
    for group, scenario in scenarios:
        numbers[group] += 1
        number = numbers[group]
        identity = f"fuzz-{group}-{number:05}"
        yield Origin(group=group, seed=seed, number=number), {**scenario, "id": identity}
