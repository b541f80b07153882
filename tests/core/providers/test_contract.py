"""What every provider must do, whichever it is: a failing API is a reply, never an exception."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.providers.provider import CallLimits, ProviderPlugin, providers
from toolplanner_core.sources.recordings import import_recordings
from toolplanner_core.workspace import Workspace

STRANGER = Api(
    id=ApiId("1" * 16), source="toolbench", key="W/m/f", category="W", tool="Meteo", name="f",
    method="GET", url="", description="Forecast", tool_description="", parameters={},
    response_schema=None, risk=Risk.READ, doc_hash="",
)  # fmt: skip

every = pytest.mark.parametrize("plugin", list(providers), ids=lambda plugin: plugin.id)


@pytest.fixture
def filled(workspace: Workspace, tmp_path: Path) -> Workspace:
    """A workspace on which every provider can work: one recorded call."""
    line = {"category": "X", "tool": "t", "fn": "f", "calls": [{"input": {}, "response": "yes"}]}
    (tmp_path / "calls.jsonl").write_text(json.dumps(line))
    import_recordings(workspace, tmp_path / "calls.jsonl", progress=Progress())
    return workspace


def call(plugin: ProviderPlugin, workspace: Workspace, arguments: dict[str, Any]) -> RawResult:
    async def work() -> RawResult:
        provider = plugin.make(workspace, plugin.options())
        result = await provider.call(STRANGER, arguments, CallLimits())
        await provider.close()
        await provider.close()
        return result

    return asyncio.run(work())


@every
def test_provider_when_made_anew_with_the_same_options_then_replies_the_same(
    plugin: ProviderPlugin, filled: Workspace
) -> None:
    first, second = (call(plugin, filled, {"city": "Lyon"}) for _ in range(2))
    assert first == second
    assert first.origin
    assert first.failure is not None or first.body


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


@every
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arguments=st.dictionaries(st.text(max_size=6), JSON, max_size=4))
def test_provider_when_arguments_are_anything_then_there_is_a_reply(
    plugin: ProviderPlugin, filled: Workspace, arguments: dict[str, Any]
) -> None:
    result = call(plugin, filled, arguments)
    assert isinstance(result, RawResult)
    assert result.failure is not None or result.status is not None
