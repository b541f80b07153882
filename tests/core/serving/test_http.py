"""`toolplanner serve --http` over real loopback: many clients, and nobody without the token."""

import asyncio
import http.client
import json
import os
import signal
import socket
import stat
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.gateway_client import ERAS, RunningGateway, gateway_over_http, texts_of
from fixtures.notes_server import Notes
from fixtures.rough_site import WebAnswer

from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.engine.interrupted import mark_interrupted
from toolplanner_core.runs.log.stored_runs import list_runs, load_tree
from toolplanner_core.serving.faces.client_sessions import MOST_SESSIONS
from toolplanner_core.serving.faces.stdio import LARGEST_MESSAGE
from toolplanner_core.serving.guard import gateway_token, token_path
from toolplanner_core.workspace import Workspace

CALL = {
    "name": "ExchangeHub_Convert_currency",
    "arguments": {"from": "USD", "to": "EUR", "amount": 250},
}

NEED = {"need": "convert an amount of money to another currency"}


def done_requests(workspace: Path) -> list[tuple[Status, int]]:
    """Of each run its status, and how many requests were answered."""
    with Workspace.open(workspace) as opened:
        mark_interrupted(opened)
        trees = [(run.status, load_tree(opened, run.run).nodes) for run in list_runs(opened)]
    return [
        (status, sum(node.kind == "request" and node.state == "ok" for node in nodes.values()))
        for status, nodes in trees
    ]


def test_clients_of_both_eras_when_at_once_then_each_is_a_run_that_ends_with_the_gateway(
    demo: Path,
) -> None:
    async def talk(gateway: RunningGateway, token: str, era: str) -> tuple[list[str], list[float]]:
        async with gateway.client(token, era=era) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            await client.call_tool("find_tools", NEED)
            calls = [client.call_tool("call_tool", CALL) for _ in range(5)]
            texts = [texts_of(result)[0] for result in await asyncio.gather(*calls)]
            return names, [json.loads(text)["result"] for text in texts]

    async def together(gateway: RunningGateway) -> list[Any]:
        token = gateway_token()
        return await asyncio.gather(*(talk(gateway, token, era) for era in ERAS))

    with gateway_over_http(demo, "--mode", "search") as gateway:
        for names, results in asyncio.run(together(gateway)):
            assert names == ["find_tools", "describe_tool", "call_tool", "more"]
            assert results == [pytest.approx(218.91)] * 5
        gateway.process.send_signal(signal.SIGTERM)
        out, err = gateway.process.communicate()
    assert str(token_path()) in err
    assert gateway_token() not in gateway.address + out + err
    assert done_requests(demo) == [(Status.SERVED, 5)] * len(ERAS)


def test_gateway_over_http_when_it_is_killed_then_no_answered_call_is_lost(demo: Path) -> None:
    async def talk(gateway: RunningGateway) -> int:
        answered = 0
        async with gateway.client(gateway_token()) as client:
            await client.call_tool("find_tools", NEED)
            for _ in range(10):
                answered += not (await client.call_tool("call_tool", CALL)).is_error
            gateway.process.kill()
        return answered

    with gateway_over_http(demo) as gateway:
        answered = asyncio.run(talk(gateway))
    assert (answered, done_requests(demo)) == (10, [(Status.INTERRUPTED, 10)])


def ask(port: int, *headers: tuple[str, str], method: str = "POST", size: int = 0) -> int:
    """The status of a request with these headers and no others, with a body of `size`."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.putrequest(method, "/mcp", skip_host=True, skip_accept_encoding=True)
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    body = json.dumps(hello).encode().ljust(size)
    for name, value in headers:
        connection.putheader(name, value)
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Accept", "application/json, text/event-stream")
    connection.putheader("Content-Length", str(len(body)))
    is_sent = size <= LARGEST_MESSAGE  # a longer one is refused by its length, unread
    connection.endheaders(body if is_sent else None)
    try:
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize("era", ERAS)
def test_long_result_when_another_client_asks_for_the_rest_then_it_gets_nothing(
    notes: Notes, era: str
) -> None:
    """By its name, by such as it could guess, and by one that is damaged; whoever has it does."""
    from mcp_types import Implementation

    file, site = notes
    site.on("/notes", WebAnswer([{"id": n, "text": f"secret {'x' * 150}"} for n in range(300)]))

    async def talk(gateway: RunningGateway) -> tuple[Any, list[Any]]:
        token, other = gateway_token(), Implementation(name="other", version="1")
        async with (
            gateway.client(token, era=era) as mine,
            gateway.client(token, era=era, client_info=other) as others,
        ):
            read: Any = await mine.call_tool("Notes_listNotes", {})
            rest = texts_of(read)[-1].partition("more(result=")[2].removesuffix(").")
            name, _, begin = rest.partition(", from=")
            page: dict[str, Any] = {"result": json.loads(name), "from": int(begin)}
            guesses = [page["result"], "result-1", "result-0", page["result"][:-1], "", "../1"]
            asked = [{"result": guess, "from": 0} for guess in guesses]
            found = [await others.call_tool("more", each) for each in asked]
            return await mine.call_tool("more", page), found

    with gateway_over_http(file, "--mode", "flat") as gateway:
        mine, others = asyncio.run(talk(gateway))
    assert not mine.is_error
    assert [each.is_error for each in others] == [True] * len(others)
    assert "secret" not in "".join(text for each in others for text in texts_of(each))


HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@pytest.mark.parametrize(("flags", "kind"), [((), "json"), (("--allow", "write"), "event-stream")])
def test_replies_when_nobody_is_asked_in_the_middle_then_are_one_text(
    demo: Path, flags: tuple[str, ...], kind: str
) -> None:
    with gateway_over_http(demo, *flags) as gateway:
        headers = {
            "Authorization": f"Bearer {gateway_token()}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
        connection = http.client.HTTPConnection("127.0.0.1", gateway.port)
        connection.request("POST", "/mcp", json.dumps(hello), headers)
        answered = connection.getresponse()
        assert (answered.headers["Content-Type"] or "").partition("/")[2].startswith(kind)
        connection.close()


def test_clients_when_very_many_have_left_without_a_word_then_the_next_one_is_served(
    demo: Path,
) -> None:
    """As agents do that are started for one question each."""
    with gateway_over_http(demo) as gateway:
        host = ("Host", f"127.0.0.1:{gateway.port}")
        bearer = ("Authorization", f"Bearer {gateway_token()}")
        said = {ask(gateway.port, host, bearer) for _ in range(MOST_SESSIONS + 2)}
    assert said == {200}


HOSTS = [
    "", "evil.example", "evil.example:{port}", "127.0.0.1", "localhost", "127.0.0.1:1",
    "localhost:{port}.evil.example", "localhost.evil.example:{port}", "127.0.0.1.nip.io:{port}",
    "0.0.0.0:{port}", "[::1]:{port}", "127.1:{port}", "2130706433:{port}", "0x7f000001:{port}",
    "127.0.0.2:{port}", "localhost:{port}@evil.example", "user@127.0.0.1:{port}",
    "127.0.0.1:{port}/", "LOCALHOST.:{port}", "127.0.0.1:{port},evil.example",
    "127.0.0.1:0{port}", "xlocalhost:{port}",
]  # fmt: skip
ORIGINS = [
    "", "null", "http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1",
    "http://127.0.0.1:1", "http://localhost:{port}.evil.example", "http://localhost.evil.example",
    "http://0.0.0.0:{port}", "http://[::1]:{port}", "http://127.0.0.1:{port}/",
    "http://evil.example#http://127.0.0.1:{port}", "http://user@127.0.0.1:{port}", "file://",
    "chrome-extension://abc", "http://127.0.0.1:{port} http://evil.example", "*",
]  # fmt: skip
TOKENS = [
    "", "Bearer", "Bearer ", "Bearer wrong", "Basic {token}", "{token}", "Bearer {token}x",
    "Bearer {short}", "Bearer {swapped}", "Bearer {token} {token}", "Bearer Bearer {token}",
]  # fmt: skip


def test_gateway_when_asked_by_a_page_or_without_the_token_then_it_serves_nobody(
    demo: Path,
) -> None:
    """The forms of rebinding and of foreign pages, each with the right token."""
    with gateway_over_http(demo) as gateway:
        port, token = gateway.port, gateway_token()
        host = ("Host", f"127.0.0.1:{port}")
        bearer = ("Authorization", f"Bearer {token}")
        words = {
            "port": port, "token": token, "short": token[:-1], "swapped": token.swapcase()
        }  # fmt: skip
        assert ask(port, host, bearer) == 200
        assert ask(port, host, bearer, ("Origin", f"http://localhost:{port}")) == 200
        hosts = {ask(port, ("Host", each.format(**words)), bearer) for each in HOSTS}
        assert hosts <= {400, 421}
        assert ask(port, host, ("Host", "evil.example"), bearer) in (400, 421)
        assert ask(port, bearer) in (400, 421)
        origins = [("Origin", each.format(**words)) for each in ORIGINS]
        assert {ask(port, host, bearer, origin) for origin in origins} == {403}
        mine = ("Origin", f"http://127.0.0.1:{port}")
        assert ask(port, host, bearer, mine, ("Origin", "http://evil.example")) == 403
        tokens = [("Authorization", each.format(**words)) for each in TOKENS]
        assert {ask(port, host, each) for each in tokens} == {401}
        assert {ask(port, host), ask(port, host, bearer, bearer)} == {401}
        assert {ask(port, host, method=each) for each in ("GET", "DELETE", "OPTIONS")} == {401}
        assert ask(port, host, bearer, size=LARGEST_MESSAGE + 1) == 413
        assert ask(port, host, bearer, ("Mcp-Session-Id", "0" * 32)) == 404
        assert ask(port, host, bearer, size=LARGEST_MESSAGE) == 200
        listens = [] if not Path("/proc/net/tcp").exists() else listening_at(port)
        assert set(listens) <= {"0100007F"}, "on loopback only"
    assert done_requests(demo) == []


def listening_at(port: int) -> list[str]:
    """The local addresses at which a port is listened to, as Linux writes them."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    ends = [row[1].split(":") for row in rows if row[3] == "0A"]
    return [address for address, where in ends if int(where, 16) == port]


def test_port_when_another_program_has_it_then_the_gateway_says_so(demo: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = command_here("serve", demo, "--http", taken.getsockname()[1])
    assert refused.status == 2
    assert "name another port" in refused.err


@pytest.fixture
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a person who has no token yet."""
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "person" / "settings.json"))
    return tmp_path / "person"


def test_token_when_asked_for_again_then_it_is_the_same_and_nobody_else_can_read_it(
    own_settings: Path,
) -> None:
    token = gateway_token()
    assert len(token) >= 43
    assert token_path() == own_settings / "gateway-token"
    assert gateway_token() == token
    if os.name == "posix":
        assert stat.S_IMODE(token_path().stat().st_mode) == 0o600
    token_path().unlink()
    assert gateway_token() != token


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")
@pytest.mark.usefixtures("own_settings")
def test_token_when_others_may_read_it_or_it_is_empty_then_the_gateway_does_not_start(
    demo: Path,
) -> None:
    gateway_token()
    token_path().chmod(0o644)
    refused = command_here("serve", demo, "--http", "0")
    assert (refused.status, refused.out) == (2, "")
    assert "Others may read the token" in refused.err
    token_path().chmod(0o600)
    token_path().write_text("")
    refused = command_here("serve", demo, "--http", "0")
    assert (refused.status, refused.out) == (2, "")
    assert "There is no token" in refused.err
