"""APIs that are given with a task: whichever way a strategy looks, it sees no others."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.plain_model import PlainModel
from fixtures.scripted_run import ScriptedProvider, make_parts

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.catalogue.candidates import CandidateCatalogue, add_distractors
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.run_parts import prepare
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.call import CallRefused, CallSent
from toolplanner_core.runs.events.decision import CatalogueLookup
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, ids_by_rowid
from toolplanner_core.workspace.toolkits import toolkit_of

QUERY = "What is the weather in Oslo, and how much are 250 EUR in USD?"
LEVELS = ("source", "category", "tool", "region", "toolkit", "api")


@pytest.fixture
def workspace(demo: Path) -> Iterator[Workspace]:
    with Workspace.open(demo) as opened:
        yield opened


@pytest.fixture
def given(workspace: Workspace) -> tuple[ApiId, ...]:
    """Three APIs of different toolkits."""
    found: dict[Any, ApiId] = {}
    for api in ids_by_rowid(workspace, all_rowids(workspace)).values():
        toolkit = toolkit_of(workspace, api)
        if toolkit is not None:
            found.setdefault(toolkit, api)
    return tuple(found.values())[:3]


@pytest.fixture
def catalogue(
    workspace: Workspace, given: tuple[ApiId, ...]
) -> Iterator[tuple[CandidateCatalogue, WorkspaceCatalogue]]:
    whole = WorkspaceCatalogue(workspace)
    yield CandidateCatalogue(workspace, given, whole=whole), whole
    whole.close()


def test_catalogue_when_apis_are_given_then_each_way_to_look_shows_these_alone(
    workspace: Workspace,
    given: tuple[ApiId, ...],
    catalogue: tuple[CandidateCatalogue, WorkspaceCatalogue],
) -> None:
    few, whole = catalogue

    async def look() -> None:
        for text in (QUERY, "zzz"):
            assert {each.api.id for each in await few.search(text, 9)} == set(given)
        assert len(await few.search(QUERY, 2)) == 2
        kits = await few.shortlist(QUERY, 9, without=[])
        assert {kit.toolkit.id for kit in kits} == {toolkit_of(workspace, api) for api in given}
        assert [kit.toolkit.size for kit in kits] == [1, 1, 1]
        first = kits[0].toolkit.id
        assert len(await few.shortlist(QUERY, 9, without=[first])) == 2
        [member] = await few.members(first, near=QUERY)
        assert member.api.id in given
        assert len(await whole.members(first, near=QUERY)) > 1
        for level in LEVELS:
            page = await few.browse(level, page=1, size=50)
            assert sum(entry.size for entry in page.entries) == 3, level
        below = await few.browse("api", page=1, size=50, toolkit=str(first))
        assert [entry.id for entry in below.entries] == [member.api.id]
        fit = few.evidence(QUERY, QUERY, [first])[0]
        assert fit.cosine <= whole.evidence(QUERY, QUERY, [first])[0].cosine

    asyncio.run(look())


@pytest.mark.parametrize("strategy", [plugin.id for plugin in strategies if plugin.answers])
def test_strategy_when_candidates_are_given_then_it_is_shown_and_calls_no_others(
    workspace: Workspace,
    given: tuple[ApiId, ...],
    catalogue: tuple[CandidateCatalogue, WorkspaceCatalogue],
    strategy: str,
) -> None:
    wanted = toolkit_of(workspace, given[0])
    assert wanted is not None
    model = PlainModel(plans=[[("one", int(wanted), [])]] * 9)
    made = make_parts({}, model, ScriptedProvider(), strategy=strategies.get(strategy))
    parts = replace(made, catalogue=catalogue[0], api_of=None)
    spec = RunSpec(query=QUERY, strategy=strategy, candidates=given)
    done = asyncio.run(run(workspace, spec, parts=parts))
    events = [record.event for record in read_run(workspace, done.run)]
    seen = [each for each in events if isinstance(each, CatalogueLookup)]
    assert seen
    named = {row["api"] for each in seen for row in each.found if "api" in row}
    # A scripted model knows no parameters: what is refused for these counts, too.
    called = {each.api for each in events if isinstance(each, CallSent | CallRefused)}
    assert named <= set(given)
    assert called <= set(given)
    assert called or any("unexpected keyword" in str(each) for each in events), done.reason
    assert replay(workspace, done.run).identical


def test_run_when_candidates_are_named_then_forks_replays_and_repeats_keep_them(
    workspace: Workspace, given: tuple[ApiId, ...]
) -> None:
    path = workspace.path
    named = [flag for api in given for flag in ("--candidate", api)]
    came = command_here("run", path, QUERY, *named, "--json").data
    assert replay(workspace, came["run"]).identical
    whole = command_here("run", path, QUERY, "--json").data
    assert fork(workspace, came["run"], 1).candidates == given
    assert fork(workspace, whole["run"], 1).candidates == ()
    mixed = command_here("run", path, QUERY, *named, "--distractors", "4", "--json").data
    candidates = fork(workspace, mixed["run"], 1).candidates
    assert len(candidates) == 7
    assert set(given) < set(candidates)
    assert candidates == add_distractors(workspace, given, 4, seed=0)
    assert candidates != add_distractors(workspace, given, 4, seed=1)
    alone = command_here("run", path, QUERY, "--distractors", "4", "--json").data
    assert fork(workspace, alone["run"], 1).candidates == add_distractors(workspace, (), 4, seed=0)


def test_run_when_candidates_do_not_fit_then_refused_in_words(
    workspace: Workspace, given: tuple[ApiId, ...]
) -> None:
    path, catalogue = workspace.path, WorkspaceCatalogue(workspace)
    spec = RunSpec(query=QUERY, candidates=(ApiId("0" * 16),))
    with pytest.raises(BadInput, match="1 candidate of the task is not in this workspace"):
        prepare(workspace, spec, catalogue)
    command_here("toolkits", "exclude", path, given[0])
    with pytest.raises(BadInput, match="1 candidate of the task is excluded"):
        prepare(workspace, replace(spec, candidates=given), catalogue)
    catalogue.close()
    many = command_here("run", path, QUERY, "--candidate", given[1], "--distractors", "9999")
    assert "There are no 9,999 other APIs to be candidates" in many.err
