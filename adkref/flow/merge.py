# SPDX-License-Identifier: Apache-2.0
"""One response event out of the answers to several calls (TOOL-030)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adkref.content import ROLE_USER, Content
from adkref.events import Event, EventActions


def merge_responses(events: Sequence[Event | None]) -> Event | None:
    """Merge the response events of one model turn in call order; None when there is none.

    The first one is reused, with its id and time.
    """
    answered = [event for event in events if event is not None]
    if len(answered) < 2:
        return answered[0] if answered else None
    merged = answered[0]
    merged.content = Content(
        ROLE_USER, [part for event in answered if event.content for part in event.content.parts]
    )
    for event in answered[1:]:
        _merge_actions(merged.actions, event.actions)
    return merged


def _merge_actions(into: EventActions, more: EventActions) -> None:
    into.skip_summarization = into.skip_summarization or more.skip_summarization
    into.escalate = into.escalate or more.escalate
    into.transfer_to_agent = more.transfer_to_agent or into.transfer_to_agent
    if more.state_delta:
        into.state_delta = _deep_merge(into.state_delta or {}, more.state_delta)
    if more.artifact_delta:
        versions = into.artifact_delta = into.artifact_delta or {}
        for name, version in more.artifact_delta.items():
            versions[name] = max(version, versions.get(name, version))
    if more.requested_tool_confirmations:
        into.requested_tool_confirmations = {
            **(into.requested_tool_confirmations or {}),
            **more.requested_tool_confirmations,
        }


def _deep_merge(into: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Merge nested maps in place on the earlier ones; otherwise the later value wins."""
    for key, value in more.items():
        present = into.get(key)
        if isinstance(present, dict) and isinstance(value, dict):
            _deep_merge(present, value)
        else:
            into[key] = value
    return into
