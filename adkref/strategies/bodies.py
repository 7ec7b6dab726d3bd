# SPDX-License-Identifier: Apache-2.0
"""Events, and the bodies of custom agents that yield them."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from adkref.strategies.draws import ALONE, Scope, Spec, Specs, cached, op, optional, some, weighted
from adkref.strategies.placeholders import NOBODY
from adkref.strategies.values import contents, keys, labelled, state_maps, texts

#: An author that is nobody's name.
STRANGER: Final = "someone"


@cached
def actions(scope: Scope = ALONE) -> Specs:
    """Draw the actions of an event."""
    return optional(
        {
            "stateDelta": (60, state_maps(scope)),
            "escalate": (25, st.just(True)),
            "skipSummarization": (12, st.just(True)),
            "transferToAgent": (
                0 if scope.beside else 10,
                st.sampled_from(scope.others or (NOBODY,)),
            ),
        }
    )


@cached
def events(scope: Scope = ALONE) -> Specs:
    """Draw an event of a body.

    Its author is mostly left to the framework.  Beside others its branch is that of the
    context, since events are told apart by it.
    """

    def settled(event: Spec) -> Spec:
        found = {key: value for key, value in event.items() if value != {}}
        return {**found, "branch": "$ctx"} if scope.beside else found

    return optional(
        {
            "content": (85, contents()),
            "author": (30, st.sampled_from((scope.agent, "user", STRANGER))),
            "actions": (45, actions(scope)),
            "partial": (12, st.just(True)),
            "turnComplete": (8, st.just(True)),
            "branch": (0 if scope.beside else 20, st.just("$ctx")),
        }
    ).map(settled)


@cached
def bodies(scope: Scope = ALONE, *, runs: Specs | None = None) -> SearchStrategy[list[Spec]]:
    """Draw the body of a custom agent.

    With *runs* some steps run an agent that is drawn from it; its spec stands in the step, and
    goes where sub-agents are when the tree gets its names.
    """
    return some(_steps(scope, runs), 4)


@cached
def _steps(scope: Scope, runs: Specs | None) -> Specs:
    steps: list[Specs] = [op("run", runs)] * 2 if runs is not None else []
    steps += [op("yield", events(scope))] * 4
    steps.append(op("own_history", True))
    if not scope.beside:
        # An error beside other agents cancels them, and what they share shows their order.
        steps += [
            op("yield_error", labelled("fault")),
            op("set_state", state_maps(scope, most=1)),
            op("get_state", keys(scope)),
            op("end_invocation", True),
            op("save_artifact", texts().map(lambda text: {"name": "note.txt", "text": text})),
            op("load_artifact", st.just("note.txt")),
        ]
    return weighted(steps)
