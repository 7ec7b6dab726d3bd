# SPDX-License-Identifier: Apache-2.0
"""Applying assumptions to scenarios and traces."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from adkref.conformance.assumptions.assumption import Assumption, Record, Spec
from adkref.conformance.assumptions.table import ASSUMPTIONS


def chosen(names: Iterable[str]) -> list[Assumption]:
    """Return the assumptions of these names in the table's order; KeyError for an unknown one."""
    wanted = {name: ASSUMPTIONS[name] for name in names}
    return [assumption for name, assumption in ASSUMPTIONS.items() if name in wanted]


def rewritten(names: Iterable[str], scenario: Spec) -> Spec:
    """Return *scenario* as the named assumptions have it."""
    out = _copied(scenario)
    for assumption in chosen(names):
        if assumption.scenario is not None:
            assumption.scenario(out)
    return out


def changing(names: Iterable[str], scenario: Spec, watched: Collection[str]) -> list[str]:
    """Return those of *watched* that change *scenario* when it is rewritten by *names*."""
    out = _copied(scenario)
    found = []
    for assumption in chosen(names):
        if assumption.scenario is None:
            continue
        before = _copied(out) if assumption.name in watched else None
        assumption.scenario(out)
        if before is not None and out != before:
            found.append(assumption.name)
    return found


def masked(names: Iterable[str], played: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``{"trace", "final"}`` without what the named assumptions mask."""
    assumed = chosen(names)
    out = dict(played)
    masks = [each.record for each in assumed if each.record is not None]
    if masks:
        trace = []
        for record in played["trace"]:
            kept: Record | None = _copied(record)
            for mask in masks:
                if kept is not None:
                    kept = mask(kept)
            if kept is not None:
                trace.append(kept)
        out["trace"] = trace
    for each in assumed:
        if each.final is not None and isinstance(out.get("final"), dict):
            out["final"] = each.final(_copied(out["final"]))
    return out


def masking(
    names: Iterable[str], played: Mapping[str, Any], watched: Collection[str]
) -> list[str]:
    """Return those of *watched* that change ``{"trace", "final"}`` when *names* mask it."""
    masks = [each for each in chosen(names) if each.record is not None or each.final is not None]
    while masks and masks[-1].name not in watched:
        masks.pop()
    out = dict(played)
    found = []
    for mask in masks:
        before, out = out, masked([mask.name], out)
        if mask.name in watched and out != before:
            found.append(mask.name)
    return found


def _copied(value: Any) -> Any:
    """Return a copy of JSON; a general copy takes ten times as long."""
    if type(value) is dict:
        return {key: _copied(item) for key, item in value.items()}
    if type(value) is list:
        return [_copied(item) for item in value]
    return value
