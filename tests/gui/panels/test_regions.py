"""Regions in the window: the list and the map follow what a person decides about them."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from toolplanner_core.curation.edits.move import Merge, NewToolkit
from toolplanner_core.curation.edits.region import MergeRegions, RenameRegion
from toolplanner_core.curation.looking.column_source import Categories
from toolplanner_core.curation.looking.map_columns import COLUMNS, REGION
from toolplanner_core.domain.curated import RegionFields, revived_fields
from toolplanner_core.domain.ids import RegionId
from toolplanner_core.workspace.curated_tables import write_regions
from toolplanner_core.workspace.toolkits import bump_toolkits_version
from toolplanner_gui.context import AppContext
from toolplanner_gui.map.layer_stack import colours_of
from toolplanner_gui.map.toolkit_colours import COLOUR_COUNT
from toolplanner_gui.panels.map_panel import MapPanel
from toolplanner_gui.panels.review_panel import ReviewPanel
from toolplanner_gui.panels.toolkit_tree import ToolkitTree
from toolplanner_gui.panels.toolkits_panel import ToolkitsPanel
from toolplanner_gui.viewmodels.curate.toolkit_model import TOOLKIT_ROLE
from toolplanner_gui.windows.edit_dialogs import RegionDialog

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
        HERE: revived_fields(RegionFields(name="Here", colour=3)),
        THERE: revived_fields(RegionFields(name="There", colour=COLOUR_COUNT + 5)),
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
    settle(context, qtbot)
    assert not dialog.confirm_button.isEnabled()
    assert dialog.preview.text() == "Nothing changes: it has this name."
    dialog.name.setText("Yonder")
    assert dialog.confirm_button.isEnabled()
    renaming = "Rename region “There” to “Yonder”"
    qtbot.waitUntil(lambda: renaming in dialog.preview.text(), timeout=10_000)
    assert not dialog.preview.text().endswith(". .")
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


@pytest.mark.parametrize("by", [each.id for each in COLUMNS])
def test_list_when_the_map_is_coloured_by_anything_then_shows_a_thing_in_its_colour_there_or_none(
    in_regions: AppContext, qtbot, by: str
) -> None:
    context = in_regions
    host = QWidget()
    qtbot.addWidget(host)
    seen, panel = MapPanel(context), ToolkitsPanel(context)
    for one in (seen, panel):
        one.setParent(host)
    host.show()
    context.map_look.choose_column(by)
    settle(context, qtbot)
    qtbot.waitUntil(lambda: seen.is_idle and context.map_look.column_id == by)
    settle(context, qtbot)
    points, tokens = seen.canvas.points, context.theme.tokens
    palette = colours_of(points.colouring, tokens)
    codes = points.colours[points.labels] if points.colouring is None else points.colouring.index
    shown = {each.id: set[str]() for each in context.catalogue.toolkits}
    for place, code in zip(points.labels.tolist(), codes.tolist(), strict=True):
        if place >= 0:
            shown[context.catalogue.toolkits[place].id].add(palette[code].name())
    alike = {toolkit: next(iter(found)) for toolkit, found in shown.items() if len(found) == 1}
    assert dict(context.colours) == alike

    def swatch_of(row: int) -> str | None:
        icon = panel.model.index(row, 0).data(Qt.ItemDataRole.DecorationRole)
        seen = None if icon is None else icon.pixmap(16, 16).toImage().pixelColor(8, 8)
        return seen.name() if seen is not None and seen.alpha() else None

    for row in range(panel.model.rowCount()):
        kits = panel.model.toolkits_of(panel.model.index(row, 0))
        there = set[str]().union(*(shown[kit.id] for kit in kits))
        assert swatch_of(row) == (next(iter(there)) if len(there) == 1 else None)


def test_list_when_the_name_of_a_region_is_long_then_its_first_words_are_seen(
    in_regions: AppContext, qtbot
) -> None:
    context = in_regions
    name = "Mixed: business, monitoring, communication, entertainment and more"
    context.curation.do(RenameRegion(region=HERE, name=name))
    panel = ToolkitsPanel(context)
    qtbot.addWidget(panel)
    settle(context, qtbot)
    [row] = [row for row in range(2) if tops(panel)[row] == name]
    option, index = QStyleOptionViewItem(), panel.model.index(row, 0)
    option.textElideMode = panel.tree.textElideMode()
    panel.tree.itemDelegate().initStyleOption(option, index)
    assert option.textElideMode is Qt.TextElideMode.ElideRight
    assert name in index.data(Qt.ItemDataRole.ToolTipRole).replace("&#x27;", "'")


def test_review_when_a_toolkit_of_the_chosen_region_ends_then_the_region_stays_chosen(
    in_regions: AppContext, qtbot
) -> None:
    context = in_regions
    panel = ReviewPanel(context)
    qtbot.addWidget(panel)
    panel.resize(800, 600)
    panel.show()
    qtbot.waitUntil(lambda: context.review.current is not None and panel.is_idle)
    settle(context, qtbot)
    box, review = panel.regions, context.review
    box.activated.emit(next(i for i in range(box.count()) if box.itemText(i).startswith("Here")))
    settle(context, qtbot)
    assert box.currentText().startswith("Here")
    here = [t.id for t in context.catalogue.toolkits if context.catalogue.region_of[t.id] == HERE]
    context.curation.do(Merge(toolkits=tuple(here[:2]), into=here[0]))
    settle(context, qtbot)
    alone = tuple(context.catalogue.rowids[context.catalogue.mask_of_toolkit(here[2])][:1].tolist())
    context.curation.do(NewToolkit(rowids=alone, name="Alone", description="x"))
    settle(context, qtbot)
    qtbot.waitUntil(lambda: panel.is_idle and not review.reading.is_reading)
    assert context.catalogue.toolkit(here[1]) is None
    assert box.currentText() == f"Here {len(review.questions):,}"
    now = {t for t, region in context.catalogue.region_of.items() if region == HERE}
    assert review.choice.toolkits == now


def shown_list(context: AppContext, qtbot) -> ToolkitsPanel:
    """The list of toolkits, as it is when all of it is there."""
    panel = ToolkitsPanel(context)
    qtbot.addWidget(panel)
    panel.show()
    settle(context, qtbot)
    return panel


def type_letters(tree: ToolkitTree, text: str) -> None:
    """As by a quick hand."""
    for letter in text:
        tree.keyboardSearch(letter)


def test_list_when_one_types_on_the_row_of_a_region_then_it_goes_to_regions_first(
    in_regions: AppContext, qtbot
) -> None:
    panel = shown_list(in_regions, qtbot)
    tree, model = panel.tree, panel.model
    tree.collapseAll()
    names = [model.index(row, 0).data() for row in range(model.rowCount())]
    assert len(names) > 1 and any(kit.name.startswith(names[1][0]) for kit in model.toolkits)
    tree.setCurrentIndex(model.index(0, 0))
    type_letters(tree, names[1])
    assert tree.currentIndex() == model.index(1, 0)
    assert not any(tree.isExpanded(model.index(row, 0)) for row in range(len(names)))
    tree.keyboardSearch("")
    wanted = model.toolkits[-1]
    type_letters(tree, wanted.name)
    assert tree.currentIndex().data(TOOLKIT_ROLE) == wanted.id, "no region begins so"


def test_list_when_a_name_in_a_closed_region_is_typed_then_it_is_found_and_nothing_else(
    in_regions: AppContext, qtbot
) -> None:
    panel = shown_list(in_regions, qtbot)
    tree, told = panel.tree, []
    in_regions.message_shown.connect(told.append)
    tree.collapseAll()
    wanted = panel.model.toolkits[-1]
    type_letters(tree, wanted.name)
    assert tree.currentIndex().data(TOOLKIT_ROLE) == wanted.id
    assert tree.visualRect(tree.currentIndex()).isValid()
    assert not told
    tree.keyboardSearch("")
    tree.keyboardSearch(wanted.name[0])
    assert not told, "an empty text ends what was typed"
    tree.setCurrentIndex(panel.model.index_of(wanted.id))
    tree.keyboardSearch("")
    type_letters(tree, wanted.name)
    tree.keyboardSearch("§")
    assert tree.currentIndex().data(TOOLKIT_ROLE) == wanted.id, "never another one"
    assert told[-1].startswith(f"No toolkit begins with “{wanted.name}§”"[:40])
