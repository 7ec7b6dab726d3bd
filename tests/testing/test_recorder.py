# SPDX-License-Identifier: Apache-2.0
"""Tests of recorded runs: each hook, append and yield in its order."""

from __future__ import annotations

import pytest

from adkref import Agent, FunctionCall, FunctionTool, LlmAgent, Plugin, ScriptedModel, new_event
from adkref.content import Content
from adkref.testing import RecordedRunner, Recorder


def greeter():
    """Return an agent that says hello."""

    def run(ctx):
        event = new_event(ctx.invocation_id)
        event.author, event.content = "greeter", Content.of_text("hello")
        yield event

    return Agent("greeter", run=run)


def weather():
    """Return an agent that asks a tool and tells what it answered."""
    tool = FunctionTool(
        lambda ctx, args: {"sky": "blue"}, name="look", description="", parameters={}
    )
    script = [FunctionCall(name="look", args={"city": "Oslo"}), "blue"]
    return LlmAgent("weather", model=ScriptedModel(script), tools=[tool])


def kinds(records):
    """Return the kind of each record, of a hook its name."""
    return [record.get("hook", record["at"]) for record in records]


def test_a_run_is_recorded_from_the_message_to_the_end():
    """Records are those of a conformance trace, with ids in the order of appearance."""
    runner = RecordedRunner(greeter(), state={"there": True})
    (event,) = runner.run("hi")
    assert event.author == "greeter"
    message = {"author": "user", "content": {"parts": [{"text": "hi"}], "role": "user"}}
    said = {"author": "greeter", "content": {"parts": [{"text": "hello"}], "role": "model"}}
    by = {"at": "hook", "by": "plugin:trace", "agent": "greeter"}
    records = runner.trace.records
    assert records[:3] == [
        {**by, "hook": "on_user_message", "content": message["content"]},
        {"at": "append", "event": {**message, "invocationId": "inv-1"}},
        {**by, "hook": "before_run"},
    ]
    assert kinds(records[3:]) == [
        *("before_agent", "on_event", "append", "yield", "after_agent", "after_run", "end")
    ]
    assert records[5]["event"] == records[6]["event"] == {**said, "invocationId": "inv-1"}
    assert runner.state["there"] is True
    assert [each.author for each in runner.events] == ["user", "greeter"]


def test_hooks_of_model_and_tools_are_recorded():
    """One call of a tool is one round of the tool's hooks between two of the model's."""
    runner = RecordedRunner(weather())
    assert [event.author for event in runner.run("sky?")] == ["weather"] * 3
    found = [kind for kind in kinds(runner.trace.records) if "model" in kind or "tool" in kind]
    assert found == [
        *("before_model", "after_model", "before_tool", "after_tool"),
        *("before_model", "after_model"),
    ]


def test_the_recorder_comes_before_the_plugins_that_answer():
    """A hook that a plugin answers has been recorded by then."""
    plugin = Plugin("p", before_agent_callback=lambda ctx: Content.of_text("no"))
    runner = RecordedRunner(greeter(), plugins=[plugin])
    runner.run()
    assert "before_agent" in kinds(runner.trace.records)
    assert runner.events[-1].content.parts[0].text == "no"


def test_an_early_stop_and_an_error_are_recorded():
    """The consumer stops, and an error is raised when the stream is closed."""
    runner = RecordedRunner(weather())
    assert len(runner.run(stop_after=1)) == 1
    assert kinds(runner.trace.records)[-3:].count("stop") == 1

    def broken(ctx):
        yield None, ValueError("broken")

    runner = RecordedRunner(Agent("a", run=broken))
    with pytest.raises(ValueError, match="broken"):
        runner.run()
    assert {"at": "yield", "error": "broken"} in runner.trace.records


def test_several_runs_share_a_trace_until_it_is_cleared():
    """Ids go on counting, and a cleared trace counts anew."""
    runner = RecordedRunner(greeter())
    runner.run("one")
    runner.run("two")
    ids = [r["event"]["invocationId"] for r in runner.trace.records if r["at"] == "append"]
    assert ids == ["inv-1", "inv-1", "inv-2", "inv-2"]
    runner.trace.clear()
    assert runner.trace.records == []
    runner.run("three")
    assert runner.trace.records[1]["event"]["invocationId"] == "inv-1"


def test_a_recorder_takes_notes_of_its_user():
    """Fields that say nothing are left out."""
    trace = Recorder()
    trace.note("mine", what="x", nothing=None, empty="")
    assert trace.records == [{"at": "mine", "what": "x"}]
