# SPDX-License-Identifier: Apache-2.0
"""A trial: cases are put to a port, and what becomes of each is found out and told.

``run`` puts them, ``judging`` compares in worker processes, ``result`` has what can become of a
case, ``suspects`` names the rule that is most likely broken, ``baseline`` knows the failures
that are known, and ``report`` joins all of it to what the formats of
:mod:`adkref.conformance.reports` print.
"""
