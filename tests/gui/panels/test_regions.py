"""Regions in the window: the list and the map follow what a person decides about them."""

import pytest

from toolplanner_core.curation.edits.region import MergeRegions, RenameRegion
from toolplanner_core.curation.looking.column_source import Categories
from toolplanner_core.curation.looking.map_columns import REGION
from toolplanner_core.domain.curated import RegionFields, revival
from toolplanner_core.domain.ids import RegionId
from toolplanner_core.workspace.regions import write_regions
from toolplanner_core.workspace.toolkits import bump_toolkits_version
from toolplanner_gui.context import AppContext
from toolplanner_gui.map.palette import COLOUR_COUNT
from toolplanner_gui.panels.toolkits_panel import ToolkitsPanel
from toolplanner_gui.windows.region_dialog import RegionDialog

HERE, THERE = RegionId(1), RegionId(2)


def settle(context: AppContext, qtbot) -> None:
    qtbot.waitUntil(
        lambda: context.curation.is_idle and context.tasks.is_idle and context.map_look.is_idle,
        timeout=20_000,
    )


@pytest.fixture
def in_regions(opened: AppContext, qtbot) -> AppContext:
    """The demo workspace with two regions."""
    assert opened.workspace is not None
    toolkits = opened.catalogue.toolkits
    regions = {
        HERE: revival(RegionFields(name="Here", colour=3)),
        THERE: revival(RegionFields(name="There", colour=COLOUR_COUNT + 5)),
    }
    half = len(toolkits) // 2
    region_of = {t.id: HERE if i < half else THERE for i, t in enumerate(toolkits)}

    def work(db) -> None:
        write_regions(db, regions, region_of)
        bump_toolkits_version(db)

    opened.workspace.writer.run(work)
    opened.reload_catalogue()
    qtbot.waitUntil(lambda: bool(opened.catalogue.regions), timeout=20_000)
    settle(opened, qtbot)
    return opened


def tops(panel: ToolkitsPanel) -> list[str]:
    model = panel.model
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_list_and_column_when_regions_are_renamed_and_merged_then_they_follow(
    in_regions: AppContext, qtbot
) -> None:
    context = in_regions
    panel = ToolkitsPanel(context)
    qtbot.addWidget(panel)
    panel.show()
    settle(context, qtbot)
    assert sorted(tops(panel)) == ["Here", "There"]
    context.map_look.choose_column(REGION)
    settle(context, qtbot)
    values = context.map_look.values
    assert isinstance(values, Categories)
    assert list(values.names) == ["Here", "There"]
    assert list(values.colours) == [3, COLOUR_COUNT + 5]

    context.curation.do(RenameRegion(region=HERE, name="Home"))
    settle(context, qtbot)
    assert sorted(tops(panel)) == ["Home", "There"]
    assert context.map_look.regions == ("Home", "There")
    assert list(context.map_look.values.names) == ["Home", "There"]

    context.curation.do(MergeRegions(regions=(THERE,), into=HERE))
    settle(context, qtbot)
    assert tops(panel) == ["Home"]
    context.curation.undo()
    settle(context, qtbot)
    assert sorted(tops(panel)) == ["Home", "There"]


def test_region_dialog_when_toolkits_are_chosen_then_it_is_about_their_region(
    in_regions: AppContext, qtbot
) -> None:
    context = in_regions
    last = context.catalogue.toolkits[-1]
    context.selection.select_toolkit(last.id)
    dialog = RegionDialog(context, None)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.region.currentData() == THERE
    dialog.name.setText("Yonder")
    qtbot.waitUntil(dialog.confirm_button.isEnabled, timeout=10_000)
    assert "Rename region “There” to “Yonder”" in dialog.preview.text()
    dialog.confirm()
    settle(context, qtbot)
    assert context.catalogue.regions[THERE].name == "Yonder"

    dialog = RegionDialog(context, None)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.region.setCurrentIndex(dialog.region.findData(HERE))
    dialog.what.setCurrentIndex(dialog.what.findData("fill"))
    qtbot.waitUntil(dialog.confirm_button.isEnabled, timeout=10_000)
    dialog.confirm()
    settle(context, qtbot)
    assert context.catalogue.region_of[last.id] == HERE
