# SPDX-License-Identifier: Apache-2.0
"""Plugins: callbacks around everything a runner does."""

from adkref.plugins.hooks import HOOKS, Hook
from adkref.plugins.manager import PLUGINS, PluginManager, plugins_of
from adkref.plugins.plugin import Plugin

__all__ = ["HOOKS", "PLUGINS", "Hook", "Plugin", "PluginManager", "plugins_of"]
