# SPDX-License-Identifier: Apache-2.0
"""The tools by which LLM agents delegate (LLM-004, LLM-007, NODE-055 to NODE-059)."""

import pytest
from kit import Scene

from adkref.agents import Agent, LlmAgent, SequentialAgent
from adkref.content import NilMap
from adkref.contexts import tool_context
from adkref.errors import AdkError
from adkref.flow.delegation import (
    FinishTaskTool,
    SingleTurnTool,
    TaskTool,
    delegation_tools,
    object_of,
)
from adkref.models import FunctionDeclaration, LlmRequest, ScriptedModel
from adkref.tools.tool import defers_response

CITY = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}
NUMBERS = {"type": "ARRAY", "items": {"type": "NUMBER"}}
INSTRUCTION = (
    "\nDo NOT call 'finish_task' prematurely. Use your available tools to\n"
    "fully complete every aspect of the delegated task first. If the\n"
    "task is unclear, ask the user for clarification before proceeding.\n"
    "Once the task is fully complete, call 'finish_task' by itself with\n"
    "no accompanying text output.\n"
)
FINISH = (
    "Signal that this agent has completed its delegated task. "
    "Call this when you have finished your delegated task."
)
WARNING = (
    "IMPORTANT: This tool delegates execution to a specialized agent. "
    "Do NOT call this tool in parallel with any other tools."
)


# --- installation ----------------------------------------------------------------------------------


def test_which_tools_are_installed():
    """finish_task for a task agent, then one per direct sub-agent with such a mode (LLM-004, LLM-005)."""
    deep = SequentialAgent("seq", sub_agents=[LlmAgent("deep", mode="task")])
    agent = LlmAgent(
        "a",
        mode="task",
        sub_agents=[
            LlmAgent("once", mode="single_turn"),
            LlmAgent("chat", mode="chat"),
            LlmAgent("unset"),
            Agent("custom"),
            deep,
            LlmAgent("job", mode="task"),
        ],
    )
    assert [(type(tool), tool.name) for tool in delegation_tools(agent)] == [
        (FinishTaskTool, "finish_task"),
        (SingleTurnTool, "once"),
        (TaskTool, "job"),
    ]
    assert list(delegation_tools(LlmAgent("a"))) == []


def test_nothing_is_written_into_a_sub_agent():
    """An unset mode stays unset (V24-006)."""
    sub = LlmAgent("unset")
    LlmAgent("a", sub_agents=[sub])
    assert sub.mode == ""


# --- finish_task --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "parameters", "wrapped"),
    [
        (
            None,
            {
                "type": "OBJECT",
                "properties": {
                    "result": {
                        "type": "STRING",
                        "description": "A brief summary of what the agent accomplished.",
                    }
                },
                "required": ["result"],
            },
            False,
        ),
        (CITY, CITY, False),
        ({"type": "object"}, {"type": "object"}, False),
        (NUMBERS, object_of("result", NUMBERS), True),
        ({}, object_of("result", {}), True),
    ],
)
def test_finish_task(schema, parameters, wrapped):
    """Declaration and instruction; an output that is no object is wrapped (NODE-055, NODE-056)."""
    tool = FinishTaskTool(LlmAgent("a", mode="task", output_schema=schema))
    request = LlmRequest()
    tool.process_request(None, request)
    more = "" if schema is None else " Pass the required output data in the parameters."
    assert request.config.tools[0].function_declarations == [
        FunctionDeclaration("finish_task", FINISH + more, parameters=parameters)
    ]
    assert request.config.system_instruction.parts[0].text == INSTRUCTION
    assert request.tools == {"finish_task": tool}
    assert (tool.name, tool.is_long_running, tool.wrapped) == ("finish_task", False, wrapped)
    assert tool.description == FINISH + more


@pytest.mark.parametrize(
    ("schema", "args"),
    [
        (None, {"result": "x"}),
        (CITY, {"city": "Oslo"}),
        (NUMBERS, {"result": [1.0]}),
        ({"type": "OBJECT"}, {}),
    ],
)
def test_finishing(schema, args):
    """Arguments that fit are answered by one literal (NODE-057)."""
    tool = FinishTaskTool(LlmAgent("a", mode="task", output_schema=schema))
    assert tool.run(None, args) == {"result": "Task completed."}


@pytest.mark.parametrize(
    ("schema", "args", "fault"),
    [
        (None, {}, '"output" args does not contain required key: \'"result"\''),
        (None, NilMap(), '"output" args does not contain required key: \'"result"\''),
        (CITY, {"result": "x"}, "output arg: '\"result\"' does not exist in schema properties"),
        (
            NUMBERS,
            {"result": [1.0, "x"]},
            (
                "output arg: '\"result\"' type mismatch, expected schema type ARRAY, "
                "got value [1 x] of type []interface {}"
            ),
        ),
    ],
)
def test_output_that_does_not_fit_is_a_result(schema, args, fault):
    """No error: the model may retry (NODE-057)."""
    tool = FinishTaskTool(LlmAgent("a", mode="task", output_schema=schema))
    assert tool.run(None, args) == {
        "error": f"Invoking `finish_task()` failed due to validation errors:\n{fault}\n"
        "You could retry calling this tool, but it is IMPORTANT for you to provide all the "
        "mandatory parameters with correct types."
    }


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (None, "missing argument"),
        ([], "unexpected args type: []interface {}, expected map[string]any"),
        ("x", "unexpected args type: string, expected map[string]any"),
    ],
)
def test_finishing_with_no_map(args, text):
    """Run directly with nothing or another type it fails (NODE-057)."""
    with pytest.raises(AdkError) as caught:
        FinishTaskTool(LlmAgent("a")).run(None, args)
    assert str(caught.value) == text


# --- task tool ----------------------------------------------------------------------------------------


def model(backend=None):
    """A model of a backend."""
    made = ScriptedModel()
    if backend is not None:
        made.backend = backend
    return made


@pytest.mark.parametrize(
    ("options", "description", "parameters", "response"),
    [
        (
            {"description": "does jobs"},
            f"does jobs\n{WARNING}",
            object_of(
                "request",
                {
                    "type": "STRING",
                    "description": "Detailed instructions or context for the task sub-agent.",
                },
            ),
            {"type": "STRING"},
        ),
        ({"input_schema": CITY, "model": model("vertex")}, WARNING, CITY, {"type": "STRING"}),
        ({"input_schema": CITY, "model": model("gemini")}, WARNING, CITY, None),
        (
            {"input_schema": CITY, "model": model(), "output_schema": NUMBERS},
            WARNING,
            CITY,
            {"type": "OBJECT"},
        ),
        (
            {"input_schema": CITY, "model": model("gemini"), "output_schema": CITY},
            WARNING,
            CITY,
            None,
        ),
    ],
)
def test_a_task_tool(options, description, parameters, response):
    """Trimmed description, input schema, a response schema unless for the Gemini API (NODE-059)."""
    tool = TaskTool(LlmAgent("job", mode="task", **options))
    request = LlmRequest()
    tool.process_request(None, request)
    assert request.config.tools[0].function_declarations == [
        FunctionDeclaration(
            "job", description, parameters=parameters, response_json_schema=response
        )
    ]
    assert request.tools == {"job": tool}
    assert (tool.name, tool.description) == ("job", options.get("description", ""))


def test_a_task_tool_does_nothing():
    """It defers its answer, which is the dispatch's (NODE-059)."""
    tool = TaskTool(LlmAgent("job", mode="task"))
    assert tool.run(None, {"any": 1}) is None
    assert defers_response(tool)
    assert not tool.is_long_running


# --- single-turn tool ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "parameters"), [(None, object_of("request", {"type": "STRING"})), (CITY, CITY)]
)
def test_a_single_turn_tool(schema, parameters):
    """Name, description, input schema or a plain request (NODE-058)."""
    tool = SingleTurnTool(
        LlmAgent("once", mode="single_turn", description="d", input_schema=schema)
    )
    request = LlmRequest()
    tool.process_request(None, request)
    assert request.config.tools[0].function_declarations == [
        FunctionDeclaration("once", "d", parameters=parameters)
    ]
    assert request.tools == {"once": tool}
    assert not tool.is_long_running


def run_single(args, **options):
    """Run a single-turn tool outside any node and return its error's text."""
    tool = SingleTurnTool(LlmAgent("once", mode="single_turn", **options))
    items = tool.run(tool_context(Scene(LlmAgent("a")).ctx, "c1"), args)
    with pytest.raises(AdkError) as caught:
        next(items)
    return str(caught.value)


@pytest.mark.parametrize(
    ("args", "options", "text"),
    [
        (None, {}, "single turn tool expects map[string]any arguments, got <nil>"),
        ([], {}, "single turn tool expects map[string]any arguments, got []interface {}"),
        (
            {},
            {},
            (
                "argument validation failed for agent once: "
                '"input" args does not contain required key: \'"request"\''
            ),
        ),
        (
            {"city": 1.0},
            {"input_schema": CITY},
            (
                "argument validation failed for agent once: input arg: '\"city\"' type mismatch, "
                "expected schema type STRING, got value 1 of type float64"
            ),
        ),
        # Outside a node it cannot run (NODE-075).
        (
            {"request": "x"},
            {},
            "failed to run agent node: workflow: RunNode called outside a dynamic node",
        ),
    ],
)
def test_a_single_turn_tool_that_cannot_run(args, options, text):
    """The literal texts (NODE-058)."""
    assert run_single(args, **options) == text
