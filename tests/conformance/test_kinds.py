# SPDX-License-Identifier: Apache-2.0
"""Kinds of errors: every literal text of the chapters has one.

**How a literal is found.**  A code span of the chapters 01 to 04 is taken for a text if at least
two of its words, and two fifths of all, are plain words: letters and apostrophes only, with at
most one sign behind.  Fences are left out, save for the one error that stands in a fence.  What
is found so and is no error is listed below, under the reason why it is none.
"""

import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from adkref.conformance import kinds
from adkref.conformance.kinds import Kinds, by_kind, kind_of, without_kinds

CHAPTERS = sorted((Path(__file__).parents[2] / "docs" / "spec").glob("0[1-4]-*.md"))

#: Patterns of spans that hold words but no error, by the reason.
EXCEPTIONS = {
    "code and notation": [
        "(content or nil, error or nil)",
        "State{ *",
        "LoadVersion(*",
        "OutputForAncestors() *",
        "InvocationContextDelta{ *",
        "ev{Author a*",
        "actions.RequestedToolConfirmations*",
        "SummarizeEvents(*",
        'event branch + "."',
    ],
    "read by a model, not an error": [
        "Signals that the agent*",
        "Signal that this agent*",
        "Exits the loop.*",
        "Pass the required output data*",
        "A brief summary of what*",
        "*IMPORTANT: This tool delegates*",
        "Detailed instructions or context*",
        "You are an agent.*",
        "The description about you*",
        "Set your final response*",
        "IMPORTANT: You have access*",
        "For context:",
        "[[]<author>] *",
        "Important: You will not receive*",
        "Continue processing previous*",
        "NOTE: This is a long-running*",
        "Please approve or reject*",
        '{"status": "No active streaming*',
        "Transfer the question*",
        "the agent name to transfer to",
        '"\\nYou have a list*',
        '"\\nAgent name: N*',
        '"\\nIf *',
        "Task completed.",
        "Uploaded file: *",
        "\\nDo NOT call 'finish_task'*",
        "The following is a conversation history*",
        "<author> called tool: *",
        "Tool response from *",
        "inline data",
        "executable code",
        "code execution result",
    ],
    "a line of the logging plugin": [
        "App Name: *",
        "Root Agent: *",
        "User Content: *",
        "Starting Agent: *",
        "Final Response: *",
        "Function Call*: *",
        "Function Responses: *",
        "Long Running Tools: *",
        "Final Agent: *",
        "Agent Name: *",
        "Model: *",
        "System Instruction: *",
        "Available Tools: *",
        "Error Message: *",
        "Partial: *",
        "Turn Complete: *",
        "Token Usage *",
        "Tool Name: *",
    ],
    "a log line": ["Table <name> not found. Creating it..."],
    "why a summary is not kept: a span's attribute, not an error": [
        "the run ended before*",
        "the turn ended before*",
        "another compaction covering*",
        "a plugin left the summary*",
        "the summary held nothing usable",
        "the previous compaction did not*",
        "no compactable window*",
    ],
    "a name of an operation, put into another text": ["get artifact version"],
    "a later revision of a field's name, in a note": [
        "invalid Compaction: <err>",
        "the Compaction config needs a Summarizer: *",
    ],
    "the value of a response, not its error": ['{"error": *', '{"error":*'],
}

_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_FENCE = re.compile(r"^(```+|~~~+).*?^\1\s*$", re.DOTALL | re.MULTILINE)
_WORD = re.compile(r"[A-Za-z][a-z']+[,:;.]?")


def literals():
    """Yield every span that reads like a text, with its chapter."""
    for page in CHAPTERS:
        text = _FENCE.sub("", page.read_text(encoding="utf-8"))
        for block in re.split(r"\n\s*\n", text):
            for match in _SPAN.finditer(block):
                span = " ".join(match[2].split())
                words = [word for word in span.split() if _WORD.fullmatch(word)]
                if len(words) >= 2 and len(words) >= 0.4 * len(span.split()):
                    yield page.name, span


def instance(span):
    """Return an error with the text of a span, all holes filled."""
    text = span
    if pair := re.fullmatch(r'\(nil, (?:"(.*)"|(.*))\)', span):
        text = pair[1] or pair[2]
    text = text.replace("\\n", "\n").replace("'\"<key>\"'", "'%q'")
    text = re.sub(r'"<[^<>"]+>"|%q', '"quoted"', text)
    text = re.sub(r"<[^<>]+>|%[TvsQ]|…|\.\.\.$", "anything", text)
    return text + " cause" if text.endswith(":") else text


def is_exception(span):
    """Tell whether a span is listed as no error."""
    return any(fnmatchcase(span, each) for several in EXCEPTIONS.values() for each in several)


def test_every_literal_of_the_chapters_has_a_kind():
    """A text is either an error of a kind, or listed with the reason why it is none."""
    found = dict.fromkeys(literals())
    assert len(found) > 300
    strangers = [
        (page, span)
        for page, span in found
        if not is_exception(span) and not kind_of(instance(span))
    ]
    assert strangers == []


def test_every_exception_is_one():
    """No exception is stale, and none hides an error that has a kind."""
    spans = [span for _, span in literals()]
    for several in EXCEPTIONS.values():
        for each in several:
            matching = [span for span in spans if fnmatchcase(span, each)]
            assert matching, each
            assert [span for span in matching if kind_of(instance(span))] == []


def test_a_text_in_a_fence_has_a_kind_too():
    """The one error of several lines stands in a fence: a tool that is not found."""
    page = next(page for page in CHAPTERS if page.name.startswith("02"))
    fence = re.search(r"tool '<name>' not found\.\n.*", page.read_text(encoding="utf-8"))
    assert kind_of(instance(fence[0]) + "\n\nmore") == "tool.not_found"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            'agent names must be unique in the agent tree, found duplicate: "a"',
            "agent.duplicate_name",
        ),
        (
            'error tool "t" requires confirmation, please approve or reject',
            "tool.confirmation_required",
        ),
        ("failed to run before agent callback: boom", "callback.before_agent"),
        ('failed to run sub-agent "a": boom\nand more', "parallel.sub_agent_failed"),
        ('cannot get key "k" from state: state key does not exist', "context.cannot_get"),
        ("state key does not exist", "state.missing_key"),
        ("failed to create agent tree: x", "agent.bad_tree"),
        ("failed to create agent: x", "agent.not_created"),
        ('session a "b" not found', "session.not_found"),
        ("boom", ""),
        ("", ""),
    ],
)
def test_the_outermost_kind_counts(text, kind):
    """A text that wraps another is of its own kind; what a scenario raises has none."""
    assert kind_of(text) == kind


def test_names_are_plain_and_texts_are_of_one_kind_only():
    """A kind is GROUP.NAME, and no text stands twice."""
    assert all(re.fullmatch(r"[a-z_]+\.[a-z0-9_]+", name) for name in kinds.names())
    texts = [text for several in kinds._table().values() for text in several]
    assert len(set(texts)) == len(texts)


def test_each_kind_is_reached_by_its_own_texts():
    """No text is taken for one of another kind that is more literal."""
    for kind, several in kinds._table().items():
        for text in several:
            assert kind_of(instance(text)) == kind, text


TRACE = [
    {"at": "yield", "error": 'failed to run sub-agent "a": boom'},
    {
        "at": "append",
        "event": {
            "content": {
                "parts": [{"functionResponse": {"name": "t", "response": {"error": "boom"}}}]
            }
        },
    },
]


class TestComparing:
    """Traces with kinds in place of texts."""

    def test_texts_become_kinds_wherever_they_stand(self):
        """Errors in records and in answers of tools are named; a text without kind stays."""
        trace = by_kind({"trace": TRACE, "final": {"error": "session x not found"}})
        assert trace["trace"][0]["error"] == "parallel.sub_agent_failed"
        assert trace["trace"][1] == TRACE[1]
        assert trace["final"] == {"error": "session.not_found"}

    def test_a_driver_names_the_kind_itself(self):
        """The kind beside a text counts, and is gone when texts are compared."""
        record = {"at": "yield", "error": "Oje!", "error_kind": "plugin.before_agent"}
        played = {"trace": [record, {"at": "end"}]}
        assert by_kind(played) == {
            "trace": [{"at": "yield", "error": "plugin.before_agent"}, {"at": "end"}]
        }
        assert without_kinds(played) == {
            "trace": [{"at": "yield", "error": "Oje!"}, {"at": "end"}]
        }

    def test_a_port_has_texts_of_its_own(self):
        """They come before the literal ones."""
        own = Kinds.of({"session.not_found": ["Session <id> is unknown"], "x.y": ["boom"]})
        played = {"trace": [{"at": "yield", "error": "boom"}]}
        assert by_kind(played, own)["trace"][0]["error"] == "x.y"
        assert own.kind_of("Session 5 is unknown") == "session.not_found"
