# SPDX-License-Identifier: Apache-2.0
"""The checks before every call of an artifact service (ART-001)."""

import pytest

from adkref.artifacts import InMemoryArtifactService
from adkref.content import Blob, FileData, Part
from adkref.errors import AdkError

TEXT = Part(text="t")
REQUEST = "request validation failed: "

# method -> (the kind in its texts, what it takes after app, user and session)
CALLS = {
    "save": ("save", ("f", TEXT)),
    "load": ("load", ("f",)),
    "delete": ("delete", ("f",)),
    "list": ("list", ()),
    "versions": ("versions", ("f",)),
    "get_artifact_version": ("get artifact version", ("f",)),
}


def text_of(method, *args):
    """The text of the error that a call of a new service raises."""
    service = InMemoryArtifactService()
    with pytest.raises(AdkError) as caught:
        getattr(service, method)(*args)
    assert repr(service) == "<InMemoryArtifactService: 0 artifacts>"
    return str(caught.value)


@pytest.mark.parametrize("method", CALLS)
def test_missing_keys_are_named_in_order(method):
    """Each absent key is named, in one order, under the request's kind (ART-001)."""
    kind, rest = CALLS[method]
    prefix = f"{REQUEST}invalid {kind} request: missing required fields: "
    assert text_of(method, "", "u", "s", *rest) == prefix + "AppName"
    assert text_of(method, "a", "", "s", *rest) == prefix + "UserID"
    assert text_of(method, "a", "u", "", *rest) == prefix + "SessionID"
    assert text_of(method, "", "", "", *rest) == prefix + "AppName, UserID, SessionID"


@pytest.mark.parametrize("method", [method for method in CALLS if method != "list"])
def test_file_name_is_required_and_holds_no_separator(method):
    """All but list need a name without path separators (ART-001)."""
    kind, (_, *rest) = CALLS[method]
    assert text_of(method, "a", "", "s", "", *rest) == (
        f"{REQUEST}invalid {kind} request: missing required fields: UserID, FileName"
    )
    for name in ("a/b", "a\\b", "user:/"):
        assert text_of(method, "a", "u", "s", name, *rest) == (
            f"{REQUEST}invalid name: filename cannot contain path separators"
        )


def test_part_is_required_to_save():
    """An absent part is the last of the missing fields (ART-001)."""
    assert text_of("save", "", "u", "s", "", None) == (
        f"{REQUEST}invalid save request: missing required fields: AppName, FileName, Part"
    )


@pytest.mark.parametrize("part", [Part(), Part(file_data=FileData("f://x")), Part(thought=True)])
def test_part_needs_data(part):
    """A part without text and inline data is refused, before its name is looked at (ART-001)."""
    assert text_of("save", "a", "u", "s", "a/b", part) == (
        f"{REQUEST}invalid save request: Part.InlineData or Part.Text has to be set"
    )


def test_empty_inline_data_is_data():
    """Inline data counts by being there, not by its bytes (ART-001)."""
    assert InMemoryArtifactService().save("a", "u", "s", "f", Part(inline_data=Blob())) == 1


def test_cause_is_the_bare_problem():
    """The wrapped error can be reached (ART-001)."""
    with pytest.raises(AdkError) as caught:
        InMemoryArtifactService().load("a", "u", "s", "a/b")
    assert str(caught.value.__cause__) == "invalid name: filename cannot contain path separators"
