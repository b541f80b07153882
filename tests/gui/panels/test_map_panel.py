"""The map over the real demo workspace: colours, filter, finding, selecting."""

import threading
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from toolplanner_core.clustering.neighbours import nearest_neighbours
from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.move import Merge, Move
from toolplanner_core.curation.grouping.points import load_points
from toolplanner_core.curation.looking.column_source import Scale
from toolplanner_core.curation.looking.map_columns import COLUMNS
from toolplanner_core.workspace.point_sets import put_neighbours
from toolplanner_gui.actions.action import all_actions
from toolplanner_gui.context import AppContext
from toolplanner_gui.map.layer_stack import colours_of
from toolplanner_gui.map.points import MapPoints
from toolplanner_gui.panels import map_panel
from toolplanner_gui.panels.map.map_export import export_work, seen_points
from toolplanner_gui.panels.map.toolbar import MapToolbar
from toolplanner_gui.panels.map_panel import MapPanel
from toolplanner_gui.windows.save_selection_dialog import SaveSelectionDialog

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(opened: AppContext, qtbot) -> MapPanel:
    made = MapPanel(opened)
    qtbot.addWidget(made)
    made.resize(900, 640)
    made.canvas._stage.is_motion_reduced = True
    made.show()
    qtbot.waitUntil(lambda: made.is_idle, timeout=20_000)
    return made


def settle(qtbot, panel: MapPanel) -> None:
    qtbot.waitUntil(lambda: panel.is_idle and panel.context.tasks.is_idle, timeout=20_000)
    QApplication.processEvents()


def choose(qtbot, panel: MapPanel, name: str) -> None:
    with qtbot.waitSignal(panel.context.map_look.column_changed, timeout=10_000):
        panel.context.map_look.choose_column(name)
    settle(qtbot, panel)


@pytest.mark.parametrize("name", [each.id for each in COLUMNS])
def test_colour_by_when_any_column_is_chosen_then_the_map_and_its_legend_follow(
    panel: MapPanel, qtbot, name: str
) -> None:
    choose(qtbot, panel, name)
    assert panel.bar.column.currentData() == name
    canvas, values = panel.canvas, panel.context.map_look.values
    card = canvas._overlays.legend_card
    if name == "toolkit":
        assert canvas.points.colouring is None
        assert card.isHidden()
        return
    assert canvas.points.colouring is not None
    assert canvas.points.colouring.id == name
    assert not card.isHidden()
    size = len(values.values) if isinstance(values, Scale) else len(values.codes)
    assert size == 196
    assert "coloured by" in canvas._overlays.legend.text()
    assert not canvas.grab().isNull()


def test_legend_when_a_row_is_pressed_then_only_its_points_are_shown_until_cleared(
    panel: MapPanel, qtbot
) -> None:
    choose(qtbot, panel, "method")
    row = panel.canvas._overlays.legend_card.rows[0]
    count = panel.canvas.points.colouring.rows[0].count
    row.click()
    look = panel.context.map_look
    assert int(look.visible.sum()) == count
    said = panel.canvas._overlays.legend.whole
    assert said.startswith(f"{count} of 196 APIs shown")
    assert said.index("only HTTP method") < said.index("coloured by HTTP method")
    assert row.isChecked()
    assert panel.canvas._overlays.clear_filter.isVisible()
    panel.context.selecting.select_all()
    assert panel.context.selection.count == count
    panel.context.selecting.invert()
    assert panel.context.selection.count == 0
    panel.canvas._overlays.clear_filter.click()
    assert look.visible is None
    assert not row.isChecked()
    assert "196 of 196 APIs ·" in panel.canvas._overlays.legend.text()


def test_legend_when_another_column_is_filtered_then_its_numbers_are_of_the_apis_shown(
    panel: MapPanel, qtbot
) -> None:
    look = panel.context.map_look
    choose(qtbot, panel, "category")
    panel.canvas._overlays.legend_card.rows[0].click()
    shown = int(look.visible.sum())
    assert 0 < shown < 196
    choose(qtbot, panel, "called")
    qtbot.waitUntil(lambda: panel.canvas.points.colouring.id == "called")
    rows = panel.canvas._overlays.legend_card.rows
    said = [int(row.text().rsplit("  ", 1)[1]) for row in rows]
    assert sum(said) == shown
    rows[0].click()  # its own filter takes nothing away from the numbers beside it
    assert [int(row.text().rsplit("  ", 1)[1]) for row in rows] == said
    look.clear_filter()
    assert sum(int(row.text().rsplit("  ", 1)[1]) for row in rows) == 196


def test_find_when_words_are_typed_then_they_can_be_selected_or_shown_alone(
    panel: MapPanel, qtbot
) -> None:
    with qtbot.waitSignal(panel.context.selecting.found, timeout=10_000):
        QTest.keyClicks(panel.bar.field, "weather")
    found = int(panel.bar.count.text().split()[0])
    assert 3 < found < 100
    QTest.keyClick(panel.bar.field, Qt.Key.Key_Return)
    selection = panel.context.selection
    assert selection.count == found
    assert selection.made == {"by": "search", "text": "weather"}
    panel.bar.only_button.click()
    assert int(panel.context.map_look.visible.sum()) == found
    assert "weather" in panel.canvas._overlays.legend.text()


def test_find_when_words_are_typed_then_hits_are_ringed_at_once_until_the_field_is_empty(
    panel: MapPanel, qtbot
) -> None:
    legend = panel.canvas._overlays.legend
    with qtbot.waitSignal(panel.context.selecting.found, timeout=10_000):
        QTest.keyClicks(panel.bar.field, "weather")
    found = int(panel.bar.count.text().split()[0])
    scene = panel.canvas.points.scene()
    assert panel.context.selection.count == 0
    assert scene.found is not None
    assert int(scene.found.sum()) == found
    assert f"{found} found on the map, ringed" in legend.whole
    qtbot.waitUntil(lambda: panel.is_idle, timeout=10_000)
    drawn = panel.canvas._stage.raster._scene.found
    assert int(drawn.sum()) == found
    QTest.keyClick(panel.bar.field, Qt.Key.Key_Escape)
    assert panel.canvas.points.scene().found is None
    assert "found" not in legend.whole


def test_find_when_nothing_holds_the_words_then_it_says_so_and_rings_nothing(
    panel: MapPanel, qtbot
) -> None:
    with qtbot.waitSignal(panel.context.selecting.found, timeout=10_000):
        QTest.keyClicks(panel.bar.field, "wonga")
    assert panel.bar.count.text() == "Nothing found"
    assert "holds all of these words" in panel.bar.count.toolTip()
    assert not panel.bar.select_button.isEnabled()
    assert panel.canvas.points.scene().found is None


def test_found_when_two_fields_search_then_the_newest_counts_and_an_edit_keeps_it(
    panel: MapPanel, qtbot
) -> None:
    look, points = panel.context.map_look, panel.canvas.points
    some, others = np.zeros((2, len(points)), bool)
    some[:5] = others[7:9] = True
    legend = panel.canvas._overlays.legend
    look.mark_found("list", some)
    assert "5 found by the search, ringed" in legend.whole
    look.mark_found("map", some)
    assert "5 found on the map, ringed" in legend.whole
    look.mark_found("map", others)
    look.mark_found("list", None)
    assert points.found_count == 2
    look.show_only(some, "the first five")
    assert points.found_count == 0
    look.clear_filter()
    panel._on_catalogue_changed()
    assert panel.canvas.points.found_count == 2
    look.mark_found("map", None)
    assert panel.canvas.points.found_count == 0


def test_find_when_the_pattern_is_none_then_it_says_so_in_place(panel: MapPanel, qtbot) -> None:
    panel.bar.pattern.setChecked(True)
    with qtbot.waitSignal(panel.context.selecting.found, timeout=10_000):
        panel.bar.field.setText("weather(")
    assert panel.bar.count.text() == "Not a pattern"
    assert "unterminated" in panel.bar.count.toolTip()
    assert not panel.bar.select_button.isEnabled()
    with qtbot.waitSignal(panel.context.selecting.found, timeout=10_000):
        panel.bar.field.setText("^get.*weather")
    assert panel.bar.select_button.isEnabled()
    panel.bar.select_button.click()
    assert panel.context.selection.made == {"by": "regex", "text": "^get.*weather"}


def test_lasso_when_drawn_then_the_shared_selection_knows_how_it_was_made(
    panel: MapPanel, qtbot
) -> None:
    canvas = panel.canvas
    canvas.set_tool("lasso")
    assert "Draw a line" in canvas._overlays.hint.text()
    board = canvas._stage.view.viewport()
    corners = [QPoint(150, 80), QPoint(600, 90), QPoint(620, 420), QPoint(160, 430)]
    QTest.mousePress(board, LEFT, Qt.KeyboardModifier.NoModifier, corners[0])
    for corner in corners[1:]:
        QTest.mouseMove(board, corner)
        QApplication.processEvents()
    QTest.mouseRelease(board, LEFT, Qt.KeyboardModifier.NoModifier, corners[-1])
    settle(qtbot, panel)
    selection = panel.context.selection
    assert selection.made["by"] == "lasso"
    assert len(selection.made["points"]) >= 4
    x, y = canvas.camera.view.to_screen(canvas.points.xy[:, 0], canvas.points.xy[:, 1])
    well_inside = (x > 200) & (x < 580) & (y > 110) & (y < 400)
    assert well_inside.any()
    assert selection.mask[well_inside].all()
    assert (canvas.points.selection.mask == selection.mask).all()


def test_selecting_when_grown_shrunk_and_made_similar_then_sets_follow_the_vectors(
    panel: MapPanel, qtbot
) -> None:
    context = panel.context
    points = load_points(context.workspace)
    near = nearest_neighbours(points.vectors, 16, report=lambda *_a: None)
    put_neighbours(context.workspace, points.point_set.id, points.embedder, *near)
    context.reload_catalogue()
    qtbot.waitUntil(lambda: context.selecting.can_grow, timeout=10_000)
    settle(qtbot, panel)
    start = int(context.catalogue.rowids[10])
    context.selection.select_apis([start])
    context.selecting.grow()
    grown = context.selection.count
    assert 3 <= grown <= 6
    assert context.selection.made["by"] == "steps"
    assert context.selection.made["steps"][-1] == {"by": "neighbours", "do": "grow"}
    settle(qtbot, panel)
    assert panel.canvas._together.words in panel.canvas._overlays.legend.text()
    assert "%" in panel.canvas._together.words
    context.selecting.shrink()
    assert context.selection.count <= grown
    context.selection.select_apis([start])
    with qtbot.waitSignal(context.selection.changed, timeout=10_000):
        context.selecting.take_similar()
    assert 20 <= context.selection.count <= 60
    assert start not in context.selection.rowids()
    assert context.selection.made["of"] == [start]
    context.selecting.take_toolkits()
    labels = context.catalogue.labels
    own = np.unique(labels[context.selection.mask])
    assert (np.isin(labels, own) == context.selection.mask).all()


def test_saved_selection_when_saved_by_dialog_then_it_can_be_taken_and_forgotten(
    panel: MapPanel, qtbot
) -> None:
    context = panel.context
    context.selection.select_apis(context.catalogue.rowids[5:9].tolist())
    dialog = SaveSelectionDialog(context, panel)
    qtbot.addWidget(dialog)
    assert not dialog.save_button.isEnabled()
    dialog.name.setText("my set")
    with qtbot.waitSignal(context.selecting.saved_changed, timeout=10_000):
        dialog.save_button.click()
    again = SaveSelectionDialog(context, panel)
    qtbot.addWidget(again)
    again.name.setText("my set")
    assert again.save_button.text() == "Replace"
    context.selection.clear()
    context.selecting.take_saved("my set")
    assert context.selection.points.tolist() == [5, 6, 7, 8]
    assert context.selection.made == {"by": "saved", "name": "my set"}
    copied: list[str] = []
    context.selecting.copy_ids(copied.append)
    qtbot.waitUntil(lambda: bool(copied), timeout=10_000)
    assert len(copied[0].splitlines()) == 4
    with qtbot.waitSignal(context.selecting.saved_changed, timeout=10_000):
        context.selecting.forget("my set")
    assert context.selecting.saved == []


def test_actions_of_the_select_menu_when_nothing_is_open_then_none_fails(
    context: AppContext, qtbot
) -> None:
    for menu, action in all_actions():
        if menu.id == "select":
            assert not action.is_enabled(context) or action.id == "select.saved"


def test_export_when_written_then_picture_drawing_and_table_hold_what_is_seen(
    panel: MapPanel, qtbot, tmp_path
) -> None:
    context, canvas = panel.context, panel.canvas
    canvas.camera.zoom(1.5)
    settle(qtbot, panel)
    canvas.grab()
    words = {}
    for kind in ("png", "svg", "csv"):
        words[kind] = export_work(context, canvas, kind, tmp_path / f"map.{kind}")()
    image = QImage(str(tmp_path / "map.png"))
    view = canvas.camera.view
    assert (image.width(), image.height()) == (2 * view.width, 2 * view.height)
    colours = {image.pixelColor(x, y).name() for x in range(0, 900, 3) for y in range(0, 900, 3)}
    assert len(colours) > 10
    svg = ElementTree.parse(tmp_path / "map.svg").getroot()
    texts = {element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")}
    shown = {text for text, _level, _box in canvas._stage.labels.shown_texts()}
    assert shown
    assert shown <= texts
    rows = (tmp_path / "map.csv").read_text("utf-8-sig").splitlines()
    seen = seen_points(canvas)
    assert 0 < len(seen) < 196
    assert len(rows) == len(seen) + 1
    assert rows[0] == "id,name,toolkit,x,y"
    assert words["csv"] == f"Wrote {len(seen)} APIs"
    context.map_look.show_only(context.catalogue.labels < 5, "few")
    assert len(seen_points(canvas)) < len(seen)


@pytest.mark.parametrize("is_coloured_by_column", [False, True])
def test_colours_when_a_toolkit_is_renamed_then_lists_are_given_them_once(
    panel: MapPanel, qtbot, monkeypatch, is_coloured_by_column: bool
) -> None:
    context, given = panel.context, []
    if is_coloured_by_column:
        choose(qtbot, panel, "category")
    settle(qtbot, panel)
    monkeypatch.setattr(context.map_look, "set_colours", given.append)
    context.curation.do(Rename(toolkit=context.catalogue.toolkits[0].id, name="Of today"))
    qtbot.waitUntil(lambda: context.curation.is_idle and context.tasks.is_idle)
    settle(qtbot, panel)
    assert len(given) == 1


@pytest.mark.parametrize("is_coloured_by_column", [False, True])
def test_scene_when_toolkits_are_edited_then_it_is_built_once_an_edit(
    panel: MapPanel, qtbot, monkeypatch, is_coloured_by_column: bool
) -> None:
    context, built = panel.context, []
    one, other = sorted(context.catalogue.toolkits, key=lambda t: -t.size)[:2]
    if is_coloured_by_column:
        context.map_look.choose_column("category")
    context.selection.select_toolkit(one.id)
    settle(qtbot, panel)
    make = MapPoints.scene
    monkeypatch.setattr(MapPoints, "scene", lambda *a, **k: built.append(1) or make(*a, **k))
    for edit in (
        Rename(toolkit=other.id, name="Rates of exchange"),
        Move(rowids=tuple(context.selection.rowids()[:2].tolist()), to=other.id),
        Merge(toolkits=(one.id,), into=other.id),
    ):
        built.clear()
        context.curation.do(edit)
        qtbot.waitUntil(lambda: context.curation.is_idle and context.tasks.is_idle)
        settle(qtbot, panel)
        assert len(built) == 1, edit
    built.clear()
    context.curation.undo()
    qtbot.waitUntil(lambda: context.curation.is_idle and context.tasks.is_idle)
    settle(qtbot, panel)
    assert len(built) == 1


@pytest.mark.parametrize("width", [460, 560, 700, 1000])
def test_find_when_something_is_typed_then_the_field_keeps_its_room(
    opened: AppContext, width: int, qtbot
) -> None:
    around = QWidget()
    qtbot.addWidget(around)
    bar = MapToolbar(opened)
    bar.setParent(around)
    around.show()
    bar.show()
    bar.resize(width, 40)
    bar.field.setText("weather")
    qtbot.waitUntil(lambda: bar.select_button.isEnabled() and opened.selecting.is_idle)
    qtbot.waitUntil(lambda: bar.field.width() >= 200)
    assert bar.field.geometry().right() < bar.pattern.x()
    assert width < 560 or bar.only_button.isVisible()
    assert bar.width() == width
    bar.field.setText("")
    qtbot.waitUntil(bar.column.isVisible)


def test_bar_when_the_map_is_as_wide_as_in_a_small_window_then_it_says_what_the_box_is(
    panel: MapPanel, qtbot
) -> None:
    panel.resize(557, 400)  # of a window of 1280 x 720
    qtbot.waitUntil(lambda: panel.bar.width() == 557)
    assert panel.bar._words.isVisible()
    assert panel.bar.field.width() >= 140
    panel.resize(400, 400)
    qtbot.waitUntil(lambda: not panel.bar._words.isVisible())


def test_colour_of_an_api_when_toolkits_have_several_then_it_is_its_own(
    panel: MapPanel, qtbot
) -> None:
    choose(qtbot, panel, "method")
    context = panel.context
    look, points = context.map_look, panel.canvas.points
    colours = colours_of(points.colouring, context.theme.tokens)
    for place, rowid in enumerate(context.catalogue.rowids[:40].tolist()):
        assert look.colour_of(rowid) == colours[points.colouring.index[place]].name()
    choose(qtbot, panel, "toolkit")
    kit = context.catalogue.toolkit_of_point(0)
    assert look.colour_of(int(context.catalogue.rowids[0])) == context.colours[kit.id]


def test_hits_when_zoomed_to_then_all_of_them_are_in_view_and_closer(
    panel: MapPanel, qtbot
) -> None:
    camera, look = panel.canvas.camera, panel.context.map_look
    panel.fit()
    settle(qtbot, panel)
    before = camera.view
    found = panel.context.catalogue.mask_of_toolkit(panel.context.catalogue.toolkits[0].id)

    def is_seen() -> bool:
        x, y = panel.canvas.points.xy[found].mean(axis=0)
        view = camera.target
        return view.scale > before.scale and abs(view.x - x) < 1 and abs(view.y - y) < 1

    look.mark_found("map", found)
    settle(qtbot, panel)
    assert camera.view == before, "nobody has asked for it"
    panel.zoom_to_hits()
    assert is_seen()
    look.mark_found("map", None)
    panel.zoom_to_hits()
    settle(qtbot, panel)
    assert camera.place is None, "all of it, where nothing is looked for"
    panel.context.choices.zooms_to_hits = True
    look.mark_found("map", found)
    assert is_seen()
    look.mark_found("map", None)
    assert is_seen(), "it stays where it is"


def test_large_map_when_edited_then_its_names_are_made_beside_the_window(
    panel: MapPanel, qtbot, monkeypatch
) -> None:
    here, made_in = threading.get_ident(), set[int]()

    def short(name: str) -> str:
        made_in.add(threading.get_ident())
        return name

    monkeypatch.setattr(map_panel, "AT_ONCE", 0)
    monkeypatch.setattr(map_panel, "_short", short)
    context = panel.context
    toolkit = context.catalogue.toolkits[0]
    with qtbot.waitSignal(context.catalogue_edited, timeout=10_000):
        context.curation.do(Rename(toolkit=toolkit.id, name="Named anew"))
    settle(qtbot, panel)
    assert made_in
    assert here not in made_in
    assert panel.canvas.points.names[0] == "Named anew"
