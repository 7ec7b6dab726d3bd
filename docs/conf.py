# SPDX-License-Identifier: Apache-2.0
"""Build the documentation; every rule id in it leads to the rule's sentence."""

from __future__ import annotations

from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from adkref.conformance.rules.ids import RULE
from adkref.plugins import HOOKS

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

project = "adkref"
author = "The adkref authors"
copyright = "the adkref authors, Apache License 2.0"
release = version = installed_version("adkref")

extensions = ["myst_parser"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"adkref {release}"

myst_heading_anchors = 3
# Pseudo-code, JSON and Go stand in fences without a language; none is to be guessed.
highlight_language = "none"

_logger = logging.getLogger(__name__)


def _anchor_rules(app: Sphinx, doctree: nodes.document) -> None:
    """Give each paragraph or item that opens with a bold rule id that id as its anchor."""
    rules = app.env.adkref_rules
    for strong in doctree.findall(nodes.strong):
        rule = strong.astext()
        block = strong.parent
        if not RULE.fullmatch(rule) or not block.astext().startswith(rule):
            continue
        if rule in rules:
            _logger.warning("rule %s is defined twice", rule, location=block)
        block["ids"].append(rule.lower())
        rules[rule] = app.env.docname


def _link_rules(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Turn each mention of a rule id into a link to the rule."""
    rules = app.env.adkref_rules
    for text in list(doctree.findall(nodes.Text)):
        parent = text.parent
        if isinstance(parent, nodes.reference | nodes.literal | nodes.literal_block | nodes.title):
            continue
        pieces, end = [], 0
        for match in RULE.finditer(text):
            rule = match.group()
            if rule not in rules:
                _logger.warning("no chapter defines rule %s", rule, location=parent)
                continue
            uri = app.builder.get_relative_uri(docname, rules[rule]) + "#" + rule.lower()
            pieces.append(nodes.Text(text[end : match.start()]))
            pieces.append(nodes.reference("", rule, refuri=uri, internal=True))
            end = match.end()
        if pieces:
            parent.replace(text, [*pieces, nodes.Text(text[end:])])


class HookTable(SphinxDirective):
    """``.. hooks::`` draws the table that the code walks."""

    def run(self) -> list[nodes.Node]:
        """Return the hooks, their arguments, when they are asked and what an answer does."""
        lines = [".. list-table::", "   :header-rows: 1", ""]
        rows = [("hook", "arguments", "when", "an answer", "own callbacks")]
        for hook in HOOKS:
            arguments = ", ".join(("ctx", *hook.arguments))
            own = "asked after the plugins" if hook.own else ""
            rows.append((f"``{hook.name}``", f"``({arguments})``", hook.when, hook.outcome, own))
        for row in rows:
            for place, cell in enumerate(row):
                lines.append(f"   {'*' if place == 0 else ' '} - {cell}")
        return self.parse_text_to_nodes("\n".join(lines) + "\n")


def _begin(app: Sphinx) -> None:
    if not hasattr(app.env, "adkref_rules"):
        app.env.adkref_rules = {}


def _forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    env.adkref_rules = {
        rule: home for rule, home in getattr(env, "adkref_rules", {}).items() if home != docname
    }


def setup(app: Sphinx) -> dict[str, bool]:
    """Hook the two steps into Sphinx."""
    app.add_directive("hooks", HookTable)
    app.connect("builder-inited", _begin)
    app.connect("env-purge-doc", _forget)
    app.connect("doctree-read", _anchor_rules)
    app.connect("doctree-resolved", _link_rules)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
