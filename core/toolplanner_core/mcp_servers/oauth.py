"""Sign in to an MCP server over HTTP that asks for OAuth: in the person's browser, once.

On loopback, at random, for one answer; it closes with the `async with` around it.

The SDK's flow (discovery, registration, PKCE, tokens) runs over the safe client. What comes of it
lies in the keychain, for the server's origin, and is renewed there; a run never opens a browser: it
fails and says where to sign in again.

Source: RFC 8252, 7.3 for loopback redirects; MCP 2025-11-25, "Authorization".
"""

import asyncio
import json
import logging
import time
import webbrowser
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qs, urlsplit

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.keys import KeyName, person_keys, register_secrets
from toolplanner_core.mcp_servers.failures import McpFailure, failure_of
from toolplanner_core.mcp_servers.server_spec import ServerSpec, origin_of_server
from toolplanner_core.net.addresses import is_plainly_local
from toolplanner_core.net.client import make_client
from toolplanner_core.words.window_places import KEYS

if TYPE_CHECKING:
    from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
    from mcp.client.auth.oauth2 import OAuthContext
    from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

PATH = "/signed-in"
_PAGE = b"<!doctype html><meta charset=utf-8><title>ToolPlanner</title>Done: close this page."


class RedirectListener:
    """Waits for the one request with which a browser comes back.

    Attributes:
        address: where it has to come to.
    """

    def __init__(self) -> None:
        self.address = ""
        self._came: asyncio.Future[dict[str, str]] = asyncio.get_running_loop().create_future()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.address = f"http://127.0.0.1:{port}{PATH}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()

    async def answer(self) -> dict[str, str]:
        """What the browser brings, when it has come."""
        return await self._came

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = (await reader.readline()).decode("latin-1").split(" ")
        address = urlsplit(line[1] if len(line) > 1 else "")
        is_it = line[0] == "GET" and address.path == PATH and not self._came.done()
        head = b"200 OK" if is_it else b"404 Not Found"
        page = _PAGE if is_it else b""
        writer.write(
            b"HTTP/1.1 %b\r\nContent-Type: text/html\r\nContent-Length: %d\r\n"
            b"Connection: close\r\n\r\n%b" % (head, len(page), page)
        )
        await writer.drain()
        writer.close()
        if is_it:
            self._came.set_result({name: v[0] for name, v in parse_qs(address.query).items()})


TOKENS, CLIENT, RENEWS = "mcp sign-in", "mcp client", "mcp renewal"
"""The names under which they lie in the keychain."""
WAITS_S = 300.0
"""For the person in the browser."""
_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "ToolPlanner", "version": "1"},
    },
}


class _TokenStore:
    """Tokens and client of one server, in the keychain.

    Args:
        is_anew: nothing that is there counts.
    """

    def __init__(self, spec: ServerSpec, *, is_anew: bool) -> None:
        self._origin, self._is_anew = origin_of_server(spec), is_anew
        self.context: OAuthContext | None = None

    async def get_tokens(self) -> "OAuthToken | None":
        """What the last sign-in brought; the flow learns when it runs out and where to renew it,
        which the SDK keeps for as long as a process lives only."""
        from mcp.shared.auth import OAuthToken

        tokens = await self._read(TOKENS, OAuthToken)
        renewal = await self._read(RENEWS, _renewal())
        if renewal is not None and self.context is not None:
            self.context.token_expiry_time = renewal.expires_at
            self.context.oauth_metadata = renewal.metadata
        return tokens

    async def set_tokens(self, tokens: "OAuthToken") -> None:
        """Keep what came."""
        register_secrets(*filter(None, (tokens.access_token, tokens.refresh_token)))
        await self._write(TOKENS, tokens)
        if self.context is not None:
            expires = None if tokens.expires_in is None else time.time() + tokens.expires_in
            metadata = self.context.oauth_metadata
            await self._write(RENEWS, _renewal()(expires_at=expires, metadata=metadata))

    async def get_client_info(self) -> "OAuthClientInformationFull | None":
        """Who we are there."""
        from mcp.shared.auth import OAuthClientInformationFull

        return await self._read(CLIENT, OAuthClientInformationFull)

    async def set_client_info(self, client_info: "OAuthClientInformationFull") -> None:
        """Keep who we are there."""
        register_secrets(*filter(None, (client_info.client_secret,)))
        await self._write(CLIENT, client_info)

    async def _read(self, scheme: str, kind: Any) -> Any:
        if self._is_anew:
            return None
        text = await asyncio.to_thread(_exact_key, self._origin, scheme)
        try:
            found = kind.model_validate_json(text) if text else None
        except ValueError:
            return None
        for name in ("access_token", "refresh_token", "client_secret"):
            register_secrets(*filter(None, (getattr(found, name, None),)))
        return found

    async def _write(self, scheme: str, value: Any) -> None:
        text = json.dumps(value.model_dump(mode="json", exclude_none=True))
        await asyncio.to_thread(person_keys().save, KeyName(self._origin, scheme), text)


@cache
def _renewal() -> Any:
    from mcp.shared.auth import OAuthMetadata
    from pydantic import BaseModel

    class Renewal(BaseModel):
        expires_at: float | None = None
        metadata: OAuthMetadata | None = None

    return Renewal


def _exact_key(origin: Any, scheme: str) -> str | None:
    # A key for whatever an origin asks is no token.
    name = KeyName(origin, scheme)
    return person_keys().find(origin, scheme) if name in person_keys().names() else None


def is_signed_in(spec: ServerSpec) -> bool:
    """Whether a person has signed in to a server, which may have run out since."""
    return bool(spec.url) and KeyName(origin_of_server(spec), TOKENS) in person_keys().names()


def stored_sign_in(spec: ServerSpec) -> "OAuthClientProvider | None":
    """Shows a server who calls, and renews it; None if nobody has signed in there."""
    if not is_signed_in(spec):
        return None

    async def refuse(_address: str) -> None:
        why = f"the sign-in has run out; sign in again: {KEYS}"
        raise McpFailure(ErrorClass.UNAUTHORISED, why)

    async def never() -> "AuthorizationCodeResult":
        raise McpFailure(ErrorClass.UNAUTHORISED, "nobody has signed in")

    return _provider(spec, f"http://127.0.0.1{PATH}", refuse, never, is_anew=False)


async def sign_in(
    spec: ServerSpec,
    *,
    open_address: Callable[[str], Any] = webbrowser.open,
    timeout_s: float = WAITS_S,
) -> None:
    """Let the person sign in to a server in their browser; cancelling it closes the port.

    Args:
        open_address: shows the person a page.

    Raises:
        McpFailure: the server does not ask for it, or it did not succeed in time.
    """
    from mcp.client.auth import OAuthFlowError

    try:
        async with asyncio.timeout(timeout_s), RedirectListener() as back:
            await _ask_to_sign_in(spec, back, open_address)
    except OAuthFlowError as error:
        raise McpFailure(ErrorClass.UNAUTHORISED, str(error)[:300]) from error
    except TimeoutError as error:
        raise McpFailure(ErrorClass.TIMEOUT, f"nobody signed in within {timeout_s:g} s") from error
    except Exception as error:
        raise failure_of(error) from error


async def _ask_to_sign_in(
    spec: ServerSpec, back: RedirectListener, open_address: Callable[[str], Any]
) -> None:
    """Say hello to a server, which sends the person to its page and from there back to us."""
    from mcp.client.auth import AuthorizationCodeResult

    async def show(address: str) -> None:
        await asyncio.to_thread(open_address, address)

    async def wait() -> AuthorizationCodeResult:
        said = await back.answer()
        if "code" not in said:
            why = said.get("error_description") or said.get("error", "no code came")
            raise McpFailure(ErrorClass.UNAUTHORISED, f"the server says: {why[:300]}")
        return AuthorizationCodeResult(
            code=said["code"], state=said.get("state"), iss=said.get("iss")
        )

    origin = origin_of_server(spec)
    allowed = [origin] if is_plainly_local(origin.host) else []
    async with make_client(allowed, wait_s=30.0) as client:
        auth = _provider(spec, back.address, show, wait, is_anew=True)
        accepts = {"Accept": "application/json, text/event-stream"}
        reply = await client.post(spec.url, json=_HELLO, headers=accepts, auth=auth)
    if not is_signed_in(spec):
        why = "the server lets everybody in" if reply.is_success else "it offers no sign-in"
        raise McpFailure(ErrorClass.NOT_FOUND, f"{why} (HTTP {reply.status_code})")


def _provider(
    spec: ServerSpec, back: str, show: Any, wait: Any, *, is_anew: bool
) -> "OAuthClientProvider":
    from mcp.client.auth import OAuthClientProvider
    from mcp.shared.auth import OAuthClientMetadata
    from pydantic import AnyUrl

    # It writes a traceback for each sign-in that does not succeed, which we say in a sentence.
    logging.getLogger("mcp.client.auth").setLevel(logging.CRITICAL)
    kept = _TokenStore(spec, is_anew=is_anew)
    made = OAuthClientProvider(
        spec.url,
        OAuthClientMetadata(client_name="ToolPlanner", redirect_uris=[AnyUrl(back)]),
        kept,
        redirect_handler=show,
        callback_handler=wait,
    )
    kept.context = made.context
    return made
