# SPDX-License-Identifier: Apache-2.0
"""The plugin manager (PLG-005 to PLG-017, PLG-019, PLG-109 to PLG-111)."""

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adkref.agents import Agent
from adkref.content import Content, LlmResponse
from adkref.contexts import HostContext
from adkref.errors import AdkError, ProgrammingError
from adkref.events import Event
from adkref.plugins import HOOKS, PLUGINS, Plugin, PluginManager, plugins_of
from adkref.runner import Runner
from adkref.sessions import InMemorySessionService

ANSWERING = [hook for hook in HOOKS if hook.answer is not None]


def named(*names):
    """Plugins without callbacks."""
    return [Plugin(name) for name in names]


def failing_close(name, text, log):
    """A plugin that notes that it is closed, then raises."""

    def close():
        log.append(name)
        if text is not None:
            raise ValueError(text)

    return Plugin(name, close=close)


# --- registration ----------------------------------------------------------------------


def test_plugins_are_kept_in_list_order():
    """Registration order is the only order there is (PLG-005, PLG-009)."""
    plugins = named("b", "a", "c", "")
    assert PluginManager(plugins).plugins == plugins


@pytest.mark.parametrize(
    ("plugins", "text"),
    [
        ([None], "cannot register nil plugin"),
        (named("a", "a"), "plugin with name 'a' already registered"),
        (named("", ""), "plugin with name '' already registered"),
        ([*named("a", "b", "a"), None], "plugin with name 'a' already registered"),
        ([*named("a"), None, *named("a")], "cannot register nil plugin"),
    ],
)
def test_the_first_invalid_plugin_ends_the_registration(plugins, text):
    """A nil entry and a name that is taken are refused, whichever comes first (PLG-005)."""
    with pytest.raises(AdkError) as caught:
        PluginManager(plugins)
    assert str(caught.value) == text


def test_names_are_compared_exactly():
    """Case and white space make another name (PLG-005)."""
    assert len(PluginManager(named("a", "A", " a")).plugins) == 3


def test_the_manager_keeps_a_list_of_its_own():
    """Changing the caller's list changes nothing; the plugins are shared (PLG-008)."""
    plugins = named("a", "b")
    manager = PluginManager(plugins)
    first, second = plugins
    plugins.reverse()
    plugins += named("c")
    assert manager.plugins == [first, second]


def test_a_runner_refuses_invalid_plugins():
    """The registration error is wrapped by the runner, after its other checks (PLG-006)."""
    with pytest.raises(AdkError) as caught:
        Runner("a", Agent("root"), InMemorySessionService(), plugins=named("x", "x"))
    text = "failed to create plugin manager: plugin with name 'x' already registered"
    assert str(caught.value) == text
    with pytest.raises(AdkError, match=r"^session service is required$"):
        Runner("a", Agent("root"), None, plugins=[None])


def test_a_runner_without_plugins_has_a_manager_that_does_nothing():
    """Every hook is a no-op (PLG-007)."""
    manager = Runner("a", Agent("root"), InMemorySessionService()).plugins
    assert [manager.has(hook.name) for hook in HOOKS] == [False] * 12
    assert [manager.ask(hook.name, None) for hook in ANSWERING] == [(None, None)] * 11
    assert manager.tell("after_run", None) is None
    assert manager.close() is None


def test_a_context_without_a_manager_has_no_plugins():
    """The plugin part of every hook is skipped; the innermost manager counts (PLG-019, PLG-020)."""
    host = HostContext.background()
    assert plugins_of(host).plugins == []
    outer, inner = PluginManager(named("outer")), PluginManager(named("inner"))
    host = host.with_value(PLUGINS, outer)
    assert plugins_of(host) is outer
    assert plugins_of(host.with_value(PLUGINS, inner)) is inner


# --- one round ---------------------------------------------------------------------------

#: What a callback may do, in one letter each: nothing, a value, an error, no callback.
NOTHING, VALUE, ERROR, ABSENT = "nve-"


def round_of(hook, behaviours, arguments=()):
    """Ask plugins that behave as told; returns the answer and who was called with what."""
    log, made = [], {}

    def callback_of(name, behaviour):
        def callback(*given):
            log.append((name, given))
            if behaviour == ERROR:
                made[name] = ValueError(name)
                raise made[name]
            if behaviour == VALUE:
                made[name] = hook.answer()
                return made[name]
            return None

        return callback

    plugins = [
        Plugin(f"p{number}")
        if behaviour == ABSENT
        else Plugin(
            f"p{number}", **{f"{hook.name}_callback": callback_of(f"p{number}", behaviour)}
        )
        for number, behaviour in enumerate(behaviours)
    ]
    return PluginManager(plugins).ask(hook.name, *arguments), log, made


@given(st.sampled_from(ANSWERING), st.text(st.sampled_from(NOTHING + VALUE + ERROR + ABSENT)))
def test_the_first_answer_or_error_ends_the_round(hook, behaviours):
    """Plugins are asked in order until one answers or fails; the rest is not (PLG-010, PLG-014)."""
    (value, error), log, made = round_of(hook, behaviours)
    asked = [n for n, behaviour in enumerate(behaviours) if behaviour != ABSENT]
    ends = [n for n in asked if behaviours[n] in VALUE + ERROR]
    if not ends:
        assert (value, error) == (None, None)
        assert [name for name, _ in log] == [f"p{n}" for n in asked]
        return
    last = ends[0]
    assert [name for name, _ in log] == [f"p{n}" for n in asked if n <= last]
    expected = made[f"p{last}"]
    assert value is (expected if behaviours[last] == VALUE else None)
    assert error is (expected if behaviours[last] == ERROR else None)


@pytest.mark.parametrize("hook", ANSWERING, ids=lambda hook: hook.name)
def test_an_empty_value_is_a_value(hook):
    """An empty map, content, response or event ends the round (PLG-012)."""
    (value, error), log, _ = round_of(hook, VALUE + VALUE)
    assert (value, error) == (hook.answer(), None)
    assert [name for name, _ in log] == ["p0"]


@pytest.mark.parametrize("hook", ANSWERING, ids=lambda hook: hook.name)
def test_all_plugins_of_a_round_get_the_same_objects(hook):
    """Arguments, an error among them, are handed on as they are (PLG-013, PLG-015)."""
    arguments = tuple(object() for _ in ("ctx", *hook.arguments))
    _, log, _ = round_of(hook, NOTHING * 3, arguments)
    assert log == [("p0", arguments), ("p1", arguments), ("p2", arguments)]


def test_a_change_in_place_is_seen_by_the_next_plugin_and_the_caller():
    """The argument map is one object for all (PLG-013)."""
    seen = []

    def change(ctx, tool, args):
        seen.append(dict(args))
        args["n"] += 1

    manager = PluginManager([Plugin(name, before_tool_callback=change) for name in "ab"])
    args = {"n": 1}
    assert manager.ask("before_tool", None, None, args) == (None, None)
    assert (seen, args) == ([{"n": 1}, {"n": 2}], {"n": 3})


def test_a_panic_ends_the_round_and_travels_up():
    """The manager catches no programming error; later plugins are not called (PLG-017)."""
    called = []

    def panic(ctx):
        raise ProgrammingError("boom")

    for hook, run in (("before_run", PluginManager.ask), ("after_run", PluginManager.tell)):
        plugins = [
            Plugin("a", **{f"{hook}_callback": panic}),
            Plugin("b", **{f"{hook}_callback": called.append}),
        ]
        with pytest.raises(ProgrammingError, match=r"^boom$"):
            run(PluginManager(plugins), hook, None)
    assert called == []


@pytest.mark.parametrize(
    ("hook", "answer", "expected"),
    [
        ("before_tool", "text", "dict"),
        ("on_event", LlmResponse(), "Event"),
        ("before_run", 0, "Content"),
    ],
)
def test_an_answer_of_another_type_is_a_programming_error(hook, answer, expected):
    """What an answer has to be stands in the table of hooks (PLG-010)."""

    def wrong(*_):
        return answer

    manager = PluginManager([Plugin("a", **{f"{hook}_callback": wrong})])
    with pytest.raises(ProgrammingError) as caught:
        manager.ask(hook)
    assert str(caught.value) == (
        f"plugin {hook} callback {wrong.__qualname__} returned {type(answer).__name__}, "
        f"expected {expected} or None"
    )


def test_after_run_reaches_every_plugin(caplog):
    """All are called in order, also after one that answered or failed (PLG-016, PLG-049)."""
    called = []

    def of(name, error=None):
        def callback(ctx):
            called.append((name, ctx))
            if error is not None:
                raise error
            return Content()

        return Plugin(name, after_run_callback=callback)

    manager = PluginManager([of("a"), of("b", ValueError("lost")), Plugin("none"), of("c")])
    assert manager.tell("after_run", "ctx") is None
    assert called == [("a", "ctx"), ("b", "ctx"), ("c", "ctx")]
    assert [record.getMessage() for record in caplog.records] == [
        "plugin after_run callback failed"
    ]


def test_an_event_of_a_subclass_is_an_answer():
    """Any object of the answer's type will do (PLG-012)."""

    class Mine(Event):
        pass

    mine = Mine()
    manager = PluginManager([Plugin("a", on_event_callback=lambda ctx, event: mine)])
    value, error = manager.ask("on_event", None, Event())
    assert value is mine
    assert error is None


# --- closing -----------------------------------------------------------------------------


@pytest.mark.parametrize("timeout", [None, 60])
def test_closing_calls_every_plugin_and_collects_the_errors(timeout):
    """All are closed in order, whatever fails; the errors are joined by blanks (PLG-109)."""
    log = []
    manager = PluginManager(
        [
            failing_close("a", "one", log),
            failing_close("b", None, log),
            Plugin("none"),
            failing_close("c", "two", log),
        ]
    )
    with pytest.raises(AdkError) as caught:
        manager.close(timeout)
    assert log == ["a", "b", "c"]
    assert str(caught.value) == (
        "failed to close plugins: [error closing plugin 'a': one error closing plugin 'c': two]"
    )
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("timeout", [None, 60])
def test_closing_without_an_error_returns_nothing(timeout):
    """Each close calls every plugin again (PLG-003, PLG-109)."""
    log = []
    manager = PluginManager([failing_close(name, None, log) for name in "ab"])
    assert [manager.close(timeout), manager.close(timeout)] == [None, None]
    assert log == ["a", "b", "a", "b"]


@pytest.mark.parametrize("timeout", [None, 60])
@pytest.mark.parametrize("panic", [ProgrammingError("boom"), KeyboardInterrupt("boom")])
def test_a_panic_while_closing_travels_up(timeout, panic):
    """It ends the closing, with and without a thread in between (PLG-017)."""
    log = []

    def close():
        raise panic

    manager = PluginManager([Plugin("a", close=close), failing_close("b", None, log)])
    with pytest.raises(type(panic)) as caught:
        manager.close(timeout)
    assert caught.value is panic
    assert log == []


def test_a_plugin_that_does_not_return_in_time_is_passed_over():
    """It is named in the error, and the next plugin is closed all the same."""
    released, log = threading.Event(), []
    hanging = Plugin("slow", close=released.wait)
    manager = PluginManager(
        [failing_close("a", None, log), hanging, failing_close("b", "broken", log)]
    )
    try:
        started = time.monotonic()
        with pytest.raises(AdkError) as caught:
            manager.close(0.05)
        assert time.monotonic() - started < 30
        assert str(caught.value) == (
            "failed to close plugins: [error closing plugin 'slow': did not return within 0.05 s "
            "error closing plugin 'b': broken]"
        )
        assert log == ["a", "b"]
        (left,) = [thread for thread in threading.enumerate() if thread.name == "close slow"]
        assert left.daemon  # it does not keep the process alive
    finally:
        released.set()
    left.join()


def test_a_run_closes_no_plugin():
    """The runner closes nothing at the end of a run; leaving its block does (PLG-110)."""
    log = []
    agent = Agent("root", run=lambda ctx: [])
    plugins = [failing_close("a", None, log)]
    with Runner(
        "a", agent, InMemorySessionService(), plugins=plugins, auto_create_session=True
    ) as runner:
        assert list(runner.run("u", "s", "hi")) == []
        assert log == []
    assert log == ["a"]


def test_one_manager_serves_runs_side_by_side():
    """Rounds in many threads do not mix their arguments (PLG-111)."""
    both = threading.Barrier(2, timeout=60)

    def callback(ctx):
        both.wait()  # both rounds are inside the callback at once
        return Content.of_text(ctx)

    manager = PluginManager([Plugin("a", before_agent_callback=callback)])
    answers = {}
    threads = [
        threading.Thread(target=lambda n=n: answers.update({n: manager.ask("before_agent", n)}))
        for n in "ab"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {n: (Content.of_text(n), None) for n in "ab"}
