# SPDX-License-Identifier: Apache-2.0
"""How much of an event is copied when it is appended (SES-044, SES-045)."""

from __future__ import annotations

from copy import copy
from typing import Any

from adkref.content import Content, clone
from adkref.events import Event, EventCompaction
from adkref.sessions.scopes import without_temp


def without_temp_delta(event: Event, delta: dict[str, Any]) -> Event:
    """Return *event*, or a shallow copy with a trimmed delta if *delta* has temporary keys.

    The caller's object and its delta stay as they are (SES-044).
    """
    kept = without_temp(delta)
    if kept is delta:
        return event
    trimmed = clone(event)
    trimmed.actions = clone(event.actions)
    trimmed.actions.state_delta = kept
    return trimmed


def stored_copy(event: Event) -> Event:
    """Return the object that goes into the store (SES-045).

    Copied is what an agent or a plugin is likely to go on changing: the maps
    and lists beside the content, and a compaction record as a whole.  Content,
    output, requested input and node info are shared with the caller's object.
    A nil map or list stays nil.
    """
    # Every event of every run passes here, so the copies are made in the records' own dicts.
    stored, actions = clone(event), clone(event.actions)
    stored.actions = actions
    fields, deeds = stored.__dict__, actions.__dict__
    # The delta is taken untrimmed: its temporary keys stay in the stored event (SES-046).
    if (delta := deeds["state_delta"]) is not None:
        deeds["state_delta"] = delta.copy()
    if (versions := deeds["artifact_delta"]) is not None:
        deeds["artifact_delta"] = versions.copy()
    if (asked := deeds["requested_tool_confirmations"]) is not None:
        # A confirmation is a value in Go: with the map it is copied too, but not its payload.
        deeds["requested_tool_confirmations"] = {key: clone(asked[key]) for key in asked}
    if (record := deeds["compaction"]) is not None:
        deeds["compaction"] = _compaction_copy(record)
    if (ids := fields["long_running_tool_ids"]) is not None:
        fields["long_running_tool_ids"] = ids.copy()
    if (routes := fields["routes"]) is not None:
        fields["routes"] = copy(routes)
    return stored


def _compaction_copy(record: EventCompaction) -> EventCompaction:
    out = clone(record)
    out.excluded_events = [clone(reference) for reference in record.excluded_events]
    if record.compacted_content is not None:
        out.compacted_content = _content_copy(record.compacted_content)
    return out


def _content_copy(content: Content) -> Content:
    out = clone(content)
    out.parts = [clone(part) for part in content.parts]
    return out
