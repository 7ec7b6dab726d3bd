# SPDX-License-Identifier: Apache-2.0
"""Artifact views (CTX-060 to CTX-065)."""

import pytest

from adkref.artifacts import Artifacts, InMemoryArtifactService
from adkref.content import Part
from adkref.contexts import TrackingArtifacts
from adkref.errors import AdkError, ArtifactNotFound, ProgrammingError
from adkref.events import EventActions

ONE, TWO = Part(text="one"), Part(text="two")


def plain():
    """A view over an empty store."""
    return Artifacts(InMemoryArtifactService(), "app", "user", "s")


class Numbering:
    """A view whose saves give these versions, or raise them."""

    def __init__(self, *versions):
        self._versions = list(versions)

    def save(self, name, part):
        """Give the next version."""
        version = self._versions.pop(0)
        if isinstance(version, Exception):
            raise version
        return version


def test_reading_is_plain_delegation():
    """Listing and loading answer as the view below, and record nothing (CTX-060)."""
    inner, actions = plain(), EventActions.fresh()
    view = TrackingArtifacts(inner, actions)
    assert view.list() is None
    inner.save("f", ONE)
    inner.save("f", TWO)
    assert view.list() == ["f"]
    assert view.load("f") == TWO
    assert view.load_version("f", 1) == ONE
    assert view.load_version("f", 0) == TWO
    with pytest.raises(ArtifactNotFound, match="artifact not found: file does not exist"):
        view.load("gone")
    assert actions == EventActions.fresh()


@pytest.mark.parametrize("before", [None, {"old": 7}])
def test_saving_is_recorded(before):
    """The version is returned unchanged and noted under the name; a missing map is made (CTX-062)."""
    actions = EventActions(None, before and dict(before))
    view = TrackingArtifacts(plain(), actions)
    assert view.save("f", ONE) == 1
    assert actions == EventActions(None, {**(before or {}), "f": 1})
    assert view.save("f", TWO) == 2
    assert view.save("g", TWO) == 1
    assert actions == EventActions(None, {**(before or {}), "f": 2, "g": 1})


def test_a_failed_save_records_nothing():
    """The error is the one from below, the record stays as it was (CTX-062)."""
    boom, actions = AdkError("boom"), EventActions()
    with pytest.raises(AdkError) as caught:
        TrackingArtifacts(Numbering(boom), actions).save("f", ONE)
    assert caught.value is boom
    assert actions == EventActions()


def test_the_last_version_wins():
    """A lower version replaces a higher one (CTX-063)."""
    actions = EventActions.fresh()
    view = TrackingArtifacts(Numbering(3, 1, 2), actions)
    seen = []
    for _ in range(3):
        view.save("f", ONE)
        seen.append(dict(actions.artifact_delta))
    assert seen == [{"f": 3}, {"f": 1}, {"f": 2}]


def test_views_nest():
    """A save through two views is noted in both records (CTX-064)."""
    outer, inner = EventActions.fresh(), EventActions.fresh()
    view = TrackingArtifacts(TrackingArtifacts(plain(), inner), outer)
    assert view.save("f", ONE) == 1
    assert (outer, inner) == (EventActions({}, {"f": 1}), EventActions({}, {"f": 1}))


def test_a_save_without_version_is_a_programming_error():
    """A view below that gives neither a version nor an error breaks its contract (CTX-065)."""
    actions = EventActions()
    text = "saving artifact 'f' gave neither a version nor an error"
    with pytest.raises(ProgrammingError, match=text):
        TrackingArtifacts(Numbering(None), actions).save("f", ONE)
    assert actions == EventActions()
