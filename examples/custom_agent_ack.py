# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - an example prints
"""A yield that returns is an acknowledgement: the agent finds its own event in the session.

    python examples/custom_agent_ack.py

The agent and its consumer share one thread of control.  At ``yield event`` the agent
stands still; the runner offers the event to the plugins, stores it and hands it to the
consumer.  Only when the consumer asks for the next event does the agent go on, and then
the session it holds has grown by the event.  A partial event takes the same way but is
never stored, so the acknowledgement says "everybody above is done with it", not "saved".
"""

from collections.abc import Iterator

from adkref import Agent, Content, Context, Event, Runner, new_event


def said_by(ctx: Context, author: str) -> list[str]:
    """The texts that an author has in the session at this moment."""
    assert ctx.session is not None
    return [
        event.content.parts[0].text
        for event in ctx.session.events
        if event.author == author and event.content is not None
    ]


def body(ctx: Context) -> Iterator[Event]:
    """Say three things and look into the session around each yield."""
    for text, partial in (("first", False), ("half a w", True), ("second", False)):
        event = new_event(ctx.invocation_id, ctx.host.platform)
        event.content = Content.of_text(text)
        event.partial = partial
        print(f"agent:    before the yield of {text!r} the session has {said_by(ctx, 'speaker')}")
        yield event
        print(f"agent:    after the yield of {text!r} the session has {said_by(ctx, 'speaker')}")
    print("agent:    end of the body")


def main() -> None:
    """Run the agent; the consumer prints between the agent's lines."""
    runner = Runner.in_memory("ack", Agent("speaker", run=body))
    for event in runner.run("user", "session", "Speak!"):
        assert event.content is not None
        print(f"consumer: got {event.content.parts[0].text!r}{' (partial)' * event.partial}")

    # A consumer that stops early: the yield never returns, so nothing after it happens.
    print("consumer: a second run, stopped at its first event")
    with runner.run("user", "other session", "Speak!") as events:
        next(events)


if __name__ == "__main__":
    main()
