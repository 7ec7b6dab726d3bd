# SPDX-License-Identifier: Apache-2.0
"""Who the agents of a recorded case are, and who stands below whom.

Nothing recorded says so outright.  What a model is offered tells: ``transfer_to_agent`` has the
names of those to whom it may hand over, which for the first agent are its sub-agents, and for
any other its parent, its siblings and its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import Factory, define, field

from adkref.conformance.incumbent.reading import Case, Data, Recording, Unsupported

TRANSFER = "transfer_to_agent"


@define
class Member:
    """An agent that was recorded."""

    name: str
    #: Where it is met first.
    first: Recording
    parent: Member | None = None
    children: list[Member] = Factory(list)
    #: What its model was asked and answered, and its tools.
    models: list[Recording] = Factory(list)
    tools: list[Recording] = Factory(list)
    #: To whom it may hand over, if it was asked at all.
    reach: tuple[str, ...] | None = field(default=None)

    @property
    def declarations(self) -> list[Data]:
        """The tools that its model was offered first."""
        return [] if not self.models else list(declared(self.models[0]))

    def walk(self) -> Iterator[Member]:
        """Yield this agent and all below."""
        yield self
        for child in self.children:
            yield from child.walk()


def root_of(case: Case) -> Member:
    """Return the first agent of a case, with all others below it."""
    members = _members(case)
    if not members:
        raise Unsupported(case.file, ("recordings",), "is empty, so no agent is known")
    root, *others = members.values()
    waiting = [root]
    while waiting:
        parent = waiting.pop(0)
        for child in _children(parent, members):
            child.parent = parent
            parent.children.append(child)
            waiting.append(child)
    for member in others:
        if member.parent is None:
            raise Unsupported(
                case.file,
                ("recordings", member.first.number, "agent_name"),
                f"{member.name!r} runs, and nothing recorded says how it comes to: it is none of "
                f"those to whom {root.name!r} could hand over",
            )
    return root


def _members(case: Case) -> dict[str, Member]:
    members: dict[str, Member] = {}
    for recording in case.recordings:
        member = members.setdefault(recording.agent, Member(recording.agent, recording))
        if recording.model is None:
            member.tools.append(recording)
            continue
        member.models.append(recording)
        if member.reach is None:
            member.reach = tuple(_reach(recording))
    return members


def _children(parent: Member, members: dict[str, Member]) -> Iterator[Member]:
    """Yield whom an agent may hand over to and who stands nowhere yet."""
    taken = {parent.name}
    above = parent.parent
    if above is not None:
        # Siblings are the parent's, whether or not they were recorded.
        taken |= {above.name, *(above.reach or ())}
    for name in parent.reach or ():
        member = members.get(name)
        if member is not None and member.parent is None and name not in taken:
            yield member


def declared(recording: Recording) -> Iterator[Data]:
    """Yield the functions that a model was offered."""
    config: Any = ((recording.model or {}).get("llm_request") or {}).get("config") or {}
    for entry in config.get("tools") or ():
        yield from entry.get("function_declarations") or ()


def _reach(recording: Recording) -> Iterator[str]:
    for declaration in declared(recording):
        if declaration.get("name") == TRANSFER:
            schema = declaration.get("parameters_json_schema") or declaration.get("parameters")
            names = ((schema or {}).get("properties") or {}).get("agent_name") or {}
            yield from names.get("enum") or ()
