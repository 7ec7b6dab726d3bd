# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - an example prints
"""The first agent: a Python function as a tool, and a model that plays a script.

    python examples/first_agent.py

The question makes one agent call with two model calls: the model asks for the tool, the
tool answers, and the model, which now sees the answer in its request, says it in words.
No key and no network are needed; put a real model where the script is.
"""

from adkref import (
    Content,
    FunctionCall,
    LlmAgent,
    LlmResponse,
    Part,
    Runner,
    ScriptedModel,
)


def get_weather(city: str) -> dict[str, int]:
    """Tell the temperature of a city in degrees Celsius."""
    return {"temperature": {"Hangzhou": 26, "Tokyo": 22}[city]}


def main() -> None:
    """Ask one question and print every event."""
    call = FunctionCall(name="get_weather", args={"city": "Hangzhou"})
    asks_for_the_tool = LlmResponse(content=Content("model", [Part(function_call=call)]))
    model = ScriptedModel([asks_for_the_tool, "It is 26 degrees in Hangzhou."])
    agent = LlmAgent("weather_agent", model=model, tools=[get_weather])
    runner = Runner.in_memory("first", agent)
    for event in runner.run("user", "session", "How warm is it in Hangzhou?"):
        for part in event.content.parts if event.content else ():
            if part.function_call:
                print(f"{event.author} calls {part.function_call.name}{part.function_call.args}")
            elif part.function_response:
                print(f"{event.author} got {part.function_response.response}")
            else:
                print(f"{event.author} says: {part.text}")
    print(f"the model was asked {len(model.requests)} times")


if __name__ == "__main__":
    main()
