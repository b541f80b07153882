"""A session of very many calls: what it keeps of a call that was answered is nothing."""

import asyncio
import gc
from collections import Counter
from pathlib import Path

from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.log.stored_runs import list_runs, load_tree
from toolplanner_core.serving.catalogue import ServedCatalogue
from toolplanner_core.serving.profile import ServingProfile
from toolplanner_core.serving.session import MOST_REQUESTS, ServingSession
from toolplanner_core.serving.tools import ServedTools
from toolplanner_core.workspace import Workspace

CALLS = 120
"""More than the events of a batch, so that what only waits to be written is a small part."""


def test_cache_of_pages_when_only_logs_are_written_then_it_stays_small(demo: Path) -> None:
    def size_kb(workspace: Workspace) -> int:
        ask = workspace.writer.run
        return -ask(lambda db: db.conn.execute("PRAGMA cache_size").fetchone()[0])

    with Workspace.open(demo) as workspace:
        before_kb = size_kb(workspace)
        workspace.keep_small_cache()
        assert size_kb(workspace) <= before_kb / 8


def kept_objects() -> int:
    """Objects of ours that are alive."""
    gc.collect()
    kinds = Counter(str(type(each)) for each in gc.get_objects())
    return sum(n for kind, n in kinds.items() if "toolplanner_core" in kind or "Random" in kind)


def test_session_when_calls_were_answered_then_it_keeps_nothing_of_them(demo: Path) -> None:
    async def talk(workspace: Workspace) -> int:
        profile, search = ServingProfile(), WorkspaceCatalogue(workspace)
        tools = ServedTools(ServedCatalogue(workspace, profile, search), profile)
        session = ServingSession(workspace, profile, search, client="test")

        async def call(amount: int) -> None:
            arguments = {"from": "USD", "to": "EUR", "amount": amount}
            wanted = {"name": "ExchangeHub_Convert_currency", "arguments": arguments}
            assert not (await tools.call(session, "call_tool", wanted)).is_error
            if amount % 5 == 0:
                await tools.call(session, "find_tools", {"need": "convert money"})

        await tools.call(session, "find_tools", {"need": "convert money"})
        for amount in range(1, 20):
            await call(amount)
        before = kept_objects()
        for amount in range(20, 20 + CALLS):
            await call(amount)
        kept, tries = CALLS, 6_000
        while kept >= CALLS and tries:
            # What only waits to be written goes as soon as it is; how soon depends on the machine.
            await asyncio.sleep(0.05)
            kept, tries = kept_objects() - before, tries - 1
        await session.close()
        search.close()
        return kept

    with Workspace.open(demo) as workspace:
        assert asyncio.run(talk(workspace)) < CALLS


def test_searches_when_very_many_follow_a_call_then_the_next_call_begins_another_run(
    demo: Path,
) -> None:
    async def talk(workspace: Workspace) -> None:
        profile, search = ServingProfile(), WorkspaceCatalogue(workspace)
        tools = ServedTools(ServedCatalogue(workspace, profile, search), profile)
        session = ServingSession(workspace, profile, search, client="test")
        money = {"from": "USD", "to": "EUR", "amount": 1}
        wanted = {"name": "ExchangeHub_Convert_currency", "arguments": money}
        await tools.call(session, "find_tools", {"need": "convert money"})
        await tools.call(session, "call_tool", wanted)
        for number in range(MOST_REQUESTS + 10):
            session.looked_up(f"need {number}", [])
        assert not (await tools.call(session, "call_tool", wanted)).is_error
        await session.close()
        search.close()

    with Workspace.open(demo) as workspace:
        before = {run.run for run in list_runs(workspace)}
        asyncio.run(talk(workspace))
        ours = sorted(run.run for run in list_runs(workspace) if run.run not in before)
        counts = [
            Counter(node.kind for _, node in load_tree(workspace, run).walk()) for run in ours
        ]
        assert [count["request"] for count in counts] == [1, 1]
        assert counts[0]["lookup"] == MOST_REQUESTS - 1
        # Of those that the first run had no room for, the next one tells.
        assert counts[1]["lookup"] == 12
