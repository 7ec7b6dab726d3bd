# SPDX-License-Identifier: Apache-2.0
"""Fuzzing: a port and the reference play what nobody has written down, and are compared.

:mod:`~adkref.conformance.fuzz.rig` puts a scenario to both and says whether they agree,
:mod:`~adkref.conformance.fuzz.signature` tells one kind of failure from another,
:mod:`~adkref.conformance.fuzz.shrink` makes the scenario of a failure as small as it gets,
:mod:`~adkref.conformance.fuzz.finding` keeps a failure in a file, and
:mod:`~adkref.conformance.fuzz.hunt` does all this for one scenario after another.  Where the
scenarios come from is not asked here: :mod:`adkref.strategies` draws them.
"""
