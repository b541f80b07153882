"""Who may talk to the gateway over HTTP: whoever has its token, and no page in a browser.

A page that has this machine's address answer for its own name ("DNS rebinding") still sends its own
name as Host, and its origin as Origin; both must be one of ours, letter by letter. The token is
asked for whatever the request is, and compared in constant time.

Source: design/gateway.md section 9; the protocol's "Security Warning" on streamable HTTP.
"""

import os
import secrets
import stat
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from hmac import compare_digest
from pathlib import Path
from typing import Any, TypeAlias

from toolplanner_core.errors import BadInput
from toolplanner_core.keys import register_secrets
from toolplanner_core.settings import settings_path

TOKEN_VARIABLE = "TOOLPLANNER_GATEWAY_TOKEN"
"""Where clients are told to find the token: configurations name it and never hold it."""
_TOKEN_BYTES = 32
_TOKEN_LETTERS = 43
"""Of so many bytes, as `secrets.token_urlsafe` writes them."""
REQUESTS_A_SECOND = 400
"""Of all who have the token; the burst is what two seconds allow. Above what one process answers
(about 300), so that it stops only a client that asks in a circle: 20 a second, as first designed,
would have stopped a client that works."""
_BURST_S = 2.0
MOST_WRONG = 20
"""Requests without the token, one after the other, until all such are turned away for a while."""
BAN_S = 10.0
_OTHERS_MAY_READ = stat.S_IRWXG | stat.S_IRWXO

_Message: TypeAlias = MutableMapping[str, Any]
_Receive: TypeAlias = Callable[[], Awaitable[_Message]]
_Send: TypeAlias = Callable[[_Message], Awaitable[None]]
AsgiApp: TypeAlias = Callable[[_Message, _Receive, _Send], Awaitable[None]]


def token_path() -> Path:
    """The file of the token, beside the settings of this person."""
    return settings_path().with_name("gateway-token")


def gateway_token() -> str:
    """The token of this person, made at the first time; it is blacked out in whatever is logged.

    Raises:
        BadInput: others may read its file, or there is no token in it.
    """
    path = token_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        token = _stored_token(path)
    else:
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(token)
    register_secrets(token)
    return token


def _stored_token(path: Path) -> str:
    anew = "Delete it and start again: another token is made"
    if os.name == "posix" and path.stat().st_mode & _OTHERS_MAY_READ:
        raise BadInput(f"Others may read the token in {path}", todo=anew)
    token = path.read_text(encoding="utf-8").strip()
    if len(token) < _TOKEN_LETTERS or not token.isascii():
        raise BadInput(f"There is no token in {path}", todo=anew)
    return token


class Guard:
    """Refuses requests before anything of them is read.

    Args:
        app: what answers the others.
        port: where it listens, on loopback.
        requests_a_second: more are turned away.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        app: AsgiApp,
        *,
        token: str,
        port: int,
        requests_a_second: float = REQUESTS_A_SECOND,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app, self._clock, self._rate = app, clock, requests_a_second
        self._left, self._counted_s = requests_a_second * _BURST_S, clock()
        self._wrong, self._banned_until_s = 0, 0.0
        self._token = token.encode("ascii")
        names = (f"127.0.0.1:{port}", f"localhost:{port}")
        self._hosts = frozenset(name.encode("ascii") for name in names)
        self._origins = frozenset(f"http://{name}".encode("ascii") for name in names)

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)  # its start and its end
            return
        refusal = self._refusal(scope["headers"])
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await _refuse(send, *refusal)

    def _refusal(self, headers: Iterable[tuple[bytes, bytes]]) -> tuple[int, str] | None:
        """Status and reason, None for whom may come in."""
        given: dict[bytes, list[bytes]] = {}
        for name, value in headers:
            given.setdefault(name.lower(), []).append(value)
        hosts, origins = given.get(b"host", []), given.get(b"origin", [])
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421, "Host is not the address of this gateway"
        if any(origin not in self._origins for origin in origins):
            return 403, "Origin is a page of somebody else"
        if not self._is_right(given.get(b"authorization", [])):
            return self._without_token()
        self._wrong = 0
        return None if self._takes_one() else (429, "Too many requests: ask more slowly")

    def _without_token(self) -> tuple[int, str]:
        """Whoever guesses is turned away unread for a while. Never who has the token: all come from
        this machine, and any program on it could shut out the others by guessing."""
        now_s = self._clock()
        if now_s < self._banned_until_s:
            return 429, "Too many wrong tokens"
        self._wrong += 1
        if self._wrong >= MOST_WRONG:
            self._wrong, self._banned_until_s = 0, now_s + BAN_S
        return 401, f"No token, or a wrong one: send the one of {token_path().name} as Bearer"

    def _takes_one(self) -> bool:
        """Whether one more request fits; what was not used before is left for a burst."""
        now_s = self._clock()
        gained = (now_s - self._counted_s) * self._rate
        self._left, self._counted_s = min(self._left + gained, self._rate * _BURST_S), now_s
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def _is_right(self, given: list[bytes]) -> bool:
        scheme, _, token = (given[0] if len(given) == 1 else b"").partition(b" ")
        return scheme.lower() == b"bearer" and compare_digest(token.strip(), self._token)


async def _refuse(send: _Send, status: int, reason: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="toolplanner"'))
    if status == 429:
        wait_s = int(BAN_S) if "token" in reason else 1
        headers.append((b"retry-after", str(wait_s).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": reason.encode("utf-8")})
