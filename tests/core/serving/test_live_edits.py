"""Edits that others make while agents are served: the next call and the lists of clients follow
without a restart. The edits come from a process of their own, the clients are the SDK's."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here, toolplanner
from fixtures.gateway_client import ERAS, RunningGateway, gateway_over_http, over_stdio, texts_of

from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.serving.catalogue import ServedCatalogue
from toolplanner_core.serving.guard import gateway_token
from toolplanner_core.serving.profile import ServingMode, ServingProfile
from toolplanner_core.serving.tool_list import SAME_WORDS_S, ToolList
from toolplanner_core.workspace import Workspace

HUB, LINE = "ExchangeHub_Convert_currency", "FxLine_Exchange"
MONEY = {"from": "USD", "to": "EUR", "amount": 250}
SERVED = ("--mode", "flat", "--toolkit", "Currency exchange", "--fault", "500:api=ExchangeHub*")


class Hearer:
    """Hears of changes as clients of its era do."""

    def __init__(self, era: str) -> None:
        self._era, self._heard = era, asyncio.Event()

    async def hear(self, message: Any) -> None:
        """For clients of 2025: whatever the server tells."""
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            self._heard.set()

    @contextlib.asynccontextmanager
    async def hearing(self, client: Any) -> AsyncGenerator[Callable[[], Awaitable[Any]]]:
        """Waits for the next change, from now on."""
        if self._era == "legacy":
            yield self._heard.wait
            return
        async with client.listen(tools_list_changed=True) as changes:
            yield aiter(changes).__anext__


async def merged_meanwhile(client: Any, hearer: Hearer, demo: Path) -> list[Any]:
    """Names and replies before and after a merge that another process makes."""

    async def look() -> tuple[set[str], str]:
        names = {tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools}
        return names, texts_of(await client.call_tool(HUB, MONEY))[-1]

    before = await look()
    async with hearer.hearing(client) as told:
        merge = ("toolkits", "merge", demo, "Currency exchange", "Apart")
        done = await asyncio.to_thread(toolplanner, *merge)
        assert done.status == 0, done.err
        await told()
    return [before, await look()]


def set_apart(demo: Path) -> None:
    """FxLine stands in a toolkit of its own, which is not served."""
    done = command_here("toolkits", "new", demo, "Apart", "Finance/fxline/exchange")
    assert done.status == 0, done.err


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_merge_when_another_process_makes_it_then_lists_and_the_next_fallback_follow(
    demo: Path, era: str, way: str
) -> None:
    set_apart(demo)
    hearer = Hearer(era)
    options = {"era": era, "message_handler": hearer.hear}

    async def talk(client: Any) -> list[Any]:
        return await merged_meanwhile(client, hearer, demo)

    async def by_http(gateway: RunningGateway) -> list[Any]:
        async with gateway.client(gateway_token(), **options) as client:
            return await talk(client)

    if way == "http":
        with gateway_over_http(demo, *SERVED) as gateway:
            found = asyncio.run(by_http(gateway))
    else:
        found = over_stdio(demo, talk, *SERVED, **options)
    (names, told), (names_after, told_after) = found
    assert LINE not in names
    assert LINE not in told.replace("·", "_")
    assert names_after == {*names, LINE}
    assert told_after.startswith("Answered by FxLine · Exchange, in the place of ExchangeHub")


def test_toolkit_when_it_is_merged_into_one_that_is_not_served_then_the_list_goes_on(
    demo: Path,
) -> None:
    """A toolkit of the profile that has gone must not break the list of the others."""
    with Workspace.open(demo) as workspace:
        ids = frozenset({_toolkit(demo, "Currency exchange"), _toolkit(demo, "Airports")})
        profile = ServingProfile(mode=ServingMode.FLAT, toolkits=ids)
        tools = ToolList(_catalogue(workspace, profile), profile)
        before = {each.tool.name for each in tools.listed()}
        assert command_here("toolkits", "merge", demo, "Public holidays", "Airports").status == 0
        after = {each.tool.name for each in tools.listed()}
    assert HUB in after
    assert len(before) == 14
    assert len(after) == 9


def _toolkit(demo: Path, name: str) -> Any:
    rows = command_here("toolkits", "list", demo, "--json").data
    return next(row["id"] for row in rows if row["name"] == name)


def _catalogue(workspace: Workspace, profile: ServingProfile) -> ServedCatalogue:
    return ServedCatalogue(workspace, profile, WorkspaceCatalogue(workspace))


def test_list_of_search_when_toolkits_are_edited_then_its_words_stay_for_ten_minutes(
    demo: Path,
) -> None:
    """Clients and their models keep the list in caches; what is found is new at once anyway."""
    now_s = [0.0]
    with Workspace.open(demo) as workspace:
        profile = ServingProfile(mode=ServingMode.SEARCH)
        tools = ToolList(_catalogue(workspace, profile), profile, clock=lambda: now_s[0])
        first = tools.listed()[0].tool.description
        assert "35 toolkits" in first
        assert command_here("toolkits", "merge", demo, "Public holidays", "Airports").status == 0
        now_s[0] = SAME_WORDS_S - 1
        assert tools.listed()[0].tool.description == first
        now_s[0] = SAME_WORDS_S + 1
        assert "34 toolkits" in tools.listed()[0].tool.description
