# SPDX-License-Identifier: Apache-2.0
"""The artifact service that keeps everything in memory (ART-001 to ART-008)."""

from __future__ import annotations

from threading import Lock

from adkref.artifacts.requests import check, check_list, check_save
from adkref.artifacts.service import ArtifactVersion, Names, Versions
from adkref.content import Part
from adkref.errors import ArtifactNotFound

USER_PREFIX = "user:"

#: The session id under which user-scoped artifacts are stored.  A real session of
#: this id shares the place (ART-006).
USER_SCOPE = "user"

Key = tuple[str, str, str]
History = dict[int, Part]


class InMemoryArtifactService:
    """Keeps parts as given, without copying; any number of threads may use it."""

    def __init__(self) -> None:
        self._lock = Lock()
        # A name is present exactly as long as it has a version.
        self._names: dict[Key, dict[str, History]] = {}

    def save(
        self, app: str, user: str, session: str, name: str, part: Part, version: int = 0
    ) -> int:
        """Store *part* under the next version number and return it (ART-003).

        Numbers start at 1.  The *version* of the request is ignored.
        """
        check_save(app, user, session, name, part)
        with self._lock:
            names = self._names.setdefault(_place(app, user, session, name), {})
            history = names.setdefault(name, {})
            assigned = max(history, default=0) + 1
            history[assigned] = part
            return assigned

    def load(self, app: str, user: str, session: str, name: str, version: int = 0) -> Part:
        """Return the stored object of a version, the highest unless positive (ART-004).

        Raises :class:`~adkref.errors.ArtifactNotFound` when it is missing.
        """
        check("load", app, user, session, name)
        with self._lock:
            return self._select(_place(app, user, session, name), name, version)[1]

    def delete(self, app: str, user: str, session: str, name: str, version: int = 0) -> None:
        """Remove exactly that version, or all versions when it is 0 (ART-005).

        What is missing is no error.  Numbers above the highest that is left are
        given out again.
        """
        check("delete", app, user, session, name)
        with self._lock:
            names = self._names.get(_place(app, user, session, name), {})
            history = names.get(name, {})
            history.pop(version, None)
            if version == 0 or not history:
                names.pop(name, None)

    def list(self, app: str, user: str, session: str) -> Names | None:
        """Return the names of the session and of its user, sorted bytewise (ART-006)."""
        check_list(app, user, session)
        with self._lock:
            own = self._names.get((app, user, session), {})
            shared = self._names.get((app, user, USER_SCOPE), {})
            # Code point order is the order of the bytes in UTF-8.
            return sorted(own.keys() | shared.keys()) or None

    def versions(self, app: str, user: str, session: str, name: str) -> Versions:
        """Return the stored versions, highest first (ART-007).

        Raises :class:`~adkref.errors.ArtifactNotFound` when there is none.
        """
        check("versions", app, user, session, name)
        with self._lock:
            return sorted(self._history(_place(app, user, session, name), name), reverse=True)

    def get_artifact_version(
        self, app: str, user: str, session: str, name: str, version: int = 0
    ) -> ArtifactVersion:
        """Return number and media type of a version, selected as by :meth:`load` (ART-008)."""
        check("get artifact version", app, user, session, name)
        with self._lock:
            number, part = self._select(_place(app, user, session, name), name, version)
        data = part.inline_data
        return ArtifactVersion(
            version=number, mime_type="text/plain" if data is None else data.mime_type
        )

    def _history(self, place: Key, name: str) -> History:
        history = self._names.get(place, {}).get(name)
        if not history:
            raise ArtifactNotFound
        return history

    def _select(self, place: Key, name: str, version: int) -> tuple[int, Part]:
        history = self._history(place, name)
        number = version if version > 0 else max(history)
        if number not in history:
            raise ArtifactNotFound
        return number, history[number]

    def __repr__(self) -> str:
        return f"<InMemoryArtifactService: {sum(map(len, self._names.values()))} artifacts>"


def _place(app: str, user: str, session: str, name: str) -> Key:
    # A user-scoped name keeps its prefix, so it is listed as it was saved (ART-002).
    return app, user, USER_SCOPE if name.startswith(USER_PREFIX) else session
