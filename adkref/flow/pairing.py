# SPDX-License-Identifier: Apache-2.0
"""Calls next to their answers (chapter 02, 6.4 and 6.5).

A model must see each answer right behind its call.  Two passes bring that about: the
first deals with the newest answer, the second with the whole history.  Both leave the
session's own events alone and build new lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from adkref.content import Content, clone
from adkref.errors import AdkError, wrap
from adkref.events import Event


def call_ids(event: Event) -> set[str]:
    """Return the ids of the calls in *event*."""
    return {call.id for call in event.calls()}


def response_ids(event: Event) -> set[str]:
    """Return the ids of the responses in *event*."""
    return {response.id for response in event.responses()}


def in_place(events: Sequence[Event]) -> bool:
    """Tell whether every answer already stands right behind its call, each id used once.

    Then both passes below would change nothing, and a long history is spared them.
    """
    asked: list[str] = []
    seen: set[str] = set()
    for event in events:
        calls: list[str] = []
        answers: list[str] = []
        for part in event.content.parts if event.content is not None else ():
            if part.function_call is not None:
                calls.append(part.function_call.id)
            if part.function_response is not None:
                answers.append(part.function_response.id)
        if answers:
            if calls or answers != asked:
                return False
        elif calls and (len(set(calls)) != len(calls) or not seen.isdisjoint(calls)):
            return False
        seen.update(calls)
        asked = calls
    return True


def paired(events: Sequence[Event]) -> Sequence[Event]:
    """Return *events* with every answer next to its call; orphans are gone."""
    return events if in_place(events) else pair_all(pair_latest(without_orphans(events)))


def without_orphans(events: Sequence[Event]) -> list[Event]:
    """Remove responses whose id matches no call at all (V24-004)."""
    known = {call.id for event in events for call in event.calls()}
    kept = []
    for event in events:
        orphans = {rid for rid in response_ids(event) if rid and rid not in known}
        if not orphans:
            kept.append(event)
            continue
        content = event.content
        assert content is not None
        parts = []
        for part in content.parts:
            if part.function_response is not None and part.function_response.id in orphans:
                part = clone(part)  # noqa: PLW2901
                part.function_response = None
                if part.is_zero():
                    continue
            parts.append(part)
        if parts:
            event = clone(event)  # noqa: PLW2901
            event.content = Content(content.role, parts)
            kept.append(event)
    return kept


def pair_latest(events: Sequence[Event]) -> list[Event]:
    """Bring the newest response event next to its call (CNT-040 to CNT-042)."""
    if len(events) < 2:
        return list(events)
    last = events[-1]
    wanted = response_ids(last)
    if not wanted or wanted & call_ids(events[-2]):
        return list(events)
    found = _find_call_event(events, wanted)
    if found is None:
        raise AdkError(
            f"no function call event found for function responses ids: {_map_form(wanted)}"
        )
    asked = call_ids(events[found])
    if not wanted <= asked:
        raise AdkError(
            "validation failed: last response event has IDs not in the matching call event. "
            f"Call IDs: {_map_form(asked)}, Response IDs: {_map_form(wanted)}"
        )
    result, related = list(events[: found + 1]), []
    for event in events[found + 1 : -1]:
        answers = response_ids(event)
        if answers & asked:
            related.append(event)
        elif answers or event.calls():
            result.append(event)
        # CNT-042: what has neither, plain text of user or model, is dropped.
    return [*result, _merged([*related, last])]


def _find_call_event(events: Sequence[Event], wanted: set[str]) -> int | None:
    for index in range(len(events) - 2, -1, -1):
        if call_ids(events[index]) & wanted:
            return index
    return None


def pair_all(events: Sequence[Event]) -> list[Event]:
    """Move every answer next to its call (CNT-043, CNT-044).

    What the last event answers comes after everything else (V24-005).
    """
    if len(events) < 2:
        return list(events)
    answered_by = {rid: i for i, event in enumerate(events) for rid in response_ids(event)}
    newest = response_ids(events[-1])
    result: list[Event] = []
    at_the_end: list[Event] = []
    for event in events:
        if event.responses():
            continue
        asked = call_ids(event)
        if not asked:
            result.append(event)
            continue
        target = at_the_end if asked & newest else result
        target.append(event)
        places = sorted({answered_by[cid] for cid in asked if cid in answered_by})
        if len(places) == 1:
            target.append(events[places[0]])
        elif places:
            try:
                target.append(_merged([events[place] for place in places]))
            except AdkError as error:
                raise wrap("failed to merge response events", error) from error
    return result + at_the_end


def _merged(events: Sequence[Event]) -> Event:
    """Merge response events into a copy of the first; later answers replace (CNT-046)."""
    first = events[0]
    if first.content is None:
        raise AdkError("content for the first event should not be nil")
    if not first.content.parts:
        raise AdkError("there should be at least one function_response part")
    parts = list(first.content.parts)
    place = {p.function_response.id: i for i, p in enumerate(parts) if p.function_response}
    for event in events[1:]:
        if event.content is None or not event.content.parts:
            raise AdkError("event should contain at least one part")
        for part in event.content.parts:
            if part.function_response is None:
                parts.append(part)
            elif part.function_response.id in place:
                parts[place[part.function_response.id]] = part
            else:
                place[part.function_response.id] = len(parts)
                parts.append(part)
    merged = clone(first)
    merged.content = Content(first.content.role, parts)
    return merged


def _map_form(ids: Iterable[str]) -> str:
    return "map[" + " ".join(f"{name}:{{}}" for name in sorted(ids)) + "]"
