# SPDX-License-Identifier: Apache-2.0
"""The base invocation context (CTX-001, CTX-002, CTX-010 to CTX-015).

The parameters ``Path`` and ``OutputForAncestors``, which Go accepts and never reads
(CTX-016), are not accepted here.
"""

from itertools import count

import attrs
import pytest

from adkref.agents import Agent
from adkref.artifacts import Artifacts, InMemoryArtifactService
from adkref.content import Content
from adkref.contexts import (
    PLATFORM,
    UNSET,
    HostContext,
    InvocationContext,
    InvocationDelta,
    RunConfig,
)
from adkref.memory import InMemoryMemoryService, Memory
from adkref.platform import Platform
from adkref.sessions import InMemorySessionService


def counting_host():
    """A host context whose ids are counted."""
    numbers = count(1)
    platform = Platform(new_id=lambda: f"id-{next(numbers)}")
    return HostContext.background().with_value(PLATFORM, platform)


def full():
    """An invocation context with every field set, and the values it was made from."""
    values = {
        "host": counting_host(),
        "session": InMemorySessionService().create("app", "user", "s"),
        "agent": Agent("a"),
        "artifacts": Artifacts(InMemoryArtifactService(), "app", "user", "s"),
        "memory": Memory(InMemoryMemoryService(), "app", "user"),
        "branch": "P.a",
        "isolation_scope": "scope",
        "user_content": Content.of_text("hi", "user"),
        "run_config": RunConfig("sse", save_input_blobs_as_artifacts=True),
        "invocation_id": "inv",
        "ended": True,
        "resumption_handle": "handle",
    }
    return InvocationContext(**values), values


def fields(ctx):
    """All field values of an invocation context."""
    return {field.name: getattr(ctx, field.name) for field in attrs.fields(type(ctx))}


def same(found, expected):
    """Whether two sets of fields hold the same objects."""
    return found.keys() == expected.keys() and all(found[k] is expected[k] for k in expected)


def test_an_empty_invocation_id_is_generated():
    """The id is ``e-`` and a fresh id of the host's provider (CTX-010)."""
    assert InvocationContext(host=counting_host()).invocation_id == "e-id-1"


def test_a_given_invocation_id_draws_none():
    """It is used as it is, and the provider is not asked (CTX-010)."""
    host = counting_host()
    assert InvocationContext(host=host, invocation_id="x").invocation_id == "x"
    assert host.platform.new_id() == "id-1"


def test_accessors_give_back_the_very_objects():
    """Nothing is copied (CTX-011)."""
    ctx, values = full()
    assert same(fields(ctx), values)


def test_everything_may_be_absent():
    """A context without any parameter answers with None and empty texts (CTX-011)."""
    found = fields(InvocationContext())
    assert found.pop("invocation_id").startswith("e-")
    assert found == {
        "host": HostContext.background(),
        "session": None,
        "agent": None,
        "artifacts": None,
        "memory": None,
        "branch": "",
        "isolation_scope": "",
        "user_content": None,
        "run_config": None,
        "ended": False,
        "resumption_handle": "",
    }


def test_no_input_is_resumed():
    """The base context has no answer to any interrupt (CTX-012)."""
    ctx, _ = full()
    assert ctx.resumed_input("id") == (None, False)
    assert ctx.resumed_input("") == (None, False)


def test_ending_is_for_good():
    """Ending sets the flag, ending again leaves it set (CTX-001)."""
    ctx = InvocationContext()
    assert not ctx.ended
    ctx.end_invocation()
    assert ctx.ended
    ctx.end_invocation()
    assert ctx.ended


def test_another_host_makes_a_copy():
    """All values but the host are copied, flag and resumption handle included (CTX-013)."""
    ctx, values = full()
    host = counting_host()
    copy = ctx.with_host(host)
    assert copy is not ctx
    assert same(fields(copy), values | {"host": host})
    assert same(fields(ctx), values)


def test_no_delta_is_the_same_object():
    """Without a delta there is no copy (CTX-014)."""
    ctx, values = full()
    assert ctx.with_delta(None) is ctx
    assert same(fields(ctx), values)


REPLACEMENTS = {
    "host": HostContext.background(),
    "user_content": Content.of_text("other", "user"),
    "agent": Agent("b"),
    "branch": "Q.b",
    "isolation_scope": "other",
}


@pytest.mark.parametrize(
    "replaced",
    [
        {},
        *({name: value} for name, value in REPLACEMENTS.items()),
        REPLACEMENTS,
        {"user_content": None, "agent": None, "branch": "", "isolation_scope": ""},
    ],
    ids=lambda replaced: "+".join(replaced) or "nothing",
)
def test_a_delta_replaces_what_is_present(replaced):
    """Absent fields are kept, an empty value is a replacement, the original stays (CTX-014)."""
    ctx, values = full()
    copy = ctx.with_delta(InvocationDelta(**replaced))
    assert copy is not ctx
    assert same(fields(copy), values | replaced)
    assert same(fields(ctx), values)


def test_a_delta_has_five_fields():
    """Session, services, run config, invocation id and flag cannot be replaced (CTX-014)."""
    assert [field.name for field in attrs.fields(InvocationDelta)] == list(REPLACEMENTS)
    assert fields(InvocationDelta()) == dict.fromkeys(REPLACEMENTS, UNSET)
    assert repr(InvocationDelta().branch) == "UNSET"


@pytest.mark.parametrize(
    "derive",
    [
        lambda ctx: ctx.with_host(HostContext.background()),
        lambda ctx: ctx.with_delta(InvocationDelta()),
        lambda ctx: ctx.with_delta(InvocationDelta(branch="x")),
    ],
    ids=["host", "empty delta", "delta"],
)
@pytest.mark.parametrize("before", [False, True])
def test_derivations_fork_flag_and_handle(derive, before):
    """Both start with the current value and go separate ways from there (CTX-002, CTX-015)."""
    ctx = InvocationContext(ended=before, resumption_handle="old")
    copy = derive(ctx)
    assert (copy.ended, copy.resumption_handle) == (before, "old")
    copy.resumption_handle = "new"
    copy.end_invocation()
    assert (ctx.ended, ctx.resumption_handle) == (before, "old")
    other = derive(ctx)
    ctx.end_invocation()
    ctx.resumption_handle = "newer"
    assert (other.ended, other.resumption_handle) == (before, "old")


def test_a_new_context_takes_the_flag_that_is_given():
    """The parameters decide, whatever other contexts of the session say (CTX-002)."""
    assert InvocationContext(ended=True).ended
    assert not InvocationContext(ended=False).ended
