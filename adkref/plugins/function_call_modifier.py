# SPDX-License-Identifier: Apache-2.0
"""A plugin that asks the model for more arguments than a tool takes (chapter 04, 15.2).

Before the model is asked, the declarations of the chosen tools get additional arguments.
After it has answered, those arguments are taken out of the calls again and put into the
session's state, so that the tool never sees them and whoever wants them finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from adkref.content import FunctionCall, LlmResponse, calls_of
from adkref.errors import ProgrammingError, wrap
from adkref.plugins.plugin import Plugin

if TYPE_CHECKING:
    from adkref.contexts import CallbackContext
    from adkref.models import FunctionDeclaration, LlmRequest

NAME: Final = "FunctionCallModifierPlugin"

Schema = dict[str, Any]


class FunctionCallModifier(Plugin):
    """Adds the arguments *args* (name to schema) to the tools that *predicate* accepts.

    What a model says for them is in the state under ``<call id>/<argument name>``.
    *override_description* makes a tool's new description from its old one.  Nothing of
    this is checked (FCM-001).
    """

    def __init__(
        self,
        predicate: Callable[[str], bool],
        args: Mapping[str, Schema] | None = None,
        override_description: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(  # FCM-001
            NAME,
            before_model_callback=self._before_model,
            after_model_callback=self._after_model,
        )
        self._predicate = predicate
        self._args: Mapping[str, Schema] = args if args is not None else {}
        self._override_description = override_description

    def _accepts(self, name: str) -> bool:
        if self._predicate is None:  # FCM-001: a missing predicate shows at its first use
            raise ProgrammingError(f"{NAME} has no predicate")
        return self._predicate(name)

    # --- before the model: declarations ----------------------------------------------------

    def _before_model(self, ctx: CallbackContext, request: LlmRequest) -> None:
        if request.config is None:  # FCM-002
            return
        for entry in request.config.tools:
            for declaration in entry.function_declarations or ():
                # FCM-003: the predicate hears of local tools only.
                if declaration.name in request.tools and self._accepts(declaration.name):
                    self._extend(declaration)

    def _extend(self, declaration: FunctionDeclaration) -> None:
        # FCM-004: in place, over shared schema objects; FCM-005: each time anew.
        if declaration.parameters is None:
            declaration.parameters = {"type": "OBJECT", "properties": {}}
        if declaration.parameters.get("properties") is None:
            declaration.parameters["properties"] = {}
        declaration.parameters["properties"].update(self._args)
        if self._override_description is not None:
            declaration.description = self._override_description(declaration.description)

    # --- after the model: calls ------------------------------------------------------------

    def _after_model(
        self, ctx: CallbackContext, response: LlmResponse | None, error: Exception | None
    ) -> LlmResponse | None:
        if error is not None:
            raise error  # FCM-006
        if response is None or response.content is None or not response.content.parts:
            return response  # FCM-007: an answer, so the round ends here
        for call in calls_of(response.content):  # FCM-009: of any tool, partial ones too
            if self._accepts(call.name):
                self._strip(ctx, call)
        return None

    def _strip(self, ctx: CallbackContext, call: FunctionCall) -> None:
        # FCM-008
        args = call.args if call.args is not None else {}
        for name in self._args:
            if name not in args:
                continue
            value = args.pop(name)
            try:
                ctx.state[f"{call.id}/{name}"] = value
            except ProgrammingError:
                raise
            except Exception as failure:  # FCM-010: the argument is gone all the same
                raise wrap("failed to set state", failure) from failure
