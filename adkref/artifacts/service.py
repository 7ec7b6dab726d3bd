# SPDX-License-Identifier: Apache-2.0
"""What a run asks of an artifact service, and the facade it asks through (chapter 03, 8.1)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from attrs import frozen

from adkref.content import Part
from adkref.timestamps import ZERO_TIME

# Inside a class that has a method of this name, ``list`` means the method.
Names = list[str]
Versions = list[int]


@frozen
class ArtifactVersion:
    """What is known about one version of an artifact beside its data."""

    version: int
    canonical_uri: str = ""
    custom_metadata: dict[str, Any] | None = None
    create_time: datetime = ZERO_TIME
    mime_type: str = ""


@runtime_checkable
class ArtifactService(Protocol):
    """A store of named, versioned parts; every method raises AdkError on failure."""

    def save(
        self, app: str, user: str, session: str, name: str, part: Part, version: int = 0
    ) -> int:
        """Store *part* as the next version of *name* and return that version."""

    def load(self, app: str, user: str, session: str, name: str, version: int = 0) -> Part:
        """Return one version of *name*, the latest unless *version* is positive."""

    def delete(self, app: str, user: str, session: str, name: str, version: int = 0) -> None:
        """Remove one version of *name*, or all of them when *version* is 0."""

    def list(self, app: str, user: str, session: str) -> Names | None:
        """Return the names that the session sees, sorted, or None when there are none."""

    def versions(self, app: str, user: str, session: str, name: str) -> Versions:
        """Return the stored versions of *name*, highest first."""

    def get_artifact_version(
        self, app: str, user: str, session: str, name: str, version: int = 0
    ) -> ArtifactVersion:
        """Return what is known about one version of *name*, selected as by :meth:`load`."""


@frozen
class Artifacts:
    """The artifacts of one session: a service with the three keys fixed (ART-009).

    Errors pass unchanged.  Nothing is recorded in an event here; the contexts of
    callbacks and tools do that.
    """

    service: ArtifactService
    app: str
    user: str
    session: str

    def save(self, name: str, part: Part) -> int:
        """Store *part* as the next version of *name* and return that version."""
        return self.service.save(self.app, self.user, self.session, name, part)

    def load(self, name: str) -> Part:
        """Return the latest version of *name*."""
        return self.service.load(self.app, self.user, self.session, name)

    def load_version(self, name: str, version: int) -> Part:
        """Return that version of *name*; 0 means the latest."""
        return self.service.load(self.app, self.user, self.session, name, version)

    def list(self) -> Names | None:
        """Return the names that the session sees, or None when there are none."""
        return self.service.list(self.app, self.user, self.session)
