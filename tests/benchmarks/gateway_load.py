"""32 clients call through the gateway at once, over HTTP, for ten minutes; nice 5.

    .venv/bin/python tests/benchmarks/gateway_load.py --seconds 600 --clients 32

They are plain sockets that send what the SDK sends (of 2025: a session each), so that most of the
processor is the gateway's; each asks as soon as it was answered. A line for each tenth of the time:
calls a second, what a call takes (milliseconds), memory of the gateway, its processor time a call,
and how large the file of the workspace is. First one client alone, which waits for nobody.
"""

import argparse
import asyncio
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fixtures.command_line import command_here
from fixtures.fresh_person import become_fresh_person
from fixtures.gateway_client import RunningGateway, gateway_over_http

from toolplanner_core.serving.guard import gateway_token

NEED = {"need": "convert an amount of money to another currency"}
ALONE = 300
"""Calls of the one client."""
_TICKS = os.sysconf("SC_CLK_TCK")


class PlainClient:
    """A client of 2025 on one connection that stays open."""

    def __init__(self, gateway: RunningGateway, token: str, number: int) -> None:
        self._port, self._token, self._number = gateway.port, token, number
        self._session, self._id = "", 0
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def begin(self) -> None:
        """Connect, shake hands, search once."""
        self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        named = {"name": f"load-{self._number}", "version": "1"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": named}
        await self.ask("initialize", hello)
        await self.ask("notifications/initialized", None)
        await self.call("find_tools", NEED)

    async def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The result of a tool."""
        answer = await self.ask("tools/call", {"name": name, "arguments": arguments})
        assert not answer["result"].get("isError"), answer
        return answer["result"]

    async def ask(self, method: str, params: dict[str, Any] | None) -> dict[str, Any]:
        """The message that answers; {} for what is only told."""
        assert self._streams is not None
        reader, writer = self._streams
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            self._id += 1
            message |= {"id": self._id, "params": params}
        body = json.dumps(message).encode()
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
            f"Authorization: Bearer {self._token}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n"
            f"MCP-Protocol-Version: 2025-11-25\r\n{self._session}\r\n"
        )
        writer.write(head.encode() + body)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        assert lines[0].split()[1] in ("200", "202"), lines
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        if "mcp-session-id" in headers:
            self._session = f"Mcp-Session-Id: {headers['mcp-session-id']}\r\n"
        text = await reader.readexactly(int(headers.get("content-length", "0")))
        return json.loads(text) if text.strip() else {}

    async def end(self) -> None:
        """Close the connection."""
        assert self._streams is not None
        self._streams[1].close()
        await self._streams[1].wait_closed()


@dataclass(slots=True)
class Measured:
    """What is known of a while."""

    took_ms: list[float] = field(default_factory=list[float])
    begun_s: float = field(default_factory=time.monotonic)


def memory_mb(pid: int) -> float:
    """What a process has in memory now."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def processor_s(pid: int) -> float:
    """What a process took of the processor until now."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


async def work(client: PlainClient, measured: list[Measured], until_s: float, calls: int) -> None:
    """Call until then, or so often."""
    amount = 0
    while time.monotonic() < until_s and amount < calls:
        amount += 1
        values = {"from": "USD", "to": "EUR", "amount": amount}
        began = time.perf_counter()
        await client.call(
            "call_tool", {"name": "ExchangeHub_Convert_currency", "arguments": values}
        )
        measured[-1].took_ms.append((time.perf_counter() - began) * 1_000)


def described(measured: Measured, used_s: float, pid: int, file: Path) -> str:
    took, seconds = sorted(measured.took_ms), time.monotonic() - measured.begun_s
    if not took:
        return "no call was answered"
    sizes = [part.stat().st_size for part in file.parent.glob(f"{file.name}*")]
    middle, late = statistics.median(took), took[len(took) * 99 // 100]
    return (
        f"{len(took) / seconds:8.1f} {middle:7.1f} {late:7.1f} {memory_mb(pid):8.0f}"
        f" {used_s / len(took) * 1_000:8.2f} {sum(sizes) / 1e6:8.1f}"
    )


async def measure(gateway: RunningGateway, file: Path, seconds: float, count: int) -> None:
    pid, token = gateway.process.pid, gateway_token()
    print(" calls/s  p50 ms  p99 ms   mem MB  CPU ms    file MB")
    alone = PlainClient(gateway, token, 0)
    await alone.begin()
    measured, used_s = [Measured()], processor_s(pid)
    await work(alone, measured, float("inf"), ALONE)
    print(
        described(measured[-1], processor_s(pid) - used_s, pid, file), "  (one client)", flush=True
    )
    clients = [alone, *(PlainClient(gateway, token, number) for number in range(1, count))]
    for client in clients[1:]:
        await client.begin()
    until_s = time.monotonic() + seconds
    measured.append(Measured())
    calls = ALONE
    working = asyncio.gather(*(work(each, measured, until_s, sys.maxsize) for each in clients))
    for _ in range(10):
        used_s = processor_s(pid)
        await asyncio.sleep(seconds / 10)
        done = measured[-1]
        print(described(done, processor_s(pid) - used_s, pid, file), flush=True)
        calls += len(done.took_ms)
        measured.append(Measured())
    await working
    print(f"{calls:,} calls")
    for client in clients:
        await client.end()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=600)
    options.add_argument("--clients", type=int, default=32)
    options.add_argument("--keep", type=Path, help="where the workspace is copied to at the end")
    given = options.parse_args()
    os.nice(5)
    become_fresh_person()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "demo.toolplanner"
        assert command_here("new", "--demo", file).status == 0
        flags = ("--requests-a-second", "100000")
        with gateway_over_http(file, *flags) as gateway:
            asyncio.run(measure(gateway, file, given.seconds, given.clients))
        if given.keep is not None:
            shutil.copy(file, given.keep)


if __name__ == "__main__":
    main()
