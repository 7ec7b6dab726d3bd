# SPDX-License-Identifier: Apache-2.0
"""Rules of chapter 02 on tools that no case and no test of tests/tools shows."""

from __future__ import annotations

import pytest
from kit import call, reply, run

from adkref.agents import LlmAgent
from adkref.errors import ProgrammingError
from adkref.models import ScriptedModel
from adkref.models.request import FunctionDeclaration
from adkref.tools.tool import pack_tool


class Other:
    """A tool of one's own, which does not want to be told of its misuse in a response."""

    name, description, is_long_running = "t", "", False

    def declaration(self):
        """Declare it by its name alone."""
        return FunctionDeclaration(name="t")

    def process_request(self, ctx, request):
        """Declare it to the model."""
        pack_tool(request, self)

    def run(self, ctx, args):
        """Do what a Go tool answers with a panic."""
        raise ProgrammingError("nil map")


def test_a_panic_of_another_kind_of_tool_is_not_caught():
    """Only function tools turn a programming error into an answer (TOOL-006)."""
    agent = LlmAgent("a", model=ScriptedModel([reply(call("t"))]), tools=[Other()])
    with pytest.raises(ProgrammingError, match="nil map"):
        run(agent)
