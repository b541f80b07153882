"""Calls at a virtual API server of StableToolBench's form, on loopback."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fixtures.http_world import MemoryRing, http_api
from fixtures.rough_site import WebAnswer
from fixtures.virtual_server import VirtualServer, virtual_server

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import MADE_UP, RawResult
from toolplanner_core.domain.operation import Origin
from toolplanner_core.keys import KeyName, KeyStore
from toolplanner_core.providers.classify import observe
from toolplanner_core.providers.provider import CallLimits
from toolplanner_core.providers.virtual import KEY_SCHEME, VirtualOptions, VirtualProvider

API = http_api(
    None, category="Weather", tool="Open Weather", name="Current from city", source="toolbench",
    key="Weather/open_weather/current_from_city",
)  # fmt: skip


@pytest.fixture
def server() -> Iterator[VirtualServer]:
    with virtual_server() as running:
        yield running


@pytest.fixture
def keys(tmp_path: Path) -> KeyStore:
    return KeyStore(tmp_path / "keys.json", ring=MemoryRing, environment={})


def ask(
    server: VirtualServer, keys: KeyStore, arguments: Mapping[str, Any], **more: Any
) -> RawResult:
    async def work() -> RawResult:
        origin = Origin.of(server.site.origin)
        provider = VirtualProvider(
            VirtualOptions(base_url=more.pop("base_url", server.site.origin), **more),
            base_urls={},
            allowed=frozenset([origin]),
            keys=keys,
        )
        try:
            return await provider.call(API, arguments, CallLimits())
        finally:
            await provider.close()

    return asyncio.run(work())


def test_call_when_sent_then_it_has_the_form_of_the_original(
    server: VirtualServer, keys: KeyStore
) -> None:
    keys.save(KeyName(Origin.of(server.site.origin), KEY_SCHEME), "tb-key-of-mine")
    raw = ask(server, keys, {"from": "Lyon", "Unit (C/F)": "C"}, shortening="truncate")
    assert server.asked == [
        {
            "category": "Weather", "tool_name": "open_weather", "api_name": "current_from_city",
            "tool_input": '{"is_from": "Lyon", "unit_c_f": "C"}', "strip": "truncate",
            "toolbench_key": "tb-key-of-mine",
        }
    ]  # fmt: skip
    seen = observe(raw, API)
    assert seen.value == {"made": "up", "for": {"is_from": "Lyon", "unit_c_f": "C"}}
    assert seen.origin in MADE_UP


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ({"error": "Unsubscribed error...", "response": ""}, ErrorClass.NOT_SUBSCRIBED),
        ({"error": "Tool input parse error...\n", "response": ""}, ErrorClass.WRONG_FORMAT),
        ({"error": "API not working error...", "response": "x"}, ErrorClass.SERVER_ERROR),
        ({"error": "Rate limit per minute error...", "response": ""}, ErrorClass.RATE_LIMITED),
        ({"error": "", "response": '{"message": "Too many requests"}'}, ErrorClass.RATE_LIMITED),
        ({"error": "", "response": ""}, ErrorClass.EMPTY_RESULT),
        ({"something": "else"}, ErrorClass.BAD_PAYLOAD),
        (["no", "object"], ErrorClass.BAD_PAYLOAD),
    ],
)
def test_reply_when_it_says_that_it_failed_then_its_class(
    server: VirtualServer, keys: KeyStore, said: Any, error: ErrorClass
) -> None:
    server.cache["Weather", "open_weather", "current_from_city"] = said
    raw = ask(server, keys, {})
    assert (observe(raw, API).error, raw.origin) == (error, "virtual")


def test_reply_when_the_response_is_a_text_then_its_value(
    server: VirtualServer, keys: KeyStore
) -> None:
    said = {"error": "", "response": '{"degrees": 21}'}
    server.cache["Weather", "open_weather", "current_from_city"] = said
    raw = ask(server, keys, {}, base_url=f"{server.site.origin}/virtual/")
    assert observe(raw, API).value == {"degrees": 21}


def test_call_when_the_server_refuses_or_is_not_there_then_a_failure_of_its_class(
    server: VirtualServer, keys: KeyStore
) -> None:
    server.site.on("/virtual", WebAnswer({"error": "Rate limit exceeded: 5 per 1 minute"}, 429))
    assert observe(ask(server, keys, {}), API).error is ErrorClass.RATE_LIMITED
    elsewhere = ask(server, keys, {}, base_url="http://127.0.0.1:9/virtual")
    assert elsewhere.failure is ErrorClass.BLOCKED_BY_POLICY
    assert elsewhere.origin == "not sent"


def test_api_when_its_key_has_no_tool_then_the_names_of_its_own() -> None:
    from toolplanner_core.providers.virtual import asked_of

    asked = asked_of(replace(API, key="just"), {})
    assert (asked["tool_name"], asked["api_name"]) == ("open_weather", "current_from_city")
