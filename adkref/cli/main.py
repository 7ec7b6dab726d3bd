# SPDX-License-Identifier: Apache-2.0
"""The command's entry point: what all subcommands have in common is how they fail.

Bad input ends with exit code 2 and one line that says what is wrong and where.  An interrupt
ends with 130, and a reader that has seen enough, as in ``adkref verify | head``, with 141: it is
neither success nor a difference, and shells tell of any other command's end like this.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

import click

import adkref as adkref_package
from adkref.cli.common import (
    BAD_INPUT,
    FAILURE,
    INTERRUPTED,
    PIPE_CLOSED,
    SUCCESS,
    escape_what_cannot_be_printed,
)
from adkref.conformance.faults import ConformanceError, ScenarioError
from adkref.conformance.narrate import one_line

#: The room of each subcommand, which is entered only when its command is asked for.
COMMANDS: Final = {
    "play": "play",
    "verify": "verify",
    "driver": "driver",
    "rules": "rules",
    "schema": "schema",
    "accept": "schedules",
    "explore": "schedules",
    "replay": "schedules",
    "test": "test",
    "fuzz": "fuzz",
    "mutants": "mutants",
    "import-adk": "import_adk",
    "explain": "explain",
    "list": "cases",
    "dump": "cases",
    "copy": "copy",
    "fill": "fill",
    "drift": "drift",
}


class _PipeClosed(Exception):
    """Whoever read our output has seen enough of it."""


class _Subcommands(click.Group):
    """A group that imports a subcommand when it is asked for; to import all takes the longest."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; for a closed pipe click would exit with the code of differences."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _PipeClosed from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"adkref.cli.{COMMANDS[cmd_name]}")
        # A module with a function `list` would have no other.
        name = {"list": "list_cases"}.get(cmd_name, cmd_name.replace("-", "_"))
        command = getattr(module, name)
        assert isinstance(command, click.Command)
        return command


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value:
        return
    click.echo(f"adkref {adkref_package.__version__}")
    ctx.exit()


@click.group(cls=_Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def adkref() -> None:
    """Play and verify agent scenarios with the reference implementation of ADK."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    escape_what_cannot_be_printed()
    try:
        code = adkref.main(arguments, prog_name="adkref", standalone_mode=False)
        if sys.stdout is not None:  # it is when somebody has closed it
            sys.stdout.flush()
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
        return INTERRUPTED
    except (_PipeClosed, BrokenPipeError):
        _discard_output()
        return PIPE_CLOSED
    except OSError as error:
        return _failed(error)
    return SUCCESS if code is None else int(code)


def _failed(error: OSError) -> int:
    """Tell of a file, or of an output that takes no more, and return the exit code."""
    place = error.filename
    if place is None:
        place = "standard output"
        _discard_output()
    _complain(f"{os.fspath(place)}: {error.strerror or error}")
    return BAD_INPUT


def _discard_output() -> None:
    """Keep what is in the buffer from failing once more at the end of the interpreter."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(text: str) -> None:
    click.echo(f"adkref: {one_line(text)}", err=True)
