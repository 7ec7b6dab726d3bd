# SPDX-License-Identifier: Apache-2.0
"""What a model is asked (chapter 02, 1.2)."""

import pytest
from kit import content

from adkref.content import Content, Part
from adkref.models import FunctionDeclaration, GenerateContentConfig, LlmRequest, ToolDeclarations


def test_an_empty_request():
    """Nothing is set but empty lists; the configuration is made when it is needed."""
    request = LlmRequest()
    assert (request.model, request.contents, request.config, request.tools) == ("", [], None, {})
    config = request.need_config()
    assert config == GenerateContentConfig()
    assert request.need_config() is config


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        (None, "T", ["T"]),
        (None, "", [""]),
        ([], "T", ["T"]),
        (["a"], "T", ["a\n\nT"]),
        (["a", "b"], "T", ["a", "b\n\nT"]),
        (["a"], "", ["a\n\n"]),
        ([""], "T", ["", "T"]),
        ([""], "", ["", ""]),
    ],
)
def test_appending_an_instruction(before, text, after):
    """It joins the last text behind a blank line, else it is a new part; "" counts (REQ-030)."""
    request = LlmRequest()
    if before is not None:
        request.need_config().system_instruction = content(*before)
    request.append_instruction(text)
    assert request.config.system_instruction == content(*after)


def test_the_role_of_a_given_instruction_stays():
    """Only a new system instruction has the role user (REQ-030)."""
    request = LlmRequest(
        config=GenerateContentConfig(system_instruction=Content("system", [Part(thought=True)]))
    )
    request.append_instruction("T")
    assert request.config.system_instruction == Content(
        "system", [Part(thought=True), Part(text="T")]
    )


def test_a_configuration_is_copied_deeply():
    """Nothing of the copy is the original's (REQ-010)."""
    given = GenerateContentConfig(
        system_instruction=content("x"),
        tools=[ToolDeclarations([FunctionDeclaration("t")])],
        response_schema={"type": "OBJECT"},
        response_json_schema={"a": [1]},
        response_mime_type="a/b",
        options={"temperature": {"x": 1}},
    )
    copy = given.copy()
    assert copy == given
    copy.system_instruction.parts[0].text = "y"
    copy.tools[0].function_declarations.clear()
    copy.response_schema["type"] = "x"
    copy.response_json_schema["a"].clear()
    copy.options["temperature"]["x"] = 2
    assert given == GenerateContentConfig(
        system_instruction=content("x"),
        tools=[ToolDeclarations([FunctionDeclaration("t")])],
        response_schema={"type": "OBJECT"},
        response_json_schema={"a": [1]},
        response_mime_type="a/b",
        options={"temperature": {"x": 1}},
    )


def test_declarations_as_json():
    """Declarations travel under their genai names; another kind of tool has none."""
    declaration = FunctionDeclaration(
        "t", "d", {"type": "OBJECT"}, {"type": "object"}, {"type": "STRING"}, {"type": "string"}
    )
    assert ToolDeclarations([declaration]).to_json() == {
        "functionDeclarations": [
            {
                "name": "t",
                "description": "d",
                "parameters": {"type": "OBJECT"},
                "parametersJsonSchema": {"type": "object"},
                "response": {"type": "STRING"},
                "responseJsonSchema": {"type": "string"},
            }
        ]
    }
    assert ToolDeclarations().to_json() == {}
