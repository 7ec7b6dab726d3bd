# SPDX-License-Identifier: Apache-2.0
"""Rewrites of a scenario: each changes a copy in place so that one divergence cannot show."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from adkref.conformance.assumptions.assumption import Spec
from adkref.conformance.assumptions.walk import (
    AGENT_PLACES,
    FLOW_PLACES,
    agents,
    below_kind,
    dicts,
    everybody,
    keep_ops,
    model_turns,
    op_holders,
    plugins,
    turns,
)
from adkref.conformance.script import BODY, RUN_HOOKS, TOOL

Rewrite = Callable[[Spec], None]

#: A loop whose end was taken away ends after so many rounds.
_ROUNDS: Final = 2


# Events of a body


def name_authors(scenario: Spec) -> None:
    """Let every event of a body name its author."""
    for agent in agents(scenario):
        for op in agent.get("body") or ():
            if "yield" in op and not op["yield"].get("author"):
                op["yield"]["author"] = agent["name"]
    for event in (scenario.get("session") or {}).get("events") or ():
        event.setdefault("author", "earlier")


def give_roles(scenario: Spec) -> None:
    """Let every content have a role and parts."""
    for turn in turns(scenario):
        _give_role(turn.get("user"), "user")
    for each in dicts(scenario):
        if "content" in each:
            _give_role(each["content"], "model")
        _give_role(each.get("return"), "model")


def _give_role(content: Any, role: str) -> None:
    if isinstance(content, dict) and isinstance(content.get("parts"), list):
        content.setdefault("role", role)


def give_messages(scenario: Spec) -> None:
    """Let every turn have a message."""
    for turn in turns(scenario):
        if turn.get("user") is None:
            turn["user"] = "[no message]"


# State and artifacts

#: Keys whose values are parts of a state.
_STATES: Final = ("set_state", "stateDelta", "state_delta", "state")


def drop_temp_state(scenario: Spec) -> None:
    """Take away every ``temp:`` key."""
    for each in dicts(scenario):
        for key in _STATES:
            if isinstance(each.get(key), dict):
                each[key] = {k: v for k, v in each[key].items() if not k.startswith("temp:")}
    keep_ops(
        everybody(scenario),
        lambda place, op: not str(op.get("get_state", "")).startswith("temp:"),
    )


def drop_null_state(scenario: Spec) -> None:
    """Take away every null that would become a value of the state."""
    for each in dicts(scenario):
        for key in _STATES:
            if isinstance(each.get(key), dict):
                each[key] = {k: v for k, v in each[key].items() if v is not None}


def drop_artifacts(scenario: Spec) -> None:
    """Take away the saving and loading of artifacts."""
    keep_ops(
        everybody(scenario),
        lambda place, op: "save_artifact" not in op and "load_artifact" not in op,
    )
    for turn in turns(scenario):
        turn.pop("save_input_blobs_as_artifacts", None)


def drop_bare_writes(scenario: Spec) -> None:
    """Take away writes to a session's state that no event carries."""
    places = (BODY, *RUN_HOOKS)
    keep_ops(everybody(scenario), lambda place, op: place not in places or "set_state" not in op)
    # A callback that raises has no event either.
    for _, holder, key in op_holders(everybody(scenario)):
        ops = holder.get(key) or []
        if any("raise" in op for op in ops):
            holder[key] = [op for op in ops if "set_state" not in op]


def drop_output_key(scenario: Spec) -> None:
    """Let no agent save its answer."""
    for agent in agents(scenario):
        agent.pop("output_key", None)


def drop_schemas(scenario: Spec) -> None:
    """Let no agent have an input or output schema."""
    for agent in agents(scenario):
        agent.pop("output_schema", None)
        agent.pop("input_schema", None)


# Plugins and hooks


def drop_hooks(*hooks: str) -> Rewrite:
    """Return a rewrite that takes away hooks of plugins."""

    def rewrite(scenario: Spec) -> None:
        for plugin in plugins(scenario):
            for hook in hooks:
                plugin.pop(hook, None)

    return rewrite


def drop_builtins(*names: str) -> Rewrite:
    """Return a rewrite that takes away built-in plugins."""

    def rewrite(scenario: Spec) -> None:
        if "plugins" in scenario:
            scenario["plugins"] = [
                plugin for plugin in plugins(scenario) if plugin.get("builtin") not in names
            ]

    return rewrite


def quiet_hook(hook: str, *ops: str) -> Rewrite:
    """Return a rewrite that takes *ops* away from a hook of plugins and agents."""

    def rewrite(scenario: Spec) -> None:
        keep_ops(
            everybody(scenario),
            lambda place, op: place != hook or not any(name in op for name in ops),
        )

    return rewrite


def drop_agent_callbacks(*keys: str) -> Rewrite:
    """Return a rewrite that takes away callbacks of agents."""

    def rewrite(scenario: Spec) -> None:
        for agent in agents(scenario):
            for key in keys:
                agent.pop(key, None)

    return rewrite


def drop_ops(*names: str) -> Rewrite:
    """Return a rewrite that takes away ops everywhere."""

    def rewrite(scenario: Spec) -> None:
        keep_ops(everybody(scenario), lambda place, op: not any(name in op for name in names))

    return rewrite


# Errors


def stop_at_errors(scenario: Spec) -> None:
    """Let the consumer stop at the first error."""
    for turn in turns(scenario):
        turn.pop("on_error", None)


def drop_flow_errors(scenario: Spec) -> None:
    """Take away errors inside the flow of LLM agents: models, tools, the hooks around them."""
    for _, turn in model_turns(agents(scenario)):
        turn.pop("error", None)
    keep_ops(everybody(scenario), lambda place, op: place not in FLOW_PLACES or "raise" not in op)


def drop_agent_errors(scenario: Spec) -> None:
    """Take away errors outside of the flow: bodies, agent callbacks, the hooks of the run."""
    places = (*AGENT_PLACES, *RUN_HOOKS)
    keep_ops(
        everybody(scenario),
        lambda place, op: place not in places or ("raise" not in op and "yield_error" not in op),
    )


def drop_faults(scenario: Spec) -> None:
    """Let every append succeed."""
    scenario.pop("faults", None)


# Models and tools


def drop_thoughts(scenario: Spec) -> None:
    """Let no part be a thought."""
    for each in dicts(scenario):
        parts = each.get("parts")
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, dict):
                part.pop("thought", None)


def drop_partials(scenario: Spec) -> None:
    """Let models give whole responses only."""
    for _, turn in model_turns(agents(scenario)):
        turn["responses"] = [
            each
            for each in turn.get("responses") or ()
            if not (isinstance(each, dict) and each.get("partial"))
        ]


def end_at_calls(scenario: Spec) -> None:
    """Let a model say nothing after a response with calls."""
    for _, turn in model_turns(agents(scenario)):
        kept = []
        for each in turn.get("responses") or ():
            kept.append(each)
            whole = isinstance(each, dict) and not each.get("partial")
            if whole and any("functionCall" in part for part in _parts(each)):
                turn.pop("error", None)
                break
        turn["responses"] = kept


def _parts(response: Any) -> list[Spec]:
    content = response.get("content") if isinstance(response, dict) else None
    parts = content.get("parts") if isinstance(content, dict) else None
    return [part for part in parts or () if isinstance(part, dict)]


def known_tools_only(scenario: Spec) -> None:
    """Let models call only tools that their agent has."""
    for agent, turn in model_turns(agents(scenario)):
        known = {"transfer_to_agent", *(_tool_name(tool) for tool in agent.get("tools") or ())}
        known |= {sub.get("name") for sub in agent.get("sub_agents") or () if sub.get("mode")}
        known |= {"finish_task"} if agent.get("mode") == "task" else set()
        known |= {"set_model_response"} if agent.get("output_schema") else set()
        for response in turn.get("responses") or ():
            _replace_calls(response, lambda call, known=known: call.get("name") in known)
    for _, holder, key in op_holders(everybody(scenario)):
        for op in holder.get(key) or ():
            _replace_calls(op.get("return"), lambda call: False)


def reachable_transfers_only(scenario: Spec) -> None:
    """Let models transfer only to their parent, peers and children, where that is allowed."""
    targets: dict[int, set[Any]] = {}

    def visit(agent: Spec, parent: Spec | None) -> None:
        subs = agent.get("sub_agents") or ()
        reach = {_name(sub) for sub in subs}
        if parent is not None and parent.get("kind") == "llm":
            if not agent.get("disallow_transfer_to_parent"):
                reach.add(parent.get("name"))
            if not agent.get("disallow_transfer_to_peers"):
                reach |= {_name(sub) for sub in parent["sub_agents"]} - {agent.get("name")}
        targets[id(agent)] = reach
        for sub in subs:
            if "ref" not in sub:
                visit(sub, agent)

    visit(scenario["agent"], None)
    for agent, turn in model_turns(agents(scenario)):
        reach = targets.get(id(agent), set())
        for response in turn.get("responses") or ():
            _replace_calls(
                response,
                lambda call, reach=reach: (
                    call.get("name") != "transfer_to_agent"
                    or (call.get("args") or {}).get("agent_name") in reach
                ),
            )
    for each in dicts(scenario):
        if isinstance(each.get("actions"), dict):
            each["actions"].pop("transferToAgent", None)


def _replace_calls(value: Any, keep: Any) -> None:
    """Turn calls that are not kept into texts."""
    for each in dicts(value):
        parts = each.get("parts")
        if isinstance(parts, list):
            each["parts"] = [
                part
                if not isinstance(part, dict)
                or "functionCall" not in part
                or keep(part["functionCall"])
                else {"text": "[no call]"}
                for part in parts
            ]


def _tool_name(tool: Spec) -> Any:
    if tool.get("kind") == "exit_loop":
        return "exit_loop"
    return _name(tool["agent"]) if tool.get("kind") == "agent" else tool.get("name")


def _name(agent: Spec) -> Any:
    return agent.get("name") or agent.get("ref")


def fit_arguments(scenario: Spec) -> None:
    """Let tools take whatever arguments come."""
    for agent in agents(scenario):
        for tool in agent.get("tools") or ():
            tool.pop("parameters", None)


def return_something(scenario: Spec) -> None:
    """Let no tool return null."""
    keep_ops(
        agents(scenario),
        lambda place, op: place != TOOL or op.get("return", 0) is not None,
    )


def drop_confirmations(scenario: Spec) -> None:
    """Let no tool ask first, and no answer to such a question come."""
    for agent in agents(scenario):
        for tool in agent.get("tools") or ():
            tool.pop("require_confirmation", None)
    drop_ops("request_confirmation", "get_confirmation")(scenario)
    if "turns" in scenario:
        scenario["turns"] = [
            turn
            for turn in scenario["turns"]
            if not any(
                (each.get("functionResponse") or {}).get("name") == "adk_request_confirmation"
                for each in dicts(turn.get("user"))
            )
        ]


def drop_long_running(scenario: Spec) -> None:
    """Let no tool run long."""
    for agent in agents(scenario):
        for tool in agent.get("tools") or ():
            tool.pop("long_running", None)


def drop_agent_tools(scenario: Spec) -> None:
    """Let a plain tool stand in for each agent tool."""
    for agent in agents(scenario):
        agent["tools"] = [
            {"name": _tool_name(tool), "description": "stands in"}
            if tool.get("kind") == "agent"
            else tool
            for tool in agent.get("tools") or ()
        ]
        if not agent["tools"]:
            del agent["tools"]


# Trees and runs


def drop_modes(scenario: Spec) -> None:
    """Let every agent be one to chat with."""
    for agent in agents(scenario):
        agent.pop("mode", None)


def drop_include_contents(scenario: Spec) -> None:
    """Let every agent see the whole history."""
    for agent in agents(scenario):
        agent.pop("include_contents", None)


def drop_escalation(scenario: Spec) -> None:
    """Let nothing escalate; a loop that has no other end gets one."""
    for agent in agents(scenario):
        _calm(agent)
        if agent.get("kind") == "loop" and not agent.get("max_iterations"):
            agent["max_iterations"] = _ROUNDS


def calm_lanes(scenario: Spec) -> None:
    """Let nothing escalate below a parallel agent."""
    for agent in below_kind(scenario, "parallel"):
        _calm(agent)
        if agent.get("kind") == "loop" and not agent.get("max_iterations"):
            agent["max_iterations"] = _ROUNDS


def _calm(agent: Spec) -> None:
    agent_only = {key: value for key, value in agent.items() if key != "sub_agents"}
    for each in dicts(agent_only):
        if isinstance(each.get("actions"), dict):
            each["actions"].pop("escalate", None)
    agent["tools"] = [
        {"name": "exit_loop", "description": "stands in"}
        if tool.get("kind") == "exit_loop"
        else tool
        for tool in agent.get("tools") or ()
    ]
    if not agent["tools"]:
        del agent["tools"]


def quiet_lanes(scenario: Spec) -> None:
    """Let no error come up below a parallel agent."""
    below = list(below_kind(scenario, "parallel"))
    keep_ops(below, lambda place, op: "raise" not in op and "yield_error" not in op)
    for _, turn in model_turns(below):
        turn.pop("error", None)


def blind_lanes(scenario: Spec) -> None:
    """Let nothing below a parallel agent read the state or the history."""
    reads = ("get_state", "own_history")
    keep_ops(
        below_kind(scenario, "parallel"),
        lambda place, op: not any(name in op for name in reads),
    )


def leaf_lanes(scenario: Spec) -> None:
    """Let the lanes of a parallel agent be single agents: the first below each."""
    for agent in agents(scenario):
        if agent.get("kind") == "parallel":
            agent["sub_agents"] = [_leaf(sub) for sub in agent.get("sub_agents") or ()]


def _leaf(agent: Spec) -> Spec:
    while agent.get("kind") in ("sequential", "loop", "parallel") and agent.get("sub_agents"):
        agent = agent["sub_agents"][0]
    return agent


def take_all(scenario: Spec) -> None:
    """Let the consumer take every item."""
    for turn in turns(scenario):
        turn.pop("stop_after", None)


def drop_turn_keys(*keys: str) -> Rewrite:
    """Return a rewrite that takes away keys of turns."""

    def rewrite(scenario: Spec) -> None:
        for turn in turns(scenario):
            for key in keys:
                turn.pop(key, None)

    return rewrite


def create_sessions(scenario: Spec) -> None:
    """Let every session be there before the run."""
    session = scenario.get("session") or {}
    session.pop("auto_create", None)
    session.pop("skip_create", None)


def drop_scopes(scenario: Spec) -> None:
    """Let no event have an isolation scope."""
    for each in dicts(scenario):
        each.pop("isolationScope", None)


_HOLE: Final = re.compile(r"[{}]")


def plain_instructions(scenario: Spec) -> None:
    """Let no instruction have places to fill in."""
    for agent in agents(scenario):
        for key in ("instruction", "global_instruction"):
            if isinstance(agent.get(key), str):
                agent[key] = _HOLE.sub("", agent[key])


def same_invocation_never(scenario: Spec) -> None:
    """Let no message answer a call of an earlier invocation."""
    for turn in turns(scenario):
        if any("functionResponse" in each for each in dicts(turn.get("user"))):
            turn["user"] = "[no answer]"
