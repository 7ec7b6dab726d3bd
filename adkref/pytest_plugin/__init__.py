# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin: a port's corpora and properties as test items, and fixtures for agents.

It is loaded in every run of pytest in whose environment adkref is installed, so this module
imports nothing but pytest, and does nothing unless ``--adkref-port`` is given or a fixture is
asked for.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from adkref.testing import RecordedRunner, Recorder


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the group adkref."""
    group = parser.getgroup("adkref", "conformance of a port of ADK")
    group.addoption(
        "--adkref-port",
        metavar="CMD",
        help="the command that starts the port's driver; without it nothing of this is run",
    )
    group.addoption(
        "--adkref-corpus",
        metavar="PATH",
        action="append",
        default=[],
        help="a corpus, or a folder of such; may be given several times "
        "(default: the project's corpora, unless tests are named)",
    )
    group.addoption(
        "--adkref-baseline",
        metavar="FILE",
        help="the port's known failures: what it names is expected to fail",
    )
    group.addoption(
        "--adkref-errors",
        choices=("text", "kind"),
        default="text",
        help="compare errors by their text or only by their kind (default: text)",
    )
    group.addoption(
        "--adkref-examples",
        metavar="N",
        type=int,
        default=20,
        help="play so many random scenarios of each group as properties (default: 20)",
    )
    group.addoption(
        "--adkref-seed",
        metavar="N",
        type=int,
        default=0,
        help="the same seed draws the same scenarios (default: 0)",
    )
    group.addoption(
        "--adkref-limit",
        metavar="SECONDS",
        type=float,
        default=20.0,
        help="how long the port may take for one scenario (default: 20)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Name the corpora among what is to be collected, if there is a port."""
    if config.getoption("--adkref-port"):
        from adkref.pytest_plugin import setup

        setup.configure(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a corpus that was named, if there is a port."""
    if not parent.config.getoption("--adkref-port"):
        return None
    from adkref.pytest_plugin import setup

    return setup.collector(file_path, parent)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Add the properties, and what holds the baseline to its word, if there is a port."""
    if session.config.getoption("--adkref-port"):
        from adkref.pytest_plugin import setup

        setup.add_items(session, items)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End the port."""
    if session.config.getoption("--adkref-port"):
        from adkref.pytest_plugin import setup

        setup.close(session.config)


# --- fixtures -----------------------------------------------------------------------------


@pytest.fixture
def adkref_trace() -> Recorder:
    """Record hooks, appends and what a consumer takes, as the records of a trace."""
    from adkref.testing import Recorder

    return Recorder()


@pytest.fixture
def adkref_runner(adkref_trace: Recorder) -> Callable[..., RecordedRunner]:
    """Return what makes a runner of an agent, on in-memory services, that records its runs.

    ``adkref_runner(agent, plugins=…, state=…)``; the options are those of
    :class:`adkref.testing.RecordedRunner`.  All runners of a test share one trace, which is
    the fixture ``adkref_trace``.
    """
    from adkref.testing import RecordedRunner

    def make(agent: Any, *, plugins: Iterable[Any] = (), **options: Any) -> RecordedRunner:
        return RecordedRunner(agent, plugins=plugins, trace=adkref_trace, **options)

    return make
