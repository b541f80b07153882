"""`toolplanner serve` over real pipes: what a client of either era asks for becomes a run."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here, toolplanner
from fixtures.gateway_client import ERAS, over_stdio, texts_of
from fixtures.processes import python

from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.engine.interrupted import mark_interrupted
from toolplanner_core.runs.log.stored_runs import list_runs, load_tree
from toolplanner_core.workspace import Workspace

MONEY = {"from": "USD", "to": "EUR", "amount": 250}


@pytest.mark.parametrize("era", ERAS)
def test_agent_when_it_finds_and_calls_then_its_session_is_a_run(demo: Path, era: str) -> None:
    async def talk(client: Any) -> tuple[list[str], str, Any]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        need = {"need": "convert an amount of money to another currency"}
        [found] = texts_of(await client.call_tool("find_tools", need))
        call = {"name": "ExchangeHub_Convert_currency", "arguments": MONEY}
        return names, found, await client.call_tool("call_tool", call)

    names, found, called = over_stdio(demo, talk, "--mode", "search", era=era)
    assert names == ["find_tools", "describe_tool", "call_tool", "more"]
    assert "ExchangeHub_Convert_currency (from*: string" in found
    assert not called.is_error
    assert json.loads(texts_of(called)[0])["result"] == pytest.approx(218.91)
    with Workspace.open(demo) as workspace:
        [summary] = list_runs(workspace)
        assert (summary.status, summary.strategy) == (Status.SERVED, "served")
        assert (summary.api_calls, summary.failed_calls) == (1, 0)
        assert summary.query.startswith("Served to ")
        tree = load_tree(workspace, summary.run)
        assert [str(path) for path in tree.nodes][1:] == [
            "lookup.1",
            "request.1",
            "request.1/attempt.1",
            "request.1/attempt.1/call.1",
        ]
        assert "ExchangeHub_Convert_currency" in tree.nodes["lookup.1"].data["found"]


def test_agent_when_it_calls_nothing_then_there_is_no_run(demo: Path) -> None:
    async def talk(client: Any) -> Any:
        await client.list_tools()
        return await client.call_tool("find_tools", {"need": "weather in a city"})

    assert not over_stdio(demo, talk).is_error
    with Workspace.open(demo) as workspace:
        assert list_runs(workspace) == []


def test_gateway_when_it_is_killed_then_no_answered_call_is_lost(demo: Path) -> None:
    """The process dies at once after an answer was read: no end of input, no chance to write."""
    process_options = {
        "stdin": subprocess.PIPE, "stderr": subprocess.DEVNULL, "env": dict(os.environ)
    }  # fmt: skip
    with python("-m", "toolplanner_core.cli", "serve", demo, **process_options) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(number: int, method: str, **params: Any) -> Any:
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        ask(0, "initialize", **hello, clientInfo={"name": "test", "version": "1"})
        process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        ask(99, "tools/call", name="find_tools", arguments={"need": "convert money"})
        answered = 0
        for number in range(1, 31):
            money = {**MONEY, "amount": number}
            called = {"name": "ExchangeHub_Convert_currency", "arguments": money}
            reply = ask(number, "tools/call", name="call_tool", arguments=called)
            answered += not reply["result"].get("isError", False)
        process.kill()
        process.wait()
    assert answered == 30
    with Workspace.open(demo) as workspace:
        mark_interrupted(workspace)
        [summary] = list_runs(workspace)
        nodes = load_tree(workspace, summary.run).nodes.values()
        done = [node for node in nodes if node.kind == "request" and node.state == "ok"]
        assert (summary.status, len(done)) == (Status.INTERRUPTED, answered)


CALLS = 10_000 if os.environ.get("TOOLPLANNER_BENCH") else 200


def test_stdout_when_very_many_calls_are_answered_then_each_line_is_one_of_the_answers(
    demo: Path,
) -> None:
    """Of searches, calls, fallbacks, and what is refused, with all warnings on."""
    asked: list[tuple[str, dict[str, Any]]] = [
        ("find_tools", {"need": "convert money"}),
        ("call_tool", {"name": "ExchangeHub_Convert_currency", "arguments": MONEY}),
        ("FxLine_Exchange", {"source": "USD", "target": "EUR", "quantity": 1}),
        ("describe_tool", {"name": "ExchangeHub_Convert_currency"}),
        (
            "call_tool",
            {"name": "ExchangeHub_Convert_currency", "arguments": {"amount": "\n\u2028"}},
        ),
        ("call_tool", {"name": "no such tool", "arguments": {}}),
        ("more", {"result": "x"}),
    ]
    process_options = {
        "stdin": subprocess.PIPE,
        "stderr": subprocess.DEVNULL,
        "env": {**os.environ, "PYTHONWARNINGS": "always", "PYTHONDEVMODE": "1"},
    }
    fault = ("--fault", "500:api=FxLine*")
    command = ("-m", "toolplanner_core.cli", "serve", demo, *fault)
    with python(*command, **process_options) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        first = {"clientInfo": {"name": "test", "version": "1"}, **hello}

        def ask(number: int, method: str, params: dict[str, Any]) -> None:
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert (answer["jsonrpc"], answer["id"]) == ("2.0", number)
            assert "result" in answer, answer

        ask(0, "initialize", first)
        process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        for number in range(1, CALLS + 1):
            name, arguments = asked[number % len(asked)]
            ask(number, "tools/call", {"name": name, "arguments": arguments})
        process.stdin.close()
        assert process.stdout.read() == ""


PRINTING = """
import os, subprocess, sys
from toolplanner_core.serving.faces.stdio import stdout_for_protocol
with stdout_for_protocol() as wire:
    print("from a library", flush=True)
    os.write(1, b"from C\\n")
    subprocess.run([sys.executable, "-c", "print('from a child')"], check=True)
    wire.write("protocol\\n")
    wire.flush()
print("afterwards")
"""


def test_stdout_when_others_print_to_it_then_only_the_protocol_goes_out() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINTING], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["protocol", "afterwards"]
    assert done.stderr.splitlines() == ["from a library", "from C", "from a child"]


def test_serve_when_it_starts_then_what_only_runs_need_is_not_loaded_yet() -> None:
    """An agent waits for the list of tools: a fifth of the start would be for the first call."""
    program = "import sys, toolplanner_core.serving.faces.streams; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "toolplanner_core.serving.tools" in loaded
    late = {"toolplanner_core.runs.engine.runner", "jsonschema", "mcp", "starlette", "uvicorn"}
    assert loaded & late == set()


def test_serve_when_replies_would_be_invented_then_it_refuses_to_start(tmp_path: Path) -> None:
    path = tmp_path / "functions.toolplanner"
    source = tmp_path / "functions.json"
    schema = {"type": "object", "properties": {}}
    source.write_text(json.dumps([{"name": "greet", "description": "Hi.", "parameters": schema}]))
    assert command_here("new", path).status == 0
    assert command_here("import", path, source).status == 0
    refused = toolplanner("serve", path)
    assert (refused.status, refused.out) == (2, "")
    assert "would be invented" in refused.err
    assert "--allow-made-up" in refused.err
    assert "Serving" in toolplanner("serve", path, "--allow-made-up").err


def test_served_runs_when_started_by_hand_then_refused(demo: Path) -> None:
    refused = command_here("run", demo, "a query", "--strategy", "served")
    assert refused.status == 2
    assert "came from outside" in refused.err
    assert "served" not in {row["id"] for row in command_here("strategies", "list", "--json").data}


def test_dry_list_when_asked_then_prints_the_tools_and_serves_nothing(demo: Path) -> None:
    listed = command_here("serve", demo, "--dry-list", "--mode", "search").data
    assert [tool["name"] for tool in listed] == [
        "find_tools", "describe_tool", "call_tool", "more"
    ]  # fmt: skip
    flat = command_here("serve", demo, "--dry-list", "--mode", "flat", "--toolkit", "1").data
    assert 1 < len(flat) < 40
    assert all(tool["inputSchema"]["type"] == "object" for tool in flat)
    too_long = command_here("serve", demo, "--dry-list", "--mode", "flat")
    assert too_long.status == 2
    assert "say that it is meant" in too_long.err
