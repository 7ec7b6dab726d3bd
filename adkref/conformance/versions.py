# SPDX-License-Identifier: Apache-2.0
"""Versions: what may change between two kits without breaking who relies on the first.

One number stands for all that the kit reads and writes: scenarios, traces, the messages of the
protocol, manifests, baselines and reports.  It is ``MAJOR.MINOR.PATCH``, and each part means one
thing:

* MAJOR is the *format*.  It rises when a key changes its meaning or vanishes: what one kit
  wrote, another cannot read.  It is the number in ``adk-scenario/1`` as well.
* MINOR is the *coverage*.  It rises when there is more: new cases and rules, new kinds of
  records, optional keys.  A port that passed may fail now, and old files are still read.
* PATCH is a *fix*: a case, a schema, a message or the sentence of a rule was wrong and is
  right now.

A file that says which version it is of is read if its format is ours and its coverage is not
beyond ours: a later kit may have put keys into it that we would refuse as unknown.
"""

from __future__ import annotations

from typing import Final

from adkref.conformance.scenario import FORMAT

#: The version of everything under ``schemas/``.
SCHEMA_VERSION: Final = "1.0.0"

#: The version of the messages between kit and port; see :mod:`adkref.conformance.protocol`.
PROTOCOL: Final = 1

assert FORMAT.rpartition("/")[2] == SCHEMA_VERSION.partition(".")[0]


def numbers(version: str) -> tuple[int, int, int]:
    """Return the three numbers of a version; what is none is a :class:`ValueError`."""
    major, minor, patch = (int(part) for part in version.split("."))
    return major, minor, patch


def unreadable(version: str) -> str:
    """Return why a file of *version* cannot be read by this kit, or ``""`` if it can."""
    try:
        major, minor, _ = numbers(version)
    except ValueError:
        return f"{version!r} is no version MAJOR.MINOR.PATCH"
    our_major, our_minor, _ = numbers(SCHEMA_VERSION)
    if major != our_major:
        return f"it has the format {major}, and this kit reads the format {our_major}"
    if minor > our_minor:
        return f"it is of version {version}, and this kit knows {SCHEMA_VERSION}"
    return ""
