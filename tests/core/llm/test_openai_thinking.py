"""What models think before they answer: never the answer, and given back where it came from."""

from typing import Any

import pytest
from fixtures.openai_turns import (
    ASK,
    LOOK,
    call_event,
    delta_event,
    final_event,
    take_turn,
    take_turns,
)
from fixtures.scripted_endpoint import RawPieces, Says, Status, scripted_endpoint

from toolplanner_core.llm.model import Reply
from toolplanner_core.prompts.conversation import FunctionCall, Message

END = final_event()
SAYS = delta_event({"content": "Lyon"})
STREAMS: dict[str, list[bytes]] = {
    "DeepSeek": [delta_event({"reasoning_content": "Hm, "}),
                 delta_event({"reasoning_content": "Lyon?", "content": None}), SAYS],
    "OpenRouter": [delta_event({"reasoning": "Hm, Lyon?", "reasoning_details": [
        {"type": "reasoning.text", "text": "Hm, Lyon?"}]}), SAYS],
    "details alone": [delta_event({"reasoning_details": [
        {"type": "reasoning.summary", "summary": "Hm, Lyon?"}]}), SAYS],
    "thinking blocks": [delta_event({"thinking_blocks": [
        {"type": "thinking", "thinking": "Hm, Lyon?", "signature": "s"}]}), SAYS],
    "parts of the content": [delta_event({"content": [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm, Lyon?"}]},
        {"type": "text", "text": "Lyon"}]})],
    "tags": [delta_event({"content": "<think>\nHm, Lyon?\n</think>\n\nLyon"})],
    "tags in pieces": [
        delta_event({"content": each}) for each in "\n<think>Hm, Lyon?</think>\nLyon"],
    "other tags": [delta_event({"content": "[THINK]Hm, Lyon?[/THINK]Lyon"})],
    "channels": [delta_event({"content": "<|channel|>analysis<|message|>Hm, Lyon?<|end|><|start|>"
                              "assistant<|channel|>final<|message|>Lyon"})],
    "channels in pieces": [delta_event({"content": each}) for each in
                           "<|channel|>analysis<|message|>Hm, Lyon?<|end|><|start|>assistant"
                           "<|channel|>final<|message|>Lyon"],
    "Gemma": [delta_event({"content": "<|channel>thought\nHm, Lyon?\n<channel|>Lyon"})],
    "no opening tag": [delta_event({"content": "Hm, Lyon?\n</think>\n\nLyon"})],
}  # fmt: skip


@pytest.fixture(scope="module")
def replies() -> dict[str, Any]:
    return take_turns({name: RawPieces([*pieces, END]) for name, pieces in STREAMS.items()})


@pytest.mark.parametrize("name", STREAMS)
def test_thoughts_when_they_come_in_any_way_then_told_apart_from_the_answer(
    name: str, replies: dict[str, Any]
) -> None:
    reply = replies[name]
    assert isinstance(reply, Reply), reply
    assert (reply.text, reply.raw["reasoning"].strip()) == ("Lyon", "Hm, Lyon?")


@pytest.mark.parametrize(
    "text",
    [
        "Write <think> first.",
        "a < b",
        "`</think>` ends it",
        "<thin",
        "<|start|>assistant is a mark",
        "<|cha",
    ],
)
def test_text_when_it_speaks_of_tags_then_all_of_it_is_the_answer(text: str) -> None:
    with scripted_endpoint(Says(text)) as endpoint:
        reply = take_turn(endpoint)
    assert (reply.text, "reasoning" in reply.raw) == (text, False)


def turn_with(*deltas: dict[str, Any]) -> RawPieces:
    call = {"index": 0, "id": "a", "function": {"name": "look_up", "arguments": "{}"}}
    call |= {"extra_content": {"google": {"thought_signature": "s"}}}
    pieces = [*map(delta_event, deltas), call_event(call), final_event("tool_calls")]
    return RawPieces(pieces)


def asked_again(reply: Reply) -> tuple[Message, ...]:
    """The conversation with a turn and the result of its call, as the log writes and reads it."""
    calls = tuple(FunctionCall("call00001", call.name, call.arguments) for call in reply.calls)
    turn = Message("assistant", reply.text, calls, thinking=reply.thinking)
    return *ASK, Message.from_json(turn.to_json()), Message("tool", "x", call="call00001")


def test_thoughts_when_functions_are_called_then_sent_back_as_they_came() -> None:
    details = [{"type": "reasoning.text", "index": 0, "text": text} for text in ("Hm, ", "Lyon?")]
    signature = {"type": "reasoning.text", "index": 0, "signature": "z"}
    turn = turn_with(
        {"reasoning_content": "Hm, "},
        {"reasoning_content": "Lyon?"},
        *({"reasoning_details": [each]} for each in (*details, signature)),
    )
    with scripted_endpoint(turn, Says("Lyon"), turn_with()) as endpoint:
        reply = take_turn(endpoint, tools=[LOOK])
        take_turn(endpoint, tools=[LOOK], messages=asked_again(reply))
    sent = endpoint.requests[1]["messages"][2]
    assert sent["reasoning_content"] == "Hm, Lyon?"
    assert sent["reasoning_details"] == [
        {"type": "reasoning.text", "index": 0, "text": "Hm, Lyon?", "signature": "z"}
    ]
    assert sent["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": "s"}}
    assert "call_extras" not in sent


THOUGHT_IN_TEXT = ["<think>Hm, Lyon?</think>I look.", "Hm, Lyon?</think>I look."]


@pytest.mark.parametrize("text", THOUGHT_IN_TEXT)
def test_thoughts_when_they_stand_between_tags_then_kept_and_never_sent_back(text: str) -> None:
    with scripted_endpoint(turn_with({"content": text}), Says("Lyon")) as endpoint:
        reply = take_turn(endpoint, tools=[LOOK])
        take_turn(endpoint, tools=[LOOK], messages=asked_again(reply))
    assert (reply.text, reply.raw["reasoning"]) == ("I look.", "Hm, Lyon?")
    sent = endpoint.requests[1]["messages"]
    assert sent[2]["content"] == "I look."
    assert "Hm" not in str(sent)


def test_thoughts_when_nothing_was_called_then_not_sent_back() -> None:
    says = RawPieces([delta_event({"reasoning_content": "Hm", "content": "Lyon"}), final_event()])
    with scripted_endpoint(says, Says("Paris")) as endpoint:
        reply = take_turn(endpoint, tools=[LOOK])
        turn = Message("assistant", reply.text, thinking=reply.thinking)
        take_turn(endpoint, tools=[LOOK], messages=(*ASK, turn, Message("user", "And now?")))
    assert reply.raw["reasoning"] == "Hm"
    assert endpoint.requests[1]["messages"][2] == {"role": "assistant", "content": "Lyon"}


def test_thoughts_when_an_endpoint_refuses_them_then_left_out_from_then_on() -> None:
    refusal = Status(400, "reasoning_content is not allowed in messages")
    lines = (turn_with({"reasoning_content": "Hm"}), refusal, Says("Lyon"), Says("Lyon"))
    with scripted_endpoint(*lines) as endpoint:
        again = asked_again(take_turn(endpoint, tools=[LOOK]))
        for _ in range(2):
            assert take_turn(endpoint, tools=[LOOK], messages=again).text == "Lyon"
    sent = ["reasoning_content" in request["messages"][2] for request in endpoint.requests[1:]]
    assert sent == [True, False, False]
