"""Show a server who calls, with keys that were saved for its origin and no others.

Of the alternatives that an operation names the first counts whose keys are all there. Whatever a
catalogue says, a key goes only where the person said: for OAuth 2 both the server of the API and
the server that gives tokens must have one.

Source: design/security.md, "Keys"; OpenAPI 3.1, 4.8.27; RFC 6749, 4.4 for client credentials.
"""

import base64
import json
from collections.abc import Awaitable, Callable
from urllib.parse import quote_plus

from toolplanner_core.domain.operation import Origin, RequestPart, SchemeKind, SecurityScheme
from toolplanner_core.errors import BadInput, NetworkError, UserError
from toolplanner_core.net.exchange import ExchangeReply
from toolplanner_core.providers.http_request import HttpCall
from toolplanner_core.words.window_places import KEYS

FindKey = Callable[[Origin, str], Awaitable[str | None]]
Send = Callable[[HttpCall], Awaitable[ExchangeReply]]


class KeyMissing(UserError):
    """A server asks for a key that nobody saved, or for what cannot be given."""


class Credentials:
    """Puts keys into requests; tokens are kept until a server refuses them.

    Args:
        find: the key saved for an origin and scheme.
        send: sends a request for a token.
        remember: is told each token, so that it is written nowhere.
    """

    def __init__(self, find: FindKey, send: Send, remember: Callable[[str], None]) -> None:
        self._find, self._send, self._remember = find, send, remember
        self._tokens: dict[tuple[Origin, SecurityScheme], str] = {}

    async def put_into(
        self, call: HttpCall, alternatives: tuple[tuple[SecurityScheme, ...], ...]
    ) -> HttpCall:
        """The call with what its server asks for.

        Raises:
            KeyMissing: there is no alternative whose keys are all there.
            NetworkError: no token could be had.
        """
        missing: list[str] = []
        # One that asks nothing comes last: who has a key wants to be known.
        for schemes in sorted(alternatives, key=lambda schemes: not schemes):
            try:
                done = call
                for scheme in schemes:
                    done = await self._with(done, scheme)
            except KeyMissing as error:
                missing.append(error.sentence)
            else:
                return done
        if missing:
            raise KeyMissing(missing[0])
        return call

    def forget_tokens(self, origin: Origin) -> bool:
        """After a refusal: whether there was a token for an origin, which may have run out."""
        old = [key for key in self._tokens if key[0] == origin]
        for key in old:
            del self._tokens[key]
        return bool(old)

    async def _with(self, call: HttpCall, scheme: SecurityScheme) -> HttpCall:
        if scheme.kind is SchemeKind.CERTIFICATE:
            raise KeyMissing("It asks for a certificate of the caller, which cannot be given")
        key = await self._key(call.origin, scheme)
        match scheme.kind:
            case SchemeKind.KEY:
                put = {RequestPart.QUERY: call.with_query, RequestPart.COOKIE: call.with_cookie}
                return put.get(scheme.within or RequestPart.HEADER, call.with_header)(
                    scheme.parameter, key
                )
            case SchemeKind.BASIC:
                packed = base64.b64encode(key.encode()).decode()
                self._remember(packed)
                return call.with_header("Authorization", f"Basic {packed}")
            case SchemeKind.OAUTH2 if scheme.token_url:
                token = await self._token(call.origin, scheme)
                return call.with_header("Authorization", f"Bearer {token}")
            case _:
                return call.with_header("Authorization", f"Bearer {key}")

    async def _key(self, origin: Origin, scheme: SecurityScheme) -> str:
        key = await self._find(origin, scheme.name)
        if key is None:
            raise KeyMissing(
                f"It asks for a key ({scheme.in_words}), and none is saved for {origin}",
                todo=f'Save it for {origin}, scheme "{scheme.name}": {KEYS}',
            )
        return key

    async def _token(self, origin: Origin, scheme: SecurityScheme) -> str:
        token = self._tokens.get((origin, scheme))
        if token is None:
            token = await self._new_token(scheme)
            self._remember(token)
            self._tokens[origin, scheme] = token
        return token

    async def _new_token(self, scheme: SecurityScheme) -> str:
        try:
            key = await self._key(Origin.of(scheme.token_url), scheme)
        except BadInput as error:
            raise KeyMissing("The address that gives tokens cannot be used") from error
        user, _, secret = key.partition(":")
        packed = base64.b64encode(f"{quote_plus(user)}:{quote_plus(secret)}".encode()).decode()
        self._remember(packed)
        body = "grant_type=client_credentials"
        if scheme.scopes:
            body += f"&scope={quote_plus(' '.join(scheme.scopes))}"
        reply = await self._send(
            HttpCall(
                method="POST",
                url=scheme.token_url,
                headers=(
                    ("Authorization", f"Basic {packed}"),
                    ("Content-Type", "application/x-www-form-urlencoded"),
                    ("Accept", "application/json"),
                ),
                content=body.encode(),
            )
        )
        try:
            token = json.loads(reply.content)["access_token"]
        except (ValueError, TypeError, KeyError, RecursionError):
            token = None
        if reply.status != 200 or not token or not isinstance(token, str):
            raise NetworkError(
                f"{Origin.of(scheme.token_url)} gave no token (HTTP {reply.status})",
                todo="Check the client id and secret that are saved",
            )
        return token
