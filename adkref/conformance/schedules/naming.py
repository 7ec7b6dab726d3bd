# SPDX-License-Identifier: Apache-2.0
"""Naming generated ids record by record, with a way to try a record out."""

from __future__ import annotations

from attrs import define, field

from adkref.conformance.trace import Names, Record


@define
class Naming:
    """The names given so far; :meth:`fork` one to see how a record would be named."""

    _names: Names = field(factory=Names)

    def fork(self) -> Naming:
        """Return an independent copy."""
        return Naming(self._names.copy())

    def named(self, record: Record) -> Record:
        """Return *record* with names in place of its ids; new ids get new names."""
        return self._names.records([record])[0]
