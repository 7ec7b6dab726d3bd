# SPDX-License-Identifier: Apache-2.0
"""Mutants: small wrong ports, by which the corpora show that they notice.

A case that passes proves little unless it would have failed.  So the project keeps many
copies of the reference with one behaviour each that is wrong, and plays its corpora against
them: every mutant has to be killed, and by a case that lists a rule which the mutant breaks.

:mod:`~adkref.conformance.mutants.graft` puts one snippet in place of another while a module
is loaded, :mod:`~adkref.conformance.mutants.registry` reads ``conformance/mutants``,
:mod:`~adkref.conformance.mutants.hunt` plays cases until a mutant is killed, and
:mod:`~adkref.conformance.mutants.killed` keeps which rule's case kills which mutant.
"""
