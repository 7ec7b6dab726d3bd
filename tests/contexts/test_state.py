# SPDX-License-Identifier: Apache-2.0
"""The state view (CTX-050 to CTX-057).

Concurrent writes through one context are a race of the user's own (CTX-058).
"""

from types import SimpleNamespace

import pytest

from adkref.contexts import (
    Context,
    InvocationContext,
    State,
    callback_context,
    tool_context,
)
from adkref.errors import AdkError, ProgrammingError, StateKeyError
from adkref.events import EventActions
from adkref.sessions import InMemorySessionService


def invocation(**state):
    """A base context over a session with this state."""
    return InvocationContext(session=InMemorySessionService().create("a", "u", "s", state))


def fails(call):
    """The type and text of the error that a call raises."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the text is what is returned
        call()
    return type(caught.value), str(caught.value)


# --- who has a state ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda inner, actions: Context(inner.host, inner, actions=actions),
        callback_context,
        lambda inner, actions: tool_context(inner, "call", actions),
    ],
    ids=["common", "callback", "tool"],
)
def test_every_context_has_a_view_over_delta_and_session(make):
    """Reads see the delta first, writes reach both layers, all views are equivalent (CTX-050)."""
    inner, actions = invocation(k=1, other=2), EventActions({"k": "delta"}, {})
    ctx = make(inner, actions)
    first, second = ctx.state, ctx.state
    assert first is not second
    first["new"] = 3
    assert (second["k"], second["other"], second["new"]) == ("delta", 2, 3)
    assert actions.state_delta == {"k": "delta", "new": 3}
    assert dict(inner.session.state) == {"k": 1, "other": 2, "new": 3}


# --- reading -----------------------------------------------------------------------------------


def test_the_delta_hides_the_session():
    """A key of the delta is found there, also when its value is None (CTX-051)."""
    state = State(invocation(k=1, gone=2), EventActions({"k": None, "only": 3}))
    assert (state["k"], state["only"], state["gone"]) == (None, 3, 2)
    assert state.get("k", "default") is None
    assert "k" in state
    assert "only" in state


def test_a_missing_key_is_the_sessions_error():
    """The text is the session state's own (CTX-051)."""
    state = State(invocation(), EventActions.fresh())
    assert fails(lambda: state["gone"]) == (StateKeyError, "state key does not exist")
    assert state.get("gone") is None
    assert state.get("gone", 7) == 7
    assert "gone" not in state


BROKEN = [
    (None, "invocation context is nil"),
    (InvocationContext(), "session is nil"),
    (SimpleNamespace(session=SimpleNamespace(state=None)), "state is nil"),
]


@pytest.mark.parametrize(("inner", "what"), BROKEN, ids=lambda it: it if type(it) is str else "")
def test_what_is_missing_is_named_in_order(inner, what):
    """The texts of reading and writing are literal, the key is quoted (CTX-051, CTX-052)."""
    state = State(inner, EventActions.fresh())
    assert fails(lambda: state["k"]) == (AdkError, f'cannot get key "k" from state: {what}')
    assert fails(lambda: state.get("k")) == (AdkError, f'cannot get key "k" from state: {what}')
    assert fails(lambda: state.__setitem__('a"b\n', 1)) == (
        AdkError,
        f'cannot set key "a\\"b\\n" to state: {what}',
    )


@pytest.mark.parametrize(("inner", "what"), BROKEN, ids=lambda it: it if type(it) is str else "")
def test_a_hit_in_the_delta_needs_no_session(inner, what):
    """The session is not touched when the delta has the key (CTX-051)."""
    assert State(inner, EventActions({"k": 1}))["k"] == 1


# --- writing -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("inner", "what"), BROKEN, ids=lambda it: it if type(it) is str else "")
@pytest.mark.parametrize("before", [None, {"old": 0}])
def test_a_failed_write_stays_in_the_delta(inner, what, before):
    """The delta is written first, a missing map is made, and nothing is taken back (CTX-052)."""
    actions = EventActions(before and dict(before))
    state = State(inner, actions)
    assert fails(lambda: state.__setitem__("k", 1))[0] is AdkError
    assert actions == EventActions({**(before or {}), "k": 1})
    assert state["k"] == 1


def test_a_write_is_seen_at_once_by_everybody_with_the_session():
    """The session object has it before any event does; the service does not (CTX-053)."""
    service = InMemorySessionService()
    inner = InvocationContext(session=service.create("a", "u", "s", {"k": 1}))
    ctx, sibling = Context.promote(inner), Context.promote(inner)
    writer = callback_context(ctx)
    writer.state["k"] = 2
    assert inner.session.state["k"] == 2
    assert (sibling.state["k"], writer.readonly_state["k"]) == (2, 2)
    assert service.get("a", "u", "s").state["k"] == 1


def test_without_an_actions_record_only_the_session_is_written():
    """A plain run context leaves no delta anywhere (CTX-054)."""
    inner = invocation()
    ctx = Context.promote(inner)
    ctx.state["k"] = 1
    assert (ctx.state["k"], dict(inner.session.state), ctx.actions) == (1, {"k": 1}, None)


def test_values_are_kept_by_reference():
    """Both layers hold the very object, whatever it is, under any key (CTX-056)."""
    inner, actions = invocation(), EventActions.fresh()
    state = State(inner, actions)
    value = {"list": [object()]}
    for key in ("", "app:x", "user:x", "temp:x", "any key at all"):
        state[key] = value
        assert state[key] is value
        assert actions.state_delta[key] is value
        assert inner.session.state[key] is value


# --- iterating ---------------------------------------------------------------------------------


def test_iterating_shows_the_session_only():
    """Keys and values of the delta are not overlaid, in whichever way one iterates (CTX-055)."""
    state = State(invocation(k=1, other=2), EventActions({"k": "delta", "only": 3}))
    assert list(state) == ["k", "other"]
    assert list(state.keys()) == ["k", "other"]
    assert list(state.values()) == [1, 2]
    assert list(state.items()) == [("k", 1), ("other", 2)]
    assert len(state) == 2
    assert state == {"k": 1, "other": 2}


def test_own_writes_normally_appear():
    """They were written through (CTX-055)."""
    state = State(invocation(), EventActions.fresh())
    state.update({"a": 1}, b=2)
    assert dict(state.items()) == {"a": 1, "b": 2}
    assert state.setdefault("a", 5) == 1
    assert state.setdefault("c", 3) == 3
    assert dict(state.items()) == {"a": 1, "b": 2, "c": 3}


@pytest.mark.parametrize("walk", [iter, len, State.keys, State.values, State.items])
@pytest.mark.parametrize("inner", [None, InvocationContext()])
def test_iterating_without_a_session_is_a_programming_error(walk, inner):
    """There is nothing to walk over (CTX-055)."""
    state = State(inner, EventActions({"k": 1}))
    assert fails(lambda: walk(state)) == (ProgrammingError, "the context has no session")


def test_nothing_can_be_deleted():
    """Every way to remove a key is refused and changes nothing (CTX-057)."""
    inner, actions = invocation(k=1), EventActions({"d": 2})
    state = State(inner, actions)
    refused = (ProgrammingError, "state keys cannot be deleted")
    assert fails(lambda: state.__delitem__("k")) == refused
    assert fails(lambda: state.pop("d")) == refused
    assert fails(state.popitem) == refused
    assert fails(state.clear) == refused
    assert (dict(inner.session.state), actions.state_delta) == ({"k": 1}, {"d": 2})


def test_the_printed_form_shows_the_delta():
    """A view needs no session to be shown."""
    assert repr(State(None, EventActions({"k": 1}))) == "<State delta={'k': 1}>"
    assert repr(State(invocation(k=1), None)) == "<State delta=None>"
