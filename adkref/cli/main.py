# SPDX-License-Identifier: Apache-2.0
"""The command's entry point: what all subcommands have in common is how they fail.

Bad input ends with exit code 2 and one line that says what is wrong and where.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from adkref.cli.common import BAD_INPUT, FAILURE, SUCCESS, escape_what_cannot_be_printed
from adkref.cli.driver import driver
from adkref.cli.play import play
from adkref.cli.rules import rules
from adkref.cli.schedules import accept, explore, replay
from adkref.cli.schema import schema
from adkref.cli.test import test
from adkref.cli.verify import verify
from adkref.conformance.driver import version
from adkref.conformance.faults import ConformanceError, ScenarioError
from adkref.conformance.narrate import one_line

_INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version(), prog_name="adkref", message="%(prog)s %(version)s")
def adkref() -> None:
    """Play and verify agent scenarios with the reference implementation of ADK."""


for command in (play, verify, driver, rules, schema, accept, explore, replay, test):
    adkref.add_command(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    escape_what_cannot_be_printed()
    try:
        code = adkref.main(arguments, prog_name="adkref", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx is not None else "adkref"
        _complain(f"{error.format_message()} ('{path} --help' says more)")
        return error.exit_code
    except click.ClickException as error:
        _complain(error.format_message())
        return error.exit_code
    except ScenarioError as error:
        _complain(str(error))
        return BAD_INPUT
    except ConformanceError as error:
        _complain(str(error))
        return FAILURE
    except click.Abort:
        _complain("interrupted")
        return _INTERRUPTED
    return SUCCESS if code is None else int(code)


def _complain(text: str) -> None:
    click.echo(f"adkref: {one_line(text)}", err=True)
