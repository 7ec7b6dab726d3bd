# SPDX-License-Identifier: Apache-2.0
"""The flow of an LLM agent: request, model call, tool calls, and again."""

from adkref.flow.flow import Flow
from adkref.flow.processors import REQUEST_PROCESSORS

__all__ = ["REQUEST_PROCESSORS", "Flow"]
