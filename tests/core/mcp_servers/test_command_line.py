"""A key that a server gets stands on no command line: whoever lists processes sees none."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from fixtures.mcp_world import RawServer

from toolplanner_core.mcp_servers.connection import Connection
from toolplanner_core.mcp_servers.server_spec import ServerSpec

CANARY = "canary-for-a-server-4711"


def command_lines() -> dict[int, bytes]:
    """Of all processes of this machine that can be seen."""
    found: dict[int, bytes] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                found[int(place.name)] = (place / "cmdline").read_bytes()
            except OSError:
                continue
    return found


def environment(pid: int) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="command lines are read from /proc")
def test_server_when_it_is_given_a_key_then_no_command_line_holds_it(tmp_path: Path) -> None:
    server = RawServer(tmp_path)
    spec = ServerSpec(
        name="raw", command=server.spec.command, args=server.spec.args, secrets=("A_TOKEN",)
    )

    async def look() -> tuple[int, dict[int, bytes], bytes]:
        connection = Connection(spec, {"A_TOKEN": CANARY})
        await connection.open()
        try:
            (start,) = server.diary("started")
            return start["pid"], command_lines(), environment(start["pid"])
        finally:
            await connection.close()

    pid, lines, given = asyncio.run(look())
    assert f"A_TOKEN={CANARY}".encode() in given, "it has the key, and not from its arguments"
    assert pid in lines and os.getpid() in lines
    assert [each for each in lines.values() if CANARY.encode() in each] == []


def test_key_when_given_as_an_argument_then_the_command_refuses_it(capsys: Any) -> None:
    from toolplanner_core.cli.app import run_command_line

    assert run_command_line(["keys", "set", "https://x.example", "main", CANARY]) != 0
