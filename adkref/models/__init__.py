# SPDX-License-Identifier: Apache-2.0
"""Models: what a flow asks, and what answers."""

from adkref.models.model import Model, ModelItem, ScriptedModel
from adkref.models.request import (
    FunctionDeclaration,
    GenerateContentConfig,
    LlmRequest,
    ToolDeclarations,
)

__all__ = [
    "FunctionDeclaration",
    "GenerateContentConfig",
    "LlmRequest",
    "Model",
    "ModelItem",
    "ScriptedModel",
    "ToolDeclarations",
]
