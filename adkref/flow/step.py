# SPDX-License-Identifier: Apache-2.0
"""One step: build the request, call the model, run the tools (chapter 02, section 4)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from adkref.content import LlmResponse, calls_of
from adkref.contexts import Context
from adkref.errors import AdkError, ModelNotConfigured, ProgrammingError, describe
from adkref.events import Event, EventActions, event_of_response
from adkref.flow.confirmation import confirmation_event
from adkref.flow.model_call import Received, call_model, fill_call_ids
from adkref.flow.output import structured_event
from adkref.flow.processors import preprocess
from adkref.flow.tool_calls import ToolCalls
from adkref.flow.transfer import find_target
from adkref.gotext import quote, text, type_name
from adkref.models.request import LlmRequest
from adkref.streams import Returning, Stream

if TYPE_CHECKING:
    from adkref.flow.flow import Flow

log = logging.getLogger("adkref")


def run_step(flow: Flow, ctx: Context) -> Stream:
    """Run one step of *flow*.

    Yields, for each whole response with tool results: the model event, the merged
    function-response event, the confirmation event, the structured-output event, and what
    a transfer's target yields (FLOW-022).  An error is the last item.
    """
    agent = flow.agent
    model = agent.model
    if model is None:  # FLOW-010
        yield (
            None,
            ModelNotConfigured(
                f"agent {quote(agent.name)}: model not configured; "
                "ensure Model is set in llmagent.Config"
            ),
        )
        return

    # THE REQUEST
    if isinstance(model, type) or not callable(getattr(model, "generate", None)):
        raise ProgrammingError(
            f"the model of agent {agent.name!r} is {describe(model)}, "
            "expected an object with a name and a method generate(ctx, request, stream)"
        )
    request = LlmRequest(model=model.name)
    failure = yield from _caught(preprocess(flow, ctx, request))
    if failure is not None:
        yield None, failure
        return
    if ctx.ended:  # FLOW-012
        return

    # THE MODEL
    deltas = EventActions.fresh()  # FLOW-013: shared by all model callbacks of the step
    responses = call_model(agent, model, ctx, request, deltas)
    try:
        for received, error in responses:
            if received is None:
                yield None, error
                return
            if (yield from _handle(flow, ctx, request, deltas, received)):
                return
    finally:
        responses.close()  # FLOW-023, FLOW-024


def _caught(stream: Stream) -> Returning[Exception | None]:
    """Forward a stream; return what it raised as an error value."""
    try:
        yield from stream
    except ProgrammingError:
        raise
    except Exception as error:
        return error
    return None


def _handle(
    flow: Flow, ctx: Context, request: LlmRequest, deltas: EventActions, received: Received
) -> Returning[bool]:
    """Turn one response into events; return whether the step is over."""
    agent, response = flow.agent, received.response
    if response.content is None and not response.error_code and not response.interrupted:
        return False  # FLOW-014

    for name, tool in request.tools.items():  # FLOW-015
        if not isinstance(getattr(tool, "name", None), str):
            yield (
                None,
                AdkError(f"unexpected tool type {type_name(tool)} for tool {text(name)}"),
            )
            return True

    # THE MODEL EVENT
    event = _model_event(agent.name, ctx, request, deltas, received)
    yield event, None
    calls = calls_of(response.content)
    if response.partial or not calls:  # FLOW-020, FLOW-021
        return False

    # THE TOOLS
    answer = yield from ToolCalls(agent, ctx, request.tools).run(calls)
    if answer is None:
        return False
    question = confirmation_event(ctx, agent.name, event.content, answer)  # built before the yield
    yield answer, None
    if question is not None:
        yield question, None  # TOOL-102
    try:
        final = structured_event(ctx, agent.name, answer)
    except AdkError as error:
        yield None, error
        return True
    if final is not None:
        yield final, None

    # THE TRANSFER
    target_name = answer.actions.transfer_to_agent
    if not target_name:
        return True  # FLOW-023: the model is not read on
    return (yield from _transfer(flow, ctx, target_name))


def _transfer(flow: Flow, ctx: Context, name: str) -> Returning[bool]:
    """Run the target inline; after it, the model is read on (XFER-009, FLOW-023)."""
    from adkref.agents.llm import LlmAgent
    from adkref.flow.node_entry import run_as_node

    try:
        target = find_target(flow.agent, ctx, name)
    except AdkError as error:
        yield None, error  # XFER-008
        return True
    if isinstance(target, LlmAgent):
        items = run_as_node(target, ctx, None)
    else:
        items = target.run(ctx)
    try:
        for item in items:
            yield item
            if item[1] is not None:
                return True
    finally:
        items.close()
    return False


def _model_event(
    agent_name: str, ctx: Context, request: LlmRequest, deltas: EventActions, received: Received
) -> Event:
    """Build the event of a response (FLOW-016); ids of calls are filled first (FLOW-017)."""
    response: LlmResponse = received.response
    fill_call_ids(response.content, ctx)
    platform = ctx.host.platform
    event = event_of_response(response)
    event.id = received.event_id
    event.timestamp = platform.now()
    event.invocation_id = ctx.invocation_id
    event.branch = ctx.branch
    event.author = agent_name
    # FLOW-018, FLOW-019: the step's own map; saved artifacts reach no event.
    event.actions = EventActions(state_delta=deltas.state_delta, artifact_delta={})
    waiting = {
        call.id: None
        for call in calls_of(response.content)
        if (tool := request.tools.get(call.name)) is not None and tool.is_long_running
    }
    event.long_running_tool_ids = list(waiting) or None
    return event
