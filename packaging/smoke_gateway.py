"""The gateway of an installed program, asked as a client would: over its pipes, and over HTTP."""

import json
import urllib.error
import urllib.request
from pathlib import Path
from subprocess import Popen
from typing import IO, Any, cast

from smoke_place import Place

NEED = "petrol prices"
_INITIALIZE: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "smoke-test", "version": "1"},
    },
}
_INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_FIND: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "find_tools", "arguments": {"need": NEED}},
}
_TIMEOUT_S = 60


def ask_over_pipes(place: Place, workspace: Path) -> str:
    """What the gateway finds for a need when a client starts it; the text of its reply.

    Raises:
        AssertionError: something else than a reply came.
    """
    served = place.start_piped("toolplanner", "serve", workspace, "--mode", "search")
    asked = "".join(json.dumps(each) + "\n" for each in (_INITIALIZE, _INITIALIZED))
    try:
        _write(served, asked)
        first = _reply(served)
        assert first["result"]["serverInfo"]["name"] == "toolplanner", first
        _write(served, json.dumps(_FIND) + "\n")
        return cast("str", _reply(served)["result"]["content"][0]["text"])
    finally:
        _close(served)


def ask_over_http(place: Place, workspace: Path) -> str:
    """Who is let in when a person starts it at a port, and what it finds for a need.

    Raises:
        AssertionError: a client without the token was let in, or one with it was not.
    """
    served = place.start_piped("toolplanner", "serve", workspace, "--http", "0", is_online=True)
    try:
        address = _output(served).readline().strip()
        assert address.startswith("http://127.0.0.1:"), address
        refused = _status(address, token=None)
        assert refused == 401, f"without a token: {refused}"
        path = next(place.outside(place.home).rglob("gateway-token"))
        status = _status(address, token=path.read_text("utf-8").strip())
        assert status == 200, f"with its token: {status}"
        return f"{address}: 401 without its token, 200 with it"
    finally:
        _close(served)


def _status(address: str, *, token: str | None) -> int:
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    } | ({"Authorization": f"Bearer {token}"} if token else {})
    asked = urllib.request.Request(address, json.dumps(_INITIALIZE).encode(), headers)
    try:
        with urllib.request.urlopen(asked, timeout=_TIMEOUT_S) as reply:
            return cast("int", reply.status)
    except urllib.error.HTTPError as error:
        return error.code


def _write(served: Popen[str], text: str) -> None:
    assert served.stdin is not None
    served.stdin.write(text)
    served.stdin.flush()


def _output(served: Popen[str]) -> IO[str]:
    assert served.stdout is not None
    return served.stdout


def _reply(served: Popen[str]) -> Any:
    line = _output(served).readline()
    assert line, f"no reply; it ended with {served.wait(_TIMEOUT_S)}"
    return json.loads(line)


def _close(served: Popen[str]) -> None:
    """End the program as a client does: its input ends; then, when it still runs, by force."""
    assert served.stdin is not None
    served.stdin.close()
    served.terminate()
    served.wait(_TIMEOUT_S)
