# SPDX-License-Identifier: Apache-2.0
"""Scripted tools."""

from __future__ import annotations

from typing import Final

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from adkref.conformance.script import TOOL
from adkref.strategies.draws import ALONE, Scope, Spec, Specs, cached, chance, optional, some
from adkref.strategies.hooks import rules
from adkref.strategies.placeholders import TOOL as TOOL_ITSELF
from adkref.strategies.values import labelled

#: A schema that not every call of :func:`~adkref.strategies.models.city_args` fits.
PARAMETERS: Final[Spec] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["city"],
}


@cached
@st.composite
def tools(draw: DrawFn, scope: Scope = ALONE, *, pausing: int = 0, confirming: int = 0) -> Spec:
    """Draw a scripted function tool called ``tool1``.

    It is a long-running one that returns nothing, so that the run pauses, with a chance of
    *pausing*, and asks for a confirmation with one of *confirming*.
    """
    tool: Spec = {"name": "tool1", **draw(_tool_options(scope, confirming))}
    if pausing and draw(chance(pausing)):
        return {**tool, "long_running": True, "rules": [{"do": [{"return": None}]}]}
    return tool


@cached
def _tool_options(scope: Scope, confirming: int) -> Specs:
    # Among several calls of one turn, a tool keeps to state keys of its own.
    own = TOOL_ITSELF if scope.several and not scope.beside else scope.own
    return optional(
        {
            "description": (30, labelled("does")),
            "parameters": (25, st.just(PARAMETERS)),
            "long_running": (12, st.just(True)),
            "require_confirmation": (confirming, st.just(True)),
            "rules": (60, rules(TOOL, evolve(scope, own=own), least=1)),
        }
    )


@cached
def several_tools(
    most: int, scope: Scope = ALONE, *, least: int = 0, pausing: int = 0, confirming: int = 0
) -> SearchStrategy[list[Spec]]:
    """Draw the tools of an agent, called ``tool1``, ``tool2`` and so on."""

    def numbered(drawn: list[Spec]) -> list[Spec]:
        found = [{**tool, "name": f"tool{number}"} for number, tool in enumerate(drawn, 1)]
        if scope.several:
            # Which of several confirmations comes first is left open.
            for tool in found[1:]:
                tool.pop("require_confirmation", None)
        return found

    one = tools(scope, pausing=pausing, confirming=confirming)
    return some(one, most, least=least).map(numbered)


@cached
def asking_tools(name: str = "tool1") -> SearchStrategy[Spec]:
    """Draw a tool that asks for a confirmation by itself, and reads the answer."""

    def tool(hint: str) -> Spec:
        ask = {"request_confirmation": {"hint": hint}}
        read = {"get_confirmation": True}
        first = [read, ask, {"return": {"status": "pending"}}]
        return {"name": name, "rules": [{"call": 1, "do": first}, {"do": [read]}]}

    return labelled("sure about").map(tool)
