# SPDX-License-Identifier: Apache-2.0
"""The ``adkref`` command: one module per subcommand."""

from adkref.cli.main import main

__all__ = ["main"]
