# SPDX-License-Identifier: Apache-2.0
"""A plugin that answers a failed tool call with guidance for the model (chapter 04, 15.3).

Nothing is tried again here (RAR-014): the model reads the guidance as the tool's result
and may call again.  Failures are counted per tool until one call succeeds.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final

from adkref.errors import (
    AdkError,
    ArtifactNotFound,
    ConfirmationRejected,
    ConfirmationRequired,
    DeadlineExceeded,
    find,
    text_of,
)
from adkref.gotext import text, to_json
from adkref.plugins.guidance import EXCEEDED, REFLECTION
from adkref.plugins.plugin import Plugin

if TYPE_CHECKING:
    from adkref.contexts import ToolContext
    from adkref.tools import Tool

NAME: Final = "RetryAndReflectPlugin"
#: Marks a result as guidance, so that it does not count as a success.
MARKER: Final = "ERROR_HANDLED_BY_REFLECT_AND_RETRY_PLUGIN"

GLOBAL: Final = "global"
INVOCATION: Final = "invocation"
_GLOBAL_KEY: Final = "__global_reflect_and_retry_scope__"

Result = dict[str, Any]


class RetryAndReflect(Plugin):
    """Turns up to *max_retries* failures of a tool in a row into advice to the model.

    Past the limit the answer tells the model to give the tool up, or, with
    *error_if_retry_exceeded*, the error stays what it is.  *scope* is "invocation", or
    "global" to count over all runs, users and sessions.  Raises AdkError ``maxRetries must
    be a non-negative integer``.
    """

    def __init__(
        self,
        max_retries: int = 3,
        error_if_retry_exceeded: bool = False,
        scope: str = INVOCATION,
    ) -> None:
        if max_retries < 0:  # RAR-001
            raise AdkError("maxRetries must be a non-negative integer")
        super().__init__(  # RAR-001
            NAME,
            after_tool_callback=self._after_tool,
            on_tool_error_callback=self._on_tool_error,
        )
        self._maximum = max_retries
        self._error_if_exceeded = error_if_retry_exceeded
        self._scope = scope
        self._lock = threading.Lock()
        #: Scope key -> tool name -> failures since the last success (RAR-002); a scope whose
        #: tools all succeed goes, one with a tool that never did stays (RAR-007).
        self._failures: dict[str, dict[str, int]] = {}

    def _key(self, ctx: ToolContext) -> str:
        # RAR-002: every scope but "global" is the invocation's.
        return _GLOBAL_KEY if self._scope == GLOBAL else ctx.invocation_id

    # --- a failure ------------------------------------------------------------------------

    def _on_tool_error(
        self, ctx: ToolContext, tool: Tool, args: dict[str, Any] | None, error: Exception
    ) -> Result | None:
        # RAR-003: a question to the user is no failure, and neither is the answer "no".
        if find(error, ConfirmationRequired) or find(error, ConfirmationRejected):
            return None
        count = self._count(self._key(ctx), tool.name) if self._maximum > 0 else 0  # RAR-004
        if 0 < count <= self._maximum:  # RAR-005
            return self._answer(REFLECTION, count, tool, args, error)
        if self._error_if_exceeded:
            raise error
        return self._answer(EXCEEDED, self._maximum, tool, args, error)

    def _count(self, key: str, tool: str) -> int:
        """Count one failure more, also beyond the maximum (RAR-005, RAR-009)."""
        with self._lock:
            counters = self._failures.setdefault(key, {})
            counters[tool] = counters.get(tool, 0) + 1
            return counters[tool]

    def _answer(
        self,
        template: str,
        count: int,
        tool: Tool,
        args: dict[str, Any] | None,
        error: Exception,
    ) -> Result:
        kind, message = go_type(error), text_of(error)
        guidance = template.format(
            tool=tool.name,
            details=f"{kind}: {message}",
            arguments=format_arguments(args),
            count=count,
            maximum=self._maximum,
        )
        return {  # RAR-010
            "response_type": MARKER,
            "error_type": kind,
            "error_details": message,
            "retry_count": count,
            "reflection_guidance": guidance,
        }

    # --- a success ------------------------------------------------------------------------

    def _after_tool(
        self,
        ctx: ToolContext,
        tool: Tool,
        args: dict[str, Any] | None,
        result: Result | None,
        error: Exception | None,
    ) -> None:
        # RAR-006: guidance of this plugin comes by here too, and is no success.
        if error is None and (result or {}).get("response_type") != MARKER:
            self._reset(self._key(ctx), tool.name)

    def _reset(self, key: str, tool: str) -> None:
        with self._lock:
            counters = self._failures.get(key)
            if counters is None:
                return
            counters.pop(tool, None)
            if not counters:
                del self._failures[key]


# --- spellings ---------------------------------------------------------------------------


#: Errors of the project whose Go counterpart no text gives away.
_GO_TYPES: Final[dict[type, str]] = {
    DeadlineExceeded: "context.deadlineExceededError",
    ArtifactNotFound: "*fmt.wrapError",  # around fs.ErrNotExist
}
#: Texts whose Go counterpart wraps an error that is none of its own here.
_WRAPPING_TEXTS: Final = ("validating ",)


def go_type(error: Exception) -> str:
    """Return the name of an error's type, as the model reads it (RAR-010, RAR-011).

    An error of this project is spelled as the Go error that it stands for: one that shows
    another error's text at its end wraps that one, every other is a plain text.  A class of
    the user's or of Python keeps its own name.
    """
    kind = type(error)
    if kind.__module__.partition(".")[0] != "adkref":
        return kind.__name__
    if kind in _GO_TYPES:
        return _GO_TYPES[kind]
    shown, cause = text_of(error), error.__cause__
    wraps = shown.startswith(_WRAPPING_TEXTS) or (
        cause is not None and shown.endswith(text_of(cause))
    )
    return "*fmt.wrapError" if wraps else "*errors.errorString"


def format_arguments(args: dict[str, Any] | None) -> str:
    """Return the arguments as indented JSON, or in Go's map form if they are none (RAR-011)."""
    try:
        return _indented(args)
    except TypeError:
        return text(args)


def _indented(value: Any, margin: str = "") -> str:
    inner = margin + "  "
    if isinstance(value, dict) and value:
        rows = [f"{inner}{to_json(key)}: {_indented(value[key], inner)}" for key in sorted(value)]
        return "{\n" + ",\n".join(rows) + f"\n{margin}}}"
    if isinstance(value, list | tuple) and value:
        rows = [inner + _indented(item, inner) for item in value]
        return "[\n" + ",\n".join(rows) + f"\n{margin}]"
    return to_json(value)
