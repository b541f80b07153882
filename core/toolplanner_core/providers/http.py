"""The provider that calls APIs over HTTP, by their operations.

What it sends and where is decided by the catalogue's document, the person's base URL and the
arguments; keys come from the keychain; the network's rules are the safe client's. A call that fails
is a result with its class, never an exception.
"""

import asyncio
import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from email.message import Message
from typing import Any

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import NOT_SENT, RawResult
from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import (
    BadInput,
    NetworkError,
    NetworkRefused,
    NetworkTimeout,
    RedirectRefused,
    ReplyUnusable,
    UserError,
)
from toolplanner_core.keys import KeyStore, person_keys, register_secrets
from toolplanner_core.net.addresses import allowed_origins
from toolplanner_core.net.client import make_client
from toolplanner_core.net.exchange import ExchangeLimits, ExchangeReply, exchange
from toolplanner_core.options.option import option
from toolplanner_core.providers.http_credentials import Credentials, KeyMissing
from toolplanner_core.providers.http_request import (
    HttpCall,
    ServerUnknown,
    http_call,
    request_text,
    with_key_placeholders,
)
from toolplanner_core.providers.provider import CallLimits, Provider, ProviderPlugin, not_sent
from toolplanner_core.providers.reply_images import FoundPicture, pictures_of
from toolplanner_core.providers.routes import routes_of
from toolplanner_core.workspace import Workspace


class Pacer:
    """Lets requests through, evenly spread.

    Args:
        per_second: to one origin; 0 = without a limit.
    """

    def __init__(self, per_second: float) -> None:
        self._gap_s = 1 / per_second if per_second else 0.0
        self._next_s: dict[Origin, float] = {}

    async def wait(self, origin: Origin, *, per_second: float | None = None) -> None:
        """Return when a request to an origin may leave; in the order of asking.

        Args:
            per_second: for this request; None = the usual.
        """
        gap_s = self._gap_s if per_second is None else 1 / per_second
        now_s = asyncio.get_running_loop().time()
        at_s = max(now_s, self._next_s.get(origin, now_s))
        self._next_s[origin] = at_s + gap_s
        if at_s > now_s:
            await asyncio.sleep(at_s - now_s)


ORIGIN = "http"
_MATTERS = re.compile(r"(?:retry-after|location|link|x-request-id|(?:x-)?rate-?limit.*)")
_TEXT = re.compile(r"text/|.*(?:json|xml|javascript|yaml|csv|html|x-www-form-urlencoded)")


def raw_result(reply: ExchangeReply, api: Api) -> RawResult:
    """A reply as it is kept; a page for people where data were promised is a failure."""
    header = Message()
    header["Content-Type"] = reply.headers.get("content-type", "")
    kind = header.get_content_type() if header["Content-Type"] else ""
    is_text = not kind or _TEXT.match(kind) is not None
    content = reply.content
    if is_text:
        body = _decoded(content, header.get_content_charset() or "utf-8")
    else:
        body = f"({len(content):,} bytes of {kind})"
    # What was changed may be confirmed by nothing at all, whatever kind its header names.
    is_awaited = api.response_schema is not None and (api.risk is Risk.READ or bool(body.strip()))
    is_page = kind == "text/html" and 200 <= reply.status < 300 and is_awaited
    return RawResult(
        status=reply.status,
        body=body,
        content_type=kind if is_text else "text/plain",
        headers={
            "-".join(part.capitalize() for part in name.split("-")): value[:500]
            for name, value in reply.headers.items()
            if _MATTERS.fullmatch(name)
        },
        failure=ErrorClass.BAD_PAYLOAD if is_page else None,
        message="a page of HTML came where the documentation promises data" if is_page else "",
        origin=ORIGIN,
        pictures=pictures_of([_picture(kind, content)] if kind.startswith("image/") else []),
    )


def _picture(kind: str, content: bytes) -> FoundPicture:
    return FoundPicture(kind, base64.b64encode(content).decode("ascii"))


def _decoded(content: bytes, charset: str) -> str:
    try:
        text = content.decode(charset)
    except (LookupError, UnicodeDecodeError):
        text = content.decode("utf-8", "replace")
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


_CLASSES = (
    (NetworkRefused, ErrorClass.BLOCKED_BY_POLICY),
    (NetworkTimeout, ErrorClass.TIMEOUT),
    (ReplyUnusable, ErrorClass.BAD_PAYLOAD),
    (KeyMissing, ErrorClass.UNAUTHORISED),
    (NetworkError, ErrorClass.NETWORK),
    (ServerUnknown, ErrorClass.UNKNOWN_API),
    (BadInput, ErrorClass.INVALID_PARAMETER),
)
_BEFORE_SENDING = (NetworkRefused, KeyMissing, BadInput)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpOptions:
    """Options of the provider."""

    retries: int = option(
        2, "How often a call that only reads is repeated when it failed on the way.",
        minimum=0, maximum=10,
    )  # fmt: skip
    per_second: float = option(
        5.0, "Requests a second to one server at most; 0 = as many as come.",
        minimum=0, maximum=1000, title="Requests per second",
    )  # fmt: skip
    base_url: str = option(
        "", "Calls all APIs here instead of at their own servers, such as a test server."
    )


class HttpProvider(Provider):
    """Calls APIs.

    Args:
        base_urls: addresses of servers by source, instead of those of the catalogue.
        allowed: origins that need not be of the open internet.
        rates: requests a second by source, instead of the option's.
    """

    def __init__(
        self,
        options: HttpOptions,
        *,
        base_urls: Mapping[str, str],
        allowed: frozenset[Origin],
        keys: KeyStore,
        rates: Mapping[str, float] | None = None,
    ) -> None:
        self._base, self._base_urls, self._rates = options.base_url, base_urls, rates or {}
        self._client = make_client(allowed)
        self._pacer = Pacer(options.per_second)
        self._credentials = Credentials(
            lambda origin, scheme: asyncio.to_thread(keys.find, origin, scheme),
            lambda call: self._send(call, CallLimits()),
            register_secrets,
        )

    async def call(self, api: Api, arguments: Mapping[str, Any], limits: CallLimits) -> RawResult:
        """Send one request, and a second one if a token had run out."""
        if api.operation is None:
            message = f"The catalogue does not say how {api.title} is called"
            return not_sent(ErrorClass.UNKNOWN_API, message)
        reply: ExchangeReply | None = None
        sent: list[HttpCall] = []
        try:
            call = self.request_of(api, arguments)
            reply = await self._send_as_somebody(call, api, limits, sent)
            if reply.status == 401 and self._credentials.forget_tokens(call.origin):
                sent.clear()  # it was refused
                reply = await self._send_as_somebody(call, api, limits, sent)
        except (NetworkError, KeyMissing, BadInput) as error:
            failed = no_reply_result(error, origin=ORIGIN, was_sent=reply is not None)
            is_led_on = isinstance(error, RedirectRefused)
            return replace(failed, reached=(is_led_on or None) if sent else False)
        return raw_result(reply, api)

    def request_of(self, api: Api, arguments: Mapping[str, Any]) -> HttpCall:
        """The request that a call would make, without keys.

        Raises:
            BadInput: there can be none.
        """
        if api.operation is None:
            raise BadInput(f"The catalogue does not say how {api.title} is called")
        base = self._base or self._base_urls.get(api.source, "")
        return http_call(api.operation, arguments, base=base)

    def describe_request(self, api: Api, arguments: Mapping[str, Any]) -> str:
        """Method and whole address, headers, body; of what cannot be sent how it is called."""
        security = api.operation.security if api.operation else ()
        try:
            return request_text(with_key_placeholders(self.request_of(api, arguments), security))
        except BadInput:
            return api.call_in_words

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _send_as_somebody(
        self, call: HttpCall, api: Api, limits: CallLimits, sent: list[HttpCall]
    ) -> ExchangeReply:
        """Send a call; it joins `sent` when its first bytes leave."""
        security = api.operation.security if api.operation else ()
        call = await self._credentials.put_into(call, security)
        return await self._send(
            call,
            limits,
            per_second=self._rates.get(api.source),
            on_sending=lambda: sent.append(call),
        )

    async def _send(
        self,
        call: HttpCall,
        limits: CallLimits,
        *,
        per_second: float | None = None,
        on_sending: Callable[[], None] | None = None,
    ) -> ExchangeReply:
        import httpx2

        await self._pacer.wait(call.origin, per_second=per_second)
        try:
            request = self._client.build_request(
                call.method,
                call.url,
                headers=[("Accept", "application/json, */*;q=0.5"), *call.all_headers()],
                content=call.content,
            )
        except (httpx2.InvalidURL, UnicodeEncodeError, ValueError) as error:
            raise BadInput("The request cannot be written", why=str(error)) from error
        within = ExchangeLimits(max_bytes=limits.max_bytes, total_s=limits.timeout_s)
        return await exchange(self._client, request, within, on_sending=on_sending)


def no_reply_result(error: UserError, *, origin: str, was_sent: bool = False) -> RawResult:
    """What kept a request from being sent, or its reply from coming, as a failure.

    Args:
        origin: who would have answered.
        was_sent: something was sent before this.
    """
    failure = next(failure for kind, failure in _CLASSES if isinstance(error, kind))
    is_late = was_sent or isinstance(error, RedirectRefused)
    is_unsent = isinstance(error, _BEFORE_SENDING) and not is_late
    return RawResult(
        failure=failure, message=error.sentence, origin=NOT_SENT if is_unsent else origin
    )


def _make(workspace: Workspace, options: HttpOptions) -> HttpProvider:
    if options.base_url:
        Origin.of(options.base_url)
    routes = routes_of(workspace)
    return HttpProvider(
        options,
        base_urls={route.source: route.base_url for route in routes if route.base_url},
        allowed=allowed_origins(),
        keys=person_keys(),
        rates={route.source: route.per_second for route in routes if route.per_second},
    )


PLUGIN = ProviderPlugin(
    id="http",
    title="HTTP",
    description="Calls the real servers, as the catalogue documents them.",
    touches_world=True,
    options=HttpOptions,
    make=_make,
)
