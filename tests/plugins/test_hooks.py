# SPDX-License-Identifier: Apache-2.0
"""The table of hooks (chapter 04, 1.1)."""

import attrs

from adkref.content import Content, LlmResponse
from adkref.events import Event
from adkref.plugins import HOOKS, Plugin
from adkref.plugins.hooks import BY_NAME

#: Hook -> arguments after the context, type of an answer, whether an agent has its own.
EXPECTED = {
    "on_user_message": (("content",), Content, False),
    "before_run": ((), Content, False),
    "after_run": ((), None, False),
    "on_event": (("event",), Event, False),
    "before_agent": ((), Content, True),
    "after_agent": ((), Content, True),
    "before_model": (("request",), LlmResponse, True),
    "after_model": (("response", "error"), LlmResponse, True),
    "on_model_error": (("request", "error"), LlmResponse, True),
    "before_tool": (("tool", "args"), dict, True),
    "after_tool": (("tool", "args", "result", "error"), dict, True),
    "on_tool_error": (("tool", "args", "error"), dict, True),
}


def test_twelve_hooks_with_their_arguments_and_answers():
    """The table has the twelve callbacks of a plugin's configuration (PLG-004, PLG-016)."""
    shown = {hook.name: (hook.arguments, hook.answer, hook.own) for hook in HOOKS}
    assert shown == EXPECTED
    assert list(shown) == list(EXPECTED)


def test_every_hook_says_when_it_is_asked_and_what_an_answer_does():
    """The documentation's table needs both sentences of every hook."""
    assert [hook.name for hook in HOOKS if not hook.when or not hook.outcome] == []


def test_hooks_are_found_by_name():
    """The index holds the same objects in the same order."""
    assert list(BY_NAME.items()) == [(hook.name, hook) for hook in HOOKS]


def test_a_plugin_has_a_field_for_every_hook_and_no_other():
    """Nothing but the table lists the hooks (PLG-004)."""
    fields = [field.name for field in attrs.fields(Plugin)]
    assert fields == ["name", *(f"{name}_callback" for name in EXPECTED), "close_callback"]
