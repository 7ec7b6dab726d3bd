# SPDX-License-Identifier: Apache-2.0
"""What every session service owes a runner (SES-070); a service is added by its constructor."""

from datetime import UTC, datetime, timedelta

import pytest

from adkref.content import Blob, Content, FunctionCall, FunctionResponse, Part, Transcription
from adkref.events import Event, EventActions, EventCompaction, EventReference
from adkref.sessions import InMemorySessionService, SessionService

START = datetime(2026, 8, 1, 12, 0, 0, 123456, tzinfo=UTC)


@pytest.fixture(params=[InMemorySessionService])
def service(request):
    """A new service of each kind."""
    return request.param()


def round_trip(service, *events):
    """The events that a new handle shows after these were appended."""
    session = service.create("a", "u", "s")
    for event in events:
        service.append_event(session, event)
    return list(service.get("a", "u", "s").events)


def reference_to(event):
    """What a compaction record says to leave an event out."""
    return EventReference(event.invocation_id, event.timestamp)


def test_is_a_session_service(service):
    """It has the five operations."""
    assert isinstance(service, SessionService)


def test_partial_events_are_not_stored(service):
    """A partial event leaves no trace (SES-070)."""
    assert round_trip(service, Event(id="1", partial=True), Event(id="2")) == [Event(id="2")]


def test_empty_id_is_assigned_in_place(service):
    """The caller's event gets an id, under which it is stored (SES-070)."""
    event = Event()
    (found,) = round_trip(service, event)
    assert event.id == found.id != ""


def test_all_fields_survive(service):
    """Bytes, every field of a response and both deltas come back (SES-070)."""
    event = Event(
        content=Content(
            "model",
            [
                Part(text="thought", thought=True, thought_signature=b"\x00\xff"),
                Part(inline_data=Blob("image/png", b"\x89PNG\x00")),
                Part(function_call=FunctionCall("c", "tool", {"n": 1})),
                Part(function_response=FunctionResponse("c", "tool", {"ok": True})),
            ],
        ),
        citation_metadata={"citations": [1]},
        grounding_metadata={"g": 1},
        usage_metadata={"totalTokenCount": 3},
        custom_metadata={"m": None},
        logprobs_result={"l": 1},
        input_transcription=Transcription("in", finished=True),
        output_transcription=Transcription("out"),
        model_version="m-1",
        turn_complete=True,
        interrupted=True,
        session_resumption_handle="h",
        error_code="E",
        error_message="text",
        finish_reason="STOP",
        avg_logprobs=-0.5,
        id="e",
        timestamp=START,
        actions=EventActions({"k": 1, "app:x": None}, {"f": 2}),
    )
    expected = Event.from_json(event.to_json())
    assert round_trip(service, event) == [expected]


def test_compaction_record_survives(service):
    """Bounds, content and exclusions of a record come back (SES-070)."""
    first = Event(id="1", invocation_id="i", timestamp=START)

    def record():
        return EventCompaction(
            START, START + timedelta(seconds=1), Content.of_text("sum"), [reference_to(first)]
        )

    event = Event(id="2", timestamp=START, actions=EventActions(compaction=record()))
    found = round_trip(service, first, event)
    assert found[1].actions.compaction == record()


def test_exclusion_still_names_its_event(service):
    """A reference made from a read-back event equals that event when read again (SES-070)."""
    session = service.create("a", "u", "s")
    service.append_event(session, Event(id="1", invocation_id="i", timestamp=START))
    (read,) = service.get("a", "u", "s").events
    record = EventCompaction(START, START, None, [reference_to(read)])
    service.append_event(session, Event(id="2", actions=EventActions(compaction=record)))
    first, second = service.get("a", "u", "s").events
    assert second.actions.compaction.excluded_events == [reference_to(first)]


def test_insertion_order_is_kept(service):
    """Events come back in the order of their appends (SES-070)."""
    events = [Event(id=str(i), timestamp=START + timedelta(seconds=i)) for i in range(20)]
    assert [e.id for e in round_trip(service, *events)] == [str(i) for i in range(20)]


def test_scopes_are_visible_to_those_who_share_them(service):
    """Plain keys stay in their session, others reach the user or the app (SES-070)."""
    delta = {"k": 1, "user:y": 2, "app:x": 3}
    round_trip(service, Event(id="e", actions=EventActions(state_delta=delta)))
    assert service.get("a", "u", "s").state == delta
    assert service.create("a", "u", "t").state == {"user:y": 2, "app:x": 3}
    assert service.create("a", "v", "s").state == {"app:x": 3}
    assert service.create("b", "u", "s").state == {}


def test_wrong_user_reaches_nothing(service):
    """Another user can neither get nor delete a session (SES-070)."""
    service.create("a", "u", "s")
    with pytest.raises(Exception, match="session s not found"):
        service.get("a", "v", "s")
    service.delete("a", "v", "s")
    assert service.get("a", "u", "s").id == "s"
