"""Excluded APIs are offered to no plan."""

import asyncio
from pathlib import Path

from tests.fixtures.curated import WEATHER, curated_workspace
from toolplanner_core.curation.edits.history import do, undo
from toolplanner_core.curation.edits.marks import Exclude, Include
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.workspace.toolkits import list_toolkits, plannable_members, plannable_toolkits


def test_plans_when_an_api_is_excluded_then_are_not_offered_it(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        catalogue = WorkspaceCatalogue(workspace)
        do(workspace, Exclude(rowids=(1,), reason="needs a contract"))

        members = asyncio.run(catalogue.members(WEATHER, near="weather forecast"))
        found = asyncio.run(catalogue.search("weather forecast of a city", 3))

        assert {member.api.name for member in members} == {"current_weather", "天气"}
        assert "get_forecast" not in {scored.api.name for scored in found}
        assert plannable_members(workspace, WEATHER) == [2, 12]
        undo(workspace)
        assert 1 in plannable_members(workspace, WEATHER)
        catalogue.close()


def test_toolkit_when_all_its_apis_are_excluded_then_is_not_offered_but_listed(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        catalogue = WorkspaceCatalogue(workspace)
        do(workspace, Exclude(rowids=(3, 4)))

        offered = asyncio.run(catalogue.shortlist("convert currency", 9, without=()))

        assert "Money" not in {scored.toolkit.name for scored in offered}
        assert "Money" not in {toolkit.name for toolkit in plannable_toolkits(workspace)}
        assert "Money" in {toolkit.name for toolkit in list_toolkits(workspace)}
        do(workspace, Include(rowids=(3, 4)))
        offered = asyncio.run(catalogue.shortlist("convert currency", 9, without=()))
        assert "Money" in {scored.toolkit.name for scored in offered}
        catalogue.close()
