"""How soon a server of tools that dies or hangs gives its failure, and whether the loop goes on.

Target: a typed failure within 2 s of its death, or of its deadline where it only hangs, no process
left (design/security.md, "MCP servers"), and no turn of the loop over 50 ms of its own, since the
window lives on such a loop.
"""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from benchmarks.figures import Figures
from benchmarks.loop_turns import compute, watched_turns
from fixtures.mcp_world import RawServer, is_alive

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.mcp_servers.connection import Connection
from toolplanner_core.mcp_servers.failures import McpFailure

WITHIN_S = 2.0
DEADLINE_S = 1.0
TURN_S = 0.05
LONG_S = 120.0
Story = Callable[[RawServer], Awaitable[tuple[float, McpFailure]]]


async def failed(work: Awaitable[object], *, since_s: float = 0.0) -> tuple[float, McpFailure]:
    """How long after its beginning, or after `since_s` of it, and with what it failed."""
    began_s = time.monotonic() + since_s
    try:
        await work
    except McpFailure as failure:
        return time.monotonic() - began_s, failure
    raise AssertionError("it did not fail")


async def dies_at_once(server: RawServer) -> tuple[float, McpFailure]:
    connection = Connection(server.spec, {})
    try:
        return await failed(connection.open(timeout_s=LONG_S))
    finally:
        await connection.close()


async def hangs(server: RawServer) -> tuple[float, McpFailure]:
    connection = Connection(server.spec, {})
    try:
        return await failed(connection.open(timeout_s=DEADLINE_S), since_s=DEADLINE_S)
    finally:
        await connection.close()


async def killed_in_a_call(server: RawServer) -> tuple[float, McpFailure]:
    connection = Connection(server.spec, {})
    await connection.open(timeout_s=LONG_S)
    try:
        (start,) = server.diary("started")
        call = asyncio.ensure_future(connection.call("wait", {}, timeout_s=LONG_S))
        while not server.heard("tools/call"):  # noqa: ASYNC110 - another process writes it down
            await asyncio.sleep(0.005)
        os.kill(start["pid"], signal.SIGKILL)
        return await failed(call)
    finally:
        await connection.close()


async def never_answers(server: RawServer) -> tuple[float, McpFailure]:
    connection = Connection(server.spec, {})
    await connection.open(timeout_s=LONG_S)
    try:
        call = connection.call("wait", {}, timeout_s=DEADLINE_S)
        return await failed(call, since_s=DEADLINE_S)
    finally:
        await connection.close()


STORIES: dict[str, tuple[Story, tuple[str, ...], ErrorClass]] = {
    "dies at its start": (dies_at_once, ("dies",), ErrorClass.NETWORK),
    "hangs at its start, with a child": (
        hangs, ("deaf", "stubborn", "parent"), ErrorClass.TIMEOUT,
    ),
    "is killed in a call": (killed_in_a_call, ("stubborn",), ErrorClass.NETWORK),
    "never answers a call": (never_answers, ("stubborn", "parent"), ErrorClass.TIMEOUT),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system kills otherwise")
def test_server_when_dead_then_a_typed_failure_soon_and_nothing_is_left(
    tmp_path: Path, figures: Figures
) -> None:
    async def warm() -> None:
        """The SDK is loaded by the first server, which takes a second of its own."""
        connection = Connection(RawServer(tmp_path, name="warm").spec, {})
        await connection.open(timeout_s=LONG_S)
        await connection.close()

    asyncio.run(warm())
    longest_s = 0.0
    for name, (story, manners, error) in STORIES.items():
        server = RawServer(tmp_path, *manners, name=name.replace(" ", "-"))
        with figures.crowd() as crowd, watched_turns() as turns:
            took_s, failure = asyncio.run(story(server))
        assert turns.callbacks
        longest_s = max(longest_s, turns.longest_s)
        assert failure.error is error, (name, failure.message)
        what = f"a server that {name}"
        assert figures.felt(what, max(0.0, took_s), WITHIN_S, crowd, share=1.0)
        started = [*server.diary("started"), *server.diary("child")]
        assert started
        assert not any(is_alive(each["pid"]) for each in started), name
    assert figures.seconds("longest own turn of the loop beside dead servers", longest_s, TURN_S)


def test_turn_when_the_loop_computes_then_it_is_seen_and_what_others_compute_is_not() -> None:
    async def in_the_loop() -> float:
        await asyncio.sleep(0.01)
        return compute()

    async def elsewhere() -> float:
        return min(await asyncio.gather(*(asyncio.to_thread(compute) for _ in range(4))))

    with watched_turns() as turns:
        computed_s = asyncio.run(in_the_loop())
    assert turns.longest_s >= computed_s
    with watched_turns() as turns:
        computed_s = asyncio.run(elsewhere())
    assert turns.longest_s < computed_s
