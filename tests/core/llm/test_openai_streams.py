"""Streams as endpoints really send them: bytes cut anywhere, lines and ends of every kind, bodies
under wrong headers; through the real `openai` client."""

import json
from typing import Any

import pytest
from fixtures.openai_turns import delta_event, final_event, take_turn, take_turns
from fixtures.scripted_endpoint import RawBody, RawPieces, Says, Streams, scripted_endpoint

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.llm import openai_model
from toolplanner_core.llm.capabilities import known_capabilities
from toolplanner_core.llm.event_stream import EventStreamParser, ServerSentEvent
from toolplanner_core.llm.model import ModelError, Reply

TEXT = "Zürich \U0001f600, Łódź"
DONE = b"data: [DONE]\n\n"
PLAIN = delta_event({"content": "Ly"}) + delta_event({"content": "on"})
END = final_event()
WHOLE = {"choices": [{"message": {"content": "Lyon"}, "finish_reason": "stop"}], "model": "m"}
BODY = json.dumps(WHOLE).encode()


def events_of(*pieces: bytes) -> list[ServerSentEvent]:
    parser = EventStreamParser()
    found = [event for piece in pieces for event in parser.feed(piece)]
    return [*found, *parser.close()]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_events_when_the_bytes_are_cut_anywhere_then_the_same(end: bytes) -> None:
    lines = [
        "\ufeff: a remark", "event: delta", "id: 7", "retry: 10", f"data: {TEXT}", "data:two",
        "data", "", "", "data: a\u2028b\u2029c\u0085d\x0be\x0cf", "", "unknown: x",
        "event: nothing", "", "data:  blank", "",
    ]  # fmt: skip
    stream = end.join(line.encode() for line in lines) + end
    wanted = [
        ServerSentEvent(f"{TEXT}\ntwo\n", "delta"),
        ServerSentEvent("a\u2028b\u2029c\u0085d\x0be\x0cf"),
        ServerSentEvent(" blank"),
    ]
    assert events_of(stream) == wanted
    assert events_of(*(stream[at : at + 1] for at in range(len(stream)))) == wanted
    for at in range(len(stream)):
        assert events_of(stream[:at], b"", stream[at:]) == wanted, at


def test_events_when_the_last_has_no_blank_line_then_said_to_be_cut() -> None:
    assert events_of(b"data: a\n\ndata: b") == [
        ServerSentEvent("a"),
        ServerSentEvent("b", is_cut=True),
    ]
    assert events_of(b"\xef\xbb") == []


def test_events_when_one_never_ends_then_not_read_on() -> None:
    parser = EventStreamParser()
    with pytest.raises(ValueError, match="longer than 8,000,000 bytes"):
        for _ in range(200):
            list(parser.feed(b"data: " + b"x" * 100_000))


STREAMS: dict[str, Any] = {
    "keepalives as data": [b"data: : keepalive\n\n", PLAIN, b"data: \n\ndata: ping\n\n", END, DONE],
    "keepalives as comments": [b": OPENROUTER PROCESSING\n\n", PLAIN, b":\n\n", END, DONE],
    "keepalives as objects": [
        b'data: {"type": "ping"}\n\n', PLAIN, b"event: ping\ndata: {}\n\n", END],
    "other data": [b'data: 7\n\ndata: "x"\n\ndata: null\n\ndata: [1]\n\n', PLAIN, END, DONE],
    "a queue that speaks": [b'data: {"message": "position 3"}\n\n', PLAIN, END, DONE],
    "error: null": [PLAIN.replace(b"{", b'{"error": null, ', 1), END, DONE],
    "errors that are none": [b'data: {"error": {}, "errors": [], "choices": []}\n\n', PLAIN, END],
    "an error with nothing": [b'data: {"error": {"message": null, "code": null}}\n\n', PLAIN, END],
    "CR": [(PLAIN + END + DONE).replace(b"\n", b"\r")],
    "CRLF, cut inside": [piece for each in (PLAIN + END + DONE).replace(b"\n", b"\r\n").split(b"\n")
                         for piece in (each, b"\n")][:-1],
    "no blank after data:": [(PLAIN + END + DONE).replace(b"data: ", b"data:")],
    "no blank lines": [(PLAIN + END + DONE).replace(b"\n\n", b"\n")],
    "a byte order mark": [b"\xef", b"\xbb\xbf", PLAIN, END, DONE],
    "names, ids and retries": [
        b"retry: 3\n", PLAIN.replace(b"data:", b"event: m\nid: 1\ndata:"), END],
    "an event over many lines": [
        b'data: {\ndata: "choices": [{"delta":\ndata: {"content": "Lyon"}}]}\n\n', END],
    "blank lines first": [b"\n\n\r\n", PLAIN, b"\n\n\n", END, b"\n", DONE],
    "[DONE] twice": [PLAIN, END, DONE, DONE],
    "no [DONE]": [PLAIN, END],
    "[DONE] with blanks": [PLAIN, END, b"data:   [DONE]  \n\n"],
    "[DONE] in quotes": [PLAIN, END, b'data: "[DONE]"\n\n'],
    "[DONE] cut": [PLAIN, b"data: [DO"],
    "[DONE] and no reason": [PLAIN, DONE],
    "no reason and no [DONE]": [PLAIN],
    "the last blank line missing": [PLAIN, END.rstrip(b"\n")],
    "no choices": [PLAIN, b'data: {"choices": null}\n\ndata: {"choices": []}\n\ndata: {}\n\n', END],
    "usage last": [PLAIN, END, b'data: {"choices": [], "usage": {"prompt_tokens": 3}}\n\n', DONE],
    "delta: null": [PLAIN, b'data: {"choices": [{"delta": null}]}\n\n', END, DONE],
    "role only first": [delta_event({"role": "assistant", "content": None}), PLAIN, END, DONE],
    "content in parts": [
        delta_event({"content": [{"type": "text", "text": "Ly"}]}),
        delta_event({"content": {"type": "text", "text": "on"}}), END],
    "whole messages as pieces": [
        b'data: {"choices": [{"message": {"content": "Ly"}}]}\n\n',
        b'data: {"choices": [{"message": {"content": "on"}}]}\n\n', END],
    "messages that grow": [
        b'data: {"choices": [{"message": {"content": "Ly"}}]}\n\n',
        b'data: {"choices": [{"message": {"content": "Lyon"}, "finish_reason": "stop"}]}\n\n'],
    "the message again at the end": [PLAIN, b"data: " + BODY + b"\n\n", DONE],
    "old completions": [b'data: {"choices": [{"text": "Ly"}]}\n\n',
                        b'data: {"choices": [{"text": "on", "finish_reason": "stop"}]}\n\n'],
    "a reason that is a text of nothing": [
        PLAIN.replace(b'}]}', b', "finish_reason": "null"}]}'), END, DONE],
    "an error after the end": [PLAIN, END, b'data: {"error": {"message": "no usage"}}\n\n', DONE],
    "half an event after the end": [PLAIN, END, b'data: {"usage": {"prom'],
    "lines of JSON": [(PLAIN + END).replace(b"data: ", b"")],
    "lines of JSON, one blank": [(PLAIN + END).replace(b"data: ", b"").replace(b"\n\n", b"\n")],
    "JSON although a stream was asked for": [BODY],
    "JSON after blanks": [b"\n \n", b"  ", BODY],
    "JSON in a list": [b"[" + BODY + b"]"],
    "JSON with a byte order mark": [b"\xef\xbb\xbf", BODY],
}  # fmt: skip


@pytest.fixture(scope="module")
def replies() -> dict[str, Any]:
    return take_turns({name: RawPieces(pieces) for name, pieces in STREAMS.items()})


@pytest.mark.parametrize("name", STREAMS)
def test_stream_when_written_in_any_way_then_read(name: str, replies: dict[str, Any]) -> None:
    assert isinstance(replies[name], Reply), replies[name]
    assert replies[name].text == "Lyon"


def test_stream_when_it_is_heard_then_each_piece_once() -> None:
    heard: list[str] = []
    names = ("no blank lines", "messages that grow", "the message again at the end")
    pieces = [STREAMS[name] for name in names]
    with scripted_endpoint(*map(RawPieces, pieces)) as endpoint:
        for _ in pieces:
            take_turn(endpoint, hear=lambda piece: heard.append(piece.text))
    assert heard == ["Ly", "on"] * 3


@pytest.mark.parametrize(("pieces", "streams"), [([PLAIN, END, DONE], True), ([BODY], False)])
@pytest.mark.parametrize("stream", [True, False])
def test_reply_when_its_header_says_something_else_then_looked_at(
    pieces: list[bytes], *, streams: bool, stream: bool
) -> None:
    types = ("text/event-stream", "application/octet-stream", "text/plain", None)
    with scripted_endpoint(*(RawPieces(pieces, each) for each in types)) as endpoint:
        assert [take_turn(endpoint, stream=stream).text for _ in types] == ["Lyon"] * 4
        known = known_capabilities(endpoint.url)
    assert [each.streams for each in known] == ([streams] if stream else [])


def test_stream_when_letters_are_cut_then_put_together() -> None:
    half, other = b'{"content": "\\ud83d"}', b'{"content": "\\ude00 \xe2\x80\xa8 Z\xc3\xbc"}'
    event = b'data: {"choices": [{"delta": %s}]}\n\n'
    stream = event % half + event % other + END
    with scripted_endpoint(RawPieces([stream[at : at + 1] for at in range(len(stream))])) as made:
        assert take_turn(made).text == "\U0001f600 \u2028 Zü"


ROLE = delta_event({"role": "assistant"})
NO_CHOICE = b'data: {"choices": []}\n\n'
BROKEN: dict[str, tuple[RawPieces, ErrorClass, str]] = {
    "half an event": (
        RawPieces([PLAIN, b'data: {"choices": [{"del']), ErrorClass.BAD_PAYLOAD, "broke off"),
    "reset": (RawPieces([PLAIN], is_reset=True), ErrorClass.NETWORK, "broke in the middle"),
    "no choice": (RawPieces([NO_CHOICE, DONE]), ErrorClass.BAD_PAYLOAD, "without a reply"),
    "a role only": (RawPieces([ROLE]), ErrorClass.BAD_PAYLOAD, "broke off"),
    "a role and [DONE]": (RawPieces([ROLE, DONE]), ErrorClass.BAD_PAYLOAD, "broke off"),
    "half a body": (RawPieces([BODY[:40]]), ErrorClass.BAD_PAYLOAD, "broke off"),
    "nothing": (RawPieces([]), ErrorClass.BAD_PAYLOAD, "empty"),
    "blanks": (RawPieces([b" \n\n"]), ErrorClass.BAD_PAYLOAD, "empty"),
    "a comment": (RawPieces([b": nothing\n\n"]), ErrorClass.BAD_PAYLOAD, "holds no choice"),
}  # fmt: skip


def test_stream_when_nothing_came_whole_then_said_and_asked_again() -> None:
    found = take_turns({name: line for name, (line, _, _) in BROKEN.items()})
    for name, (_, error, words) in BROKEN.items():
        failure = found[name]
        assert isinstance(failure, ModelError), name
        assert (failure.error, failure.is_transient) == (error, True), name
        assert words in failure.message, name


def test_stream_when_reset_after_its_end_then_the_reply_counts() -> None:
    with scripted_endpoint(RawPieces([PLAIN, END], is_reset=True)) as endpoint:
        assert take_turn(endpoint).text == "Lyon"


def test_stream_when_left_open_after_its_end_then_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(openai_model, "_LAST_WORDS_S", 0.0)
    with scripted_endpoint(Streams(["Ly", "on"], then="open")) as endpoint:
        assert take_turn(endpoint).text == "Lyon"
        assert endpoint.left.wait(60)


def test_remark_when_nothing_says_that_a_reply_is_whole_then_made() -> None:
    with scripted_endpoint(RawPieces([PLAIN]), Says("Lyon")) as endpoint:
        assert take_turn(endpoint).raw["remarks"] == [
            "The stream ended without a word that the reply is whole"
        ]
        assert "remarks" not in take_turn(endpoint).raw


def test_advice_when_something_else_answers_then_speaks_of_the_address() -> None:
    bodies = (b"{}", b'{"choices": []}', b'"Lyon"', b"Lyon", b"[]")
    found = take_turns({str(body): RawBody(body) for body in bodies})
    for name, failure in found.items():
        assert isinstance(failure, ModelError), name
        assert "address" in failure.todo
        assert "/v1" not in failure.todo, "the address does end so"
