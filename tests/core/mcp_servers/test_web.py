"""Servers over streamable HTTP: through the safe client, with their keys to their origin only."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from fixtures.mcp_world import until
from fixtures.web_mcp_server import web_mcp_server

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.mcp_servers.connection import Connection
from toolplanner_core.mcp_servers.failures import McpFailure
from toolplanner_core.mcp_servers.server_spec import ServerSpec

LONG_S = 120.0


def using(url: str, work: Callable[[Connection], Awaitable[Any]], **secrets: str) -> Any:
    async def run() -> Any:
        spec = ServerSpec(name="w", url=url, settings={"X-Team": "red"}, secrets=tuple(secrets))
        connection = Connection(spec, secrets)
        try:
            await connection.open(timeout_s=LONG_S)
            return await work(connection)
        finally:
            await connection.close()
            assert len(asyncio.all_tasks()) == 1

    return asyncio.run(run())


async def listed(connection: Connection) -> Any:
    return await connection.listing(timeout_s=LONG_S)


async def added(connection: Connection) -> Any:
    return await connection.call("add", {"a": 2, "b": 3}, timeout_s=LONG_S)


def failing(url: str, work: Any = listed) -> McpFailure:
    with pytest.raises(McpFailure) as caught:
        using(url, work)
    return caught.value


def test_server_when_reached_then_lists_calls_and_takes_leave():
    async def work(connection: Connection) -> Any:
        return await listed(connection), await added(connection)

    with web_mcp_server() as desk:
        listing, result = using(desk.url, work, Authorization="Bearer k1")
    assert len(listing.tools) == 8
    assert result.structured_content == {"sum": 5}
    for _, headers, _ in desk.requests:
        assert headers["Authorization"] == "Bearer k1"
        assert headers["X-Team"] == "red"
        assert headers["Accept-Encoding"] == "identity"
    assert [method for method, _, _ in desk.requests][-1] == "DELETE"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, ErrorClass.UNAUTHORISED),
        (429, ErrorClass.RATE_LIMITED),
        (500, ErrorClass.SERVER_ERROR),
    ],
)
def test_server_that_refuses_when_reached_then_its_status_is_the_class(status, error):
    with web_mcp_server() as desk:
        desk.status = status
        failure = failing(desk.url)
    assert failure.error is error
    assert str(status) in failure.message


def test_server_that_sends_elsewhere_when_reached_then_nothing_is_sent_there():
    with web_mcp_server() as other, web_mcp_server() as desk:
        desk.status, desk.location = 307, other.url
        with pytest.raises(McpFailure):
            using(desk.url, listed, Authorization="Bearer k1")
        assert desk.requests
        assert not other.requests


@pytest.mark.parametrize("manner", ["packed", "floods"])
def test_reply_without_bounds_when_read_then_a_failure(manner):
    with web_mcp_server(manner) as desk:
        assert failing(desk.url).error in (ErrorClass.NETWORK, ErrorClass.SERVER_ERROR)


def test_nobody_at_the_address_when_reached_then_network():
    with web_mcp_server() as desk:
        url = desk.url
    assert failing(url).error is ErrorClass.NETWORK


def test_name_that_means_this_machine_when_reached_then_refused(monkeypatch):
    from toolplanner_core.net import connecting

    async def rebound(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    monkeypatch.setattr(connecting, "resolve", rebound)
    with web_mcp_server() as desk:
        port = desk.url.rpartition(":")[2]
        failure = failing(f"http://harmless.example.com:{port}")
        assert not desk.requests
    assert failure.error is ErrorClass.BLOCKED_BY_POLICY
    assert "not on the open internet" in failure.message


def test_call_when_cancelled_then_the_server_is_told():
    with web_mcp_server("hangs") as desk:

        async def work(connection: Connection) -> None:
            calling = asyncio.ensure_future(added(connection))
            await until(lambda: desk.heard("tools/call"))
            calling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await calling
            await until(lambda: desk.heard("notifications/cancelled"))

        using(desk.url, work)
