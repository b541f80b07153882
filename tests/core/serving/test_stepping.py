"""`toolplanner serve --http --break`: a call of an agent is held, and decided in the terminal."""

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

from fixtures.command_line import command_here
from fixtures.gateway_client import RunningGateway, texts_of
from fixtures.processes import python

from toolplanner_core.serving.guard import gateway_token

HUB = "ExchangeHub_Convert_currency"


def test_break_when_a_person_changes_an_argument_then_the_agent_gets_that_reply(
    demo: Path,
) -> None:
    from mcp_types import Implementation

    token, cursor = gateway_token(), Implementation(name="cursor", version="2.1")
    held = 'api="ExchangeHub*",at=before_call,client=cursor'
    serve = ("serve", demo, "--http", "0", "--break", held)
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
    with python("-m", "toolplanner_core.cli", *serve, **pipes, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        gateway = RunningGateway(process, process.stdout.readline().strip())

        async def talk() -> list[Any]:
            async with gateway.client(token, client_info=cursor) as client:
                money = {"from": "USD", "to": "EUR", "amount": 250}
                called = {"name": HUB, "arguments": money}
                return [await client.call_tool("call_tool", called) for _ in range(2)]

        process.stdin.write("e amount=100\n")
        process.stdin.close()  # then nothing is held any more
        changed, whole = asyncio.run(talk())
        process.terminate()
        said = process.communicate()[1] if process.stderr is None else process.stderr.read()
    assert json.loads(texts_of(changed)[0])["amount"] == 100
    assert json.loads(texts_of(whole)[0])["amount"] == 250
    assert "before call: ExchangeHub" in said


def test_step_when_stdin_belongs_to_the_agent_then_refused(demo: Path) -> None:
    refused = command_here("serve", demo, "--step")
    assert refused.status == 2
    assert "Nobody could go on" in refused.err
