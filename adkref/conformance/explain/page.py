# SPDX-License-Identifier: Apache-2.0
"""A run explained: its numbered steps, the reason of each, and what was skipped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from adkref.conformance.canonical import lane_of
from adkref.conformance.explain.answers import ANSWERED, Answer, answers
from adkref.conformance.explain.reasons import FAILURES, Kinds, is_named_by, rules_of
from adkref.conformance.explain.sequence import diagram
from adkref.conformance.narrate import final_words, narrate, short_json
from adkref.conformance.rules.registry import Rule
from adkref.conformance.scenario import Scenario
from adkref.events import visible_on_branch
from adkref.plugins.hooks import BY_NAME

#: A rule's sentence is cut to this many characters.
SENTENCE: Final = 160

_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]<>|#])")


@frozen(kw_only=True)
class Explained:
    """One step with its reasons."""

    number: int
    lane: str
    words: str
    #: When a hook is asked, from the table of the hooks.
    when: str = ""
    #: The rules that the step shows; those that the case itself names come first.
    rules: tuple[str, ...] = ()
    #: What the callback did, and what was skipped for it.
    outcome: str = ""
    #: Who can read the event from here on.
    seen: str = ""
    #: A style as rich names it.
    style: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the step as plain data; what is empty is left out."""
        shown = {
            "number": self.number,
            "lane": self.lane,
            "words": self.words,
            "when": self.when,
            "rules": list(self.rules),
            "outcome": self.outcome,
            "seen": self.seen,
        }
        return {key: value for key, value in shown.items() if value}


@frozen(kw_only=True)
class Explanation:
    """A run explained."""

    id: str
    title: str
    #: The rules that the case names, and those of them that no step was found for.
    named: tuple[str, ...]
    unplaced: tuple[str, ...]
    steps: tuple[Explained, ...]
    #: The first sentence of each rule that is mentioned, where it is known.
    sentences: Mapping[str, str]
    final: Any
    mermaid: str

    def to_json(self) -> dict[str, Any]:
        """Return the explanation as plain data."""
        return {
            "id": self.id,
            "title": self.title,
            "named": list(self.named),
            "unplaced": list(self.unplaced),
            "steps": [step.to_json() for step in self.steps],
            "rules": dict(self.sentences),
            "final": self.final,
            "mermaid": self.mermaid,
        }

    def markdown(self) -> str:
        """Return a page with the diagram, the steps and the rules."""
        lines = [f"# {_escaped(self.id)}", ""]
        if self.title:
            lines += [f"{_escaped(self.title)}", ""]
        lines += ["```mermaid", self.mermaid.rstrip("\n"), "```", "", "## Steps", ""]
        for step in self.steps:
            lane = f"**{_escaped(step.lane)}** " if step.lane else ""
            lines.append(f"{step.number}. {lane}{_escaped(step.words)}")
            lines += [f"   - {_escaped(note)}" for note in notes(step)]
            if step.rules:
                lines.append(f"   - rules: {', '.join(step.rules)}")
        lines += ["", _escaped(_final(self.final)), "", "## Rules", ""]
        lines += [f"- {rule}: {_escaped(text)}" for rule, text in self.sentences.items()]
        if self.unplaced:
            lines += ["", f"The case as a whole shows {', '.join(self.unplaced)}."]
        return "\n".join(lines) + "\n"


def notes(step: Explained) -> list[str]:
    """Return what is to be said below a step, one sentence each."""
    when = f"asked: {step.when}" if step.when else ""
    return [note for note in (when, step.outcome, step.seen) if note]


def explain(
    scenario: Scenario,
    trace: Sequence[Mapping[str, Any]],
    final: Any,
    known: Mapping[str, Rule],
    named: Sequence[str] = (),
) -> Explanation:
    """Return the explanation of a *trace* of *scenario*, with the sentences of *known* rules.

    *named* are the rules that the case says it shows.  Each of them stands at the first step
    at which it can be seen; where there is none, it is told apart.
    """
    did = answers(scenario, trace)
    kinds = Kinds(scenario.get("agent", {}).get("kind") == "llm")
    branches = list(dict.fromkeys(_branch(record) for record in trace))
    left = list(dict.fromkeys(named))
    steps = []
    for told, record in zip(narrate(list(map(dict, trace))), trace, strict=True):
        answer = did.get(told.number)
        kind = kinds.of(record, answer)
        always = rules_of(kind, record, answer)
        own = [rule for rule in left if rule in always or is_named_by(kind, rule)]
        left = [rule for rule in left if rule not in own]
        hook = BY_NAME.get(str(record.get("hook"))) if record.get("at") == "hook" else None
        steps.append(
            Explained(
                number=told.number,
                lane=told.lane,
                words=told.words,
                style=told.style,
                when=hook.when if hook is not None else "",
                rules=tuple(dict.fromkeys([*own, *always])),
                outcome=_outcome(str(record.get("hook")), answer),
                seen=_seen(record, branches),
            )
        )
    mentioned = dict.fromkeys([*(rule for step in steps for rule in step.rules), *left])
    return Explanation(
        id=str(scenario.get("id", "")),
        title=str(scenario.get("title", "")),
        named=tuple(named),
        unplaced=tuple(left),
        steps=tuple(steps),
        sentences={rule: _short(known[rule].sentence) for rule in mentioned if rule in known},
        final=final,
        mermaid=diagram(scenario, trace, did),
    )


def _outcome(hook: str, answer: Answer | None) -> str:
    """Say what a callback did, and what follows from it."""
    if answer is None:
        return ""
    if answer.kind == ANSWERED:
        words = f"answers {short_json(answer.value)}: it {BY_NAME[hook].outcome}"
    else:
        words = f"raises {short_json(answer.value)}: it {FAILURES[hook]}"
    if answer.unasked:
        words += f"; not asked any more: {', '.join(answer.unasked)}"
    return words


# --- who sees what ----------------------------------------------------------------------------


def _branch(record: Mapping[str, Any]) -> str:
    return lane_of(record).partition(":")[2].rpartition("|")[0]


def _seen(record: Mapping[str, Any], branches: Sequence[str]) -> str:
    """Say who can read an event: by its branch, and whether it is stored at all."""
    at, event = record.get("at"), record.get("event")
    if not isinstance(event, dict):
        return ""
    if at == "yield" and event.get("partial"):
        return "only the consumer sees it: a partial event is not stored"
    if at != "append" or "error" in record or len(branches) < 2:
        return ""
    branch = str(event.get("branch", ""))
    able = [each for each in branches if visible_on_branch(branch, each)]  # EVT-030
    blind = [each for each in branches if each not in able]
    if not blind:
        return "histories on every branch of this run hold it from now on"
    return (
        f"histories on {_listed(able)} hold it from now on; those on {_listed(blind)} do not"
        if able
        else ""
    )


def _listed(branches: Sequence[str]) -> str:
    return ", ".join(each or "no branch" for each in branches)


# --- words ------------------------------------------------------------------------------------


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= SENTENCE else sentence[: SENTENCE - 1] + "…"


def _final(final: Any) -> str:
    return "" if final is None else final_words(final)


def _escaped(text: str) -> str:
    """Return *text* such that Markdown shows it as it is."""
    return _MARKDOWN.sub(r"\\\1", text.replace("\n", " "))
