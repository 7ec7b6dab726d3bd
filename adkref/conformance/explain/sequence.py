# SPDX-License-Identifier: Apache-2.0
"""A trace as a Mermaid sequence diagram.

The numbers are those of the step list.  What several lanes did at the same time stands in a
``par`` block, one lane below the other, where every record of that stretch names its lane;
elsewhere the records stand as they were observed.  Any name may occur in a scenario, so
participants have ids of their own and every text is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import Factory, define, frozen

from adkref.conformance.canonical import lane_of
from adkref.conformance.explain.answers import ANSWERED, Answer
from adkref.conformance.narrate import one_line, sentence, short_json
from adkref.conformance.scenario import Scenario, op_lists, specs
from adkref.plugins.hooks import BY_NAME

Record = Mapping[str, Any]

#: Longer texts are cut: a diagram is read at a glance.
WIDTH: Final = 70

USER, RUNNER, PLUGINS, MODEL, TOOLS, SESSION = (
    "user",
    "runner",
    "plugins",
    "model",
    "tools",
    "session",
)
#: Records in which these take part; they are drawn only where there is one.
_NEEDED_BY: Final = {
    MODEL: lambda record: record.get("at") == "model",
    TOOLS: lambda record: record.get("at") == "tool",
    PLUGINS: lambda record: str(record.get("by", "")).startswith("plugin:"),
}

#: Mermaid reads these in a text: the end of a statement, an entity, a comment, a tag.
_SPECIAL: Final = re.compile(r'[#;%<>&"\\`{}]')


def escaped(text: str) -> str:
    """Return *text* as Mermaid shows it unchanged, on one line and not empty."""
    cut = one_line(text).strip()
    cut = cut if len(cut) <= WIDTH else cut[: WIDTH - 1] + "…"
    # The word alone would end a block.
    cut = _SPECIAL.sub(lambda match: f"#{ord(match[0])};", cut)
    return re.sub(r"\b(e)(nd)\b", r"#101;\2", cut) or "#160;"


@frozen
class _Line:
    """One line of the diagram, and the parallel lane that it belongs to, if to one."""

    text: str
    lane: str = ""
    #: The parallel agent of that lane.
    agent: str = ""


@define
class _Draw:
    """Draws one record after another."""

    ids: Mapping[tuple[str, str], str]
    did: Mapping[int, Answer]
    lanes: Mapping[str, str]
    lines: list[_Line] = Factory(list)
    _lane: str = ""

    def record(self, number: int, record: Record) -> None:
        self._lane = self._lane_of(record)
        draw = _DRAWN.get(str(record.get("at")))
        who = self._agent(record)
        if draw is None:
            self.note(who, number, sentence(record))
        else:
            draw(self, number, record, who)

    def arrow(self, one: str, sign: str, other: str, number: int, text: str) -> None:
        self._add(f"{one}{sign}{other}: {number} · {escaped(text)}")

    def note(self, who: str, number: int, text: str) -> None:
        self._add(f"Note over {who}: {number} · {escaped(text)}")

    def _add(self, text: str) -> None:
        self.lines.append(_Line(text, self._lane, self.lanes.get(self._lane, "")))

    def fixed(self, name: str) -> str:
        return self.ids["", name]

    def _agent(self, record: Record) -> str:
        """Return the participant that a record belongs to: its agent, else the runner."""
        event = record.get("event")
        name = record.get("agent", event.get("author") if isinstance(event, dict) else None)
        return self.ids.get(("agent", str(name)), self.fixed(RUNNER))

    def _lane_of(self, record: Record) -> str:
        branch = lane_of(record).partition(":")[2].rpartition("|")[0]
        inside = [lane for lane in self.lanes if branch == lane or branch.startswith(f"{lane}.")]
        return max(inside, key=len, default="")


def _turn(draw: _Draw, number: int, record: Record, _: str) -> None:
    draw.arrow(draw.fixed(USER), "->>", draw.fixed(RUNNER), number, sentence(record))


def _hook(draw: _Draw, number: int, record: Record, who: str) -> None:
    hook = BY_NAME.get(str(record.get("hook")))
    name = str(record.get("hook"))
    by = str(record.get("by", ""))
    asking = who if hook is not None and hook.own else draw.fixed(RUNNER)
    asked = draw.fixed(PLUGINS) if by.startswith("plugin:") else who
    draw.arrow(asking, "->>", asked, number, f"{by} {name}")
    answer = draw.did.get(number)
    if answer is not None:
        sign = "-->>" if answer.kind == ANSWERED else "--x"
        draw.arrow(asked, sign, asking, number, f"{answer.kind}: {short_json(answer.value)}")


def _model(draw: _Draw, number: int, record: Record, who: str) -> None:
    draw.arrow(who, "->>", draw.fixed(MODEL), number, sentence(record))


def _model_stopped(draw: _Draw, number: int, record: Record, who: str) -> None:
    draw.arrow(who, "-x", draw.fixed(MODEL), number, sentence(record))


def _tool(draw: _Draw, number: int, record: Record, who: str) -> None:
    draw.arrow(who, "->>", draw.fixed(TOOLS), number, sentence(record))


def _append(draw: _Draw, number: int, record: Record, who: str) -> None:
    if who != draw.fixed(RUNNER):
        draw.arrow(who, "->>", draw.fixed(RUNNER), number, "yields its event")
    sign = "-x" if "error" in record else "->>"
    draw.arrow(draw.fixed(RUNNER), sign, draw.fixed(SESSION), number, sentence(record))


def _yield(draw: _Draw, number: int, record: Record, _: str) -> None:
    sign = "-->>" if "error" not in record else "--x"
    draw.arrow(draw.fixed(RUNNER), sign, draw.fixed(USER), number, sentence(record))


def _body(draw: _Draw, number: int, record: Record, who: str) -> None:
    sign = {"start": "->>", "resumed": "->>", "stopped": "-x"}.get(str(record.get("step")))
    if sign is None or who == draw.fixed(RUNNER):
        draw.note(who, number, sentence(record))
    else:
        draw.arrow(draw.fixed(RUNNER), sign, who, number, sentence(record))


def _stop(draw: _Draw, number: int, record: Record, _: str) -> None:
    draw.arrow(draw.fixed(USER), "-x", draw.fixed(RUNNER), number, sentence(record))


def _end(draw: _Draw, number: int, record: Record, _: str) -> None:
    draw.arrow(draw.fixed(RUNNER), "-->>", draw.fixed(USER), number, sentence(record))


#: How a record is drawn; the others are notes.
_DRAWN: Final = {
    "turn": _turn,
    "hook": _hook,
    "model": _model,
    "model_stopped": _model_stopped,
    "tool": _tool,
    "append": _append,
    "yield": _yield,
    "body": _body,
    "stop": _stop,
    "end": _end,
}


def diagram(scenario: Scenario, trace: Sequence[Record], did: Mapping[int, Answer]) -> str:
    """Return the Mermaid source of a *trace* of *scenario*."""
    ids = _participants(scenario, trace)
    draw = _Draw(ids, did, _lanes(scenario))
    for number, record in enumerate(trace, 1):
        draw.record(number, record)
    lines = [
        f"participant {short} as {escaped(name) if name else '(no name)'}"
        for (_, name), short in ids.items()
    ]
    shown = ["sequenceDiagram", *(f"    {line}" for line in lines), *_laid(draw.lines)]
    return "\n".join(shown) + "\n"


def _participants(scenario: Scenario, trace: Sequence[Record]) -> dict[tuple[str, str], str]:
    """Return the ids of the participants, in the order in which they stand side by side."""
    agents = [spec.get("name", "") for place, spec in specs(scenario) if place == "agent"]
    agents = [("agent", str(name)) for name in dict.fromkeys(agents)]

    def needed(name: str) -> list[tuple[str, str]]:
        return [("", name)] if any(map(_NEEDED_BY[name], trace)) else []

    left = [("", USER), ("", RUNNER), *needed(PLUGINS)]
    right = [*needed(MODEL), *needed(TOOLS), ("", SESSION)]
    return {each: f"p{number}" for number, each in enumerate([*left, *agents, *right])}


def _lanes(scenario: Scenario) -> dict[str, str]:
    """Return the branches of the lanes that may be drawn side by side, each with its agent.

    Only a parallel agent that runs once in a turn has such lanes: in a loop a lane's second
    round comes after all first ones, and the branches would not tell.
    """
    found: dict[str, str] = {}
    open_ = [scenario.get("agent", {})]
    called = {
        op.get("run") for where, _, ops in op_lists(scenario) for op in ops if "body" in where
    }
    while open_:
        spec = open_.pop()
        subs = spec.get("sub_agents", ())
        if spec.get("kind") == "sequential":
            open_ += subs
        elif spec.get("kind") == "parallel" and spec.get("name") not in called:
            name = str(spec.get("name", ""))
            found |= {f"{name}.{sub.get('name', sub.get('ref', ''))}": name for sub in subs}
    return found


def _laid(lines: Sequence[_Line]) -> Iterator[str]:
    """Yield the lines, stretches of several lanes as ``par`` blocks."""
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and (
            lines[end].agent,
            bool(lines[end].lane),
        ) == (lines[at].agent, bool(lines[at].lane)):
            end += 1
        stretch = lines[at:end]
        lanes = list(dict.fromkeys(line.lane for line in stretch))
        if len(lanes) < 2:
            yield from (f"    {line.text}" for line in stretch)
        else:
            for number, lane in enumerate(lanes):
                yield f"    {'and' if number else 'par'} {escaped(lane)}"
                yield from (f"        {line.text}" for line in stretch if line.lane == lane)
            yield "    end"
        at = end
