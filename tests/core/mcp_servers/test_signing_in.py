"""Signing in to a server over HTTP: OAuth against an authorisation server on loopback."""

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest
from fixtures.http_world import MemoryRing
from fixtures.signing_server import SigningDesk, browser, signing_server
from fixtures.web_mcp_server import web_mcp_server

from toolplanner_core import keys as key_module
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.keys import KeyStore, registered_secrets
from toolplanner_core.mcp_servers.connection import Connection
from toolplanner_core.mcp_servers.failures import McpFailure
from toolplanner_core.mcp_servers.oauth import is_signed_in, sign_in
from toolplanner_core.mcp_servers.server_spec import ServerSpec

LONG_S = 300.0
"""Bounds a hang: a busy machine may take long for all that goes to and fro here."""


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryRing:
    """A person's keychain."""
    ring = MemoryRing()
    store = KeyStore(tmp_path / "keys.json", ring=lambda: ring, environment={})
    for module in ("oauth", "server_spec"):
        monkeypatch.setattr(f"toolplanner_core.mcp_servers.{module}.person_keys", lambda: store)
    monkeypatch.setattr(key_module, "person_keys", lambda: store)
    return ring


@pytest.fixture
def desk() -> Iterator[SigningDesk]:
    with signing_server() as running:
        yield running


def tools_at(url: str) -> int:
    async def work() -> int:
        connection = Connection(ServerSpec(name="web", url=url), {})
        try:
            await connection.open(timeout_s=LONG_S)
            return len((await connection.listing(timeout_s=LONG_S)).tools)
        finally:
            await connection.close()

    return asyncio.run(work())


def test_server_that_asks_when_nobody_signed_in_then_says_where(
    desk: SigningDesk, ring: MemoryRing
) -> None:
    with pytest.raises(McpFailure) as caught:
        tools_at(desk.url)
    assert caught.value.error is ErrorClass.UNAUTHORISED
    assert "Run > Providers and keys > Keys" in caught.value.message
    assert desk.challenges == {}


def test_person_when_signed_in_then_reached_and_tokens_lie_in_the_keychain(
    desk: SigningDesk, ring: MemoryRing, tmp_path: Path
) -> None:
    spec = ServerSpec(name="web", url=desk.url)
    asyncio.run(sign_in(spec, open_address=browser, timeout_s=LONG_S))
    assert is_signed_in(spec)
    assert desk.grants == ["authorization_code"]
    assert any("token-canary-1" in value for value in ring.kept.values())
    assert "token-canary-1" in registered_secrets()
    assert not any("canary" in path.read_text() for path in tmp_path.rglob("*.json"))
    assert tools_at(desk.url) == 8
    assert desk.grants == ["authorization_code"]


def test_token_when_it_has_run_out_then_renewed_without_a_person(
    desk: SigningDesk, ring: MemoryRing
) -> None:
    desk.seconds = -60
    spec = ServerSpec(name="web", url=desk.url)
    asyncio.run(sign_in(spec, open_address=browser, timeout_s=LONG_S))
    desk.seconds = 3600
    assert tools_at(desk.url) == 8
    assert desk.grants == ["authorization_code", "refresh_token"]
    assert any("token-canary-2" in value for value in ring.kept.values())


def test_sign_in_when_the_server_forgot_it_then_no_browser_opens_in_a_run(
    desk: SigningDesk, ring: MemoryRing
) -> None:
    asyncio.run(sign_in(ServerSpec(name="w", url=desk.url), open_address=browser, timeout_s=LONG_S))
    desk.tokens.clear()
    with pytest.raises(McpFailure) as caught:
        tools_at(desk.url)
    assert caught.value.error is ErrorClass.UNAUTHORISED
    assert "Run > Providers and keys > Keys" in caught.value.message
    assert len(desk.challenges) == 1


def test_person_when_refused_or_never_back_then_not_signed_in(
    desk: SigningDesk, ring: MemoryRing
) -> None:
    spec = ServerSpec(name="web", url=desk.url)
    desk.refuses = True
    with pytest.raises(McpFailure, match="access_denied"):
        asyncio.run(sign_in(spec, open_address=browser, timeout_s=LONG_S))
    with pytest.raises(McpFailure, match="nobody signed in within"):
        asyncio.run(sign_in(spec, open_address=lambda _: None, timeout_s=0.5))
    assert not is_signed_in(spec)


def test_callback_when_its_state_is_not_ours_then_not_signed_in_and_the_port_is_closed(
    desk: SigningDesk, ring: MemoryRing
) -> None:
    spec = ServerSpec(name="web", url=desk.url)
    backs: list[str] = []

    def somebody_else(address: str) -> None:
        backs.append(parse_qs(urlsplit(address).query)["redirect_uri"][0])
        elsewhere = backs[0].replace(urlsplit(backs[0]).path, "/other")
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"{elsewhere}?code=stolen", timeout=LONG_S)
        urlopen(f"{backs[0]}?code=stolen&state=not-ours", timeout=LONG_S).close()

    with pytest.raises(McpFailure, match=r"(?i)state") as caught:
        asyncio.run(sign_in(spec, open_address=somebody_else, timeout_s=LONG_S))
    assert caught.value.error is ErrorClass.UNAUTHORISED
    assert not is_signed_in(spec)
    assert desk.grants == [], "the stolen code was not even shown to the server"
    at = urlsplit(backs[0])
    assert at.hostname == "127.0.0.1"
    with pytest.raises(OSError), socket.create_connection((at.hostname, at.port or 0), timeout=5):
        pass


def test_server_that_asks_nothing_when_signed_in_to_then_says_so(ring: MemoryRing) -> None:
    with web_mcp_server() as desk, pytest.raises(McpFailure, match="lets everybody in"):
        asyncio.run(sign_in(ServerSpec(name="w", url=desk.url), open_address=browser))
