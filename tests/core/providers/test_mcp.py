"""Calls of tools of real servers: results, failures by class, sessions kept and renewed."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fixtures.mcp_world import RawServer, until, write_config
from fixtures.web_mcp_server import web_mcp_server

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import NOT_SENT, RawResult
from toolplanner_core.mcp_servers.consent import allow, revoke
from toolplanner_core.mcp_servers.server_spec import ServerSpec
from toolplanner_core.providers.classify import observe
from toolplanner_core.providers.mcp import McpProvider, McpProviderOptions
from toolplanner_core.providers.provider import CallLimits
from toolplanner_core.sources.import_preview import preview_source
from toolplanner_core.sources.location import Location

LIMITS = CallLimits(timeout_s=120.0)


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Consents of this test's own."""
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))


def imported(folder: Path, server: RawServer) -> dict[str, Api]:
    """The tools of a server by name, as they come in."""
    config = write_config(folder, **{server.spec.name: server.entry})
    return {api.name: api for api in preview_source(config).first}


def calling(work: Callable[[McpProvider], Awaitable[Any]], **options: Any) -> Any:
    async def run() -> Any:
        provider = McpProvider(McpProviderOptions(**options))
        try:
            return await work(provider)
        finally:
            await provider.close()
            assert len(asyncio.all_tasks()) == 1

    return asyncio.run(run())


def replies(*calls: tuple[Api, Mapping[str, Any]], limits: CallLimits = LIMITS) -> list[RawResult]:
    """What calls give, one after the other, through one provider."""

    async def work(provider: McpProvider) -> list[RawResult]:
        return [await provider.call(api, given, limits) for api, given in calls]

    return calling(work)


def test_tools_when_called_then_structured_content_texts_and_pictures_by_name(tmp_path):
    server = RawServer(tmp_path)
    apis = imported(tmp_path, server)
    added, echoed, drawn, steps = replies(
        (apis["add"], {"a": 2, "b": 3}),
        (apis["echo"], {"text": "Grüße"}),
        (apis["draw"], {}),
        (apis["steps"], {}),
    )
    assert observe(added, apis["add"]).value == {"sum": 5}
    assert observe(echoed, apis["echo"]).value == "Grüße"
    assert observe(drawn, apis["draw"]).value == {
        "text": "Here it is",
        "attachments": [
            {"kind": "image", "type": "image/png", "size": "9 bytes"},
            {"kind": "resource", "uri": "memo://1", "type": "text/plain", "text": "a memo"},
        ],
    }
    assert steps.headers == {"Progress": "1 of 2: s1; 2 of 2: s2"}
    # One session for all of them, beside the one of the import.
    assert len(server.diary("started")) == 2


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("City not found", ErrorClass.NOT_FOUND),
        ("Rate limit exceeded, try later", ErrorClass.RATE_LIMITED),
        ("Something odd happened", ErrorClass.SERVER_ERROR),
    ],
)
def test_tool_that_fails_when_called_then_classified_by_the_one_classifier(tmp_path, said, error):
    apis = imported(tmp_path, RawServer(tmp_path))
    (reply,) = replies((apis["break"], {"text": said}))
    observed = observe(reply, apis["break"])
    assert observed.error is error
    assert said in observed.message
    assert reply.body == said


def test_tool_its_server_does_not_know_when_called_then_not_found(tmp_path):
    apis = imported(tmp_path, RawServer(tmp_path))
    (reply,) = replies((apis["empty"], {}))
    assert reply.failure is ErrorClass.NOT_FOUND or reply.failure is ErrorClass.INVALID_PARAMETER
    assert "Unknown tool" in reply.message


def test_server_that_dies_in_each_call_when_called_then_started_again_each_time(tmp_path):
    server = RawServer(tmp_path, "crashes-calls")
    apis = imported(tmp_path, server)
    first, second = replies((apis["echo"], {"text": "1"}), (apis["echo"], {"text": "2"}))
    assert first.failure is second.failure is ErrorClass.NETWORK
    assert "has ended" in first.message
    assert len(server.diary("started")) == 3
    assert [each["params"]["arguments"]["text"] for each in server.heard("tools/call")] == [
        "1",
        "2",
    ]


def test_tool_that_changes_while_running_when_called_again_then_blocked(tmp_path):
    server = RawServer(tmp_path, "changing")
    apis = imported(tmp_path, server)
    before, after, other = replies(
        (apis["echo"], {"text": "1"}),
        (apis["echo"], {"text": "2"}),
        (apis["add"], {"a": 1, "b": 1}),
    )
    assert before.failure is None
    assert after.failure is ErrorClass.BLOCKED_BY_POLICY
    assert after.origin == NOT_SENT
    assert "otherwise than when it was imported (description)" in after.message
    assert len(server.heard("tools/call")) == 2
    assert other.failure is None


def test_server_nobody_allows_here_when_called_then_not_started(tmp_path):
    server = RawServer(tmp_path)
    apis = imported(tmp_path, server)
    revoke(server.spec.id)
    (reply,) = replies((apis["echo"], {"text": "x"}))
    assert reply.failure is ErrorClass.BLOCKED_BY_POLICY
    assert reply.origin == NOT_SENT
    assert server.spec.address in reply.message
    assert len(server.diary("started")) == 1


def test_server_when_its_folder_changes_after_the_consent_then_not_started(tmp_path):
    server = RawServer(tmp_path)
    apis = imported(tmp_path, server)
    moved = replace(apis["echo"], operation=replace(server.spec, folder="/").operation_of("echo"))
    (reply,) = replies((moved, {"text": "x"}))
    assert reply.failure is ErrorClass.BLOCKED_BY_POLICY
    assert "in the folder /" in reply.message
    assert len(server.diary("started")) == 1


def test_calls_at_the_same_time_when_the_server_is_not_started_then_started_once(tmp_path):
    server = RawServer(tmp_path)
    apis = imported(tmp_path, server)

    async def work(provider: McpProvider) -> list[RawResult]:
        given = [{"a": number, "b": 1} for number in range(8)]
        return await asyncio.gather(*(provider.call(apis["add"], each, LIMITS) for each in given))

    sums = [json.loads(reply.body)["sum"] for reply in calling(work)]
    assert sums == list(range(1, 9))
    assert len(server.diary("started")) == 2


def test_call_when_cancelled_then_server_told_and_session_goes_on(tmp_path):
    server = RawServer(tmp_path)
    apis = imported(tmp_path, server)

    async def work(provider: McpProvider) -> RawResult:
        waiting = asyncio.ensure_future(provider.call(apis["wait"], {}, LIMITS))
        await until(lambda: server.heard("tools/call"))
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await until(lambda: server.heard("notifications/cancelled"))
        return await provider.call(apis["add"], {"a": 1, "b": 1}, LIMITS)

    assert calling(work).status == 200
    assert len(server.diary("started")) == 2


def test_server_at_an_address_when_it_forgets_the_session_then_a_new_one_is_begun(tmp_path):
    with web_mcp_server() as desk:
        allow(ServerSpec(name="mcp", url=desk.url))
        preview = preview_source(Location.of(desk.url))
        add = next(api for api in preview.first if api.name == "add")

        async def work(provider: McpProvider) -> list[RawResult]:
            found: list[RawResult] = []
            for status in (0, 404, 0):
                desk.status = status
                found.append(await provider.call(add, {"a": 1, "b": 1}, LIMITS))
            return found

        first, forgotten, again = calling(work)
        assert (first.status, again.status) == (200, 200)
        assert forgotten.failure is ErrorClass.NETWORK
        # The import, the first call, the one that is forgotten and tries once more, and the last.
        assert len(desk.heard("initialize")) == 4


def test_reply_that_is_too_large_when_called_then_bad_payload(tmp_path):
    apis = imported(tmp_path, RawServer(tmp_path))
    limits = CallLimits(timeout_s=120.0, max_bytes=1_000)
    (reply,) = replies((apis["echo"], {"text": "x" * 2_000}), limits=limits)
    assert reply.failure is ErrorClass.BAD_PAYLOAD
