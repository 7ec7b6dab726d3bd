# SPDX-License-Identifier: Apache-2.0
"""``adkref schema``: the JSON schemas of all that the kit reads, writes and says."""

from __future__ import annotations

import difflib

import click
from rich import box
from rich.table import Table
from rich.text import Text

from adkref.cli.common import SUCCESS, console
from adkref.conformance import schema as schemas
from adkref.conformance.faults import ScenarioError
from adkref.conformance.versions import SCHEMA_VERSION


@click.command()
@click.argument("name", required=False)
def schema(name: str | None) -> int:
    """Print the JSON schema NAME, or list all schemas.

    A schema may refer to others, by their file names.
    """
    if name is None:
        _list()
        return SUCCESS
    wanted = name.removesuffix(".json").removesuffix(".schema")
    if wanted not in schemas.NAMES:
        close = difflib.get_close_matches(wanted, schemas.NAMES, n=1)
        expected = close[0] if close else "one of " + ", ".join(schemas.NAMES)
        raise ScenarioError(f"there is no schema {name!r}", expected=expected)
    click.echo(schemas.text(wanted), nl=False)
    return SUCCESS


def _list() -> None:
    out = console()
    table = Table(box=box.SIMPLE_HEAD, caption=f"version {SCHEMA_VERSION}")
    table.add_column("schema", no_wrap=True)
    table.add_column("of what")
    for name in schemas.NAMES:
        table.add_row(Text(name), Text(schemas.document(name)["description"]))
    out.print(table)
