"""Members of a toolkit are ranked by how their calls ended in earlier runs, too."""

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

from fixtures.scripted_run import ScriptedModel, ScriptedProvider, bad, make_parts

from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.workspace import Workspace


def test_members_when_one_failed_in_earlier_runs_then_it_ranks_lower(
    demo_file: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(demo_file, tmp_path / "copy.toolplanner"))
    with Workspace.open(path) as workspace:
        catalogue = WorkspaceCatalogue(workspace)
        try:
            asyncio.run(_check(workspace, catalogue))
        finally:
            catalogue.close()


async def _check(workspace: Workspace, catalogue: WorkspaceCatalogue) -> None:
    [kit] = await catalogue.shortlist("weather forecast", 1, without=())
    before = await catalogue.members(kit.toolkit.id, near="weather forecast")
    assert {item.parts["health"] for item in before} == {0.5}
    first = before[0].api
    provider = ScriptedProvider({first.name: bad(500)})
    for _ in range(4):
        model = ScriptedModel(plans=[[("weather", 1, [])], []])
        parts = make_parts({"Weather": [replace(first, parameters={})]}, model, provider)
        await run(workspace, RunSpec(query="weather"), parts=parts)
    after = await catalogue.members(kit.toolkit.id, near="weather forecast")
    sick = next(item for item in after if item.api.id == first.id)
    assert sick.parts["health"] == 1 / 6
    assert sick.score < before[0].score
    assert {item.parts["health"] for item in after if item is not sick} == {0.5}
