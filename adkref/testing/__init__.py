# SPDX-License-Identifier: Apache-2.0
"""Helpers for tests of agents: run one with everything recorded, and compare what happened.

:class:`RecordedRunner` runs an agent on in-memory services; its :class:`Recorder` keeps hooks,
appends and what the consumer takes, in the form of a conformance trace.  ``assert_trace`` and
``assert_events`` compare with what a test expects, and say where the two part.  With pytest
there are the fixtures ``adkref_runner`` and ``adkref_trace``.
"""

from adkref.testing.compare import assert_events, assert_trace
from adkref.testing.recorder import RecordedRunner, Recorder

__all__ = ["RecordedRunner", "Recorder", "assert_events", "assert_trace"]
