# SPDX-License-Identifier: Apache-2.0
"""The LLM agent (chapter 02, sections 2 and 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, field

from adkref.agents.base import Agent, callback_list, list_of
from adkref.contexts import Context, InvocationDelta, ReadonlyContext
from adkref.errors import AdkError, ProgrammingError, describe, wrap
from adkref.streams import Emitted, Stream
from adkref.tools.tool import Tool, Toolset

if TYPE_CHECKING:
    from adkref.models import GenerateContentConfig, Model

_INCLUDE_CONTENTS = ("", "default", "none")

InstructionProvider = Callable[[ReadonlyContext], str]


def _tools(given: Any) -> list[Any]:
    """Accept plain functions among tools: they become function tools."""
    from adkref.tools.function import FunctionTool

    return [
        item if not callable(item) or hasattr(item, "name") else FunctionTool(item)
        for item in list_of("tools", given)
    ]


def _toolsets(given: Any) -> list[Any]:
    return list_of("toolsets", given)


@define(eq=False, slots=False, repr=False)
class LlmAgent(Agent):
    """An agent whose body asks a model, runs the tools it calls, and asks again.

    Beyond types that Go's compiler would refuse, nothing but the base constructor's checks
    is made here (LLM-001): a missing model fails when the agent runs.  Instructions are
    templates over the session's state; schemas are genai Schema dictionaries; ``mode`` is "",
    "chat", "task" or "single_turn", ``include_contents`` "", "default" or "none".  Delegation
    tools for its sub-agents are appended to ``tools`` (LLM-004).
    """

    model: Model | None = field(default=None, kw_only=True)
    instruction: str = field(default="", kw_only=True)
    global_instruction: str = field(default="", kw_only=True)
    instruction_provider: InstructionProvider | None = field(default=None, kw_only=True)
    global_instruction_provider: InstructionProvider | None = field(default=None, kw_only=True)
    generate_content_config: GenerateContentConfig | None = field(default=None, kw_only=True)
    tools: list[Tool] = field(factory=list, kw_only=True, converter=_tools)
    toolsets: list[Toolset] = field(factory=list, kw_only=True, converter=_toolsets)
    output_key: str = field(default="", kw_only=True)
    output_schema: dict[str, Any] | None = field(default=None, kw_only=True)
    input_schema: dict[str, Any] | None = field(default=None, kw_only=True)
    include_contents: str = field(default="", kw_only=True)
    disallow_transfer_to_parent: bool = field(default=False, kw_only=True)
    disallow_transfer_to_peers: bool = field(default=False, kw_only=True)
    mode: str = field(default="", kw_only=True)
    before_model_callbacks: list[Callable[..., Any]] = field(
        factory=list, kw_only=True, converter=callback_list
    )
    after_model_callbacks: list[Callable[..., Any]] = field(
        factory=list, kw_only=True, converter=callback_list
    )
    on_model_error_callbacks: list[Callable[..., Any]] = field(
        factory=list, kw_only=True, converter=callback_list
    )
    before_tool_callbacks: list[Callable[..., Any]] = field(
        factory=list, kw_only=True, converter=callback_list
    )
    after_tool_callbacks: list[Callable[..., Any]] = field(
        factory=list, kw_only=True, converter=callback_list
    )
    on_tool_error_callbacks: list[Callable[..., Any]] = field(
        factory=list, kw_only=True, converter=callback_list
    )

    agent_type: ClassVar[str] = "LLMAgent"

    def __attrs_post_init__(self) -> None:
        from adkref.flow.delegation import delegation_tools

        if self.body is not None:
            raise AdkError("LlmAgent doesn't allow custom Run implementations")
        self._refuse_wrong_types()
        try:
            super().__attrs_post_init__()
        except AdkError as error:
            raise wrap("failed to create agent", error) from error  # LLM-002
        self.tools.extend(delegation_tools(self))

    def _refuse_wrong_types(self) -> None:
        """Refuse what Go's compiler would; a ``mode`` of another name is told of by RUN-015."""
        for name in ("output_schema", "input_schema"):
            schema = getattr(self, name)
            if not isinstance(schema, dict | None):
                raise ProgrammingError(
                    f"the {name} of agent {self.name!r} is {describe(schema)}, "
                    "expected a genai Schema as a dict"
                )
        for name in ("mode", "output_key"):
            if not isinstance(getattr(self, name), str):
                raise ProgrammingError(
                    f"the {name} of agent {self.name!r} is {describe(getattr(self, name))}, "
                    "expected a str"
                )
        if self.include_contents not in _INCLUDE_CONTENTS:
            raise ProgrammingError(
                f"the include_contents of agent {self.name!r} is {self.include_contents!r}, "
                "expected '', 'default' or 'none'"
            )

    def _items(self, node: Context) -> Stream:
        """Run a fresh flow with this agent bound (LLM-020)."""
        from adkref.flow.flow import Flow
        from adkref.flow.output import save_output

        # A second fork of the ended flag: ending it in the flow does not reach the
        # node context, so the after phase still runs (CTX-003).
        ctx = node.with_invocation_delta(InvocationDelta(agent=self))
        items = Flow(self).run(ctx)
        try:
            for item in items:
                if type(item) is not Emitted:
                    save_output(self, item[0])  # LLM-021
                yield item
        finally:
            items.close()
