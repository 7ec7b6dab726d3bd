# SPDX-License-Identifier: Apache-2.0
"""``adkref drift``: which rules have to be read again, as their places in ADK-Go have changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click
import yaml
from attrs import asdict
from rich.text import Text

from adkref.cli.common import (
    FAILURE,
    SUCCESS,
    conformance_root,
    console,
    print_json,
    write_whole,
)
from adkref.conformance.faults import ScenarioError
from adkref.conformance.narrate import one_line
from adkref.conformance.rules import registry, sources

_HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# Made by `adkref drift DIR --write`: the hash of each place of ADK-Go that rules cite.
"""
_STYLES = {"changed": "red", "gone": "red", "new": "yellow", "unfollowed": "dim"}


@click.command()
@click.argument("checkout", metavar="DIR", type=click.Path(exists=True, file_okay=False))
@click.option("--record", type=click.Path(dir_okay=False), help="The record to compare with.")
@click.option("--write", is_flag=True, help="Record the checkout instead of comparing it.")
@click.option("--json", "as_json", is_flag=True, help="Print what became of each place as JSON.")
def drift(checkout: str, record: str | None, write: bool, as_json: bool) -> int:
    """Compare the places that rules cite with a checkout of ADK-Go in DIR.

    The exit code is 1 if a place has changed or is gone: the rules that cite it have to be read
    again.  The record is conformance/sources.yaml unless another is named.
    """
    root = conformance_root()
    if root is None:
        raise ScenarioError("no rules here: there is no conformance folder from here upward")
    rules = registry.load(root / "rules")
    file = Path(record) if record is not None else root / sources.RECORD
    now = sources.hashes(Path(checkout), sources.cited(rules))
    if write:
        write_whole(file, _HEAD + yaml.safe_dump({"places": now}, sort_keys=True, width=99))
        console().print(Text(f"{len(now)} places are recorded in {one_line(str(file))}"))
        return SUCCESS
    if not file.exists():
        raise ScenarioError(
            "there is no record; `adkref drift DIR --write` makes one", file=str(file)
        )
    found = sources.drift(rules, sources.load(file), now)
    if as_json:
        print_json({**asdict(found), "to_read": found.to_read})
    else:
        _print({name: value for name, value in asdict(found).items() if name in _STYLES})
        words = f"{len(found.same)} places are the same, {len(found.to_read)} rules are to be read"
        console().print(Text(words, "red" if found.to_read else "green"))
    return FAILURE if found.to_read else SUCCESS


def _print(kinds: Mapping[str, Mapping[str, tuple[str, ...]]]) -> None:
    out = console()
    for kind, places in kinds.items():
        for place, rules in places.items():
            text = f"{kind:<10}  {place}  {', '.join(rules)}"
            out.print(Text(one_line(text), _STYLES[kind]), soft_wrap=True)
