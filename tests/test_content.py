# SPDX-License-Identifier: Apache-2.0
"""Contents, parts and responses (chapter 02, section 1)."""

import pytest
from kit import answer, call, content, thought

from adkref.codec import DecodeError
from adkref.content import (
    RESPONSE_FIELDS,
    ZERO_PART,
    Blob,
    Content,
    FileData,
    FunctionCall,
    FunctionResponse,
    LlmResponse,
    NilMap,
    Part,
    Transcription,
    calls_of,
    clone,
    responses_of,
    texts,
)
from adkref.gotext import to_json

EVERY_PART = {
    "role": "model",
    "parts": [
        {"text": "hi"},
        {"text": "hm", "thought": True, "thoughtSignature": "c2ln"},
        {"functionCall": {"id": "c", "name": "t", "args": {"a": None}, "willContinue": True}},
        {"functionResponse": {"id": "c", "name": "t", "response": {"r": 1}}},
        {"inlineData": {"mimeType": "a/b", "data": "eA==", "displayName": "x"}},
        {"fileData": {"fileUri": "gs://x", "mimeType": "a/b"}},
        {"executableCode": {"code": "1"}},
        {"codeExecutionResult": {"output": "1"}},
        {"videoMetadata": {"fps": 1}},
        {"toolCall": {"a": 1}, "toolResponse": {"b": 1}},
        {"mediaResolution": "HIGH", "partMetadata": {"m": 1}},
    ],
}


def test_every_part_survives_json():
    """Each kind of part is read and written under its genai name."""
    got = Content.from_json(EVERY_PART)
    assert got.to_json() == EVERY_PART
    assert got.parts[1] == Part(text="hm", thought=True, thought_signature=b"sig")
    assert got.parts[2].function_call == FunctionCall("c", "t", {"a": None}, None, True)
    assert got.parts[4].inline_data == Blob("a/b", b"x", "x")
    assert got.parts[5].file_data == FileData("gs://x", "a/b")


def test_a_response_survives_json():
    """Every field of a model's response is read and written; zero values are left out."""
    json = {
        "content": {"role": "model", "parts": [{"text": "x"}]},
        "citationMetadata": {"c": 1},
        "groundingMetadata": {"g": 1},
        "usageMetadata": {"u": 1},
        "customMetadata": {"m": 1},
        "logprobsResult": {"l": 1},
        "inputTranscription": {"text": "in", "finished": True},
        "outputTranscription": {"text": "out"},
        "modelVersion": "v",
        "partial": True,
        "turnComplete": True,
        "interrupted": True,
        "sessionResumptionHandle": "h",
        "errorCode": "E",
        "errorMessage": "m",
        "finishReason": "STOP",
        "avgLogprobs": -0.5,
    }
    got = LlmResponse.from_json(json)
    assert got.to_json() == json
    assert got.input_transcription == Transcription("in", True)
    assert LlmResponse().to_json() == {}
    assert len(RESPONSE_FIELDS) == len(json)


def test_zero_parts():
    """A part is zero when no field is set; a set but empty record is a field (CNT-048)."""
    assert Part().is_zero()
    assert Part() == ZERO_PART
    assert not Part(thought=True).is_zero()
    assert not Part(function_call=FunctionCall()).is_zero()
    assert not Part(function_response=FunctionResponse()).is_zero()


def test_reading_a_content():
    """Calls, responses and texts come in part order; thoughts are not spoken."""
    given = content("a", thought("b"), call("t"), answer("t"), call("u", "c2"), "d")
    assert [c.name for c in given.calls()] == [c.name for c in calls_of(given)] == ["t", "u"]
    assert [r.name for r in given.responses()] == [r.name for r in responses_of(given)] == ["t"]
    assert given.spoken_text() == "ad"
    assert list(texts(given)) == ["a", "b", "d"]


def test_an_absent_content_has_nothing():
    """Without a content there are no calls, responses and texts."""
    assert (calls_of(None), responses_of(None), list(texts(None))) == ([], [], [])


def test_content_of_text():
    """A text makes a model content of one part, or one of another role."""
    assert Content.of_text("x") == Content("model", [Part(text="x")])
    assert Content.of_text("", "user") == Content("user", [Part(text="")])


def test_clone_is_shallow():
    """A clone is another object over the same values."""
    part = call("t", a=1)
    copy = clone(part)
    assert copy == part
    assert copy is not part
    assert copy.function_call is part.function_call
    copy.text = "x"
    assert part.text == ""


def test_a_nil_map_is_null_until_it_is_written_to():
    """To Python an empty dict, to JSON null while empty (TOOL-015)."""
    nil = NilMap()
    assert (nil, nil.to_json(), to_json({"args": nil})) == ({}, None, '{"args":null}')
    nil["a"] = 1
    assert (nil.to_json(), to_json(nil)) == ({"a": 1}, '{"a":1}')


@pytest.mark.parametrize(
    "json",
    [
        {"role": 1},
        {"parts": {}},
        {"parts": ["x"]},
        {"parts": [None]},
        {"parts": [{"functionCall": {"args": []}}]},
        {"parts": [{"thought": "yes"}]},
    ],
)
def test_what_is_no_content_is_refused(json):
    """A wrong type anywhere is an error and no half-made record."""
    with pytest.raises(DecodeError, match=" @ Content"):
        Content.from_json(json)
