# SPDX-License-Identifier: Apache-2.0
"""Streaming aggregation: what each chunk becomes, and what all of them together become."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adkref.agents import LlmAgent
from adkref.codec import DecodeError
from adkref.content import Blob, Content, FunctionCall, LlmResponse, Part
from adkref.contexts import RunConfig
from adkref.models import GenerateContentResponse, StreamAggregator, aggregated
from adkref.runner import Runner

SIGNED = "c2lnMQ=="  # b"sig1"
SIGNED_2 = "c2lnMg=="  # b"sig2"


def chunk(*parts, **candidate):
    """Return a chunk whose first candidate has these parts and fields."""
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **candidate}]}


def streamed(*pieces, more, name="", **call):
    """Return a part with a piece of a streamed call; a piece is a path and a value."""
    kinds = {str: "stringValue", float: "numberValue", bool: "boolValue"}
    args = [{"jsonPath": path, kinds[type(value)]: value} for path, value in pieces]
    return {
        "functionCall": {"name": name, "partialArgs": args, "willContinue": more, **call},
    }


def whole(*chunks):
    """Return the last response to *chunks*."""
    *_, last = aggregated(chunks)
    return last


def parts(*chunks):
    """Return the parts of the whole response to *chunks*."""
    return whole(*chunks).content.parts


class TestOneChunk:
    """STRM-001: what an answer of the API stands for."""

    def test_all_that_a_candidate_says_is_carried(self):
        """Content, metadata, log-probs, finish reason, usage and version are taken (STRM-001)."""
        answer = GenerateContentResponse.from_json(
            chunk(
                {"text": "a"},
                finishReason="MAX_TOKENS",
                finishMessage="not an error",
                groundingMetadata={"webSearchQueries": ["q"]},
                citationMetadata={"citations": [{"uri": "u"}]},
                logprobsResult={"topCandidates": []},
                avgLogprobs=-1,
            )
            | {"usageMetadata": {"promptTokenCount": 1}, "modelVersion": "m-1"}
        )
        assert answer.to_response() == LlmResponse(
            content=Content.of_text("a"),
            finish_reason="MAX_TOKENS",
            grounding_metadata={"webSearchQueries": ["q"]},
            citation_metadata={"citations": [{"uri": "u"}]},
            logprobs_result={"topCandidates": []},
            avg_logprobs=-1,
            usage_metadata={"promptTokenCount": 1},
            model_version="m-1",
        )

    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            pytest.param(
                {"candidates": [{"finishReason": "STOP", "avgLogprobs": -0.5}]},
                LlmResponse(finish_reason="STOP", avg_logprobs=-0.5),
                id="STOP without content",
            ),
            pytest.param(
                {"candidates": [{"content": {"role": "model"}, "finishReason": "STOP"}]},
                LlmResponse(content=Content("model"), finish_reason="STOP"),
                id="STOP without parts",
            ),
            pytest.param(
                {"candidates": [{"finishReason": "SAFETY", "finishMessage": "no"}]},
                LlmResponse(error_code="SAFETY", error_message="no", finish_reason="SAFETY"),
                id="another reason without content",
            ),
            pytest.param(
                {"candidates": [{"content": {"role": "model"}}], "modelVersion": "m-1"},
                LlmResponse(model_version="m-1"),
                id="no reason and no parts",
            ),
            pytest.param(
                {
                    "promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "no"},
                    "usageMetadata": {"promptTokenCount": 1},
                    "modelVersion": "m-1",
                },
                LlmResponse(
                    error_code="SAFETY",
                    error_message="no",
                    usage_metadata={"promptTokenCount": 1},
                    model_version="m-1",
                ),
                id="prompt feedback",
            ),
            pytest.param(
                {"usageMetadata": {"promptTokenCount": 1}, "modelVersion": "m-1"},
                LlmResponse(
                    content=Content("model", []),
                    usage_metadata={"promptTokenCount": 1},
                    model_version="m-1",
                ),
                id="neither",
            ),
        ],
    )
    def test_without_an_answer(self, answer, expected):
        """No parts, no candidate or nothing at all become what the rule's table says (STRM-001)."""
        assert GenerateContentResponse.from_json(answer).to_response() == expected

    def test_only_the_first_candidate_counts(self):
        """What other candidates say is not looked at (STRM-001, STRM-002)."""
        answer = chunk({"text": "a"})
        answer["candidates"] += chunk({"text": "b"}, finishReason="STOP")["candidates"]
        assert StreamAggregator().process(answer) == LlmResponse(
            content=Content.of_text("a"), partial=True
        )


class TestStream:
    """What comes out, in which order, with which metadata."""

    def test_a_partial_per_chunk_then_the_whole(self):
        """Every chunk is a partial response, the last one too, and the whole follows (STRM-002, STRM-009)."""
        usage = {"totalTokenCount": 5}
        chunks = [
            chunk({"text": "Hel"}) | {"modelVersion": "m-1"},
            chunk({"text": "lo"}, finishReason="STOP", avgLogprobs=-1) | {"usageMetadata": usage},
        ]
        assert list(aggregated(chunks)) == [
            LlmResponse(content=Content.of_text("Hel"), partial=True, model_version="m-1"),
            LlmResponse(
                content=Content.of_text("lo"),
                partial=True,
                turn_complete=True,
                finish_reason="STOP",
                avg_logprobs=-1,
                usage_metadata=usage,
            ),
            LlmResponse(
                content=Content.of_text("Hello"), finish_reason="STOP", usage_metadata=usage
            ),
        ]

    def test_partials_are_not_held_back(self):
        """A chunk's response is out before the next chunk is asked for (STRM-002)."""
        asked = []

        def chunks():
            for text in "ab":
                asked.append(text)
                yield chunk({"text": text})

        responses = aggregated(chunks())
        assert asked == []
        assert next(responses) == LlmResponse(content=Content.of_text("a"), partial=True)
        assert asked == ["a"]

    def test_no_chunk_no_response(self):
        """A stream without chunks yields nothing (STRM-009, STRM-010)."""
        assert list(aggregated([])) == []
        assert StreamAggregator().close() is None

    def test_metadata_of_different_chunks(self):
        """The last usage, grounding, citations and reason that were there are remembered (STRM-003)."""
        chunks = [
            chunk({"text": "a"}, groundingMetadata={"g": 1}, finishReason="OTHER")
            | {"usageMetadata": {"promptTokenCount": 1}},
            chunk({"text": "b"}, citationMetadata={"c": 1})
            | {"usageMetadata": {"promptTokenCount": 2}},
            chunk({"text": "c"}, groundingMetadata={"g": 2}, finishReason="STOP"),
            chunk({"text": "d"}),
        ]
        assert whole(*chunks) == LlmResponse(
            content=Content.of_text("abcd"),
            grounding_metadata={"g": 2},
            citation_metadata={"c": 1},
            usage_metadata={"promptTokenCount": 2},
            finish_reason="STOP",
        )

    def test_error_of_the_last_chunk(self):
        """Code and message of the last chunk are the whole's too, unless all is well (STRM-009)."""
        text, refused = (
            chunk({"text": "a"}),
            {"candidates": [{"finishReason": "SAFETY", "finishMessage": "no"}]},
        )
        assert whole(text, refused) == LlmResponse(
            content=Content.of_text("a"),
            error_code="SAFETY",
            error_message="no",
            finish_reason="SAFETY",
        )
        # In the middle of a stream it is not the last one's.
        assert whole(refused, text) == LlmResponse(
            content=Content.of_text("a"), finish_reason="SAFETY"
        )
        # A prompt that was refused after a proper end does not count.
        blocked = {"promptFeedback": {"blockReason": "SAFETY"}}
        assert whole(chunk({"text": "a"}, finishReason="STOP"), blocked) == LlmResponse(
            content=Content.of_text("a"), finish_reason="STOP"
        )

    def test_a_refused_prompt(self):
        """Prompt feedback alone gives an error response with an empty content (STRM-001, STRM-009)."""
        blocked = {"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "no"}}
        assert list(aggregated([blocked])) == [
            LlmResponse(error_code="SAFETY", error_message="no", partial=True),
            LlmResponse(content=Content("model", []), error_code="SAFETY", error_message="no"),
        ]

    def test_an_error_of_the_stream_is_the_end(self):
        """What the chunks raise passes through, and no whole response follows (STRM-010)."""

        def chunks():
            yield chunk({"text": "a"})
            raise ConnectionError("reset")

        seen = []
        with pytest.raises(ConnectionError, match="reset"):
            seen.extend(aggregated(chunks()))
        responses = aggregated(chunks())
        assert next(responses) == LlmResponse(content=Content.of_text("a"), partial=True)
        with pytest.raises(ConnectionError):
            next(responses)
        assert list(responses) == []

    @pytest.mark.parametrize(
        ("answer", "text"),
        [
            (["a"], "GenerateContentResponse: expected an object, got list"),
            (
                chunk({"text": 1}),
                "invalid value for type, expected str @ GenerateContentResponse.candidates[0].content.parts[0].text",
            ),
            (
                chunk({"functionCall": {"name": "f", "partialArgs": ["x"]}}),
                "PartialArg: expected an object, got str",
            ),
            (
                chunk({"functionCall": {"partialArgs": [{"jsonPath": "q", "numberValue": "1"}]}}),
                "invalid value for type, expected float | None @ PartialArg.number_value",
            ),
        ],
    )
    def test_what_is_no_answer_is_refused(self, answer, text):
        """JSON of another shape raises an error that names the place (STRM-010)."""
        with pytest.raises(DecodeError) as raised:
            list(aggregated([answer]))
        assert str(raised.value) == text


class TestParts:
    """How the sequence of parts comes about."""

    def test_thoughts_and_texts_alternate(self):
        """Texts are joined until the thought flag changes (STRM-004, STRM-005)."""
        assert parts(
            chunk({"text": "a", "thought": True}),
            chunk({"text": "b", "thought": True}, {"text": "C"}),
            chunk({"text": "D"}),
            chunk({"text": "e", "thought": True}),
        ) == [Part(text="ab", thought=True), Part(text="CD"), Part(text="e", thought=True)]

    def test_empty_parts_are_left_out(self):
        """An all-zero part neither counts nor separates (STRM-004)."""
        answer = whole(chunk({"text": "a"}, {"text": ""}), chunk({}), chunk({"text": "b"}))
        assert answer == LlmResponse(content=Content.of_text("ab"))

    def test_nothing_but_empty_parts(self):
        """A whole response without parts is still one (STRM-009)."""
        assert whole(chunk({"text": ""}, finishReason="STOP")) == LlmResponse(
            content=Content("model", []), finish_reason="STOP"
        )

    def test_other_parts_separate_texts(self):
        """Data, code and bare signatures stand where they came, as the same objects (STRM-004)."""
        data = Part(inline_data=Blob("image/png", b"\x89PNG"))
        code = Part(executable_code={"code": "1"})
        bare = Part(thought_signature=b"sig1")
        answer = GenerateContentResponse.from_json(chunk({"text": "b"}))
        answer.candidates[0].content.parts[:0] = [data, code, bare]
        together = parts(chunk({"text": "a"}), answer)
        assert together == [Part(text="a"), data, code, bare, Part(text="b")]
        assert all(
            mine is theirs for mine, theirs in zip(together[1:4], [data, code, bare], strict=True)
        )

    def test_text_beside_a_call(self):
        """A part with a text and a call counts as text, and the call is lost (STRM-004)."""
        assert parts(chunk({"text": "t", "functionCall": {"name": "look"}})) == [Part(text="t")]


class TestCompleteCalls:
    """STRM-006: calls that come in one piece."""

    def test_the_part_is_shared(self):
        """An id that is filled in on the partial response is the whole one's (STRM-006)."""
        aggregator = StreamAggregator()
        aggregator.process(chunk({"text": "Let me look."}))
        partial = aggregator.process(chunk({"functionCall": {"name": "look", "args": {"q": "x"}}}))
        partial.content.parts[0].function_call.id = "adk-1"
        assert aggregator.close() == LlmResponse(
            content=Content(
                "model",
                [
                    Part(text="Let me look."),
                    Part(function_call=FunctionCall("adk-1", "look", {"q": "x"})),
                ],
            )
        )

    def test_a_nameless_call_is_ignored(self):
        """Without a name it does not even separate texts, but its signature counts (STRM-004, STRM-006)."""
        call = {"functionCall": {"args": {"q": "x"}}, "thoughtSignature": SIGNED}
        look = {"functionCall": {"name": "look"}}
        assert parts(chunk({"text": "a"}), chunk(call), chunk({"text": "b"}, look)) == [
            Part(text="ab"),
            Part(function_call=FunctionCall(name="look"), thought_signature=b"sig1"),
        ]

    def test_a_call_may_be_a_thought(self):
        """A call that is marked as a thought is a call like any other (STRM-004, STRM-006)."""
        call = {"functionCall": {"name": "one"}, "thought": True}
        assert parts(chunk({"text": "t", "thoughtSignature": SIGNED}, call)) == [
            Part(text="t"),
            Part(function_call=FunctionCall(name="one"), thought=True, thought_signature=b"sig1"),
        ]

    def test_a_signature_is_inherited_once(self):
        """A text's signature goes to the next complete call, partial response included (STRM-005, STRM-006)."""
        aggregator = StreamAggregator()
        aggregator.process(chunk({"text": "hm", "thought": True, "thoughtSignature": SIGNED}))
        partial = aggregator.process(
            chunk({"functionCall": {"name": "one"}}, {"functionCall": {"name": "two"}})
        )
        calls = [
            Part(function_call=FunctionCall(name="one"), thought_signature=b"sig1"),
            Part(function_call=FunctionCall(name="two")),
        ]
        assert partial == LlmResponse(content=Content("model", calls), partial=True)
        assert aggregator.close() == LlmResponse(
            content=Content("model", [Part(text="hm", thought=True), *calls])
        )

    def test_an_own_signature_stays(self):
        """A call with a signature keeps it and uses up the one before (STRM-006)."""
        assert parts(
            chunk({"text": "t", "thoughtSignature": SIGNED}),
            chunk({"functionCall": {"name": "one"}, "thoughtSignature": SIGNED_2}),
            chunk({"functionCall": {"name": "two"}}),
        ) == [
            Part(text="t"),
            Part(function_call=FunctionCall(name="one"), thought_signature=b"sig2"),
            Part(function_call=FunctionCall(name="two")),
        ]


class TestStreamedCalls:
    """STRM-007 and STRM-008: calls that come in pieces."""

    def test_pieces_of_a_text_argument(self):
        """Texts for one place are joined; the partials show the pieces (STRM-007, STRM-008)."""
        chunks = [
            chunk(streamed(("$.q", "he"), more=True, name="look", id="c1")),
            chunk(streamed(("$.q", "llo"), more=True)),
            chunk({"functionCall": {}}),  # a complete call without a name
            chunk(streamed(("$.q", "!"), more=False)),
        ]
        responses = list(aggregated(chunks))
        assert [response.content.parts[0].function_call for response in responses] == [
            FunctionCall("c1", "look", None, [{"jsonPath": "$.q", "stringValue": "he"}], True),
            FunctionCall("", "", None, [{"jsonPath": "$.q", "stringValue": "llo"}], True),
            FunctionCall(),
            FunctionCall("", "", None, [{"jsonPath": "$.q", "stringValue": "!"}], False),
            FunctionCall("c1", "look", {"q": "hello!"}),
        ]

    @pytest.mark.parametrize(
        ("pieces", "args"),
        [
            ([{"jsonPath": "$.n", "numberValue": 1.5}], {"n": 1.5}),
            ([{"jsonPath": "$.n", "numberValue": 0}], {"n": 0}),
            ([{"jsonPath": "$.b", "boolValue": False}], {"b": False}),
            ([{"jsonPath": "$.z", "nullValue": "NULL_VALUE"}], {"z": None}),
            (
                [{"jsonPath": "$.n", "stringValue": "", "numberValue": 2, "boolValue": True}],
                {"n": 2},
            ),
            ([{"jsonPath": "$.e", "stringValue": ""}, {"jsonPath": "$.f"}], {}),
            ([{"jsonPath": "", "stringValue": "x"}, {"stringValue": "y"}], {}),
            ([{"jsonPath": "p.q.r", "stringValue": "deep"}], {"p": {"q": {"r": "deep"}}}),
            ([{"jsonPath": "$.l[0]", "stringValue": "x"}], {"l[0]": "x"}),
            ([{"jsonPath": "$.$ref", "stringValue": "x"}], {"$ref": "x"}),
            (
                [{"jsonPath": "$.a", "stringValue": "x"}, {"jsonPath": "$.a", "numberValue": 1}],
                {"a": 1},
            ),
            (
                [
                    {"jsonPath": "$.a.b", "numberValue": 1},
                    {"jsonPath": "$.a.c", "stringValue": "x"},
                    {"jsonPath": "$.a.c", "stringValue": "y"},
                ],
                {"a": {"b": 1, "c": "xy"}},
            ),
            (
                [
                    {"jsonPath": "$.a.b", "numberValue": 1},
                    {"jsonPath": "$.a", "stringValue": "flat"},
                    {"jsonPath": "$.a.b", "boolValue": True},
                ],
                {"a": {"b": True}},
            ),
        ],
    )
    def test_paths_and_values(self, pieces, args):
        """The first value that is there is set at the path, other kinds replace (STRM-007)."""
        call = {"functionCall": {"name": "look", "partialArgs": pieces}}
        assert parts(chunk(call)) == [Part(function_call=FunctionCall(name="look", args=args))]

    def test_to_be_continued_without_arguments(self):
        """Either mark makes a call a streamed one: pieces, or that more is to come (STRM-007)."""
        assert parts(
            chunk({"functionCall": {"name": "one", "args": {"lost": 1}, "willContinue": True}}),
            chunk({"functionCall": {"partialArgs": []}}),
            chunk({"text": "t"}),
        ) == [Part(function_call=FunctionCall(name="one", args={})), Part(text="t")]

    def test_two_that_are_not_ended_become_one(self):
        """Name and id are the later call's, arguments those of both (STRM-007)."""
        assert parts(
            chunk(streamed(("$.q", "x"), more=True, name="look", id="c1")),
            chunk(streamed(("$.z", True), more=False, name="other", id="c2")),
        ) == [Part(function_call=FunctionCall("c2", "other", {"q": "x", "z": True}))]

    def test_two_that_are_ended(self):
        """The end of a call resets name, id, signature and arguments (STRM-008)."""
        first = streamed(("$.q", "x"), more=False, name="look", id="c1")
        assert parts(
            chunk(first | {"thoughtSignature": SIGNED}),
            chunk(streamed(("$.q", "y"), more=False, name="other")),
        ) == [
            Part(function_call=FunctionCall("c1", "look", {"q": "x"}), thought_signature=b"sig1"),
            Part(function_call=FunctionCall("", "other", {"q": "y"})),
        ]

    def test_a_nameless_one_waits_for_a_name(self):
        """The end of a call without a name adds nothing; its arguments go to the next (STRM-008)."""
        assert parts(
            chunk({"text": "a"}, streamed(("$.q", "x"), more=False, id="c1")),
            chunk({"text": "b"}, streamed(("$.z", 2.0), more=False, name="look")),
        ) == [
            Part(text="a"),
            Part(text="b"),
            Part(function_call=FunctionCall("c1", "look", {"q": "x", "z": 2.0})),
        ]

    def test_one_that_never_ends(self):
        """It is added at the close, behind all texts, without the id of its pieces (STRM-008, STRM-009)."""
        aggregator = StreamAggregator()
        aggregator.process(chunk({"text": "go "}))
        partial = aggregator.process(chunk(streamed(("$.q", "x"), more=True, name="look")))
        partial.content.parts[0].function_call.id = "adk-1"
        aggregator.process(chunk({"text": "on"}))
        assert aggregator.close() == LlmResponse(
            content=Content(
                "model",
                [Part(text="go on"), Part(function_call=FunctionCall("", "look", {"q": "x"}))],
            )
        )

    def test_its_signature_is_the_first_and_can_be_inherited(self):
        """It keeps its first signature, its last one goes to a later complete call (STRM-007)."""
        assert parts(
            chunk(streamed(more=True, name="look", id="c1") | {"thoughtSignature": SIGNED}),
            chunk(streamed(("$.q", "y"), more=False) | {"thoughtSignature": SIGNED_2}),
            chunk({"functionCall": {"name": "look", "id": "c2"}}),
        ) == [
            Part(function_call=FunctionCall("c1", "look", {"q": "y"}), thought_signature=b"sig1"),
            Part(function_call=FunctionCall("c2", "look"), thought_signature=b"sig2"),
        ]

    def test_it_takes_no_signature(self):
        """The signature of a text passes a streamed call by (STRM-007)."""
        assert parts(
            chunk({"text": "t", "thoughtSignature": SIGNED}),
            chunk(streamed(("$.q", "y"), more=False, name="one")),
            chunk({"functionCall": {"name": "two"}}),
        ) == [
            Part(text="t"),
            Part(function_call=FunctionCall("", "one", {"q": "y"})),
            Part(function_call=FunctionCall("", "two"), thought_signature=b"sig1"),
        ]


class Streaming:
    """A model whose nth call streams the nth list of chunks."""

    name = "streaming"

    def __init__(self, *calls):
        self._calls = iter(calls)

    def generate(self, ctx, request, stream):
        """Stream the next list of chunks."""
        return aggregated(next(self._calls))


def played(*calls, tools=()):
    """Return what a consumer gets, as pairs of partial and content JSON, and what is stored."""
    agent = LlmAgent("root", model=Streaming(*calls), tools=tools)
    runner = Runner.in_memory("app", agent)
    events = list(runner.run("u", "s", "hello", config=RunConfig(streaming_mode="sse")))
    stored = runner.session_service.get("app", "u", "s").events
    return (
        [(event.partial, event.content.to_json()) for event in events],
        [event.content.to_json() for event in stored],
    )


class TestInTheFlow:
    """STRM-011: what a consumer sees of a stream."""

    def test_only_the_whole_runs_tools_and_is_stored(self):
        """Partial events come first; the whole one is stored and its tool runs once (STRM-011)."""
        cities = []

        def look(city: str) -> dict:
            """Look out."""
            cities.append(city)
            return {"sky": "blue"}

        call = {"functionCall": {"name": "look", "args": {"city": "Rome"}, "id": "c1"}}
        given, stored = played(
            [chunk({"text": "Let me see."}), chunk(call, finishReason="STOP")],
            [chunk({"text": "Blue"}), chunk({"text": "."}, finishReason="STOP")],
            tools=[look],
        )

        def said(*parts):
            return {"role": "model", "parts": list(parts)}

        response = {"id": "c1", "name": "look", "response": {"sky": "blue"}}
        answered = {"role": "user", "parts": [{"functionResponse": response}]}
        assert given == [
            (True, said({"text": "Let me see."})),
            (True, said(call)),
            (False, said({"text": "Let me see."}, call)),
            (False, answered),
            (True, said({"text": "Blue"})),
            (True, said({"text": "."})),
            (False, said({"text": "Blue."})),
        ]
        asked = {"role": "user", "parts": [{"text": "hello"}]}
        assert stored == [asked, *(content for partial, content in given if not partial)]
        assert cities == ["Rome"]

    def test_an_answer_without_parts_ends_the_run(self):
        """A whole response with an empty content is an event, and the model is not asked again (STRM-011)."""
        given, _ = played([{"candidates": [{"finishReason": "STOP"}]}])
        assert given == [(False, {"role": "model"})]


# --- any stream ---------------------------------------------------------------------------

texts = st.builds(
    lambda text, thought: {"text": text, "thought": thought}, st.text(max_size=3), st.booleans()
)
others = st.sampled_from([{}, {"inlineData": {"mimeType": "a/b", "data": "eA=="}}])


@st.composite
def streams(draw):
    """Draw chunks with texts, other parts, and calls in one or several pieces."""
    found = []
    for number in range(draw(st.integers(0, 6))):
        kind = draw(st.sampled_from(["text", "other", "complete", "streamed"]))
        if kind in ("text", "other"):
            found.append(draw(texts if kind == "text" else others))
        elif kind == "complete":
            args = {"n": str(number)}
            found.append({"functionCall": {"name": "f", "id": f"c{number}", "args": args}})
        else:
            name, *between = f"c{number}", *draw(st.lists(texts, max_size=2))
            found.append(streamed(("$.n", ""), more=True, name="f", id=name))
            found.extend(between)
            found.append(streamed(("$.n", str(number)), more=False))
    chunks = []
    while found:
        count = draw(st.integers(1, 3))
        chunks.append(chunk(*found[:count]))
        found = found[count:]
    return chunks


@settings(deadline=None)  # a busy machine is no fault of the stream
@given(streams())
def test_nothing_is_lost_and_nothing_is_doubled(chunks):
    """The whole's texts are the partials' texts joined, and it has every call once (STRM-002, STRM-004 to 009)."""
    given_json = json.dumps(chunks)
    responses = list(aggregated(chunks))
    assert json.dumps(chunks) == given_json, "the caller's chunks are as they were"
    if not chunks:
        assert responses == []
        return
    *partials, last = responses
    assert [response.partial for response in responses] == [True] * len(chunks) + [False]
    for thought in (False, True):
        assert "".join(p.text for p in last.content.parts if p.thought is thought) == "".join(
            part.text
            for partial in partials
            for part in partial.content.parts
            if part.thought is thought
        )
    named = {call.id for partial in partials for call in partial.content.calls() if call.id}
    calls = last.content.calls()
    assert sorted(call.id for call in calls) == sorted(named)
    assert all(call == FunctionCall(call.id, "f", {"n": call.id[1:]}) for call in calls)
    assert not any(
        left.text and right.text and left.thought is right.thought
        for left, right in zip(last.content.parts, last.content.parts[1:], strict=False)
    )
