# SPDX-License-Identifier: Apache-2.0
"""The tracking artifact view: saves are noted in an actions record (chapter 01, 7.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adkref.errors import ProgrammingError

if TYPE_CHECKING:
    from adkref.artifacts import Artifacts
    from adkref.content import Part
    from adkref.events import EventActions


class TrackingArtifacts:
    """Delegates to *inner* and records the version of every save (CTX-060, CTX-062).

    It exists even over an absent view; using it then is a programming error (CTX-039).
    """

    def __init__(self, inner: Artifacts | TrackingArtifacts | None, actions: EventActions) -> None:
        self._inner = inner
        self._actions = actions

    def _need(self) -> Artifacts | TrackingArtifacts:
        if self._inner is None:
            raise ProgrammingError("the context has no artifact service")
        return self._inner

    def save(self, name: str, part: Part) -> int:
        """Save and record; the last recorded version wins (CTX-063)."""
        version = self._need().save(name, part)
        if version is None:  # CTX-065
            raise ProgrammingError(f"saving artifact {name!r} gave neither a version nor an error")
        if self._actions.artifact_delta is None:
            self._actions.artifact_delta = {}
        self._actions.artifact_delta[name] = version
        return version

    def load(self, name: str) -> Part:
        """Return the newest version."""
        return self._need().load(name)

    def load_version(self, name: str, version: int) -> Part:
        """Return one version; 0 is the newest."""
        return self._need().load_version(name, version)

    def list(self) -> list[str] | None:
        """Return the names that the session can see."""
        return self._need().list()
