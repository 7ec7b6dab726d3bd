# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - an example prints
"""A policy plugin: a dangerous tool is refused before it runs, for every agent of a runner.

    python examples/policy_plugin.py

What ``before_tool`` returns is the tool's *result*, not its new arguments: a map takes the
place of running the tool, None lets the call through.  The model reads the refusal like any
other result and can tell the user about it.  The approval is a key of the session's state;
the application sets it with the user's next message.
"""

from typing import Any

from adkref import (
    Content,
    FunctionCall,
    LlmAgent,
    LlmResponse,
    Part,
    Plugin,
    Runner,
    ScriptedModel,
    ToolContext,
)
from adkref.sessions import InMemorySessionService
from adkref.tools import Tool

#: Tool -> the state key that has to be true before it may run.
NEEDS_APPROVAL = {"delete_file": "delete_approved"}


def policy(ctx: ToolContext, tool: Tool, args: dict[str, Any]) -> dict[str, Any] | None:
    """Refuse the tools of the table until the session has their approval."""
    key = NEEDS_APPROVAL.get(tool.name)
    if key is None or ctx.state.get(key) is True:
        print(f"  policy:  {tool.name} may run with {args}")
        return None
    print(f"  policy:  {tool.name} is refused, {key} is not set")
    return {"error": f"{tool.name} requires approval"}


def list_files() -> list[str]:
    """List the files of the folder."""
    print("  tool:    list_files runs")
    return ["notes.txt"]


def delete_file(path: str) -> dict[str, str]:
    """Delete a file."""
    print(f"  tool:    delete_file runs on {path}")
    return {"deleted": path}


def calling(name: str, **args: str) -> LlmResponse:
    """What a model answers when it wants a tool."""
    return LlmResponse(
        content=Content("model", [Part(function_call=FunctionCall(name=name, args=args))])
    )


def main() -> None:
    """Ask twice for the same deletion, the second time with the approval."""
    model = ScriptedModel(
        [
            calling("list_files"),
            calling("delete_file", path="notes.txt"),
            "I may not delete notes.txt yet.",
            calling("delete_file", path="notes.txt"),
            "notes.txt is gone.",
        ]
    )
    agent = LlmAgent("files", model=model, tools=[list_files, delete_file])
    runner = Runner(
        "policy",
        agent,
        InMemorySessionService(),
        plugins=[Plugin("policy", before_tool_callback=policy)],
        auto_create_session=True,
    )
    for message, approval in (
        ("Tidy up, please.", None),
        ("I approve. Try again.", {"delete_approved": True}),
    ):
        print(f"user: {message}")
        for event in runner.run("user", "session", message, state_delta=approval):
            for response in event.responses():
                print(f"  result:  {response.name} -> {response.response}")
            if event.is_final_response() and event.content is not None:
                print(f"agent: {event.content.parts[0].text}")


if __name__ == "__main__":
    main()
