"""How a workspace was looked at comes back when it is opened again, and only for its person."""

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSettings, Qt
from PySide6.QtWidgets import QWidget

from toolplanner_core.curation.looking.map_columns import REGION
from toolplanner_core.curation.looking.toolkit_columns import ToolkitColumn
from toolplanner_gui.bridge.user_settings import UserSettings
from toolplanner_gui.bridge.view_state import ViewState
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.apis_panel import ApisPanel
from toolplanner_gui.panels.map_panel import MapPanel
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.panels.toolkits_panel import ToolkitsPanel


@pytest.fixture
def host(qtbot) -> QWidget:
    """Stands around the panels as a window does."""
    made = QWidget()
    qtbot.addWidget(made)
    made.show()
    return made


def shown(kind: type[Panel], context: AppContext, host: QWidget, qtbot) -> Panel:
    panel = kind(context)
    panel.setParent(host)
    panel.resize(800, 600)
    panel.show()
    qtbot.waitUntil(lambda: panel.is_idle and context.tasks.is_idle)
    return panel


def reopen(context: AppContext, path: Path, *panels: Panel, qtbot) -> None:
    """As the window does it: panels live no longer than their workspace."""
    for panel in panels:
        panel.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    async def again() -> None:
        await context.close_workspace()
        await context.open_workspace(path)

    context.tasks.spawn(again(), owner=context)
    qtbot.waitUntil(lambda: context.opened is not None and context.catalogue.n_apis > 0)
    qtbot.waitUntil(lambda: context.tasks.is_idle)


def test_map_when_opened_again_then_has_the_same_colours_and_is_seen_from_the_same_place(
    opened: AppContext, demo: Path, host: QWidget, qtbot
) -> None:
    panel = shown(MapPanel, opened, host, qtbot)
    assert isinstance(panel, MapPanel)
    camera = panel.canvas.camera
    opened.map_look.choose_column("category")
    camera.zoom(7.0)
    camera.look_at(0.25, -0.125)
    place = camera.place
    qtbot.waitUntil(lambda: opened.map_look.column_id == "category")

    reopen(opened, demo, panel, qtbot=qtbot)

    again = shown(MapPanel, opened, host, qtbot)
    assert isinstance(again, MapPanel)
    assert opened.map_look.column_id == "category"
    assert again.canvas.camera.place == pytest.approx(place)
    again.fit()
    qtbot.waitUntil(lambda: again.canvas.is_settled)
    reopen(opened, demo, again, qtbot=qtbot)
    whole = shown(MapPanel, opened, host, qtbot)
    assert isinstance(whole, MapPanel)
    assert whole.canvas.camera.place is None


def test_lists_when_opened_again_then_are_ordered_and_open_as_they_were(
    opened: AppContext, demo: Path, host: QWidget, qtbot
) -> None:
    panel, table = shown(ToolkitsPanel, opened, host, qtbot), shown(ApisPanel, opened, host, qtbot)
    assert isinstance(panel, ToolkitsPanel)
    assert isinstance(table, ApisPanel)
    panel.tree.sortByColumn(ToolkitColumn.NAME, Qt.SortOrder.AscendingOrder)
    table.view.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    chosen = opened.catalogue.toolkits[3].id
    panel.tree.expand(panel.model.index_of(chosen))

    reopen(opened, demo, panel, table, qtbot=qtbot)

    panel, table = shown(ToolkitsPanel, opened, host, qtbot), shown(ApisPanel, opened, host, qtbot)
    assert isinstance(panel, ToolkitsPanel)
    assert isinstance(table, ApisPanel)
    header = panel.tree.header()
    assert header.sortIndicatorSection() == ToolkitColumn.NAME
    assert header.sortIndicatorOrder() is Qt.SortOrder.AscendingOrder
    assert panel.tree.isExpanded(panel.model.index_of(chosen))
    assert table.view.header.sortIndicatorSection() == 1
    assert table.view.header.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder


def test_view_when_kept_for_one_workspace_then_another_and_a_picture_have_none(
    tmp_path: Path, qapp
) -> None:
    settings = QSettings(str(tmp_path / "view.ini"), QSettings.Format.IniFormat)
    choices = UserSettings(settings)
    one = ViewState(choices, tmp_path / "one.toolplanner")
    one.put("colour", REGION)
    one.flush()
    assert ViewState(choices, tmp_path / "one.toolplanner").text("colour") == REGION
    assert ViewState(choices, tmp_path / "two.toolplanner").text("colour") == ""
    picture = ViewState(UserSettings(settings, is_read_only=True), tmp_path / "one.toolplanner")
    assert picture.text("colour") == ""
    picture.put("colour", "risk")
    picture.flush()
    assert ViewState(choices, tmp_path / "one.toolplanner").text("colour") == REGION
    settings.setValue("views", '{"x": 3}')
    assert ViewState(choices, tmp_path / "one.toolplanner").numbers("map", 7) is None


def test_merge_that_is_being_put_together_when_opened_again_then_stands_in_the_tray_as_it_was(
    opened: AppContext, demo: Path, qtbot
) -> None:
    said: list[str] = []
    opened.message_shown.connect(said.append)
    one, other = sorted(opened.catalogue.toolkits, key=lambda kit: -kit.size)[:2]
    members = opened.catalogue.rowids_of(opened.catalogue.mask_of_toolkit(other.id), [])
    opened.staging.add([one.id, other.id], made={"by": "lasso"})
    opened.staging.merge_into(one.id)
    opened.staging.rename("Both of them")
    opened.staging.leave_out(int(members[0]), is_left_out=True)
    before = opened.staging.staged

    reopen(opened, demo, qtbot=qtbot)

    assert opened.staging.staged == before
    assert opened.staging.origin == {"by": "lasso"}
    assert said[-1] == "2 toolkits still wait in the staging tray, as you left them"
    opened.staging.clear()
    reopen(opened, demo, qtbot=qtbot)
    assert not opened.staging.toolkits


@pytest.mark.parametrize(
    "kept",
    [
        ["x"],
        [[[10**6, "a"], [1, "a toolkit of another file"], 2], 1, [], "", {}],
        [[], None, [], "", {}],
        [1, 2, 3, 4, 5],
    ],
)
def test_tray_when_what_was_kept_makes_no_sense_then_is_empty(
    kept: list[object], opened: AppContext, demo: Path, qtbot
) -> None:
    opened.view.put("staged merge", kept)
    reopen(opened, demo, qtbot=qtbot)
    assert not opened.staging.toolkits
