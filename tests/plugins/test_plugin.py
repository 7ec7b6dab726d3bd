# SPDX-License-Identifier: Apache-2.0
"""The plugin record (PLG-001 to PLG-004)."""

import pytest

from adkref.plugins import HOOKS, Plugin


def test_a_plugin_needs_nothing():
    """An empty name and no callback at all are accepted (PLG-001)."""
    plugin = Plugin()
    assert plugin.name == ""
    assert [plugin.callback(hook.name) for hook in HOOKS] == [None] * 12


def test_each_accessor_gives_the_function_that_was_configured():
    """Twelve callbacks come back under their hooks' names, unchanged (PLG-001, PLG-004)."""
    callbacks = {hook.name: object() for hook in HOOKS}
    plugin = Plugin("p", **{f"{name}_callback": it for name, it in callbacks.items()})
    assert {hook.name: plugin.callback(hook.name) for hook in HOOKS} == callbacks


def test_without_a_close_function_closing_succeeds():
    """A missing close function is one that reports no error (PLG-002)."""
    assert Plugin("p").close() is None


def test_close_calls_the_close_function_each_time():
    """There is no once-only guard, and an error passes unchanged (PLG-003)."""
    errors = [ValueError("first"), ValueError("second")]
    left = list(errors)

    def close():
        raise left.pop(0)

    plugin = Plugin("p", close=close)
    raised = []
    for _ in errors:
        with pytest.raises(ValueError, match=r"first|second") as caught:
            plugin.close()
        raised.append(caught.value)
    assert raised == errors


def test_plugins_are_compared_by_identity():
    """Two plugins with the same values are two plugins (PLG-008)."""
    assert Plugin("p") != Plugin("p")
