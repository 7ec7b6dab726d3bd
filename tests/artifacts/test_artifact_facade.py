# SPDX-License-Identifier: Apache-2.0
"""The artifact facade of a context (ART-009)."""

import pytest

from adkref.artifacts import Artifacts, InMemoryArtifactService
from adkref.content import Part
from adkref.errors import AdkError, ArtifactNotFound


@pytest.fixture
def service():
    """A new service."""
    return InMemoryArtifactService()


@pytest.fixture
def artifacts(service):
    """The facade of session s of user u in app a."""
    return Artifacts(service, "a", "u", "s")


def test_facade_fixes_the_three_keys(service, artifacts):
    """Save, load, load of a version and list work on the one session (ART-009)."""
    one, two = Part(text="one"), Part(text="two")
    assert artifacts.list() is None
    assert [artifacts.save("f", one), artifacts.save("f", two)] == [1, 2]
    assert artifacts.load("f") is two
    assert artifacts.load_version("f", 1) is one
    assert artifacts.load_version("f", 0) is two
    assert artifacts.list() == ["f"]
    assert service.load("a", "u", "s", "f", 1) is one


def test_errors_pass_unchanged(artifacts):
    """The service's own errors reach the caller (ART-009)."""
    with pytest.raises(ArtifactNotFound, match=r"^artifact not found: file does not exist$"):
        artifacts.load("f")
    with pytest.raises(AdkError, match=r"^request validation failed: invalid name: "):
        artifacts.save("a/b", Part(text="t"))
