# SPDX-License-Identifier: Apache-2.0
"""Retry and reflect (RAR-001 to RAR-014)."""

import json
import re
import threading
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adkref.agents import LlmAgent
from adkref.content import Content, FunctionCall, LlmResponse, Part
from adkref.contexts import InvocationContext, tool_context
from adkref.errors import (
    AdkError,
    ArtifactNotFound,
    Cancelled,
    ConfirmationRejected,
    ConfirmationRequired,
    DeadlineExceeded,
    StateKeyError,
    wrap,
)
from adkref.models import ScriptedModel
from adkref.plugins import HOOKS, Plugin, RetryAndReflect
from adkref.plugins.retry_and_reflect import format_arguments, go_type
from adkref.runner import Runner
from adkref.sessions import InMemorySessionService
from adkref.tools import FunctionTool

MARKER = "ERROR_HANDLED_BY_REFLECT_AND_RETRY_PLUGIN"
ERROR = AdkError("broken")
SPECIFICATION = Path(__file__).parents[2] / "docs" / "spec" / "04-plugins.md"


def fail(plugin, ctx, tool, args=None, error=ERROR):
    """Report a failure of the tool and return the answer."""
    return plugin.callback("on_tool_error")(ctx, tool, {} if args is None else args, error)


def succeed(plugin, ctx, tool, result=None, error=None):
    """Report an end of the tool; the plugin never answers."""
    assert plugin.callback("after_tool")(ctx, tool, {}, result, error) is None


def kind_of(answer):
    """Tell the two maps and nothing apart, with the count."""
    if answer is None:
        return None
    assert answer["response_type"] == MARKER
    reflects = answer["reflection_guidance"].startswith("The call to tool ")
    return "reflect" if reflects else "exceeded", answer["retry_count"]


def named(name):
    """A tool of that name."""
    return SimpleNamespace(name=name, description="", is_long_running=False)


def of_invocation(invocation_id):
    """The tool context of a call in that run."""
    return tool_context(InvocationContext(invocation_id=invocation_id), "c")


# --- the plugin --------------------------------------------------------------------------


def test_only_the_two_hooks_of_a_finished_tool_are_set():
    """The plugin has its name and two hooks (RAR-001)."""
    plugin = RetryAndReflect()
    assert plugin.name == "RetryAndReflectPlugin"
    hooks = [hook.name for hook in HOOKS if plugin.callback(hook.name) is not None]
    assert hooks == ["after_tool", "on_tool_error"]


def test_a_negative_maximum_is_refused():
    """Zero is a maximum, less is not (RAR-001)."""
    assert RetryAndReflect(0).name == "RetryAndReflectPlugin"
    with pytest.raises(AdkError) as caught:
        RetryAndReflect(max_retries=-1)
    assert str(caught.value) == "maxRetries must be a non-negative integer"


# --- counting ----------------------------------------------------------------------------


def test_three_failures_are_answered_with_guidance_by_default(tool_ctx, tool):
    """After the third the tool is given up, again at every further failure (RAR-005)."""
    plugin = RetryAndReflect()
    answers = [kind_of(fail(plugin, tool_ctx, tool)) for _ in range(5)]
    assert answers == [
        ("reflect", 1),
        ("reflect", 2),
        ("reflect", 3),
        ("exceeded", 3),
        ("exceeded", 3),
    ]


def test_past_the_limit_the_error_can_stay_an_error(tool_ctx, tool):
    """The original error is raised, time after time (RAR-005)."""
    plugin = RetryAndReflect(1, error_if_retry_exceeded=True)
    assert kind_of(fail(plugin, tool_ctx, tool)) == ("reflect", 1)
    for _ in range(2):
        with pytest.raises(AdkError) as caught:
            fail(plugin, tool_ctx, tool)
        assert caught.value is ERROR


def test_with_maximum_zero_nothing_is_counted(tool_ctx, tool):
    """The first failure exceeds already (RAR-004)."""
    plugin = RetryAndReflect(0)
    answers = [kind_of(fail(plugin, tool_ctx, tool)) for _ in range(2)]
    assert answers == [("exceeded", 0), ("exceeded", 0)]
    assert plugin._failures == {}
    plugin = RetryAndReflect(0, error_if_retry_exceeded=True)
    with pytest.raises(AdkError) as caught:
        fail(plugin, tool_ctx, tool)
    assert caught.value is ERROR


@pytest.mark.parametrize("kind", [ConfirmationRequired, ConfirmationRejected])
@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("maximum", [0, 3])
def test_a_confirmation_is_no_failure(tool_ctx, tool, kind, wrapped, maximum):
    """A question to the user, or a "no", passes uncounted, also when wrapped (RAR-003)."""
    plugin = RetryAndReflect(maximum, error_if_retry_exceeded=True)
    error = kind("error tool call")
    if wrapped:
        error = wrap("outer", wrap("inner", error))
    assert fail(plugin, tool_ctx, tool, error=error) is None
    assert plugin._failures == {}


def test_a_success_starts_the_count_anew(tool_ctx, tool):
    """The counter goes, and an empty scope with it; a result is not needed (RAR-006)."""
    plugin = RetryAndReflect()
    for result in (None, {}, {"status": "ok"}, {"response_type": "another"}):
        assert kind_of(fail(plugin, tool_ctx, tool)) == ("reflect", 1)
        assert kind_of(fail(plugin, tool_ctx, tool)) == ("reflect", 2)
        succeed(plugin, tool_ctx, tool, result)
        assert plugin._failures == {}


def test_an_error_and_the_plugin_s_own_answer_are_no_success(tool_ctx, tool):
    """Both come by the hook after the tool and leave the count alone (RAR-006)."""
    plugin = RetryAndReflect()
    answer = fail(plugin, tool_ctx, tool)
    succeed(plugin, tool_ctx, tool, answer)
    succeed(plugin, tool_ctx, tool, {"response_type": MARKER})
    succeed(plugin, tool_ctx, tool, None, ERROR)
    succeed(plugin, tool_ctx, tool, {"status": "ok"}, ERROR)
    assert kind_of(fail(plugin, tool_ctx, tool)) == ("reflect", 2)


def test_a_success_without_a_failure_before_changes_nothing(tool_ctx):
    """Neither an unknown scope nor an unknown tool matters (RAR-006)."""
    plugin = RetryAndReflect()
    succeed(plugin, tool_ctx, named("f"))
    fail(plugin, tool_ctx, named("f"))
    succeed(plugin, tool_ctx, named("g"))
    assert plugin._failures == {"inv": {"f": 1}}


def test_tools_are_counted_apart(tool_ctx):
    """The name makes the counter; a success clears its own tool's only (RAR-002, RAR-006)."""
    plugin = RetryAndReflect()
    f, g = named("f"), named("g")
    assert kind_of(fail(plugin, tool_ctx, f)) == ("reflect", 1)
    assert kind_of(fail(plugin, tool_ctx, g)) == ("reflect", 1)
    succeed(plugin, tool_ctx, f)
    assert kind_of(fail(plugin, tool_ctx, f)) == ("reflect", 1)
    assert kind_of(fail(plugin, tool_ctx, g)) == ("reflect", 2)


@pytest.mark.parametrize(
    ("scope", "second", "left"),
    [
        ({}, 1, {"one": {"t": 1}, "two": {"t": 1}}),
        ({"scope": "invocation"}, 1, {"one": {"t": 1}, "two": {"t": 1}}),
        ({"scope": ""}, 1, {"one": {"t": 1}, "two": {"t": 1}}),
        ({"scope": "Global"}, 1, {"one": {"t": 1}, "two": {"t": 1}}),
        ({"scope": "global"}, 2, {"__global_reflect_and_retry_scope__": {"t": 2}}),
    ],
)
def test_the_scope_decides_who_shares_a_counter(scope, second, left, tool):
    """All runs with "global", one run with every other value; counters stay (RAR-002, RAR-007)."""
    plugin = RetryAndReflect(**scope)
    assert kind_of(fail(plugin, of_invocation("one"), tool)) == ("reflect", 1)
    assert kind_of(fail(plugin, of_invocation("two"), tool)) == ("reflect", second)
    assert plugin._failures == left


@given(
    st.integers(0, 3),
    st.booleans(),
    st.lists(st.tuples(st.sampled_from("fg"), st.sampled_from(["fail", "ask", "succeed"]))),
)
def test_any_sequence_of_failures_and_successes(maximum, raises, steps):
    """The count is that of failures since the tool's last success (RAR-003 to RAR-006)."""
    plugin = RetryAndReflect(maximum, raises)
    ctx, counts = of_invocation("inv"), Counter()
    for name, step in steps:
        if step == "succeed":
            succeed(plugin, ctx, named(name))
            counts[name] = 0
            continue
        if step == "ask":
            assert fail(plugin, ctx, named(name), error=ConfirmationRequired("?")) is None
            continue
        counts[name] += 1
        if maximum and counts[name] <= maximum:
            assert kind_of(fail(plugin, ctx, named(name))) == ("reflect", counts[name])
        elif raises:
            with pytest.raises(AdkError, match=r"^broken$"):
                fail(plugin, ctx, named(name))
        else:
            assert kind_of(fail(plugin, ctx, named(name))) == ("exceeded", maximum)


def test_failures_at_the_same_time_are_all_counted(tool_ctx, tool):
    """One lock guards the counters (RAR-002)."""
    workers, each = 8, 200
    plugin = RetryAndReflect(workers * each)
    counts, start = [], threading.Barrier(workers, timeout=60)

    def body():
        start.wait()
        counts.extend(fail(plugin, tool_ctx, tool)["retry_count"] for _ in range(each))

    threads = [threading.Thread(target=body) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(counts) == list(range(1, workers * each + 1))


# --- the answer --------------------------------------------------------------------------


def guidance(rule, **inserted):
    """The literal of a rule, read from the specification, with the insertions made."""
    chapter = SPECIFICATION.read_text(encoding="utf-8")
    literal = re.search(rf"\*\*{rule}\*\*.*?~~~~text\n(.*?)\n~~~~", chapter, re.DOTALL)[1]
    for name, value in inserted.items():
        literal = literal.replace(f"<{name.replace('_', ' ')}>", value)
    return literal


@pytest.mark.parametrize("name", ["t", "{tool}", "a`b<c>"])
@pytest.mark.parametrize("text", ["broken", "{count} <b>&amp;</b>\n```"])
def test_both_maps_in_full(name, text, tool_ctx):
    """Exactly five keys; insertions are made without any escaping (RAR-010 to RAR-013)."""
    plugin = RetryAndReflect(1)
    error = AdkError(text)
    inserted = {
        "error_details": f"*errors.errorString: {text}",
        "arguments": '{\n  "city": "Oslo"\n}',
        "count": "1",
        "maximum": "1",
        "tool": name,
    }
    assert fail(plugin, tool_ctx, named(name), {"city": "Oslo"}, error) == {
        "response_type": MARKER,
        "error_type": "*errors.errorString",
        "error_details": text,
        "retry_count": 1,
        "reflection_guidance": guidance("RAR-012", **inserted),
    }
    assert fail(plugin, tool_ctx, named(name), {"city": "Oslo"}, error) == {
        "response_type": MARKER,
        "error_type": "*errors.errorString",
        "error_details": text,
        "retry_count": 1,
        "reflection_guidance": guidance("RAR-013", **inserted),
    }


def test_guidance_has_no_white_space_around_it_and_always_says_zero(tool_ctx, tool):
    """The exceeded text shows 0 whatever the maximum is (RAR-010, RAR-013)."""
    plugin = RetryAndReflect(1)
    reflection = fail(plugin, tool_ctx, tool)["reflection_guidance"]
    exceeded = fail(plugin, tool_ctx, tool)["reflection_guidance"]
    assert exceeded.startswith(
        "The tool `t` has failed consecutively 0 times and the retry limit has been exceeded."
    )
    assert [reflection.strip(), exceeded.strip()] == [reflection, exceeded]


@pytest.mark.parametrize(
    ("args", "shown"),
    [
        (None, "null"),
        ({}, "{}"),
        ({"b": 1, "a": "<x> & y"}, '{\n  "a": "\\u003cx\\u003e \\u0026 y",\n  "b": 1\n}'),
        ({"n": 1.0, "x": 1e21, "é": "\u2028"}, '{\n  "n": 1,\n  "x": 1e+21,\n  "é": "\\u2028"\n}'),
        (
            {"l": [], "m": {}, "deep": [{"k": [None, True]}, ("t",)]},
            (
                "{\n"
                '  "deep": [\n'
                "    {\n"
                '      "k": [\n'
                "        null,\n"
                "        true\n"
                "      ]\n"
                "    },\n"
                "    [\n"
                '      "t"\n'
                "    ]\n"
                "  ],\n"
                '  "l": [],\n'
                '  "m": {}\n'
                "}"
            ),
        ),
        ({"b": float("nan"), "a": [1]}, "map[a:[1] b:NaN]"),
        ({"a": {"b": float("inf")}}, "map[a:map[b:+Inf]]"),
    ],
)
def test_arguments_are_indented_json(args, shown):
    """Keys are sorted, signs of HTML escaped; what is no JSON has Go's map form (RAR-011)."""
    assert format_arguments(args) == shown


_TEXT = st.text(max_size=5)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(_TEXT, _JSON, max_size=3))
def test_indented_arguments_are_those_of_the_standard_library(args):
    """But for the escapes it is what json writes with an indent of two (RAR-011)."""
    expected = json.dumps(args, indent=2, sort_keys=True, ensure_ascii=False)
    for sign in "<>&\u2028\u2029":
        expected = expected.replace(sign, f"\\u{ord(sign):04x}")
    assert format_arguments(args) == expected


# --- names of errors ---------------------------------------------------------------------


class OfTheUser(AdkError):
    """A class that is not the project's, although its base is."""


def panicking():
    """An error whose cause stands in the middle of its text."""
    error = AdkError('panic in tool "f": boom\nstack: …')
    error.__cause__ = RuntimeError("boom")
    return error


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (AdkError("broken"), "*errors.errorString"),
        (Cancelled(), "*errors.errorString"),
        (StateKeyError(), "*errors.errorString"),
        (panicking(), "*errors.errorString"),
        (wrap("outer", AdkError("inner")), "*fmt.wrapError"),
        (wrap("outer", ValueError("inner")), "*fmt.wrapError"),
        (wrap("outer", ValueError()), "*fmt.wrapError"),
        (ArtifactNotFound(), "*fmt.wrapError"),
        (DeadlineExceeded(), "context.deadlineExceededError"),
        (ValueError("x"), "ValueError"),
        (OfTheUser("x"), "OfTheUser"),
        (wrap("outer", AdkError("inner"), OfTheUser), "OfTheUser"),
    ],
)
def test_errors_of_the_project_have_the_go_name_of_what_they_stand_for(error, name):
    """A wrapped error is told from a plain one; other classes keep their names (RAR-010)."""
    assert go_type(error) == name


def test_a_validation_error_is_a_wrapped_one(tool_ctx):
    """The golden traces show that Go wraps what the schema says (RAR-010)."""
    schema = {"type": "object", "required": ["city"]}
    tool = FunctionTool(lambda ctx, args: None, name="f", parameters=schema)
    with pytest.raises(AdkError) as caught:
        tool.run(tool_ctx, {})
    assert str(caught.value) == 'validating root: required: missing properties: ["city"]'
    assert go_type(caught.value) == "*fmt.wrapError"


# --- a whole run -------------------------------------------------------------------------


def calling(*names):
    """A model that calls these tools one after the other, then says something."""
    calls = [
        LlmResponse(content=Content("model", [Part(function_call=FunctionCall(f"c{n}", name))]))
        for n, name in enumerate(names)
    ]
    return ScriptedModel([*calls, "done"])


def results_of(plugins, model, tools):
    """The tool results of one run, guidance shortened to its kind."""
    agent = LlmAgent("root", model=model, tools=tools)
    runner = Runner(
        "a", agent, InMemorySessionService(), plugins=plugins, auto_create_session=True
    )
    results = [
        response.response for event in runner.run("u", "s", "hi") for response in event.responses()
    ]
    return [kind_of(it) if "response_type" in it else it for it in results]


def flaky(outcomes):
    """A tool that fails where the outcome is an error, and returns it elsewhere."""
    left, runs = list(outcomes), []

    def f() -> dict[str, str]:
        """Try."""
        runs.append(len(runs))
        outcome = left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return f, runs


def test_the_model_decides_whether_there_is_another_attempt():
    """The tool runs once a call; a success in between starts anew (RAR-006, RAR-014)."""
    f, runs = flaky([ERROR, ERROR, {"ok": "yes"}, ERROR])
    plugin = RetryAndReflect(2)
    assert results_of([plugin], calling("f", "f", "f", "f"), [f]) == [
        ("reflect", 1),
        ("reflect", 2),
        {"ok": "yes"},
        ("reflect", 1),
    ]
    assert runs == [0, 1, 2, 3]
    # The run is over, and its counter is still there.
    assert list(plugin._failures.values()) == [{"f": 1}]


def test_the_error_past_the_limit_is_the_tool_s_answer():
    """The flow makes the usual error map of it (RAR-005, PLG-099)."""
    f, _ = flaky([ERROR, ERROR])
    plugin = RetryAndReflect(1, error_if_retry_exceeded=True)
    assert results_of([plugin], calling("f", "f"), [f]) == [("reflect", 1), {"error": "broken"}]


def test_an_unknown_tool_is_counted_under_the_requested_name():
    """Nothing ever resets that count within the run (RAR-009)."""
    f, _ = flaky([{"ok": "yes"}])
    plugin = RetryAndReflect(2)
    assert results_of([plugin], calling("g", "g", "f", "g"), [f]) == [
        ("reflect", 1),
        ("reflect", 2),
        {"ok": "yes"},
        ("exceeded", 2),
    ]


def test_a_result_of_another_plugin_counts_as_success():
    """What stands in for the tool before it runs resets the count (RAR-006, PLG-095)."""
    f, _ = flaky([ERROR, ERROR])
    answers = [None, {"cached": "yes"}, None]
    cache = Plugin("cache", before_tool_callback=lambda ctx, tool, args: answers.pop(0))
    assert results_of([cache, RetryAndReflect()], calling("f", "f", "f"), [f]) == [
        ("reflect", 1),
        {"cached": "yes"},
        ("reflect", 1),
    ]


def test_an_earlier_plugin_that_answers_prevents_the_reset():
    """Order counts: the plugin does not hear of a success that was answered (RAR-008)."""
    f, _ = flaky([ERROR, {"ok": "yes"}, ERROR])

    def stamp(ctx, tool, args, result, error):
        return result

    stamper = Plugin("stamper", after_tool_callback=stamp)
    assert results_of([stamper, RetryAndReflect()], calling("f", "f", "f"), [f]) == [
        ("reflect", 1),
        {"ok": "yes"},
        ("reflect", 2),
    ]


def test_guidance_ends_the_round():
    """Later plugins and the agent's own callbacks do not hear of the error (RAR-008)."""
    f, _ = flaky([ERROR])
    heard = []

    def hear(ctx, tool, args, error):
        heard.append(error)

    later = Plugin("later", on_tool_error_callback=hear)
    assert results_of([RetryAndReflect(), later], calling("f"), [f]) == [("reflect", 1)]
    assert heard == []
