# SPDX-License-Identifier: Apache-2.0
"""Reading the rules out of the chapters.

A rule is a paragraph of ``docs/spec/*.md`` that opens with its id in bold, and all that
follows up to the next rule or heading.  Nothing is asked of a chapter beyond how it is written
anyway: the first sentence is the rule's own, the level is the word in it, and the brackets name
the place in ADK-Go.

``python -m adkref.conformance.rules.extract`` writes the registry anew, which is the way to go
after a chapter was changed on purpose.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from attrs import evolve

from adkref.conformance.rules import frozen
from adkref.conformance.rules.ids import family, named
from adkref.conformance.rules.places import Places
from adkref.conformance.rules.registry import (
    MUST,
    PORT_DEFINED,
    RELEASE,
    SHOULD,
    Registry,
    Rule,
    write,
)

_OPENING: Final = re.compile(r"\*\*((?:[A-Z]{2,4}|V24)-[0-9]{3})\*\*\s*")
_HEADING: Final = re.compile(r"#{1,4} (.*)")
_FENCE: Final = re.compile(r"(`{3,}|~{3,})")
_CODE: Final = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
#: The chapters' marks of what they know from a release only, and how surely they know it.
_RELEASED: Final = re.compile(r"\(v2\.4\.0\)\s*")
_SURE: Final = re.compile(r"\(([SPI](?:, [SPI])*)\b[^)]*\)\s*")
_BRACKET: Final = re.compile(r"\s*\[([^\[\]]+)\]")
_SENTENCE_ENDS: Final = re.compile(r"(?<=[.!?])\s+(?=[\"'(]?[A-Z\x00*<])|(?<=\.)\s+(?=[a-z]+ is )")
_NO_END: Final = re.compile(r"(?:\b(?:i\.e|e\.g|cf|etc|vs)|\bno)\.$")
_LABEL: Final = re.compile(r"\*[^*]+\.\*")
_EMPHASIS: Final = re.compile(r"(?<![\w*])(\*{1,2})(?=[^\s*])([^*]+?)(?<=[^\s*])\1(?![\w*])")
_ITEM: Final = re.compile(r"(?:[-*]|[0-9]+\.) ")
#: A revision note of chapter 3: a row of its table names the rules that it changes.
_NOTE: Final = re.compile(r"\| (R[0-9]+) \| (.*) \|$")
_NOTED: Final = re.compile(r"\b(?:([A-Z]{2,4})-)?([0-9]{3})\b")

#: A shorter sentence says too little alone, and takes the next one along.
_ENOUGH: Final = 45
#: So long a sentence may become by the list or table that it announces.
_ROOM: Final = 240


# --- the pages --------------------------------------------------------------------------------


def chapters(folder: Path) -> list[Path]:
    """Return the chapters of *folder*, in order."""
    return sorted(folder.glob("[0-9]*.md"))


def read(folder: Path) -> Registry:
    """Return the rules of all chapters, in their order."""
    texts = {page.stem: page.read_text(encoding="utf-8") for page in chapters(folder)}
    places = Places("\n".join(texts.values()))
    rules: list[Rule] = []
    for chapter, text in texts.items():
        changes = _changes(text)
        for rule in _rules(chapter, text, places):
            noted = changes.get(rule.id, ())
            rules.append(evolve(rule, changed_by=(*rule.changed_by, *noted)))
    return Registry(rules)


def _rules(chapter: str, text: str, places: Places) -> Iterator[Rule]:
    section, file = "", ""
    for heading, intro, block in _blocks(text):
        if heading != section:
            # What the section's first words name is the place of all its rules.
            section, file = heading, next(iter(places.files(intro)), "")
        rule, prose = _rule(chapter, section, block)
        source = "; ".join(match[1] for match in _brackets(prose))
        found = tuple(places.full(source, file)) or ((file,) if file else ())
        file = next(iter(places.files(" ".join(found))), file)
        yield evolve(rule, source=found)


def _blocks(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield each rule's text with its heading and with what stands first under that."""
    heading, intro, fence = "", "", ""
    block: list[str] = []
    for line in [*text.splitlines(), "---"]:
        opened = _FENCE.match(line)
        if fence:
            fence = "" if opened and line.strip() == fence else fence
        elif opened:
            fence = opened[1]
        elif (title := _HEADING.match(line)) or line == "---" or _OPENING.match(line):
            if block:
                yield heading, intro, "\n".join(block)
            block = [line] if _OPENING.match(line) else []
            if title:
                heading, intro = title[1], ""
            continue
        if block:
            block.append(line)
        else:
            intro += line + "\n"


def _changes(text: str) -> dict[str, list[str]]:
    """Return for each rule the revision notes that name it."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if note := _NOTE.match(line):
            last = ""
            # "(NODE-030, 032, 078)" leaves the family out after the first.
            for match in _NOTED.finditer(note[2]):
                last = match[1] or last
                if last:
                    found.setdefault(f"{last}-{match[2]}", []).append(note[1])
    return found


# --- a rule -----------------------------------------------------------------------------------


def _rule(chapter: str, section: str, text: str) -> tuple[Rule, str]:
    """Return the rule without its source, and its prose for finding that."""
    opening = _OPENING.match(text)
    assert opening is not None
    rule, body = opening[1], text[opening.end() :]
    since, known = "", ""
    if released := _RELEASED.match(body):
        since, body = RELEASE, body[released.end() :]
    if family(rule) == "V24":
        since = RELEASE
        if sure := _SURE.match(body):
            known, body = sure[1], body[sure.end() :]
    prose, codes = _hide_code(_without_fences(body))
    words = prose
    for match in _brackets(prose):
        words = words.replace(match[0], "", 1)
    first, *rest = _sentences(words, codes)
    later = dict.fromkeys(each for each in named(body) if family(each) == "V24" and each != rule)
    return (
        Rule(
            id=rule,
            chapter=chapter,
            section=section,
            level=_level(first),
            sentence=first,
            allows=tuple(each for each in rest if re.search(r"\b(MAY|SHOULD)\b", each)),
            since=since,
            known=known,
            changed_by=tuple(later),
            digest=hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12],
        ),
        prose,
    )


def _level(sentence: str) -> str:
    for word, level in (("MUST", MUST), ("SHOULD", SHOULD), ("MAY", PORT_DEFINED)):
        if re.search(rf"\b{word}\b", sentence):
            return level
    return MUST


def _without_fences(text: str) -> str:
    """Drop literal texts in fences; the sentence before them says what they are."""
    out, fence = [], ""
    for line in text.splitlines():
        opened = _FENCE.match(line)
        if opened and not fence:
            fence = opened[1]
        elif opened and line.strip() == fence:
            fence = ""
        elif not fence:
            out.append(line)
    return "\n".join(out)


def _hide_code(text: str) -> tuple[str, list[str]]:
    """Put a mark in place of each code span, so that no sign in it is read as prose."""
    codes: list[str] = []

    def hide(match: re.Match[str]) -> str:
        codes.append(match[0])
        return f"\x00{len(codes) - 1}\x00"

    return _CODE.sub(hide, text), codes


def _show(text: str, codes: Sequence[str]) -> str:
    text = _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", text))
    text = re.sub(r"\x00([0-9]+)\x00", lambda match: codes[int(match[1])], text)
    return " ".join(text.split())


def _brackets(prose: str) -> list[re.Match[str]]:
    """Return the brackets that name places.

    They close a paragraph or stand before the colon of a list; brackets in tables and inside
    sentences are notation.
    """

    def names_a_place(match: re.Match[str]) -> bool:
        start = match.start(1)
        line = prose[prose.rfind("\n", 0, start) + 1 : start]
        after = prose[match.end() : match.end() + 2]
        closes = not after.strip() or after[0] in ":\n"
        return closes and "|" not in line and "\x00" not in match[1]

    return [match for match in _BRACKET.finditer(prose) if names_a_place(match)]


# --- sentences --------------------------------------------------------------------------------


def _sentences(prose: str, codes: Sequence[str]) -> list[str]:
    """Return the sentences of a rule's prose; the first takes along what it announces."""
    head, *more = re.split(r"\n\s*\n|\n(?=[-*|] |[0-9]\. )", prose.strip())
    pieces: list[str] = []
    for piece in _SENTENCE_ENDS.split(" ".join(head.split())):
        # A label and an abbreviation end in a dot, and no sentence ends with them.
        if pieces and (
            _NO_END.search(pieces[-1])
            or _LABEL.fullmatch(pieces[-1])
            or (len(pieces) == 1 and len(_show(pieces[0], codes)) < _ENOUGH)
        ):
            pieces[-1] += " " + piece
        else:
            pieces.append(piece)
    if len(pieces) == 1 and pieces[0].endswith(":"):
        pieces[0] = _with_list(pieces[0], more)
    paragraphs = [each for each in more if not each.startswith("|") and not _ITEM.match(each)]
    rest = [each for text in paragraphs for each in _SENTENCE_ENDS.split(" ".join(text.split()))]
    return [_show(each, codes) for each in [*pieces, *rest]]


def _with_list(sentence: str, blocks: Sequence[str]) -> str:
    """Add what a sentence announces by its colon: the items of a list, the rows of a table."""
    items: list[str] = []
    for block in blocks:
        begun = False
        for line in map(str.strip, block.splitlines()):
            if line.startswith("|"):
                cells = filter(None, (each.strip() for each in line.strip("|").split("|")))
                items.append(", ".join(cells))
            elif opened := _ITEM.match(line):
                items.append(line[opened.end() :])
            elif begun:
                items[-1] += " " + line
            else:
                items.append(line)
            begun = True
    if blocks and blocks[0].startswith("|"):
        del items[:2]  # the table's heading and the line below
    out = sentence
    for number, item in enumerate(items):
        if number and len(out) + len(item) > _ROOM:
            return f"{out}; …"
        out += f"{';' if number else ''} {item.rstrip('.;:')}"
    return out


if __name__ == "__main__":
    _known, _folder = read(Path("docs/spec")), Path("conformance/rules")
    write(_known, _folder)
    frozen.add_new(_known, _folder)
    sys.stdout.write("the registry is written\n")
