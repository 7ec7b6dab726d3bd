# SPDX-License-Identifier: Apache-2.0
"""What the tests of flow, tools, models and runner share: short records, and runs that count.

An event is compared as its JSON without id, time and invocation; an error as its text.
"""

from datetime import UTC, datetime, timedelta
from itertools import count

from adkref.agents.tree import PARENTS, parent_map
from adkref.content import (
    ROLE_MODEL,
    ROLE_USER,
    Content,
    FunctionCall,
    FunctionResponse,
    LlmResponse,
    Part,
)
from adkref.contexts import HostContext, InvocationContext, RunConfig
from adkref.contexts.host import PLATFORM
from adkref.events import Event, EventActions
from adkref.platform import Platform
from adkref.plugins import PLUGINS, PluginManager
from adkref.runner import Runner
from adkref.sessions import InMemorySessionService

START = datetime(2026, 8, 1, 12, tzinfo=UTC)


# --- providers ----------------------------------------------------------------------------


def counting_platform():
    """Ids are id-1, id-2, …, times one second apart."""
    ids, seconds = count(1), count(1)
    return Platform(lambda: f"id-{next(ids)}", lambda: START + timedelta(seconds=next(seconds)))


def counting_host():
    """A host context with a counting platform."""
    return HostContext.background().with_value(PLATFORM, counting_platform())


# --- records ------------------------------------------------------------------------------


def call(name, id="c1", /, **args):
    """A part that calls a tool."""
    return Part(function_call=FunctionCall(id, name, args))


def nil_call(name, id="c1", /):
    """A part that calls a tool without any arguments."""
    return Part(function_call=FunctionCall(id, name))


def answer(name, id="c1", /, **response):
    """A part that answers a call."""
    return Part(function_response=FunctionResponse(id, name, response))


def thought(text):
    """A part that is a thought."""
    return Part(text=text, thought=True)


def content(*parts, role=ROLE_USER):
    """A content of parts and texts."""
    return Content(role, [Part(text=p) if isinstance(p, str) else p for p in parts])


def reply(*parts, role=ROLE_MODEL, **fields):
    """A model's response."""
    return LlmResponse(content=content(*parts, role=role), **fields)


def _role_of(author):
    return ROLE_USER if author == ROLE_USER else ROLE_MODEL


def event(author, *parts, role=None, **fields):
    """An event of a history; without parts it has no content."""
    if parts:
        fields["content"] = content(*parts, role=role if role is not None else _role_of(author))
    fields.setdefault("actions", EventActions())
    return Event(author=author, **fields)


def said(author, *parts, role=ROLE_MODEL, **json):
    """What :func:`plain` shows of an event with a content."""
    return {"author": author, "content": content(*parts, role=role).to_json(), **json}


def plain(event):
    """Return an event's JSON without id, time, invocation and empty actions."""
    out = event.to_json()
    for key in ("id", "timestamp", "invocationId"):
        del out[key]
    out["actions"] = {k: v for k, v in out["actions"].items() if v != {}}
    if not out["actions"]:
        del out["actions"]
    return out


def shown(item):
    """Return an item of a stream: an event's JSON, an error's text, or both."""
    event, error = item
    if error is None:
        return plain(event) if event is not None else None
    return str(error) if event is None else (plain(event), str(error))


def contents_of(request):
    """Return a request's contents as JSON."""
    return [content.to_json() for content in request.contents]


def system_of(request):
    """Return the texts of a request's system instruction."""
    instruction = request.config.system_instruction if request.config is not None else None
    return [part.text for part in instruction.parts] if instruction is not None else []


def declared(request):
    """Return the names of the tools that a request declares."""
    entries = request.config.tools if request.config is not None else []
    return [d.name for entry in entries for d in entry.function_declarations or ()]


# --- runs without a runner ----------------------------------------------------------------


class Scene:
    """A session, and what an agent run on it finds around it."""

    def __init__(
        self,
        root=None,
        *,
        state=None,
        events=(),
        message="hi",
        streaming=None,
        plugins=(),
        host=None,
        **fields,
    ):
        self.service = InMemorySessionService()
        self.session = self.service.create("app", "user", "s", state)
        for stored in events:
            self.session.apply(stored)
        host = host if host is not None else counting_host()
        if root is not None:
            host = host.with_value(PARENTS, parent_map(root))
        if plugins:
            host = host.with_value(PLUGINS, PluginManager(plugins))
        self.ctx = InvocationContext(
            host=host,
            session=self.session,
            agent=root,
            user_content=content(message) if isinstance(message, str) else message,
            run_config=RunConfig(streaming) if streaming is not None else None,
            invocation_id="inv",
            **fields,
        )

    def take(self, items, stop_after=None):
        """Take items as a runner does: store whole events; close after *stop_after*."""
        taken = []
        try:
            for item in items:
                found, error = item
                if error is None and found is not None and not found.partial:
                    self.session.apply(found)
                taken.append(item)
                if len(taken) == stop_after:
                    break
        finally:
            items.close()
        return taken

    def events_of(self, agent, stop_after=None):
        """Run *agent* and return the pairs that it yields."""
        return self.take(agent.run(self.ctx), stop_after)

    def run(self, agent, stop_after=None):
        """Run *agent* and return what it yields, as :func:`shown` shows it."""
        return [shown(item) for item in self.events_of(agent, stop_after)]


def run(agent, stop_after=None, **scene):
    """Run an agent alone and return what it yields."""
    return Scene(agent, **scene).run(agent, stop_after)


# --- runs with a runner -------------------------------------------------------------------


class World:
    """A runner over a fresh store, with ids and times that count."""

    def __init__(self, root, *, state=None, events=(), sessions=None, **options):
        self.sessions = sessions if sessions is not None else InMemorySessionService()
        self.runner = Runner("app", root, self.sessions, **options)
        self.host = counting_host()
        handle = self.sessions.create("app", "user", "s", state)
        for stored in events:
            self.sessions.append_event(handle, stored)

    def stream(self, message="hi", **options):
        """Start one turn and return its stream."""
        given = content(message) if isinstance(message, str) else message
        options.setdefault("host", self.host)
        return self.runner.stream("user", "s", given, **options)

    def turn(self, message="hi", stop_after=None, **options):
        """Play one turn and return what it yields."""
        items, taken = self.stream(message, **options), []
        try:
            for item in items:
                taken.append(shown(item))
                if len(taken) == stop_after:
                    break
        finally:
            items.close()
        return taken

    @property
    def session(self):
        """A new handle on the session."""
        return self.sessions.get("app", "user", "s")

    @property
    def stored(self):
        """Return the stored events as :func:`plain` shows them."""
        return [plain(event) for event in self.session.events]

    @property
    def state(self):
        """Return the stored state."""
        return self.session.state.copy()
