# SPDX-License-Identifier: Apache-2.0
"""The in-memory artifact service (ART-002 to ART-008)."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adkref.artifacts import ArtifactService, ArtifactVersion, InMemoryArtifactService
from adkref.content import Blob, Part
from adkref.errors import AdkError, ArtifactNotFound

HERE = ("a", "u", "s")
NOT_FOUND = "artifact not found: file does not exist"


@pytest.fixture
def service():
    """A new service."""
    return InMemoryArtifactService()


def save(service, *texts, name="f", where=HERE):
    """Save one part for each text; return the parts."""
    parts = [Part(text=text) for text in texts]
    for part in parts:
        service.save(*where, name, part)
    return parts


def missing(call, *args):
    """Tell whether the call fails as for an artifact that is not there."""
    with pytest.raises(ArtifactNotFound) as caught:
        call(*args)
    assert isinstance(caught.value, AdkError)
    assert isinstance(caught.value, FileNotFoundError)
    return str(caught.value) == NOT_FOUND


def test_versions_count_from_one(service):
    """Each save gets the next number, whatever version the request names (ART-003)."""
    numbers = [service.save(*HERE, "f", Part(text="t"), asked) for asked in (0, 7, 1)]
    assert numbers == [1, 2, 3]
    assert service.save(*HERE, "g", Part(text="t")) == 1
    assert repr(service) == "<InMemoryArtifactService: 2 artifacts>"


def test_stored_object_is_shared(service):
    """A part is stored and returned as the very object (ART-003, ART-004)."""
    (part,) = save(service, "one")
    assert service.load(*HERE, "f") is part
    part.text = "changed"
    assert service.load(*HERE, "f", 1).text == "changed"


def test_load_selects_a_version(service):
    """A positive version is that one, zero and negative mean the highest (ART-004)."""
    one, two = save(service, "one", "two")
    assert [service.load(*HERE, "f", version) for version in (1, 2, 0, -5)] == [one, two, two, two]
    assert missing(service.load, *HERE, "f", 3)


@pytest.mark.parametrize("where", [("b", "u", "s"), ("a", "v", "s"), ("a", "u", "t")])
def test_plain_names_belong_to_their_session(service, where):
    """Another app, user or session does not see a plain name (ART-002)."""
    save(service, "one")
    assert missing(service.load, *where, "f")
    assert missing(service.versions, *where, "f")
    assert missing(service.get_artifact_version, *where, "f")
    assert service.list(*where) is None
    service.delete(*where, "f")
    assert service.list(*HERE) == ["f"]


def test_user_names_are_shared_by_sessions(service):
    """A ``user:`` name is one artifact for all sessions of the user, prefix kept (ART-002)."""
    (part,) = save(service, "one", name="user:f")
    assert service.load("a", "u", "other", "user:f") is part
    assert service.save("a", "u", "other", "user:f", Part(text="two")) == 2
    assert service.versions(*HERE, "user:f") == [2, 1]
    assert service.get_artifact_version(*HERE, "user:f").version == 2
    assert service.list("a", "u", "third") == ["user:f"]
    assert service.list("a", "v", "s") is None
    service.delete("a", "u", "third", "user:f")
    assert missing(service.load, *HERE, "user:f")


def test_delete_of_one_version(service):
    """Exactly that version goes; what is missing or negative is no error (ART-005)."""
    one, _, three = save(service, "one", "two", "three")
    service.delete(*HERE, "f", 2)
    service.delete(*HERE, "f", 9)
    service.delete(*HERE, "f", -1)
    service.delete(*HERE, "unknown")
    service.delete("a", "u", "unknown", "f")
    assert service.versions(*HERE, "f") == [3, 1]
    assert service.load(*HERE, "f", 1) is one
    assert service.load(*HERE, "f") is three
    assert missing(service.load, *HERE, "f", 2)


def test_deleted_highest_number_is_used_again(service):
    """The next save counts from the highest that is left (ART-005)."""
    save(service, "one", "two", "three")
    service.delete(*HERE, "f", 3)
    assert service.save(*HERE, "f", Part(text="again")) == 3
    service.delete(*HERE, "f", 1)
    assert service.save(*HERE, "f", Part(text="more")) == 4


def test_delete_of_all_versions_starts_over(service):
    """Version 0 removes everything, and numbering restarts at 1 (ART-005)."""
    save(service, "one", "two")
    service.delete(*HERE, "f")
    assert missing(service.load, *HERE, "f")
    assert service.list(*HERE) is None
    assert service.save(*HERE, "f", Part(text="t")) == 1


def test_last_version_takes_the_name_along(service):
    """A name without versions is not listed (ART-005, ART-006)."""
    save(service, "one")
    service.delete(*HERE, "f", 1)
    assert service.list(*HERE) is None
    assert missing(service.versions, *HERE, "f")


def test_list_is_sorted_bytewise(service):
    """Own and user-scoped names stand in one list, each once, in byte order (ART-006)."""
    for name in ("z", "é", "Z", "user:m", "z"):
        save(service, "t", name=name)
    save(service, "t", name="user:a", where=("a", "u", "other"))
    save(service, "t", name="elsewhere", where=("a", "u", "other"))
    assert service.list(*HERE) == ["Z", "user:a", "user:m", "z", "é"]


def test_session_named_user_shares_the_user_scope(service):
    """Plain names of a session ``user`` are listed everywhere but loaded only there (ART-006)."""
    (part,) = save(service, "t", name="plain", where=("a", "u", "user"))
    save(service, "t", name="user:f")
    assert service.list(*HERE) == ["plain", "user:f"]
    assert missing(service.load, *HERE, "plain")
    assert service.load("a", "u", "user", "plain") is part
    assert service.list("a", "u", "user") == ["plain", "user:f"]


@pytest.mark.parametrize(
    ("part", "mime_type"),
    [
        (Part(text="t"), "text/plain"),
        (Part(inline_data=Blob("image/png", b"x")), "image/png"),
        (Part(text="t", inline_data=Blob(data=b"x")), ""),
    ],
)
def test_artifact_version_has_number_and_media_type(service, part, mime_type):
    """The media type is that of the inline data, or plain text without any (ART-008)."""
    service.save(*HERE, "f", part)
    assert service.get_artifact_version(*HERE, "f") == ArtifactVersion(1, mime_type=mime_type)


def test_artifact_version_is_selected_like_a_load(service):
    """A positive version is that one, else the highest; missing is not found (ART-008)."""
    save(service, "one", "two")
    numbers = [service.get_artifact_version(*HERE, "f", v).version for v in (1, 2, 0, -1)]
    assert numbers == [1, 2, 2, 2]
    assert missing(service.get_artifact_version, *HERE, "f", 3)


def test_concurrent_saves_get_different_versions(service):
    """Threads that save one name get each number once (ART-009)."""
    numbers = []
    threads = [
        threading.Thread(target=lambda: numbers.append(service.save(*HERE, "f", Part(text="t"))))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(1, 9))


def test_fits_the_service_protocol(service):
    """The service offers what a run asks of one."""
    assert isinstance(service, ArtifactService)


where = st.tuples(st.just("a"), st.sampled_from("uv"), st.sampled_from(["s", "t", "user"]))
names = st.sampled_from(["f", "g", "user:f"])
steps = st.lists(st.tuples(st.sampled_from(["save", "delete"]), where, names, st.integers(-1, 3)))


@given(steps)
def test_equals_a_flat_model(script):
    """After any saves and deletes the service equals one flat map of versions (ART-002 to 007)."""
    service, model = InMemoryArtifactService(), {}

    def stored(place, name):
        key = (*place[:2], "user" if name.startswith("user:") else place[2], name)
        return key, sorted(version for *at, version in model if tuple(at) == key)

    for op, place, name, version in script:
        key, known = stored(place, name)
        if op == "save":
            model[*key, max(known, default=0) + 1] = part = Part(text="t")
            assert service.save(*place, name, part) == max(known, default=0) + 1
        else:
            service.delete(*place, name, version)
            for each in known if version == 0 else {version} & set(known):
                del model[*key, each]
    for app, user, session in {step[1] for step in script}:
        place = (app, user, session)
        listed = {key[3] for key in model if key[:2] == place[:2] and key[2] in (session, "user")}
        assert service.list(*place) == (sorted(listed) or None)
        for name in ("f", "g", "user:f"):
            key, known = stored(place, name)
            if known:
                assert service.versions(*place, name) == known[::-1]
                assert [service.load(*place, name, v) for v in known] == [
                    model[*key, v] for v in known
                ]
                assert service.load(*place, name) is model[*key, known[-1]]
            else:
                assert missing(service.load, *place, name)
