# SPDX-License-Identifier: Apache-2.0
"""Cases of google-adk's own conformance command, as scenarios.

A case there is a folder: ``spec.yaml`` says which agent is sent which messages, and recordings
of a real run say what its models and tools answered; the session that came of it is kept
beside.  The agent itself is a program somewhere else.  So what the recordings show of it is put
together again: :mod:`~adkref.conformance.incumbent.reading` reads a folder,
:mod:`~adkref.conformance.incumbent.team` finds the agents and who stands below whom,
:mod:`~adkref.conformance.incumbent.convert` makes the scenario, and
:mod:`~adkref.conformance.incumbent.agree` says whether the reference stores the recorded events.

Whatever cannot be expressed is an :class:`~adkref.conformance.incumbent.reading.Unsupported`
with the file and the key that it is about; nothing is left out in silence.
"""
