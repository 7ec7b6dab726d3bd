# SPDX-License-Identifier: Apache-2.0
"""What can be written plainer in a scenario, without taking anything away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from adkref.conformance.scenario import Scenario, Spec

Path = tuple[str | int, ...]

#: Keys whose texts are names and words of the format, not prose.
_NAMES: Final = frozenset(
    (
        *("format", "id", "app", "kind", "name", "role", "mode", "ref", "run", "ordering"),
        *("agent", "tool", "streaming", "on_error", "include_contents", "output_key"),
        *("get_state", "load_artifact", "author", "branch", "isolationScope", "errorCode"),
        *("transferToAgent", "agent_name", "builtin", "scope", "type", "invocationId"),
        *("required", "longRunningToolIds", "tools", "mimeType", "data", "override_description"),
    )
)
_PLAIN: Final = "x"
_GREETING: Final = "hi"
#: Keys whose value is a content, which may be a text.
_CONTENTS: Final = ("content", "return", "user")
#: Keys whose numbers say how often or at which: the least that is possible is the plainest.
_COUNTS: Final = ("call", "nth", "stop_after", "max_iterations", "max_retries")


def plainer(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield paths of *value*, each with something plainer to stand there."""
    key = next((step for step in reversed(path) if isinstance(step, str)), "")
    for other in _instead(key, value, path):
        if other != value or type(other) is not type(value):
            yield path, other
    if isinstance(value, dict):
        for name, item in value.items():
            yield from plainer(item, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from plainer(item, (*path, index))


def _instead(key: str, value: Any, path: Path) -> Iterator[Any]:
    if isinstance(value, str):
        if key not in _NAMES and path[:2] != ("session", "user") and len(value) > 1:
            yield _GREETING if path[0] == "turns" else _PLAIN
    elif isinstance(value, bool):
        pass
    elif isinstance(value, int | float):
        counts = key in _COUNTS and isinstance(value, int)
        yield from range(1, min(int(value), 5)) if counts else (1,)
    elif isinstance(value, dict):
        if (text := _only_text(value)) is not None and key in _CONTENTS:
            yield text
        elif set(value) == {"content"} and key in ("responses", "return"):
            if (text := _only_text(value["content"])) is not None:
                yield text
        elif value.get("kind") == "loop":
            yield {
                **{name: it for name, it in value.items() if name != "max_iterations"},
                "kind": "sequential",
            }
        elif value.get("kind") == "parallel":
            yield {**value, "kind": "sequential"}
        elif path[-2:-1] in (("set_state",), ("stateDelta",), ("state",), ("state_delta",)):
            yield 1
    elif isinstance(value, list):
        if path[-2:-1] in (("set_state",), ("stateDelta",), ("state",), ("state_delta",)):
            yield 1


def _only_text(content: Any) -> str | None:
    """Return the text of a content that has nothing else."""
    if not isinstance(content, dict) or not set(content) <= {"role", "parts"}:
        return None
    parts = content.get("parts")
    if not isinstance(parts, list) or len(parts) != 1 or set(parts[0]) != {"text"}:
        return None
    text: str = parts[0]["text"]
    return text


# --- agents and names ---------------------------------------------------------------------


def agent_paths(scenario: Mapping[str, Any]) -> Iterator[tuple[Path, Spec]]:
    """Yield every agent spec of a scenario with its path, parents first."""
    waiting: list[tuple[Path, Spec]] = [(("agent",), scenario["agent"])]
    while waiting:
        path, agent = waiting.pop(0)
        yield path, agent
        below: list[tuple[Path, Spec]] = [
            ((*path, "sub_agents", at), sub) for at, sub in enumerate(agent.get("sub_agents", ()))
        ]
        below += [
            ((*path, "tools", at, "agent"), tool["agent"])
            for at, tool in enumerate(agent.get("tools", ()))
            if "agent" in tool
        ]
        waiting = below + waiting


#: By which letters agents are named.
_LETTERS: Final = {"custom": "c", "sequential": "s", "loop": "l", "parallel": "p", "llm": "w"}


def renamed(scenario: Scenario) -> Scenario:
    """Return a scenario whose agents, tools, plugins and callbacks are counted from 1."""
    new: dict[str, str] = {}
    tools: dict[str, str] = {}
    for number, (_, agent) in enumerate(agent_paths(scenario), 1):
        if "name" in agent:
            new.setdefault(agent["name"], f"{_LETTERS.get(agent['kind'], 'a')}{number}")
        for tool in agent.get("tools", ()):
            if tool.get("name"):
                tools.setdefault(tool["name"], f"tool{len(tools) + 1}")
    new = {**tools, **new}
    for number, plugin in enumerate(scenario.get("plugins", ()), 1):
        if "name" in plugin:
            new.setdefault(plugin["name"], f"p{number}")
    if len(set(new.values())) < len(new):
        return scenario  # two names would become one
    out: Scenario = _rename(scenario, new)
    _count_callbacks(out)
    return out


def _rename(value: Any, new: Mapping[str, str], key: str = "") -> Any:
    if isinstance(value, str):
        if key in ("id", "format", "text", "app", "user"):
            return value
        found = new.get(value)
        return _own_key(value, new) if found is None else found
    if isinstance(value, dict):
        return {_own_key(name, new): _rename(it, new, name) for name, it in value.items()}
    if isinstance(value, list):
        return [_rename(item, new, key) for item in value]
    return value


def _own_key(text: str, new: Mapping[str, str]) -> str:
    """Return a state key that begins with an agent's name with that agent's new name."""
    name, mark, rest = text.partition("_")
    return f"{new[name]}_{rest}" if mark and name in new else text


_CALLBACKS: Final = {
    "before": "b",
    "after": "a",
    "before_model": "bm",
    "after_model": "am",
    "on_model_error": "me",
    "before_tool": "bt",
    "after_tool": "at",
    "on_tool_error": "te",
}


def _count_callbacks(scenario: Scenario) -> None:
    for _, agent in agent_paths(scenario):
        for key, letter in _CALLBACKS.items():
            for number, callback in enumerate(agent.get(key, ()), 1):
                callback["id"] = f"{letter}{number}"
