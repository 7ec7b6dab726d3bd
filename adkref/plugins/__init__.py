# SPDX-License-Identifier: Apache-2.0
"""Plugins: callbacks around everything a runner does."""

from adkref.plugins.function_call_modifier import FunctionCallModifier
from adkref.plugins.hooks import HOOKS, Hook
from adkref.plugins.logging import LoggingPlugin
from adkref.plugins.manager import PLUGINS, PluginManager, plugins_of
from adkref.plugins.plugin import Plugin
from adkref.plugins.retry_and_reflect import RetryAndReflect

__all__ = [
    "HOOKS",
    "PLUGINS",
    "FunctionCallModifier",
    "Hook",
    "LoggingPlugin",
    "Plugin",
    "PluginManager",
    "RetryAndReflect",
    "plugins_of",
]
