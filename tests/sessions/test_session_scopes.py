# SPDX-License-Identifier: Apache-2.0
"""The scopes of state keys (SES-011, SES-044, SES-047)."""

from hypothesis import given
from hypothesis import strategies as st

from adkref.sessions import APP_PREFIX, TEMP_PREFIX, USER_PREFIX
from adkref.sessions.scopes import merged, persist, without_temp

keys = st.builds(
    str.__add__, st.sampled_from(["", APP_PREFIX, USER_PREFIX, TEMP_PREFIX]), st.text(max_size=2)
)
deltas = st.dictionaries(keys, st.none() | st.integers())


def test_merged_overlays_app_then_user():
    """Shared state covers what the session holds under the same full name (SES-011)."""
    session = {"k": 1, "app:x": "old", "user:x": "old", "temp:t": 2}
    assert merged(session, {"x": "a", "": 0}, {"x": "u"}) == {
        "k": 1, "app:x": "a", "user:x": "u", "temp:t": 2, "app:": 0,
    }  # fmt: skip
    assert session["app:x"] == "old"


def test_persist_sorts_keys_by_prefix():
    """Each key goes to its scope, None as a value, and temporary keys go nowhere (SES-047)."""
    app, user, session = {"keep": 1}, {}, {"k": 0}
    persist({"app:a": 1, "user:u": None, "temp:t": 3, "k": 4, "apps": 5}, app, user, session)
    assert app == {"keep": 1, "a": 1}
    assert user == {"u": None}
    assert session == {"k": 4, "apps": 5}


def test_without_temp_copies_only_when_needed():
    """A delta without temporary keys is handed back itself (SES-044)."""
    clean, mixed, only = {"k": 1}, {"k": 1, "temp:t": 2}, {"temp:t": 2}
    assert without_temp(clean) is clean
    assert without_temp(mixed) == {"k": 1}
    assert without_temp(only) == {}
    assert mixed == {"k": 1, "temp:t": 2}


@given(deltas, deltas)
def test_a_new_handle_sees_all_but_the_temporary(first, second):
    """What two deltas wrote is what a merged view shows, temporary keys left out (SES-047)."""
    app, user, session = {}, {}, {}
    persist(first, app, user, session)
    persist(second, app, user, session)
    assert merged(session, app, user) == without_temp(first | second)
