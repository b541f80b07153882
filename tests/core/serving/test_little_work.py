"""What a search and a call of an agent cost, counted in statements and conversions."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.serving import catalogue as catalogues
from toolplanner_core.serving.catalogue import ServedCatalogue
from toolplanner_core.serving.profile import ServingProfile
from toolplanner_core.serving.session import ServingSession
from toolplanner_core.serving.tools import ServedTools
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import stored_tool_names
from toolplanner_core.workspace.toolkits import excluded_ids, excluded_rowids

NEED = {"need": "convert an amount of money to another currency", "limit": 4}
CALL = {
    "name": "exchangehub_CONVERT_currency",
    "arguments": {"from": "USD", "to": "EUR", "amount": 250},
}


def served(path: Path, talk: Callable[[ServedTools, ServingSession], Awaitable[None]]) -> None:
    async def work() -> None:
        with Workspace.open(path) as workspace:
            profile, search = ServingProfile(), WorkspaceCatalogue(workspace)
            tools = ServedTools(ServedCatalogue(workspace, profile, search), profile)
            session = ServingSession(workspace, profile, search, client="test")
            await talk(tools, session)
            await session.close()
            search.close()

    asyncio.run(work())


def test_search_when_it_finds_then_names_only_what_is_told(demo: Path) -> None:
    async def talk(tools: ServedTools, session: ServingSession) -> None:
        assert not (await tools.call(session, "find_tools", NEED)).is_error

    served(demo, talk)
    with Workspace.open(demo) as workspace:
        assert len(stored_tool_names(workspace)) == NEED["limit"]


def test_schema_when_found_and_called_again_then_is_converted_once(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    converted: list[object] = []
    convert = catalogues.portable_schema
    monkeypatch.setattr(
        catalogues, "portable_schema", lambda schema: (converted.append(schema), convert(schema))[1]
    )

    async def talk(tools: ServedTools, session: ServingSession) -> None:
        for _ in range(3):
            await tools.call(session, "find_tools", NEED)
            assert not (await tools.call(session, "call_tool", CALL)).is_error

    served(demo, talk)
    assert len(converted) == NEED["limit"]


@pytest.mark.parametrize("ask", [excluded_ids, excluded_rowids])
def test_unusable_apis_when_asked_for_then_the_catalogue_is_not_gone_through(
    demo: Path, ask: Callable[[Workspace], object]
) -> None:
    """SQLite counts the steps of its machine: a look at each API takes several."""
    with Workspace.open(demo) as workspace:
        ask(workspace)
        steps: list[None] = []
        workspace.reader().conn.set_progress_handler(lambda: steps.append(None), 10)
        assert ask(workspace) == frozenset()
        workspace.reader().conn.set_progress_handler(None, 0)
        [apis] = workspace.one_row("SELECT count(*) FROM apis")
    assert len(steps) * 10 < apis
