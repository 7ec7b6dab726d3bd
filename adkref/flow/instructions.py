# SPDX-License-Identifier: Apache-2.0
"""Instructions and their placeholders (chapter 02, 5.3)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from adkref.agents.tree import parents_of, root_of
from adkref.contexts import Context, ReadonlyContext
from adkref.errors import AdkError, ProgrammingError, describe, wrap
from adkref.gotext import text

if TYPE_CHECKING:
    from adkref.models import LlmRequest

#: One or more braces, then anything but braces, then one or more braces (REQ-035).
_PLACEHOLDER = re.compile(r"\{+[^{}]*\}+")
_PREFIXES = ("app", "user", "temp")


def add_instructions(ctx: Context, request: LlmRequest) -> None:
    """Append the tree's global instruction, then the agent's own (REQ-031, REQ-032)."""
    from adkref.agents.llm import LlmAgent

    agent = ctx.agent
    if not isinstance(agent, LlmAgent):
        return
    root = root_of(agent, parents_of(ctx.host))
    top = root if isinstance(root, LlmAgent) else agent
    # REQ-034: the agent's own provider is called "global" in its error, too.
    for what, provider, template, injecting in (
        (
            "failed to append global instructions",
            top.global_instruction_provider,
            top.global_instruction,
            "failed to inject session state into global instruction",
        ),
        (
            "failed to append instructions",
            agent.instruction_provider,
            agent.instruction,
            "failed to inject session state into instruction",
        ),
    ):
        try:
            instruction = _instruction(ctx, provider, template, injecting)
        except AdkError as error:
            raise wrap(what, error) from error
        if instruction is not None:
            request.append_instruction(instruction)


def _instruction(
    ctx: Context,
    provider: Callable[[ReadonlyContext], str] | None,
    template: str,
    injecting: str,
) -> str | None:
    """Return the text to append, "" included, or None for nothing (REQ-033)."""
    if provider is not None:
        try:
            given = provider(ReadonlyContext(ctx))
        except ProgrammingError:
            raise
        except Exception as error:
            raise wrap("failed to evaluate global instruction provider", error) from error
        if not isinstance(given, str):
            raise ProgrammingError(
                f"instruction provider returned {type(given).__name__}, expected str"
            )
        return given
    if not template:
        return None
    if not isinstance(template, str):
        raise ProgrammingError(
            f"an instruction is {describe(template)}, expected a str; "
            "a function is an instruction_provider"
        )
    try:
        return inject_state(ctx, template)
    except AdkError as error:
        raise wrap(injecting, error) from error


def inject_state(ctx: Context, template: str) -> str:
    """Replace the placeholders of *template* from the session's state and artifacts.

    From left to right, stopping at the first error; inserted text is not looked at again
    (REQ-040).  A placeholder that is no valid name stays as it is (REQ-038).
    """
    return _PLACEHOLDER.sub(lambda match: _replacement(ctx, match[0]), template)


def _replacement(ctx: Context, match: str) -> str:
    name = match.lstrip("{").rstrip("}").strip()  # REQ-036
    optional = name.endswith("?")
    if optional:
        name = name[:-1]
    if name.startswith("artifact."):
        return _artifact_text(ctx, name.removeprefix("artifact."), optional)
    if not is_state_name(name):
        return match
    try:  # REQ-039
        value = ctx.need_session().state[name]
    except AdkError:
        if optional:
            return ""
        raise
    return "" if value is None else text(value)


def _artifact_text(ctx: Context, name: str, optional: bool) -> str:
    # REQ-037
    artifacts = ctx.artifacts
    if artifacts is None:
        raise AdkError("artifact service is not initialized")
    try:
        return artifacts.load(name).text
    except ProgrammingError:
        raise
    except Exception as error:
        if optional:
            return ""
        raise wrap(f"failed to load artifact {name}", error) from error


def is_state_name(name: str) -> bool:
    """Tell whether *name* is an identifier, with one of the state prefixes or none (REQ-038)."""
    prefix, colon, rest = name.partition(":")
    if not colon:
        return _is_identifier(name)
    return prefix in _PREFIXES and _is_identifier(rest)


def _is_identifier(name: str) -> bool:
    if not name or not (name[0].isalpha() or name[0] == "_"):
        return False
    return all(c.isalpha() or c == "_" or c.isdecimal() for c in name)
