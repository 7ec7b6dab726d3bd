# SPDX-License-Identifier: Apache-2.0
"""Contexts: what a run tells the code that takes part in it."""

from adkref.contexts.artifacts import TrackingArtifacts
from adkref.contexts.common import AnyInvocation, Context, ContextDelta
from adkref.contexts.host import LANES, PLATFORM, HostContext, Key
from adkref.contexts.invocation import UNSET, InvocationContext, InvocationDelta, RunConfig
from adkref.contexts.restricted import (
    CallbackContext,
    ReadonlyContext,
    ToolContext,
    callback_context,
    tool_context,
)
from adkref.contexts.state import State

__all__ = [
    "LANES",
    "PLATFORM",
    "UNSET",
    "AnyInvocation",
    "CallbackContext",
    "Context",
    "ContextDelta",
    "HostContext",
    "InvocationContext",
    "InvocationDelta",
    "Key",
    "ReadonlyContext",
    "RunConfig",
    "State",
    "ToolContext",
    "TrackingArtifacts",
    "callback_context",
    "tool_context",
]
