# SPDX-License-Identifier: Apache-2.0
"""Schedules: any legal order accepted, every order explored, each one replayed."""

from adkref.conformance.schedules.execution import Replayed, ScheduleError, replay

__all__ = ["Replayed", "ScheduleError", "replay"]
