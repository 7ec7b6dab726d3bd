# SPDX-License-Identifier: Apache-2.0
"""What pytest's hooks do once there is a port."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from adkref.cli.common import project_files
from adkref.conformance import corpus
from adkref.conformance.faults import ScenarioError
from adkref.conformance.fuzz.rig import Options
from adkref.conformance.port import Limits
from adkref.conformance.trial import baseline as baselines
from adkref.pytest_plugin.items import BaselineItem, CaseItem, CorpusFile, Properties
from adkref.pytest_plugin.referee import Referee

_REFEREE: Final = pytest.StashKey[Referee]()
#: The corpora that are added; one in a folder that is named as well is met only on the way.
_CORPORA: Final = pytest.StashKey[frozenset[Path]]()


def configure(config: pytest.Config) -> None:
    """Make the referee, and add the corpora to what is collected."""
    try:
        config.stash[_REFEREE] = _referee(config)
        found = [Path(file).resolve() for file in _corpora(config)]
    except ScenarioError as error:
        raise pytest.UsageError(f"adkref: {error}") from error
    config.stash[_CORPORA] = frozenset(found)
    config.args += [str(file) for file in found]
    config.addinivalue_line("markers", "adkref: a case or a property of a port of ADK")


def _referee(config: pytest.Config) -> Referee:
    file = config.getoption("--adkref-baseline")
    known = baselines.load(file) if file else None
    options = Options(
        limits=Limits(case=config.getoption("--adkref-limit")),
        errors=config.getoption("--adkref-errors"),
        kinds=known.kinds if known else {},
        assumptions=known.assumptions if known else (),
    )
    return Referee(config.getoption("--adkref-port"), options, known)


def _corpora(config: pytest.Config) -> list[Path]:
    named = config.getoption("--adkref-corpus")
    if named:
        return [file for path in named for file in corpus.find(path)]
    # Whoever names tests wants these and no others.
    return [] if _has_arguments(config) else project_files()


def _has_arguments(config: pytest.Config) -> bool:
    return config.args_source is pytest.Config.ArgsSource.ARGS


def referee(config: pytest.Config) -> Referee:
    """Return what judges a port in this run."""
    return config.stash[_REFEREE]


def collector(file: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Return the collector of a corpus; other files with such a name are left alone."""
    if not file.name.endswith(corpus.SUFFIXES):
        return None
    added = file.resolve() in parent.config.stash[_CORPORA]
    if not added and not parent.session.isinitpath(file):
        return None
    found: CorpusFile = CorpusFile.from_parent(parent, path=file, referee=referee(parent.config))
    return found


def add_items(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Add properties, and an item for a baseline's entries that are not true."""
    config = session.config
    judge = referee(config)
    examples = config.getoption("--adkref-examples")
    if examples > 0 and not _has_arguments(config):
        properties = Properties.from_parent(
            session,
            name="adkref",
            nodeid="adkref",
            referee=judge,
            examples=examples,
            seed=config.getoption("--adkref-seed"),
        )
        items += properties.collect()
    cases = sum(isinstance(item, CaseItem) for item in items)
    # Of a run of which parts were named nobody knows what else there is.
    is_partial = _has_arguments(config) or config.getoption("--adkref-corpus")
    whole = 0 if is_partial else cases
    # Beside other processes this one sees only some of the cases.
    if judge.baseline is not None and cases and not hasattr(config, "workerinput"):
        items.append(
            BaselineItem.from_parent(
                session,
                name="adkref-baseline",
                nodeid="adkref-baseline",
                referee=judge,
                whole=whole,
            )
        )


def close(config: pytest.Config) -> None:
    """End the port, if it was started."""
    judge = config.stash.get(_REFEREE, None)
    if judge is not None:
        judge.close()
