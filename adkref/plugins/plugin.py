# SPDX-License-Identifier: Apache-2.0
"""A plugin: a name, up to twelve callbacks and a close function (PLG-001 to PLG-004)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from attrs import define, field

if TYPE_CHECKING:
    from adkref.content import Content, LlmResponse
    from adkref.contexts import CallbackContext, Context, ToolContext
    from adkref.events import Event
    from adkref.models import LlmRequest
    from adkref.tools import Tool

    ToolResult = dict[str, Any]


@define(eq=False, slots=False)
class Plugin:
    """Callbacks that every agent of a runner is subject to.

    Nothing is validated here: an empty name and a plugin without callbacks are
    accepted (PLG-001).  A callback answers with a value, with None, or by raising.
    """

    name: str = ""
    on_user_message_callback: Callable[[Context, Content], Content | None] | None = field(
        default=None, kw_only=True
    )
    before_run_callback: Callable[[Context], Content | None] | None = field(
        default=None, kw_only=True
    )
    after_run_callback: Callable[[Context], None] | None = field(default=None, kw_only=True)
    on_event_callback: Callable[[Context, Event], Event | None] | None = field(
        default=None, kw_only=True
    )
    before_agent_callback: Callable[[CallbackContext], Content | None] | None = field(
        default=None, kw_only=True
    )
    after_agent_callback: Callable[[CallbackContext], Content | None] | None = field(
        default=None, kw_only=True
    )
    before_model_callback: Callable[[CallbackContext, LlmRequest], LlmResponse | None] | None = (
        field(default=None, kw_only=True)
    )
    after_model_callback: (
        Callable[[CallbackContext, LlmResponse, Exception | None], LlmResponse | None] | None
    ) = field(default=None, kw_only=True)
    on_model_error_callback: (
        Callable[[CallbackContext, LlmRequest, Exception], LlmResponse | None] | None
    ) = field(default=None, kw_only=True)
    before_tool_callback: (
        Callable[[ToolContext, Tool, dict[str, Any]], ToolResult | None] | None
    ) = field(default=None, kw_only=True)
    after_tool_callback: (
        Callable[
            [ToolContext, Tool, dict[str, Any], ToolResult | None, Exception | None],
            ToolResult | None,
        ]
        | None
    ) = field(default=None, kw_only=True)
    on_tool_error_callback: (
        Callable[[ToolContext, Tool, dict[str, Any], Exception], ToolResult | None] | None
    ) = field(default=None, kw_only=True)
    close_callback: Callable[[], None] | None = field(default=None, kw_only=True, alias="close")

    def callback(self, hook: str) -> Callable[..., Any] | None:
        """Return the callback for *hook*, or None (PLG-004)."""
        found: Callable[..., Any] | None = getattr(self, f"{hook}_callback")
        return found

    def close(self) -> None:
        """Call the close function, each time anew; what it raises passes (PLG-002, PLG-003)."""
        if self.close_callback is not None:
            self.close_callback()
