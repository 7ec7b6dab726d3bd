# SPDX-License-Identifier: Apache-2.0
"""A run explained to whoever learns how it goes: steps, reasons, a sequence diagram."""

from adkref.conformance.explain.page import Explained, Explanation, explain, notes

__all__ = ["Explained", "Explanation", "explain", "notes"]
