"""Lines, streams and lists that are damaged anywhere: nothing hangs, no good part is lost.

With TOOLPLANNER_BENCH=1 a hundred thousand of them, else a few thousand.
"""

import asyncio
import json
import os
import random
from collections.abc import Callable
from typing import Any

import httpx2
from mcp_types import jsonrpc_message_adapter
from mcp_types.methods import parse_server_result

from toolplanner_core.mcp_servers.http_replies import make_right
from toolplanner_core.mcp_servers.messages import MessageReader
from toolplanner_core.mcp_servers.results import mended_result

N_CASES = 100_000 if os.environ.get("TOOLPLANNER_BENCH") else 800
TEXT = {"type": "text", "text": "Grüße 😀"}
ANSWER = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"content": [TEXT]}})
FAILURE = json.dumps({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "No city"}})
NOTE = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": 1}})
GOOD = json.dumps({"jsonrpc": "2.0", "id": 2, "result": {"content": [{**TEXT, "text": "good"}]}})
PIECES = [
    "NaN", "null", "[", "]", "{", "}", '"', ",", ":", "\\", "\\ud83d", "\\u0000", "\ufeff", "\x00",
    "\u2028", "\r", "\t", "true", "1e999", "9" * 5_000, "[" * 3_000, '"id":1', '"id":null', "data:",
    "data: ", "event: x", ": ping", "retry: 1", "INFO ", "\udcff", "'", "-", "é", "😀",
]  # fmt: skip
GOOD_TOOL = {"name": "good", "inputSchema": {"type": "object", "properties": {}}}
VALUES: list[Any] = [
    None, True, 5, 1.5, "", "x", [], {}, ["x"], {"x": None}, [[]], {"type": "object"},
    {"$ref": "#"},
    {"type": ["object", "null"]}, {"type": 5}, "{}", {"properties": []},
    {"type": "object", "allOf": 1},
]  # fmt: skip


def damaged(text: str, chance: random.Random) -> str:
    """The text with one to three of its places cut, doubled, changed or filled."""
    for _ in range(chance.randint(1, 3)):
        begin = chance.randrange(len(text) + 1)
        end = min(len(text), begin + chance.choice((0, 1, 2, 10, 1_000)))
        middle = chance.choice(
            (chance.choice(PIECES), "", text[begin:end] * 2, chr(chance.randrange(1, 0x3000)))
        )
        text = text[:begin] + middle + text[end:]
    return text


def fits(method: str) -> Callable[[dict[str, Any]], str]:
    def problem(result: dict[str, Any]) -> str:
        try:
            parse_server_result(method, "2025-11-25", result)
        except ValueError as error:
            return str(error)
        return ""

    return problem


def test_lines_that_are_damaged_when_read_then_the_next_good_one_is_the_answer():
    chance = random.Random(1)
    for case in range(N_CASES):
        reader = MessageReader()
        for message_id in (1, 2):
            reader.sent({"method": "tools/call", "id": message_id})
        line = damaged(chance.choice((ANSWER, FAILURE, NOTE)), chance)
        raw = line.encode("utf-8", "surrogatepass")
        lines = [piece + b"\n" for piece in raw.split(b"\n")]
        found = [message for each in lines for message in reader.read_line(each)]
        found += reader.read_line(GOOD.encode() + b"\n")
        for message in found:
            jsonrpc_message_adapter.validate_python(message, by_name=False)
        answers = [each for each in found if each.get("id") == 2 and "method" not in each]
        assert len(answers) == 1, (case, line)
        is_good = answers[0].get("result") == json.loads(GOOD)["result"]
        assert is_good or '"id":' not in line or "2" in line, (case, line)


def test_streams_that_are_damaged_when_read_then_each_call_is_answered():
    chance = random.Random(2)

    async def answers_of(body: bytes, kind: str) -> list[dict[str, Any]]:
        sent = {"jsonrpc": "2.0", "id": 2, "method": "tools/call"}
        request = httpx2.Request("POST", "http://x.invalid/mcp", json=sent)
        stream = httpx2.ByteStream(body)
        headers = {"content-type": kind}
        reply = httpx2.Response(200, headers=headers, stream=stream, request=request)
        await make_right(reply, 2, {2})
        source = httpx2.EventSource(reply, max_event_size=None)
        found = [json.loads(event.data) async for event in source if event.data]
        for message in found:
            jsonrpc_message_adapter.validate_python(message, by_name=False)
        return [message for message in found if message.get("id") == 2 and "method" not in message]

    async def work() -> None:
        for case in range(N_CASES):
            bad = damaged(f"event: message\ndata: {NOTE}", chance).encode("utf-8", "surrogatepass")
            end = chance.choice((b"\n\n", b"\r\n\r\n", b"\r\r"))
            body = b": hello" + end + bad + end + b"data: " + GOOD.encode() + end
            kind = chance.choice(("text/event-stream", "application/json", "text/plain"))
            answers = await answers_of(body, kind)
            assert answers, (case, body)
            is_good = any(each.get("result") == json.loads(GOOD)["result"] for each in answers)
            assert is_good or any(word in bad for word in (b'"id"', b"method")), (case, body)

    asyncio.run(work())


def test_lists_that_are_damaged_when_mended_then_the_good_tool_is_in_them():
    chance = random.Random(3)
    keys = ["name", "description", "inputSchema", "outputSchema", "annotations", "title", "_meta"]
    keys += ["icons", "execution", "x"]
    for case in range(N_CASES):
        bad: Any = {"name": "bad", "inputSchema": {"type": "object"}}
        for _ in range(chance.randint(1, 3)):
            bad[chance.choice(keys)] = chance.choice(VALUES)
        entry = bad if chance.random() < 0.9 else chance.choice(VALUES)
        given = {"tools": [entry, GOOD_TOOL, entry], "nextCursor": chance.choice(VALUES)}
        page = mended_result("tools/list", json.loads(json.dumps(given)), fits("tools/list"))
        assert not fits("tools/list")(page), (case, given)
        assert GOOD_TOOL in page["tools"], (case, given)


def test_replies_that_are_damaged_when_mended_then_the_good_text_is_in_them():
    chance = random.Random(4)
    keys = ["type", "text", "data", "mimeType", "resource", "uri", "annotations", "_meta"]
    for case in range(N_CASES):
        kind = chance.choice(("text", "image", "audio", "resource", "resource_link", "chart"))
        bad: Any = {"type": kind}
        for _ in range(chance.randint(1, 3)):
            bad[chance.choice(keys)] = chance.choice(VALUES)
        given = {"content": [bad, TEXT, chance.choice(VALUES)]}
        for key in ("structuredContent", "isError", "_meta", "resultType"):
            if chance.random() < 0.5:
                given[key] = chance.choice(VALUES)
        reply = mended_result("tools/call", json.loads(json.dumps(given)), fits("tools/call"))
        assert not fits("tools/call")(reply), (case, given)
        assert TEXT in reply["content"], (case, given)
