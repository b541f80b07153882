"""How far a call has come, as a real server tells it: seen while it goes on, never written; and a
run that is stopped tells the server."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from fixtures.mcp_world import RawServer, until, write_config
from fixtures.scripted_endpoint import Turn, scripted_endpoint
from fixtures.scripted_run import make_parts

from toolplanner_core import keys
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import Status
from toolplanner_core.llm.openai_model import OpenAiModel
from toolplanner_core.providers.mcp import McpProvider, McpProviderOptions
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.log.redaction import Redactor
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.runs.stages import live_replies as live_speech
from toolplanner_core.runs.stages.live_replies import SHOWN_PROGRESS, LiveReplies, LiveReply
from toolplanner_core.settings import EndpointSettings
from toolplanner_core.sources.import_preview import preview_source
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Consents of this test's own."""
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))


def stopped_at_its_first_step(
    workspace: Workspace, server: RawServer
) -> tuple[RunSummary, list[LiveReply]]:
    """A run that is stopped as soon as its call tells how far it is."""
    apis = preview_source(write_config(server.path.parent, raw=server.entry)).first
    steps = next(api for api in apis if api.name == "steps")
    heard: list[LiveReply] = []

    async def go(url: str) -> RunSummary:
        from openai import AsyncOpenAI

        client = AsyncOpenAI(api_key="none", base_url=url, max_retries=0)
        model = OpenAiModel("scripted", client=client, settings=EndpointSettings())
        provider = McpProvider(McpProviderOptions())
        kits = {"Steps": [steps]}
        parts = make_parts(kits, model, provider, strategy=strategies.get("react"))
        cancel = asyncio.Event()

        def watch(said: Sequence[LiveReply]) -> None:
            heard.extend(each for each in said if each.progress)
            if heard:
                cancel.set()

        try:
            spec = RunSpec(query="q", strategy="react")
            summary = await run(workspace, spec, parts=parts, cancel=cancel, on_speech=watch)
            # The server's process has not been ended: it must have been told.
            await until(lambda: server.heard("notifications/cancelled"))
            return summary
        finally:
            await provider.close()

    with scripted_endpoint(Turn("", [("steps_for_raw", {})])) as endpoint:
        return asyncio.run(go(endpoint.url)), heard


def test_call_when_its_server_tells_of_it_then_seen_at_its_node_and_never_written(
    workspace: Workspace, tmp_path: Path
) -> None:
    server = RawServer(tmp_path, "halts")
    summary, heard = stopped_at_its_first_step(workspace, server)
    assert summary.status is Status.CANCELLED
    assert {each.progress for each in heard} == {"1 of 2: s1"}
    records = read_run(workspace, summary.run)
    sent = [r for r in records if r.path == heard[0].path]
    assert [r.type for r in sent] == ["call.sent", "call.failed"]
    assert not [r for r in records if "s1" in json.dumps(str(r.event))]
    (told,) = server.heard("notifications/cancelled")
    assert "requestId" in told["params"]


def test_progress_when_it_holds_a_key_or_is_long_or_late_then_black_short_or_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_speech, "MOMENT_S", 0.0)
    keys.register_secrets("canary-of-progress")
    heard: list[LiveReply] = []

    async def tell_it() -> None:
        said = asyncio.Event()

        def listen(speech: Sequence[LiveReply]) -> None:
            heard.extend(speech)
            said.set()

        live = LiveReplies(listen, Redactor())
        with live.following(NodePath("call.1")) as tell:
            tell("1 of 3: begins")
            tell("2 of 3: with canary-of-progress " + "x" * 1_000)
            await said.wait()
        said.clear()
        tell("3 of 3: too late")
        with live.following(NodePath("call.2")) as other:
            other("1")
            await said.wait()

    asyncio.run(tell_it())
    first, second = heard
    assert first.progress.startswith("2 of 3: with ") and "canary" not in first.progress
    assert len(first.progress) == SHOWN_PROGRESS
    assert (second.path, second.progress) == ("call.2", "1")
