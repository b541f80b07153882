"""Regions by the command line: listed, and edited with undo."""

from pathlib import Path

import pytest
from fixtures.curated import FOOD, MONEY, PARCELS, WEATHER, curated_workspace
from fixtures.spoken_command import Speak

from toolplanner_core.domain.curated import RegionFields, revived_fields
from toolplanner_core.domain.ids import RegionId
from toolplanner_core.workspace.curated_tables import write_regions


@pytest.fixture
def path(tmp_path: Path) -> Path:
    workspace = curated_workspace(tmp_path)
    one, two = RegionId(1), RegionId(2)
    regions = {
        one: revived_fields(RegionFields(name="Outside")),
        two: revived_fields(RegionFields(name="Shop")),
    }
    region_of = {WEATHER: one, MONEY: two, PARCELS: two, FOOD: two}
    workspace.writer.run(lambda db: write_regions(db, regions, region_of))
    workspace.close()
    return workspace.path


def listed(say: Speak, path: Path) -> dict[str, tuple[int, bool]]:
    rows = say("regions", "list", path, "--json").data
    return {row["name"]: (row["toolkits"], row["is_pinned"]) for row in rows}


def test_regions_when_edited_then_the_list_says_so_and_undo_brings_them_back(
    path: Path, say: Speak
) -> None:
    start = listed(say, path)
    assert start == {"Outside": (1, False), "Shop": (3, False)}
    assert "Outside" in say("regions", "list", path).out
    assert say("regions", "rename", path, "Outside", "Sky").status == 0
    assert say("regions", "pin", path, "sky").status == 0
    moved = say("regions", "move", path, "Food", "--to", "Sky")
    assert "1 toolkit comes to another region" in moved.out
    assert listed(say, path) == {"Sky": (2, True), "Shop": (2, False)}
    assert say("regions", "merge", path, "Sky", "2").status == 0
    assert listed(say, path) == {"Sky": (4, True)}
    assert say("regions", "unpin", path, "1").status == 0
    for _ in range(5):
        assert say("history", "undo", path).status == 0
    assert listed(say, path) == start


def test_regions_when_there_is_none_of_this_name_then_says_where_to_look(
    path: Path, say: Speak
) -> None:
    refused = say("regions", "rename", path, "Nowhere", "x")
    assert refused.status == 2
    assert "There is no region “Nowhere”" in refused.err
    assert "toolplanner regions list" in refused.err
