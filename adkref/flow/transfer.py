# SPDX-License-Identifier: Apache-2.0
"""Handing the conversation to another agent (chapter 02, section 11)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adkref.agents.base import Agent
from adkref.agents.tree import parents_of
from adkref.errors import AdkError
from adkref.flow.placement import CHAT, SINGLE_TURN, TASK, mode_of
from adkref.gotext import quote, text, type_name
from adkref.models.request import FunctionDeclaration
from adkref.tools.tool import declare

if TYPE_CHECKING:
    from adkref.agents.llm import LlmAgent
    from adkref.contexts import Context, ToolContext
    from adkref.models import LlmRequest

TRANSFER = "transfer_to_agent"
DESCRIPTION = (
    "Transfer the question to another agent.\n"
    "This tool hands off control to another agent when it's more suitable to answer the "
    "user's question according to the agent's description."
)

#: How inserted values are escaped, on top of the control characters (XFER-006).
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;"})
_KEPT_CONTROLS = "\t\n\f\r"


class TransferTool:
    """Names the agent to hand over to; whether it exists is found out later (XFER-007)."""

    name = TRANSFER
    description = DESCRIPTION
    is_long_running = False

    def __init__(self, targets: list[Agent]) -> None:
        self._names = [agent.name for agent in targets]

    def declaration(self) -> FunctionDeclaration:
        """Return the declaration with the targets' names as the allowed values (XFER-003)."""
        return FunctionDeclaration(
            name=TRANSFER,
            description=DESCRIPTION,
            parameters={
                "type": "OBJECT",
                "properties": {
                    "agent_name": {
                        "type": "STRING",
                        "description": "the agent name to transfer to",
                        "enum": list(self._names),
                    }
                },
                "required": ["agent_name"],
            },
        )

    def run(self, ctx: ToolContext, args: Any) -> dict[str, Any]:
        """Set ``transfer_to_agent`` on the call's actions."""
        if args is None:
            raise AdkError("missing argument")
        if not isinstance(args, dict):
            raise AdkError(f"unexpected args type: {type_name(args)}")
        name = args.get("agent_name")
        if not isinstance(name, str) or not name:
            raise AdkError(f"empty agent_name: {text(args)}")
        ctx.actions.transfer_to_agent = name
        return {}


def transfer_targets(agent: LlmAgent, ctx: Context) -> list[Agent]:
    """Return whom *agent* may hand over to: children, parent, peers (XFER-001)."""
    targets = [sub for sub in agent.sub_agents if _transferable(sub)]
    parent = parents_of(ctx.host).get(agent.name)
    if _is_llm(parent):
        assert parent is not None
        if not agent.disallow_transfer_to_parent:
            targets.append(parent)
        if not agent.disallow_transfer_to_peers:
            targets.extend(
                peer
                for peer in parent.sub_agents
                if peer.name != agent.name and _transferable(peer)
            )
    return targets


def _is_llm(agent: Agent | None) -> bool:
    return agent is not None and agent.agent_type == "LLMAgent"


def _transferable(agent: Agent) -> bool:
    return not (_is_llm(agent) and getattr(agent, "mode", "") in (TASK, SINGLE_TURN))


def add_transfer(agent: LlmAgent, ctx: Context, request: LlmRequest) -> None:
    """Tell the model of the targets and register the tool (XFER-002, XFER-003)."""
    if (
        not agent.sub_agents
        and agent.disallow_transfer_to_parent
        and agent.disallow_transfer_to_peers
    ):
        return
    targets = transfer_targets(agent, ctx)
    if not targets:
        return
    request.append_instruction(_instruction(agent, ctx, targets))
    tool = TransferTool(targets)
    if TRANSFER in request.tools:
        raise AdkError(f"tools[0] duplicate tool: {quote(TRANSFER)}")  # REQ-004
    request.tools[TRANSFER] = tool
    declare(request.need_config().tools, tool.declaration())


def _instruction(agent: LlmAgent, ctx: Context, targets: list[Agent]) -> str:
    """Return the text of XFER-005; an agent without chat mode gets an empty one (XFER-004)."""
    if mode_of(agent, ctx) not in ("", CHAT):
        return ""
    blocks = "".join(
        f"\nAgent name: {_escaped(target.name)}\n"
        f"Agent description: {_escaped(target.description)}\n\n"
        for target in targets
    )
    names = ", ".join(f"`{_escaped(name)}`" for name in sorted(target.name for target in targets))
    parent = parents_of(ctx.host).get(agent.name)
    to_parent = ""
    if parent is not None and not agent.disallow_transfer_to_parent:
        to_parent = (
            "\nIf neither you nor the other agents are best for the question, "
            f"transfer to your parent agent {_escaped(parent.name)}.\n"
        )
    return (
        "\nYou have a list of other agents to transfer to:\n\n"
        f"{blocks}"
        "\nIf you are the best to answer the question according to your description,\n"
        "you can answer it.\n"
        "\n"
        "If another agent is better for answering the question according to its\n"
        "description, call `transfer_to_agent` function to transfer the question to that\n"
        "agent. When transferring, do not generate any text other than the function\n"
        "call.\n"
        "\n"
        "**NOTE**: the only available agents for `transfer_to_agent` function are\n"
        f"{names}.\n"
        f"{to_parent}"
    )


def _escaped(value: str) -> str:
    kept = "".join(
        "\ufffd" if _is_control(char) and char not in _KEPT_CONTROLS else char for char in value
    )
    return kept.translate(_HTML)


def _is_control(char: str) -> bool:
    code = ord(char)
    return (
        code < 0x20 or 0x7F <= code < 0xA0 or 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE
    )


def find_target(agent: LlmAgent, ctx: Context, name: str) -> Agent:
    """Return the target called *name*; only targets count (XFER-008)."""
    for target in transfer_targets(agent, ctx):
        if target.name == name:
            return target
    raise AdkError(f"failed to find agent: {name}")
