# SPDX-License-Identifier: Apache-2.0
"""The twelve hooks as one table.

The plugin record, the manager, the tracing player and the documentation's hook table
all walk :data:`HOOKS`; nothing else lists the hooks.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from attrs import frozen

from adkref.content import Content, LlmResponse
from adkref.events import Event


@frozen
class Hook:
    """One place where a plugin is asked.

    ``arguments`` are passed after the context; ``answer`` is the type that ends the
    round, None when the hook cannot answer; ``own`` tells whether the agent's own
    callbacks are asked after the plugins; ``outcome`` says what an answer does.
    """

    name: str
    arguments: tuple[str, ...]
    answer: type | None
    own: bool
    when: str
    outcome: str


HOOKS: Final[tuple[Hook, ...]] = (
    Hook(
        "on_user_message",
        ("content",),
        Content,
        own=False,
        when="a message was given, before it is stored",
        outcome="replaces the message",
    ),
    Hook(
        "before_run",
        (),
        Content,
        own=False,
        when="after the user event was stored",
        outcome="ends the run; the user's own message is stored and yielded again",
    ),
    Hook(
        "after_run",
        (),
        None,
        own=False,
        when="at the end of the invocation, however it ends",
        outcome="nothing",
    ),
    Hook(
        "on_event",
        ("event",),
        Event,
        own=False,
        when="every event, before it is stored",
        outcome="replaces the event",
    ),
    Hook(
        "before_agent",
        (),
        Content,
        own=True,
        when="at the start of each agent call",
        outcome="is the agent's only event; body and after phase are skipped",
    ),
    Hook(
        "after_agent",
        (),
        Content,
        own=True,
        when="after the body, unless ended or stopped",
        outcome="is one more event",
    ),
    Hook(
        "before_model",
        ("request",),
        LlmResponse,
        own=True,
        when="after all request processing",
        outcome="is the response; model and after_model are skipped",
    ),
    Hook(
        "after_model",
        ("response", "error"),
        LlmResponse,
        own=True,
        when="each response item, partial ones too",
        outcome="replaces the response",
    ),
    Hook(
        "on_model_error",
        ("request", "error"),
        LlmResponse,
        own=True,
        when="each error item of the model",
        outcome="takes the place of the failed item",
    ),
    Hook(
        "before_tool",
        ("tool", "args"),
        dict,
        own=True,
        when="before a function tool runs",
        outcome="is the result; the tool is skipped",
    ),
    Hook(
        "after_tool",
        ("tool", "args", "result", "error"),
        dict,
        own=True,
        when="after a function tool, also when it failed or was skipped",
        outcome="replaces the result and clears the error",
    ),
    Hook(
        "on_tool_error",
        ("tool", "args", "error"),
        dict,
        own=True,
        when="a tool failed or is unknown",
        outcome="is the result; the error is cleared",
    ),
)

BY_NAME: Final[Mapping[str, Hook]] = MappingProxyType({hook.name: hook for hook in HOOKS})
