# SPDX-License-Identifier: Apache-2.0
"""A node's body in a lane beside its consumer, as ADK-Go runs it (RUN-072).

The default runs the body in line, which is one of the orders that the rules allow.  Under
the controlled scheduler the body has a lane of its own, so that a partial event does not
hold it up (NODE-062) and every order of ADK-Go can be had.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from adkref.contexts import HostContext
from adkref.lanes import Finished, Hand, Liberty
from adkref.streams import Pair


def beside(
    name: str, body: Generator[Pair, None, Any], host: HostContext
) -> Generator[Pair, None, Any]:
    """Yield what *body* yields, from a lane of its own; return its result.

    A whole event is acknowledged before the body goes on, a partial one is only queued.
    """
    lanes = host.lanes.group(host.error)
    result: Any = None
    try:
        lanes.spawn(name, lambda hand: _run(body, hand))
        while (message := lanes.take()) is not None:
            if isinstance(message, Finished):
                if message.fault is not None:
                    raise message.fault
                last, result = message.result
                if last is not None:
                    yield last
                continue
            delivered = False
            try:
                yield message.item
                delivered = True
            finally:
                go_on = delivered or lanes.takes(Liberty.GO_ON_AT_STOP)  # NODE-064
                lanes.answer(message.lane, go_on=go_on)
    finally:
        lanes.close()
    return result


def _run(body: Generator[Pair, None, Any], hand: Hand) -> tuple[Pair | None, Any]:
    """Run the body; return its error item, if it ended with one, and its result."""
    try:
        while True:
            try:
                item = next(body)
            except StopIteration as end:
                return None, end.value
            event, error = item
            if error is not None:
                return item, None
            if event is None:
                continue
            if not (hand.post(item) if event.partial else hand(item)):
                return None, None
    finally:
        body.close()
