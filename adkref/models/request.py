# SPDX-License-Identifier: Apache-2.0
"""What a model is asked: the request, its configuration, tool declarations (chapter 02, 1.2)."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from attrs import define, field

from adkref.codec import record
from adkref.content import ROLE_USER, Content, Jsonable, Part

if TYPE_CHECKING:
    from adkref.tools import Tool


@record
@define(slots=False)
class FunctionDeclaration(Jsonable):
    """What a model is told of one tool; schemas are in their JSON forms."""

    name: str = ""
    description: str = ""
    parameters: dict[str, Any] | None = None
    parameters_json_schema: dict[str, Any] | None = None
    response: dict[str, Any] | None = None
    response_json_schema: dict[str, Any] | None = None


@record
@define(slots=False)
class ToolDeclarations(Jsonable):
    """One entry of the request's tool list; ``function_declarations`` None is another kind."""

    function_declarations: list[FunctionDeclaration] | None = None


@define(slots=False)
class GenerateContentConfig:
    """How a model generates; ``options`` holds genai fields that the flow only passes on."""

    system_instruction: Content | None = None
    tools: list[ToolDeclarations] = field(factory=list)
    response_schema: dict[str, Any] | None = None
    response_json_schema: Any = None
    response_mime_type: str = ""
    options: dict[str, Any] = field(factory=dict)

    def copy(self) -> GenerateContentConfig:
        """Return a deep copy (REQ-010)."""
        return copy.deepcopy(self)


@define(slots=False)
class LlmRequest:
    """One request; callbacks may change it in place (MDL-001).

    ``tools`` maps a tool's name to the tool object and is never serialised.
    """

    model: str = ""
    contents: list[Content] = field(factory=list)
    config: GenerateContentConfig | None = None
    tools: dict[str, Tool] = field(factory=dict)

    def need_config(self) -> GenerateContentConfig:
        """Return the configuration, made when missing."""
        if self.config is None:
            self.config = GenerateContentConfig()
        return self.config

    def append_instruction(self, text: str) -> None:
        """Append to the system instruction; an empty text is not ignored (REQ-030)."""
        config = self.need_config()
        if config.system_instruction is None:
            config.system_instruction = Content(ROLE_USER, [Part(text=text)])
            return
        parts = config.system_instruction.parts
        if parts and parts[-1].text:
            parts[-1].text += "\n\n" + text
        else:
            parts.append(Part(text=text))
