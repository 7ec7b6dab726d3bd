# SPDX-License-Identifier: Apache-2.0
"""Reading rules out of chapters."""

from pathlib import Path

import pytest

from adkref.conformance.faults import ScenarioError
from adkref.conformance.rules.extract import chapters, read


def rules_of(tmp_path: Path, text: str) -> dict:
    """Return the rules of a chapter with that text."""
    (tmp_path / "01-things.md").write_text(text, encoding="utf-8")
    return dict(read(tmp_path))


def sentence_of(tmp_path: Path, text: str) -> str:
    """Return the sentence of the one rule with that text."""
    (rule,) = rules_of(tmp_path, f"**XX-001** {text}\n").values()
    return rule.sentence


def test_a_rule_and_where_it_stands(tmp_path):
    """A rule has its sentence, level, chapter, heading and place."""
    rule = rules_of(
        tmp_path,
        "# Things\n\n## 1. First\n\n**XX-001** A thing MUST be there, always and for all of us. "
        "More about it. [things/thing.go New]\n",
    )["XX-001"]
    assert rule.sentence == "A thing MUST be there, always and for all of us."
    assert (rule.level, rule.chapter, rule.section) == ("MUST", "01-things", "1. First")
    assert rule.source == ("things/thing.go New",)


def test_a_rule_ends_where_the_next_thing_begins(tmp_path):
    """The next rule, a heading and a line across end a rule; its digest holds all of it."""
    text = "**XX-001** One.\n\nStill one.\n\n{}\n\nNot one.\n"
    first = rules_of(tmp_path, text.format("**XX-002** Two."))["XX-001"]
    for end in ("## Heading", "---"):
        assert rules_of(tmp_path, text.format(end))["XX-001"].digest == first.digest
    assert rules_of(tmp_path, text.format("And one."))["XX-001"].digest != first.digest


def test_line_breaks_do_not_matter(tmp_path):
    """A rule that is only wrapped in another way is the same rule."""
    one = rules_of(tmp_path, "**XX-001** A thing MUST be\nthere.\n")["XX-001"]
    assert rules_of(tmp_path, "**XX-001** A thing MUST be there.\n")["XX-001"] == one


@pytest.mark.parametrize(
    ("words", "level"),
    [
        ("A thing MUST be there, but a port MAY hide it from its users.", "MUST"),
        ("A thing SHOULD be there, wherever that is possible at all.", "SHOULD"),
        ("A port MAY leave the thing out, or put another in its place.", "port-defined"),
        ("The thing is there from the beginning of the run to its end.", "MUST"),
    ],
)
def test_the_level_is_the_word_of_the_sentence(tmp_path, words, level):
    """MUST goes before SHOULD and MAY, and a rule without such a word is a MUST."""
    assert rules_of(tmp_path, f"**XX-001** {words}\n")["XX-001"].level == level


def test_what_later_sentences_allow(tmp_path):
    """A freedom that a later sentence gives is kept beside the rule's own sentence."""
    rule = rules_of(
        tmp_path,
        "**XX-001** The thing is there from the beginning to the end. Ports MAY copy it. So.\n",
    )["XX-001"]
    assert (rule.level, rule.allows) == ("MUST", ("Ports MAY copy it.",))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Short. But the next one says enough.", "Short. But the next one says enough."),
        (
            "It says, i.e. it tells, `a. B` and (e.g. Here) all that there is. Next.",
            "It says, i.e. it tells, `a. B` and (e.g. Here) all that there is.",
        ),
        (
            "*A label.* What it is about is said in the words behind it. Next.",
            "A label. What it is about is said in the words behind it.",
        ),
        (
            "The *soft* and **loud** words lose their stars, but `a * b` keeps its own.",
            "The soft and loud words lose their stars, but `a * b` keeps its own.",
        ),
        (
            "These, in order [x/y.go F]:\n\n1. one;\n2. two\n   and more.",
            "These, in order: one; two and more",
        ),
        (
            "These:\n\n| what | how |\n| --- | --- |\n| one | so |\n| two | |",
            "These: one, so; two",
        ),
        ("The text is:\n\n```\n**not** a rule\n```", "The text is:"),
    ],
)
def test_the_first_sentence(tmp_path, text, sentence):
    """The first sentence ends where a reader ends it, and takes along what it announces."""
    assert sentence_of(tmp_path, text) == sentence


def test_a_long_list_is_cut(tmp_path):
    """Of a long table behind a colon the first rows are taken along."""
    rows = "\n".join(f"| row {number} | {'x' * 50} |" for number in range(9))
    sentence = sentence_of(tmp_path, f"These:\n\n| a | b |\n|---|---|\n{rows}")
    assert sentence.startswith("These: row 0")
    assert sentence.endswith("; …")


def test_no_rule_in_a_fence(tmp_path):
    """What stands in a literal text is no rule and no heading."""
    rules = rules_of(tmp_path, "**XX-001** One:\n\n~~~\n**XX-002** no\n# no\n```\n~~~\n\nEnd.\n")
    assert list(rules) == ["XX-001"]


def test_what_only_the_release_has(tmp_path):
    """The chapters' marks give the release, and for some rules how it is known."""
    rules = rules_of(
        tmp_path,
        "**XX-001** (v2.4.0) New here, and in no earlier state of the source tree.\n\n"
        "**V24-001** (S, P for details) New here, and in no earlier state of the tree.\n\n"
        "**XX-002** As it was, but see V24-001 for what the release does.\n",
    )
    assert [rules["XX-001"].since, rules["V24-001"].since, rules["XX-002"].since] == [
        "v2.4.0",
        "v2.4.0",
        "",
    ]
    assert rules["V24-001"].known == "S, P"
    assert rules["XX-001"].sentence.startswith("New here")
    assert rules["XX-002"].changed_by == ("V24-001",)


def test_revision_notes_name_what_they_change(tmp_path):
    """A row of the revision notes is on each rule that it names, in full or by its number."""
    rules = rules_of(
        tmp_path,
        "**XX-001** One.\n\n**XX-002** Two.\n\n**XX-003** Three.\n\n"
        "## Notes\n\n| # | Later |\n|---|---|\n| R1 | Else (XX-001, 003). |\n",
    )
    assert [rule.changed_by for rule in rules.values()] == [("R1",), (), ("R1",)]


def test_an_id_that_is_given_twice(tmp_path):
    """One id for two rules is an error that names it."""
    with pytest.raises(ScenarioError, match="rule XX-001 is defined twice"):
        rules_of(tmp_path, "**XX-001** One.\n\n**XX-001** Two.\n")


def test_the_chapters_are_the_numbered_pages(tmp_path):
    """Other pages beside the chapters are left alone."""
    for name in ("02-b.md", "01-a.md", "notes.md"):
        (tmp_path / name).write_text("", encoding="utf-8")
    assert [page.name for page in chapters(tmp_path)] == ["01-a.md", "02-b.md"]
