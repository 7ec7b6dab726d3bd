# SPDX-License-Identifier: Apache-2.0
"""What the Gemini API answers, and the model response that it stands for (chapter 02, STRM-001).

A stream is made of such answers too: each of its chunks is one.
"""

from __future__ import annotations

from typing import Any

from attrs import define, field

from adkref.codec import record
from adkref.content import ROLE_MODEL, Content, Jsonable, LlmResponse

#: The finish reason of an answer that is as it should be.
STOP = "STOP"


@record
@define(slots=False)
class Candidate(Jsonable):
    """One of the answers that the API offers; only the first is ever looked at."""

    content: Content | None = None
    finish_reason: str = ""
    finish_message: str = ""
    grounding_metadata: dict[str, Any] | None = None
    citation_metadata: dict[str, Any] | None = None
    logprobs_result: dict[str, Any] | None = None
    avg_logprobs: float = 0.0


@record
@define(slots=False)
class PromptFeedback(Jsonable):
    """Why the API refuses to answer a prompt."""

    block_reason: str = ""
    block_reason_message: str = ""


@record
@define(slots=False)
class GenerateContentResponse(Jsonable):
    """An answer of the API, or one chunk of a streamed answer."""

    candidates: list[Candidate] = field(factory=list)
    prompt_feedback: PromptFeedback | None = None
    usage_metadata: dict[str, Any] | None = None
    model_version: str = ""

    @property
    def first(self) -> Candidate | None:
        """The first candidate, if there is one."""
        return self.candidates[0] if self.candidates else None

    def to_response(self) -> LlmResponse:
        """Return the model response that this answer stands for (STRM-001).

        It shares the candidate's content.  A finish message becomes the error message; a
        client of the Gemini API, which knows none, removes it first.
        """
        response = LlmResponse(
            usage_metadata=self.usage_metadata, model_version=self.model_version
        )
        candidate = self.first
        if candidate is not None:
            response.grounding_metadata = candidate.grounding_metadata
            response.citation_metadata = candidate.citation_metadata
            response.logprobs_result = candidate.logprobs_result
            response.avg_logprobs = candidate.avg_logprobs
            response.finish_reason = candidate.finish_reason
            content = candidate.content
            if (content is not None and content.parts) or candidate.finish_reason == STOP:
                response.content = content
            else:
                response.error_code = candidate.finish_reason
                response.error_message = candidate.finish_message
        elif self.prompt_feedback is not None:
            response.error_code = self.prompt_feedback.block_reason
            response.error_message = self.prompt_feedback.block_reason_message
        else:
            response.content = Content(ROLE_MODEL)
        return response
