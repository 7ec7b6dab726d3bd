# SPDX-License-Identifier: Apache-2.0
"""What the tests of the agents share: counted ids and times, small bodies, whole item lists."""

from datetime import UTC, datetime, timedelta
from itertools import count

from adkref.agents import Agent
from adkref.content import Content
from adkref.contexts import PLATFORM, HostContext, InvocationContext
from adkref.events import Event, EventActions
from adkref.platform import Platform
from adkref.plugins import PLUGINS, PluginManager
from adkref.sessions import InMemorySessionService

#: No test waits that long; a defect ends in a failure instead of a hang.
SOON = 30
_START = datetime(2026, 8, 1, 12, tzinfo=UTC)


def host(*plugins):
    """A host context whose ids and times are counted, with plugins if there are any."""
    ids, times = count(1), count(1)
    platform = Platform(lambda: f"id-{next(ids)}", lambda: at(next(times)))
    made = HostContext.background().with_value(PLATFORM, platform)
    return made.with_value(PLUGINS, PluginManager(plugins)) if plugins else made


def at(number):
    """The time that is drawn as *number*-th."""
    return _START + timedelta(seconds=number)


def context(*plugins, **replaced):
    """A base context over a session in memory, in the invocation "inv"."""
    values = {
        "host": host(*plugins),
        "session": InMemorySessionService().create("app", "user", "s"),
        "invocation_id": "inv",
    }
    return InvocationContext(**(values | replaced))


def says(text, **fields):
    """An event with a model's text, as a body makes it."""
    return Event(content=Content.of_text(text), **fields)


def stated(number, author, content=None, state=None, **fields):
    """The event of a phase that drew the *number*-th id and time (CB-020)."""
    return Event(
        id=f"id-{number}",
        timestamp=at(number),
        invocation_id="inv",
        author=author,
        content=content,
        actions=EventActions(state or {}, {}),
        **fields,
    )


def told(stream):
    """All items, with the text of each error in its place."""
    return [shown(item) for item in stream]


def shown(item):
    """One item, with the text of its error."""
    event, error = item
    return event, error if error is None else str(error)


def texts(stream):
    """All items as short texts: what an event says, or ``!`` and an error."""
    out = []
    for event, error in stream:
        said = [] if event is None else [event.content.spoken_text() if event.content else ""]
        out.append(" ".join([*said, *([f"!{error}"] if error is not None else [])]))
    return out


def speaker(log, name, *words, error=None, **config):
    """An agent that says *words*, then raises *error*; it notes in *log* how it fares."""

    def run(ctx):
        log.append(f"{name} starts")
        try:
            for word in words:
                yield says(word)
                log.append(f"{name} resumed")
            if error is not None:
                raise error
        except GeneratorExit:
            log.append(f"{name} stopped")
            raise
        finally:
            log.append(f"{name} ends")

    return Agent(name, run=run, **config)


def noting(log, name, answer=None, state=None):
    """A callback that notes its name, writes *state*, then answers or raises."""

    def callback(ctx):
        log.append(name)
        for key, value in (state or {}).items():
            ctx.state[key] = value
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return callback
