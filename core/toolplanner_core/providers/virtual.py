"""Calls APIs at a virtual API server of StableToolBench's form, which stands in for all of them.

Such a server answers from a cache, from the real API or by a language model, and does not say which
of them it was. So nothing that it says counts as an API's health, and everything says "virtual".

Source: StableToolBench (Apache-2.0), server/main.py: POST /virtual with category, tool_name,
api_name, tool_input, strip and toolbench_key; the reply is ``{"error", "response"}``.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import VIRTUAL, RawResult
from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import NetworkError
from toolplanner_core.keys import KeyStore, person_keys
from toolplanner_core.net.addresses import allowed_origins
from toolplanner_core.net.client import make_client
from toolplanner_core.net.exchange import ExchangeLimits, ExchangeReply, exchange
from toolplanner_core.options.option import option
from toolplanner_core.providers.error_classes import class_of_words
from toolplanner_core.providers.http import no_reply_result, raw_result
from toolplanner_core.providers.provider import CallLimits, Provider, ProviderPlugin
from toolplanner_core.providers.routes import routes_of
from toolplanner_core.sources.toolbench import function_name
from toolplanner_core.workspace import Workspace

KEY_SCHEME = "toolbench_key"
"""What its key is called in the list of keys."""
_PATH = "/virtual"
_SAID = {
    "api not working error...": ErrorClass.SERVER_ERROR,
    "unauthorized error...": ErrorClass.UNAUTHORISED,
    "unsubscribed error...": ErrorClass.NOT_SUBSCRIBED,
    "too many requests error...": ErrorClass.RATE_LIMITED,
    "rate limit per minute error...": ErrorClass.RATE_LIMITED,
    "tool input parse error...": ErrorClass.WRONG_FORMAT,
    "failed to generate fake response": ErrorClass.SERVER_ERROR,
}
"""What the server and ToolBench's own, which stands behind it, say instead of a reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualOptions:
    """Options of the provider."""

    base_url: str = option(
        "http://localhost:8080",
        "Address of the virtual API server; a source's own base URL goes before it.",
        title="Base URL",
    )
    shortening: str = option("", "How the server shortens replies, in its own words; empty = not.")


class VirtualProvider(Provider):
    """Asks one server instead of all.

    Args:
        base_urls: addresses by source.
        allowed: origins that need not be of the open internet.
    """

    def __init__(
        self,
        options: VirtualOptions,
        *,
        base_urls: Mapping[str, str],
        allowed: frozenset[Origin],
        keys: KeyStore,
    ) -> None:
        self._options, self._base_urls, self._keys = options, base_urls, keys
        self._client = make_client(allowed)

    async def call(self, api: Api, arguments: Mapping[str, Any], limits: CallLimits) -> RawResult:
        """What the server says in the API's place."""
        base = (self._base_urls.get(api.source) or self._options.base_url).rstrip("/")
        origin = Origin.of(base)
        key = await asyncio.to_thread(self._keys.find, origin, KEY_SCHEME) or ""
        asked = {
            **asked_of(api, arguments),
            "strip": self._options.shortening,
            "toolbench_key": key,
        }
        request = self._client.build_request(
            "POST",
            base if base.endswith(_PATH) else base + _PATH,
            headers={"Content-Type": "application/json", "Accept": "application/json"},
            content=json.dumps(asked, ensure_ascii=False).encode(),
        )
        within = ExchangeLimits(max_bytes=limits.max_bytes, total_s=limits.timeout_s)
        try:
            reply = await exchange(self._client, request, within)
        except NetworkError as error:
            return no_reply_result(error, origin=VIRTUAL)
        return _result(reply, api)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def asked_of(api: Api, arguments: Mapping[str, Any]) -> dict[str, str]:
    """The API and its arguments in ToolBench's names."""
    category, _, rest = api.key.partition("/")
    tool, _, name = rest.rpartition("/")
    values = {function_name(key) or key: value for key, value in arguments.items()}
    return {
        "category": api.category or category,
        "tool_name": tool or function_name(api.tool),
        "api_name": name or function_name(api.name),
        "tool_input": json.dumps(values, ensure_ascii=False),
    }


def _result(reply: ExchangeReply, api: Api) -> RawResult:
    raw = replace(raw_result(reply, api), origin=VIRTUAL)
    if not 200 <= reply.status < 300:
        return raw
    try:
        said: Any = json.loads(raw.body)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict) or "response" not in said:
        why = "the server does not answer as a virtual API server does"
        return replace(raw, failure=ErrorClass.BAD_PAYLOAD, message=why)
    answer = cast("dict[str, Any]", said)
    if error := str(answer.get("error") or "").strip():
        failure = _SAID.get(error.lower()) or class_of_words(error) or ErrorClass.SERVER_ERROR
        return replace(raw, failure=failure, message=error[:500])
    response = answer["response"]
    if isinstance(response, str):
        return replace(raw, body=response, content_type="text/plain")
    return replace(raw, body=json.dumps(response, ensure_ascii=False))


def _make(workspace: Workspace, options: VirtualOptions) -> VirtualProvider:
    Origin.of(options.base_url)
    base_urls = {route.source: route.base_url for route in routes_of(workspace) if route.base_url}
    return VirtualProvider(
        options, base_urls=base_urls, allowed=allowed_origins(), keys=person_keys()
    )


PLUGIN = ProviderPlugin(
    id="virtual",
    title="Virtual API server",
    description="Asks a server of StableToolBench's form in the place of the APIs; its replies may"
    " be made up.",
    # It may call the real API behind.
    touches_world=True,
    options=VirtualOptions,
    make=_make,
)
