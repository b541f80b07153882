"""Replies of calls as they really are: nothing good is thrown away for a bad part beside it, and
whatever line carries the id of a call answers it."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from fixtures.mcp_world import write_config
from fixtures.scripted_mcp import TOOL, InTurn, ScriptedServer

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.mcp_servers.consent import allow
from toolplanner_core.mcp_servers.server_spec import ServerSpec
from toolplanner_core.providers.classify import observe
from toolplanner_core.providers.mcp import McpProvider, McpProviderOptions
from toolplanner_core.providers.provider import CallLimits
from toolplanner_core.sources.import_preview import preview_source
from toolplanner_core.sources.importing import import_source

LIMITS = CallLimits(timeout_s=120.0)
SUM = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}
BOTH = {"result": {"sum": "x"}, "text": "sunny"}
CHART = {"type": "chart", "bars": 3}
UNENDED = """
import json, sys
INFO = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
INFO["serverInfo"] = {"name": "s", "version": "1"}
TOOLS = {"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        result = INFO if asked["method"] == "initialize" else TOOLS
        text = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result})
        sys.stdout.write(BEFORE.format(len(text)) + text + AFTER)
        sys.stdout.flush()
"""
NOWHERE = {"type": "object", "$ref": "#/x"}
TEXT = {"type": "text", "text": "sunny"}


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Consents of this test's own."""
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))


def called(
    folder: Path, *replies: Any, schema: Any = None, n_calls: int = 1
) -> list[tuple[RawResult, Any]]:
    """What calls of one tool give: each as the provider has it and as a strategy sees it.

    Args:
        schema: of its results.
    """
    tool = {**TOOL, **({"outputSchema": schema} if schema is not None else {})}
    answers = {"tools/list": {"tools": [tool]}, "tools/call": InTurn(*replies)}
    server = ScriptedServer(folder, answers)
    (api,) = preview_source(write_config(folder, s=server.entry)).first

    async def work() -> list[tuple[RawResult, Any]]:
        provider = McpProvider(McpProviderOptions())
        try:
            raws = [await provider.call(api, {"city": "Ulm"}, LIMITS) for _ in range(n_calls)]
            return [(raw, observe(raw, api)) for raw in raws]
        finally:
            await provider.close()

    return asyncio.run(work())


@pytest.mark.parametrize(
    ("reply", "schema", "value", "remark"),
    [
        ({"content": [TEXT]}, SUM, "sunny", "no structuredContent"),
        ({"content": [TEXT], "structuredContent": None}, SUM, "sunny", "no structuredContent"),
        ({"content": [TEXT], "structuredContent": {"sum": "x"}}, SUM, BOTH, "does not fit"),
        ({"structuredContent": {"sum": "x"}}, SUM, {"sum": "x"}, "does not fit"),
        ({"content": [TEXT], "structuredContent": {}}, SUM, "sunny", "does not fit"),
        ({"content": [TEXT]}, {"type": "nothing"}, "sunny", ""),
        ({"content": [TEXT]}, "no schema", "sunny", ""),
        ({"content": [TEXT], "structuredContent": {"sum": "x"}}, NOWHERE, BOTH, "nowhere"),
        ({"structuredContent": {"sum": 5}}, SUM, {"sum": 5}, ""),
        ({"structuredContent": {"sum": 5}, "content": None}, SUM, {"sum": 5}, ""),
        ({"content": [], "structuredContent": [1, 2]}, None, [1, 2], "structuredContent"),
        ({"content": [TEXT], "structuredContent": "sunny"}, None, "sunny", "structuredContent"),
        ({"content": [TEXT, CHART]}, None, f"sunny\n{json.dumps(CHART)}", "chart"),
        ({"content": [{"type": "chart", "text": "sunny"}]}, None, "sunny", "chart"),
        ({"content": [{"text": "sunny"}]}, None, "sunny", "not quite a text"),
        ({"content": [{"type": "text", "text": {"a": 1}}]}, None, {"a": 1}, "not quite a text"),
        ({"content": [{"type": "text", "text": 5}, TEXT]}, None, "5\nsunny", "not quite a text"),
        ({"content": [{"type": "image"}]}, None, {"type": "image"}, "image"),
        ({"content": [{**TEXT, "annotations": 5}]}, None, "sunny", ""),
        ({"content": [{**TEXT, "_meta": "x", "annotations": []}]}, None, "sunny", ""),
        ({"content": [None, TEXT]}, None, "sunny", ""),
        ({"content": ["sunny"]}, None, "sunny", "bare text"),
        ({"content": "sunny"}, None, "sunny", "no list"),
        ({"content": TEXT}, None, "sunny", "no list"),
        ({"content": [[1]]}, None, [[1]], "no object"),
        ({"content": [TEXT], "isError": "false"}, None, "sunny", ""),
        ({"content": [TEXT], "isError": None}, None, "sunny", ""),
        ({"content": [TEXT], "isError": 0, "_meta": 5}, None, "sunny", "isError"),
        ({"content": [TEXT], "_meta": "none"}, None, "sunny", ""),
        ("@RESULT@\"sunny\"", None, "sunny", "no object"),
        ("@RESULT@[\"sunny\"]", None, "sunny", "no object"),
        ("@RESULT@5", None, "5", "no object"),
        ({"temperature": 21}, None, {"temperature": 21}, "other fields"),
        ({"text": "sunny"}, None, "sunny", "other fields"),
        ({"toolResult": {"a": 1}}, None, {"a": 1}, ""),
    ],
)  # fmt: skip
def test_reply_with_a_bad_part_when_called_then_the_good_is_the_result_with_a_remark(
    tmp_path, reply, schema, value, remark
):
    if isinstance(reply, str):
        reply = RIGHT.partition('{"content"')[0] + reply.removeprefix("@RESULT@") + "}"
    ((raw, seen),) = called(tmp_path, reply, schema=schema)
    assert seen.ok, seen.message
    assert seen.value == value if not isinstance(value, list) else seen.value in (value, value[0])
    assert remark in raw.headers.get("Remark", "")
    assert raw.message == raw.headers.get("Remark", "")


@pytest.mark.parametrize(
    "reply", [{}, {"content": []}, {"content": None}, {"_meta": {}}, {"isError": False}, None]
)
def test_reply_without_content_when_called_then_an_empty_result_that_is_said(tmp_path, reply):
    if reply is None:
        reply = '{"jsonrpc":"2.0","id":@ID@,"result":null}'
    ((raw, seen),) = called(tmp_path, reply)
    assert (raw.failure, raw.body) == (None, "")
    assert seen.error in (ErrorClass.EMPTY_RESULT, None)
    assert raw.headers["Remark"]


@pytest.mark.parametrize("flag", [True, "true", "True", 1, "yes"])
def test_error_of_a_tool_whose_flag_is_no_flag_when_called_then_an_error(tmp_path, flag):
    reply = {"content": [{"type": "text", "text": "City not found"}], "isError": flag}
    ((raw, seen),) = called(tmp_path, reply)
    assert seen.error is ErrorClass.NOT_FOUND
    assert raw.body == "City not found"


HALF = r"\ud83d"
RIGHT = '{"jsonrpc":"2.0","id":@ID@,"result":{"content":[{"type":"text","text":"sunny"}]}}'


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (RIGHT.replace("sunny", f"sunny{HALF}"), "sunny?"),
        ("\ufeff" + RIGHT, "sunny"),
        (RIGHT.replace('"sunny"', '"sunny","x":NaN,"y":-Infinity,"z":1e999'), "sunny"),
        (f"[{RIGHT}]", "sunny"),
        (f'[{{"jsonrpc":"2.0","method":"notifications/message"}},{RIGHT}]', "sunny"),
        (f"\n\n  {RIGHT}  \r", "sunny"),
        (f"INFO: answering\n{{not json}}\n{RIGHT}", "sunny"),
        (f"INFO: answering {RIGHT}", "sunny"),
        (f"{RIGHT} and more", "sunny"),
        (f'{{"level":"info"}}{RIGHT}', "sunny"),
        ('INFO got {"jsonrpc":"2.0","id":@ID@,"method":"tools/call"}\n' + RIGHT, "sunny"),
        (RIGHT.replace("@ID@", '"@ID@"'), "sunny"),
        (RIGHT.replace("@ID@", "@ID@.0"), "sunny"),
        (RIGHT.replace("@ID@", '"@ID@.0"'), "sunny"),
        (RIGHT.replace('"jsonrpc":"2.0",', ""), "sunny"),
        (RIGHT.replace('"2.0"', "2.0").replace('"id"', '"error":null,"id"'), "sunny"),
        (RIGHT.replace("sunny", "sun\tny"), "sun\tny"),
        ('{"id":@ID@,"content":[{"type":"text","text":"sunny"}]}', "sunny"),
        (json.dumps(json.loads(RIGHT.replace("@ID@", '"@ID@"')), indent=2), "sunny"),
        (RIGHT.replace("sunny", "s" * 3_000_000), "s" * 3_000_000),
        ('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"x","data":1}}\n'
         '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":[]}}\n'
         '{"jsonrpc":"2.0","method":"notifications/unknown","params":[1]}\n'
         '{"jsonrpc":"2.0","id":77,"result":{}}\n'
         '{"jsonrpc":"2.0","id":"s1","method":"roots/list"}\n' + RIGHT, "sunny"),
    ],
)  # fmt: skip
def test_line_as_servers_write_it_when_called_then_it_is_the_reply(tmp_path, line, value):
    ((_, seen),) = called(tmp_path, line)
    assert seen.ok, seen.message
    assert seen.value == value


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ('{"code":"EQUOTA","message":"Quota used up"}', "EQUOTA: Quota used up"),
        ('{"code":"-32602","message":"No such city"}', "No such city"),
        ('{"code":-32000}', "code -32000"),
        ('{"code":-32000,"message":null,"data":{"why":"tired"}}', "tired"),
        ('{"code":-32603,"message":"Internal error","data":"Key is wrong"}', "Key is wrong"),
        ('"out of order"', "out of order"),
        ('["out of order"]', "out of order"),
        ('{"code":null,"message":{"en":"out of order"}}', "out of order"),
    ],
)  # fmt: skip
def test_error_of_any_kind_when_called_then_fails_at_once_with_its_words(tmp_path, error, words):
    assert_fails_at_once(tmp_path, '{"jsonrpc":"2.0","id":@ID@,"error":' + error + "}", words)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad JSON"}}', "bad JSON"),
        ('{"jsonrpc":"2.0","error":{"code":1.5,"message":"out of order"}}', "out of order"),
        ('{"jsonrpc":"2.0","id":@ID@,"result":{"content":[{"type":"text","text":"half', "no JSON"),
        ("{'jsonrpc': '2.0', \"id\":@ID@,\"result\":{}}", "no JSON"),
        ('{"jsonrpc":"2.0","id":@ID@,"result":' + "[" * 100_000, "nested too deep"),
    ],
)  # fmt: skip
def test_line_that_is_broken_when_called_then_fails_at_once_with_its_words(tmp_path, line, words):
    assert_fails_at_once(tmp_path, line, words)


def assert_fails_at_once(tmp_path: Path, line: str, words: str) -> None:
    """The call fails before its time is over, and the session goes on."""
    first, second = called(tmp_path, line, {"content": [TEXT]}, n_calls=2)
    assert first[0].failure is not None
    assert first[0].failure is not ErrorClass.TIMEOUT
    assert words in first[0].message
    assert second[1].value == "sunny"


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":@ID@}}',
        '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":"a half"}}',
        '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"WARN","data":1}}',
        '{"jsonrpc":"2.0","method":"notifications/resources/updated"}',
        '{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}',
    ],
)
def test_notification_that_is_not_right_when_called_then_nothing_is_logged(tmp_path, line, caplog):
    ((_, seen),) = called(tmp_path, f"{line}\n{RIGHT}")
    assert seen.value == "sunny"
    assert not caplog.records


ENDS = {"carriage returns": ("", "\r"), "nothing": ("", ""), "NUL": ("", "\0\n"),
        "a length before": ("Content-Length: {}\r\n\r\n", "")}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_messages_that_end_otherwise_when_called_then_read(tmp_path, name, workspace):
    before, after = ENDS[name]
    program = tmp_path / "server.py"
    program.write_text(f"BEFORE, AFTER = {before!r}, {after!r}\n{UNENDED}")
    spec = ServerSpec(name="s", command=sys.executable, args=("-S", "-E", str(program)))
    allow(spec)
    entry = {"command": spec.command, "args": list(spec.args)}
    assert import_source(workspace, write_config(tmp_path, s=entry)).added == 1


def test_server_that_complains_a_lot_when_called_then_answers(tmp_path):
    ((_, seen),) = called(tmp_path, ["complains", 50_000, {"content": [TEXT]}])
    assert seen.value == "sunny"


def test_server_that_ends_in_a_call_when_called_again_then_started_again(tmp_path):
    first, second = called(tmp_path, ["ends"], n_calls=2)
    assert first[0].failure is second[0].failure is ErrorClass.NETWORK
    assert "has ended" in second[0].message
