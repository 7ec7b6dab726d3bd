# SPDX-License-Identifier: Apache-2.0
"""Models: what a flow asks, and what answers."""

from adkref.models.aggregate import StreamAggregator, aggregated
from adkref.models.candidates import Candidate, GenerateContentResponse, PromptFeedback
from adkref.models.model import Model, ModelItem, ScriptedModel
from adkref.models.request import (
    FunctionDeclaration,
    GenerateContentConfig,
    LlmRequest,
    ToolDeclarations,
)

__all__ = [
    "Candidate",
    "FunctionDeclaration",
    "GenerateContentConfig",
    "GenerateContentResponse",
    "LlmRequest",
    "Model",
    "ModelItem",
    "PromptFeedback",
    "ScriptedModel",
    "StreamAggregator",
    "ToolDeclarations",
    "aggregated",
]
