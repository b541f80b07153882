"""Damaged streams: the reader ends, raises what it says it raises, and loses no event that came
whole. A few thousand here, 100,000 with TOOLPLANNER_BENCH=1."""

import json
import os
import random

from toolplanner_core.llm.event_stream import EventStreamParser
from toolplanner_core.llm.model import ModelError
from toolplanner_core.llm.openai_replies import ReplyReader
from toolplanner_core.llm.reply_errors import EndpointError

N_STREAMS = 100_000 if os.environ.get("TOOLPLANNER_BENCH") else 3_000
_LETTERS = 'ab \u2028\u0085é\U0001f600"\\'
_NOISE = (
    b": keepalive", b"data: : keepalive", b"data: {broken", b"data: ", b"data: [1]",
    b"data: null", b"\xff\xfe",
    b'data: {"choices": null}', b'data: {"choices": [null]}', b"event: ping", b"retry: x", b"id",
    b'data: {"error": null}', b'data: {"choices": [{"delta": null}]}', b"data", b"garbage \xf0\x9f",
    b'data: {"choices": [{"delta": {"tool_calls": [null, 3, {}]}}]}', b'data: {"usage": [1]}',
    b'data: {"choices": [{"delta": {"content": {"text": [[[]]]}, "reasoning": 7}}]}',
)  # fmt: skip


def made_stream(rng: random.Random) -> tuple[bytes, str, str]:
    """A stream with noise between its events; the text and the arguments that stand in it."""
    end = rng.choice([b"\n", b"\r", b"\r\n"])
    text = "".join(rng.choices(_LETTERS, k=rng.randrange(1, 30)))
    arguments = json.dumps({"q": text})
    deltas: list[dict[str, object]] = [{"content": letter} for letter in text]
    for at in range(0, len(arguments), 7):
        function = {"name": "look_up", "arguments": arguments[at : at + 7]}
        deltas.append({"tool_calls": [{"index": 0, "id": "a", "function": function}]})
    lines: list[bytes] = []
    for delta in deltas:
        if rng.random() < 0.3:
            lines += [rng.choice(_NOISE), b""]
        frame = json.dumps({"choices": [{"delta": delta}]}, ensure_ascii=rng.random() < 0.5)
        lines += [b"data: " + frame.encode(), b""]
    if rng.random() < 0.7:
        lines += [b'data: {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}', b""]
    lines += [b"data: [DONE]", b""] if rng.random() < 0.5 else []
    return end.join([*lines, b""]), text, arguments


def pieces_of(stream: bytes, rng: random.Random) -> list[bytes]:
    """The stream, cut anywhere."""
    cuts = sorted(rng.randrange(len(stream) + 1) for _ in range(rng.randrange(6)))
    return [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]


def test_reader_when_noise_stands_between_events_then_none_is_lost() -> None:
    rng = random.Random(24)
    for number in range(N_STREAMS // 2):
        stream, text, arguments = made_stream(rng)
        reader = ReplyReader(["look_up"])
        chunks = [chunk for piece in pieces_of(stream, rng) for chunk in reader.feed(piece)]
        chunks += reader.close()
        got = reader.whole()
        assert got.text == "".join(chunk.text for chunk in chunks) == text, (number, stream)
        assert [(c.name, c.arguments) for c in got.calls] == [("look_up", arguments)], number


def test_reader_when_bytes_are_damaged_then_it_ends_and_says_why() -> None:
    rng = random.Random(42)
    n_read = 0
    for _ in range(N_STREAMS - N_STREAMS // 2):
        damaged = bytearray(made_stream(rng)[0])
        for _ in range(rng.randrange(1, 8)):
            at = rng.randrange(len(damaged) or 1)
            match rng.randrange(4):
                case 0:
                    damaged[at : at + 1] = bytes([rng.randrange(256)])
                case 1:
                    del damaged[at : at + rng.randrange(40)]
                case 2:
                    damaged[at:at] = rng.choice([b"\n\n", b"\r", b"{", b"]", b"data:", b"\x00"])
                case _:
                    del damaged[max(at, 1) :]
        reader = ReplyReader(["look_up"])
        try:
            for piece in pieces_of(bytes(damaged), rng):
                list(reader.feed(piece))
            list(reader.close())
            n_read += reader.whole() is not None
        except (ModelError, EndpointError, ValueError):
            pass
    assert n_read > N_STREAMS // 20, "most damage leaves something that can be read"


def test_parser_when_cut_anywhere_then_the_same_events() -> None:
    rng = random.Random(7)
    for _ in range(N_STREAMS // 10):
        stream = made_stream(rng)[0]
        whole, cut = EventStreamParser(), EventStreamParser()
        wanted = [*whole.feed(stream), *whole.close()]
        found = [event for piece in pieces_of(stream, rng) for event in cut.feed(piece)]
        assert [*found, *cut.close()] == wanted
