# SPDX-License-Identifier: Apache-2.0
"""The plugin manager: registration, and one round of one hook (chapter 04, 3 to 5)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from typing import Any

from adkref.callbacks import Answer, first_answer
from adkref.contexts.host import HostContext, Key
from adkref.errors import AdkError, ProgrammingError, describe, text_of
from adkref.plugins.hooks import HOOKS
from adkref.plugins.plugin import Plugin

log = logging.getLogger("adkref")


class PluginManager:
    """The plugins of one runner in registration order; read-only once made (PLG-111)."""

    def __init__(self, plugins: Iterable[Plugin] = ()) -> None:
        self.plugins: list[Plugin] = []
        if not isinstance(plugins, Iterable):
            raise ProgrammingError(
                f"expected a list of plugins, got an object {describe(plugins)}"
            )
        for plugin in plugins:
            self._register(plugin)
        # PLG-010: plugins without the callback are skipped, so each hook has its own list.
        self._rounds: dict[str, list[Callable[..., Any]]] = {
            hook.name: [
                callback
                for plugin in self.plugins
                if (callback := plugin.callback(hook.name)) is not None
            ]
            for hook in HOOKS
        }
        self._answers: dict[str, type] = {hook.name: hook.answer or object for hook in HOOKS}

    def _register(self, plugin: Plugin) -> None:
        # PLG-005
        if plugin is None:
            raise AdkError("cannot register nil plugin")
        if isinstance(plugin, type) or not callable(getattr(plugin, "callback", None)):
            raise ProgrammingError(f"a plugin is {describe(plugin)}, expected a Plugin")
        if any(plugin.name == other.name for other in self.plugins):
            raise AdkError(f"plugin with name '{plugin.name}' already registered")
        self.plugins.append(plugin)

    def has(self, hook: str) -> bool:
        """Tell whether any plugin takes part in *hook*."""
        return bool(self._rounds[hook])

    def ask(self, hook: str, *arguments: Any) -> Answer[Any]:
        """Ask the plugins in order; the first value or error ends the round (PLG-010).

        Every plugin gets the same argument objects (PLG-013).
        """
        callbacks = self._rounds[hook]
        if not callbacks:
            return None, None
        return first_answer(f"plugin {hook}", self._answers[hook], callbacks, *arguments)

    def tell(self, hook: str, *arguments: Any) -> None:
        """Call every plugin in order, whatever the others did (PLG-016).

        What one raises is logged: a hook without an answer cannot fail a run (PLG-049).
        """
        for callback in self._rounds[hook]:
            try:
                callback(*arguments)
            except ProgrammingError:
                raise
            except Exception:
                log.exception("plugin %s callback failed", hook)

    def close(self, timeout: float | None = None) -> None:
        """Close every plugin in order, collecting errors (PLG-109).

        With *timeout*, in seconds, a plugin that does not return in time is left to itself
        and the next one is closed.  Nobody calls this at the end of a run, and ADK-Go's own
        timeout is never read (PLG-110).
        """
        failures = []
        for plugin in self.plugins:
            try:
                _close(plugin, timeout)
            except ProgrammingError:
                raise
            except Exception as error:  # all plugins get their turn
                failures.append(f"error closing plugin '{plugin.name}': {text_of(error)}")
        if failures:
            raise AdkError(f"failed to close plugins: [{' '.join(failures)}]")


def _close(plugin: Plugin, timeout: float | None) -> None:
    if timeout is None:
        plugin.close()
        return
    raised: list[BaseException] = []

    def body() -> None:
        try:
            plugin.close()
        except BaseException as error:  # it is raised again where it is waited for
            raised.append(error)

    # A daemon, so that a plugin that never returns does not keep the process alive.
    thread = threading.Thread(target=body, name=f"close {plugin.name}", daemon=True)
    thread.start()
    thread.join(timeout)
    if thread.is_alive():
        raise AdkError(f"did not return within {timeout} s")
    for error in raised:
        raise error


#: The manager that a run's contexts carry (PLG-018); the innermost one counts (PLG-020).
PLUGINS: Key[PluginManager] = Key("plugins")
_NONE = PluginManager()


def plugins_of(host: HostContext) -> PluginManager:
    """Return the manager that *host* carries, or one without plugins (PLG-019)."""
    return host.value(PLUGINS) or _NONE
