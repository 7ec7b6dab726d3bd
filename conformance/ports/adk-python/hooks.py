# SPDX-License-Identifier: Apache-2.0
"""Scripted callbacks and plugins."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from google.adk.plugins import BasePlugin
from google.adk.plugins.reflect_retry_tool_plugin import ReflectAndRetryToolPlugin, TrackingScope

from script import (
    Rules,
    Script,
    Skip,
    Spec,
    content_of,
    patch_event,
    response_of,
    text_of,
)
from snapshots import event_json, request_json, shown

Call = Callable[..., Any]


class Hooks:
    """Makes the functions behind hooks; each call is recorded before its ops run."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def _where(self, context: Any) -> Spec:
        invocation = context.get_invocation_context()
        return {"agent": context.agent_name, "branch": invocation.branch}

    def agent(self, hook: str, by: str, rules: Any) -> Call:
        """Return the function of before_agent or after_agent."""
        rules = Rules(rules)

        async def call(context: Any) -> Any:
            where = self._where(context)
            self.script.add("hook", hook=hook, by=by, **where)
            place = self.script.callback_place(context)
            result = await self.script.run(place, rules.next(where["agent"]))
            return content_of(result.value) if result.given and result.value is not None else None

        return call

    def model(self, hook: str, by: str, rules: Any) -> Call:
        """Return the function of a hook around a model call."""
        rules = Rules(rules)

        async def call(
            context: Any, request: Any = None, response: Any = None, error: Any = None
        ) -> Any:
            def special(name: str, arg: Any) -> bool:
                match name:
                    case "append_instruction":
                        _append_instruction(request.config, arg)
                    case "mutate_text":
                        if response and response.content and response.content.parts:
                            response.content.parts[0].text = arg
                    case _:
                        return False
                return True

            where = self._where(context)
            self.script.add(
                "hook",
                hook=hook,
                by=by,
                **where,
                request=request_json(request) if hook == "before_model" else None,
                response=shown(response),
                error=text_of(error),
            )
            place = self.script.callback_place(context, special)
            result = await self.script.run(place, rules.next(where["agent"]))
            return response_of(result.value) if result.given and result.value is not None else None

        return call

    def tool(self, hook: str, by: str, rules: Any) -> Call:
        """Return the function of a hook around a tool."""
        rules = Rules(rules)

        async def call(
            context: Any, tool: Any, args: Spec, result: Any = None, error: Any = None
        ) -> Any:
            where = self._where(context)
            self.script.add(
                "hook",
                hook=hook,
                by=by,
                **where,
                tool=tool.name,
                call_id=context.function_call_id,
                args=copy.deepcopy(args),
                result=_answer(result),
                error=text_of(error),
            )
            place = self.script.tool_place(context, tool.name, args)
            found = await self.script.run(place, rules.next(where["agent"], tool.name))
            return copy.deepcopy(found.value) if found.given else None

        return call

    def run(self, hook: str, by: str, rules: Any, role: str = "") -> Call:
        """Return the function of a plugin's hook around the run."""
        rules = Rules(rules)

        async def call(invocation: Any, message: Any = None) -> Any:
            agent = invocation.agent.name
            self.script.add("hook", hook=hook, by=by, agent=agent, content=shown(message))
            place = self.script.invocation_place(invocation)
            result = await self.script.run(place, rules.next(agent))
            if role and result.given and result.value is not None:
                return content_of(result.value, role)
            return None

        return call

    def event(self, by: str, rules: Any) -> Call:
        """Return the function of on_event."""
        rules = Rules(rules)

        async def call(invocation: Any, event: Any) -> Any:
            replacement = None

            def special(name: str, arg: Any) -> bool:
                nonlocal replacement
                match name:
                    case "mutate_event":
                        patch_event(event, arg)
                    case "replace_event":
                        replacement = event.model_copy()
                        replacement.actions = event.actions.model_copy()
                        patch_event(replacement, arg)
                    case _:
                        return False
                return True

            agent, author = invocation.agent.name, event.author or ""
            seen = event_json(event)
            self.script.add("hook", hook="on_event", by=by, agent=agent, event=seen)
            await self.script.run(
                self.script.invocation_place(invocation, special), rules.next(author)
            )
            return replacement

        return call

    def plugin(self, spec: Spec) -> BasePlugin:
        """Build a scripted plugin, or one that the port brings along."""
        if builtin := spec.get("builtin"):
            return _builtin(builtin, spec)
        by = f"plugin:{spec['name']}"
        methods: dict[str, Any] = {}
        for hook, (adapt, make) in _PLUGIN_HOOKS.items():
            if hook in spec:
                methods[f"{hook}_callback"] = adapt(make(self, hook, by, spec[hook]))
        plugin: BasePlugin = type("ScriptedPlugin", (BasePlugin,), methods)(spec["name"])
        return plugin


def _builtin(builtin: str, spec: Spec) -> BasePlugin:
    if builtin != "retry_and_reflect":
        raise Skip("function_call_modifier")
    return ReflectAndRetryToolPlugin(
        max_retries=spec.get("max_retries", 3),
        throw_exception_if_retry_exceeded=spec.get("error_if_retry_exceeded", False),
        tracking_scope=TrackingScope(spec.get("scope") or "invocation"),
    )


def _answer(result: Any) -> Any:
    """Return a tool's result as a function response would hold it."""
    return {"result": result} if isinstance(result, str | list | int) else copy.deepcopy(result)


def _append_instruction(config: Any, text: str) -> None:
    old = config.system_instruction
    if old is not None and not isinstance(old, str):
        old = "\n\n".join(part.text for part in old.parts)
    config.system_instruction = f"{old}\n\n{text}" if old else text


# The port calls a plugin's hooks by keyword; self comes first as they are methods.


def _of_agent(call: Call) -> Call:
    async def method(self: Any, *, agent: Any, callback_context: Any) -> Any:
        return await call(callback_context)

    return method


def _of_model(call: Call) -> Call:
    async def method(
        self: Any,
        *,
        callback_context: Any,
        llm_request: Any = None,
        llm_response: Any = None,
        error: Any = None,
    ) -> Any:
        return await call(callback_context, llm_request, llm_response, error)

    return method


def _of_tool(call: Call) -> Call:
    async def method(
        self: Any,
        *,
        tool: Any,
        tool_args: Spec,
        tool_context: Any,
        result: Any = None,
        error: Any = None,
    ) -> Any:
        return await call(tool_context, tool, tool_args, result, error)

    return method


def _of_run(call: Call) -> Call:
    async def method(self: Any, *, invocation_context: Any, user_message: Any = None) -> Any:
        return await call(invocation_context, user_message)

    return method


def _of_event(call: Call) -> Call:
    async def method(self: Any, *, invocation_context: Any, event: Any) -> Any:
        return await call(invocation_context, event)

    return method


_PLUGIN_HOOKS: dict[str, tuple[Callable[[Call], Call], Callable[..., Call]]] = {
    "on_user_message": (_of_run, lambda hooks, *args: hooks.run(*args, "user")),
    "before_run": (_of_run, lambda hooks, *args: hooks.run(*args, "model")),
    "after_run": (_of_run, Hooks.run),
    "on_event": (_of_event, lambda hooks, hook, by, rules: hooks.event(by, rules)),
    "before_agent": (_of_agent, Hooks.agent),
    "after_agent": (_of_agent, Hooks.agent),
    "before_model": (_of_model, Hooks.model),
    "after_model": (_of_model, Hooks.model),
    "on_model_error": (_of_model, Hooks.model),
    "before_tool": (_of_tool, Hooks.tool),
    "after_tool": (_of_tool, Hooks.tool),
    "on_tool_error": (_of_tool, Hooks.tool),
}
