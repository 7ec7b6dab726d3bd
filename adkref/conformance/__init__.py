# SPDX-License-Identifier: Apache-2.0
"""The conformance kit: scenarios, the player and its traces, comparison with golden ones.

Names are imported from the modules themselves, so that a worker process that only plays
does not load what only reports.
"""
