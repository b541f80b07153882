"""What a strategy keeps between runs, what it has spent, and looking through the catalogue."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from fixtures.command_line import command_here
from fixtures.own_strategy import KITS, Talker, again, do, own_parts, own_strategy
from fixtures.scripted_run import ScriptedProvider, make_api, make_parts

from toolplanner_core.domain.nodes import NodeKind
from toolplanner_core.domain.plan import Status
from toolplanner_core.domain.toolkit import ScoredApi
from toolplanner_core.errors import NotFound
from toolplanner_core.runs.catalogue.workspace_catalogue import CataloguePager, WorkspaceCatalogue
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.shared import MemoryWritten
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.memories import memory_versions, read_memory, revert_memory
from toolplanner_core.workspace.toolkits import list_toolkits

NODE = NodeKind(id="thing", word="thing")


async def learn(run: RunScope) -> str:
    memory = await run.memory("plans")
    seen = list(memory.value or [])
    async with run.node(NODE, 1, "work"):
        await run.call(KITS["One"][0], {"q": "x"})
    memory.write([*seen, len(seen) + 1])
    return str(seen)


def test_memory_when_runs_end_then_each_version_is_kept_with_its_run(workspace: Workspace) -> None:
    first, second = do(workspace, learn), do(workspace, learn)
    assert (first.answer, second.answer) == ("[]", "[1]")
    assert read_memory(workspace, "plans") == (2, [1, 2])
    assert [(v.version, v.run) for v in memory_versions(workspace)] == [
        (2, second.run), (1, first.run),
    ]  # fmt: skip
    written = [r.event for r in read_run(workspace, second.run)]
    assert MemoryWritten(name="plans", version=2) in written
    assert again(workspace, second, learn).identical
    assert read_memory(workspace, "plans").version == 2  # a replay writes nothing


def test_memory_when_forked_then_sees_what_its_parent_saw(workspace: Workspace) -> None:
    first = do(workspace, learn)
    do(workspace, learn)
    spec = fork(workspace, first.run, "thing.1/call.1")  # type: ignore[arg-type]
    child = asyncio.run(run(workspace, spec, parts=own_parts(learn)))
    assert child.answer == "[]"
    assert read_memory(workspace, "plans") == (3, [1])


def test_memory_when_taken_back_then_the_earlier_version_counts(workspace: Workspace) -> None:
    do(workspace, learn)
    do(workspace, learn)
    assert revert_memory(workspace, "plans", 1) == 3
    assert do(workspace, learn).answer == "[1]"
    with pytest.raises(NotFound, match="There is no version 9"):
        revert_memory(workspace, "plans", 9)


def test_memory_when_the_strategy_breaks_then_nothing_is_learned(workspace: Workspace) -> None:
    async def breaks(run: RunScope) -> str:
        (await run.memory("plans")).write([1])
        raise RuntimeError("no")

    assert do(workspace, breaks).status is Status.ERROR
    assert read_memory(workspace, "plans") == (0, None)


def test_spent_when_read_then_counts_and_a_replay_sees_the_same(workspace: Workspace) -> None:
    async def work(run: RunScope) -> str:
        for api in KITS["One"]:
            await run.call(api, {})
        spent = run.spent()
        return f"{spent.api_calls} {spent.model_calls} {spent.seconds >= 0}"

    done = do(workspace, work)
    assert done.answer == "2 0 True"
    assert again(workspace, done, work).identical


def test_catalogue_when_looked_through_by_a_strategy_then_recorded(workspace: Workspace) -> None:
    async def work(run: RunScope) -> str:
        page = await run.catalogue.browse("toolkit", size=1, page=2)
        apis = await run.catalogue.search("anything", 2)
        return f"{[e.name for e in page.entries]} of {page.total}, {len(apis)}"

    done = do(workspace, work)
    assert done.answer == "['Two'] of 2, 2"
    report = again(workspace, done, work)
    assert report.identical, report.divergence
    assert report.answer == done.answer


def test_browser_when_a_real_workspace_is_looked_through_then_levels_agree(
    demo_file: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "demo.toolplanner"
    copy.write_bytes(demo_file.read_bytes())
    with Workspace.open(copy) as workspace:
        browser = CataloguePager(workspace)
        sources = browser.page("source").entries
        assert [entry.size for entry in sources] == [196]
        categories = browser.page("category", source=sources[0].id, size=500)
        assert sum(entry.size for entry in categories.entries) == 196
        tools = browser.page("tool", category=categories.entries[0].id, size=500)
        assert sum(entry.size for entry in tools.entries) == categories.entries[0].size
        apis = browser.page("api", tool=tools.entries[0].id)
        assert apis.total == tools.entries[0].size
        toolkits = browser.page("toolkit", size=10)
        assert (len(toolkits.entries), toolkits.total) == (10, 35)
        assert browser.page("toolkit", size=10, page=4).entries[-1].name > "T"
        regions = browser.page("region")
        below = browser.page("toolkit", region=regions.entries[0].id, size=100)
        assert sum(e.size for e in below.entries) == regions.entries[0].size
        with pytest.raises(NotFound, match="There is no region"):
            browser.page("toolkit", region="Atlantis")
        assert RunSpec(query="x").roles == {}


def test_memory_command_when_listed_shown_and_reverted_then_versions_say_who_wrote_them(
    workspace: Workspace,
) -> None:
    async def learn(run: RunScope) -> str:
        memory = await run.memory("plans")
        memory.write([*(memory.value or []), len(memory.value or [])])
        return "ok"

    assert command_here("memory", "list", workspace.path).out.startswith("Nothing is remembered")
    do(workspace, learn)
    do(workspace, learn)
    rows = command_here("memory", "list", workspace.path, "--json").data
    assert [(row["version"], row["run"]) for row in rows] == [(2, 2), (1, 1)]
    shown = command_here("memory", "show", workspace.path, "plans", "--version", 1)
    assert shown.data == [0]
    reverted = command_here("memory", "revert", workspace.path, "plans", 1)
    assert reverted.out == "plans: version 1 counts again, as version 3.\n"
    assert command_here("memory", "show", workspace.path, "plans").data == [0]
    assert " a person " in command_here("memory", "list", workspace.path).out
    refused = command_here("memory", "revert", workspace.path, "plans", 7)
    assert refused.status == 2
    assert "There is no version 7 of the memory 'plans'" in refused.err


def test_catalogue_when_a_text_holds_a_secret_then_the_run_sees_it_as_its_replay_does(
    workspace: Workspace,
) -> None:
    secret = f"Call it with token=ghp_{'a1B2' * 9} in the header"
    api = replace(make_api("a_1"), description=secret)

    async def work(run: RunScope) -> str:
        page = await run.catalogue.browse("api")
        return page.entries[0].description

    parts = make_parts({"One": [api]}, Talker(), ScriptedProvider(), strategy=own_strategy(work))
    done = asyncio.run(run(workspace, RunSpec(query="do it", strategy="own"), parts=parts))
    assert done.answer != secret
    report = again(workspace, done, work)
    assert report.identical, report.divergence
    assert report.answer == done.answer


def test_catalogue_when_apis_are_listed_below_no_tool_then_they_are_named_with_their_tools(
    demo: Path,
) -> None:
    with Workspace.open(demo) as workspace:
        pages = CataloguePager(workspace)
        first = pages.page("api", size=3).entries
        tool = pages.page("tool", size=1).entries[0].name
        below = pages.page("api", tool=tool, size=1).entries[0].name
    assert first[0].name == f"{tool} · {below}"
    assert [entry.name for entry in first] == sorted(
        (entry.name for entry in first), key=str.casefold
    )


def test_members_when_one_failed_in_earlier_runs_then_it_ranks_lower_and_who_took_over_higher(
    demo: Path,
) -> None:
    with Workspace.open(demo) as workspace:
        catalogue = WorkspaceCatalogue(workspace)
        kit = next(kit for kit in list_toolkits(workspace) if kit.name == "Current weather")

        def members() -> dict[str, ScoredApi]:
            found = asyncio.run(catalogue.members(kit.id, near="Temperature now"))
            return {one.api.tool: one for one in found}

        before = members()
        for _ in range(3):
            asyncio.run(run(workspace, RunSpec(query="What is the temperature now in Madrid?")))
        after = members()
        catalogue.close()
    assert before["Thermo"].parts["health"] == before["MeteoNow"].parts["health"] == 0.5
    assert after["Thermo"].parts["health"] < 0.5 < after["MeteoNow"].parts["health"]
    assert after["Thermo"].score < before["Thermo"].score
    assert after["MeteoNow"].score > before["MeteoNow"].score
