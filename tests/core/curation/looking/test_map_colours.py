"""Colours of the map: kept for just the points they were found for."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from toolplanner_core.curation.edits.history import do
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue, read_catalogue
from toolplanner_core.curation.looking.map_colours import keep_colours, read_colours
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import set_setting


def kept(workspace: Workspace, catalogue: CuratedCatalogue) -> np.ndarray:
    """Keep a colour for each toolkit."""
    colours = np.arange(len(catalogue.toolkits), dtype=np.int64) % 12
    assert catalogue.xy is not None
    keep_colours(
        workspace, colours, xy=catalogue.xy, labels=catalogue.labels, toolkits=catalogue.toolkits
    )
    workspace.writer.run(lambda _db: None)
    return colours


def test_colours_when_kept_then_read_with_the_catalogue_until_an_edit(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        assert read_catalogue(workspace).colours is None
        colours = kept(workspace, read_catalogue(workspace))
        catalogue = read_catalogue(workspace)
        assert catalogue.colours is not None
        assert catalogue.colours.tolist() == colours.tolist()
        one, other = catalogue.toolkits[:2]
        do(workspace, Merge(toolkits=(one.id, other.id), into=one.id))
        assert read_catalogue(workspace).colours is None


def test_colours_when_places_members_or_toolkits_are_others_then_none(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        catalogue = read_catalogue(workspace)
        kept(workspace, catalogue)
        xy, labels, toolkits = catalogue.xy, catalogue.labels, catalogue.toolkits
        assert xy is not None
        assert read_colours(workspace, xy, labels, toolkits) is not None
        assert read_colours(workspace, xy + 1, labels, toolkits) is None
        assert read_colours(workspace, xy, labels[::-1], toolkits) is None
        renumbered = (replace(toolkits[0], id=toolkits[-1].id + 1), *toolkits[1:])
        assert read_colours(workspace, xy, labels, renumbered) is None


@pytest.mark.parametrize("wrong", [7, [], {}, {"of": 1}, "x", {"of": None, "colours": 3}])
def test_colours_when_a_workspace_holds_something_else_then_none(demo: Path, wrong: object) -> None:
    with Workspace.open(demo) as workspace:
        kept(workspace, read_catalogue(workspace))
        set_setting(workspace, "map_colours", wrong)
        assert read_catalogue(workspace).colours is None
