# SPDX-License-Identifier: Apache-2.0
"""Runners: whole turns against a session store."""

from adkref.runner.runner import Runner

__all__ = ["Runner"]
